//! Explanations of problems outside of the program.

use crate::fake::TOKEN;
use crate::operator::{Operator, printed};
use axum::Router;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use deploy::smoke::wait_until_healthy;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_database_is_shown_as_cloudflare_wrote_it() {
    let operator = Operator::new().await;
    operator.deploy("production").await;
    operator.api.with(|account| account.resources.database_error = Some("D1 DB is overloaded"));
    let printed = printed(&operator.run("production", &[], TOKEN).await);
    assert!(printed.contains("D1 DB is overloaded") && !printed.contains("answers.at"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_the_database_rejects_is_shown_with_the_reason() {
    let operator = Operator::new().await;
    operator.api.with(|account| account.resources.import_error = Some("near \"TABEL\": syntax error"));
    let output = operator.run("production", &[], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains("\"TABEL\": syntax error"), "{}", printed(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_another_version_of_the_schema_is_refused_before_anything_changes() {
    for change in [
        "UPDATE migration_hashes SET sha256 = 'other' WHERE name LIKE '0003%'",
        "DELETE FROM migration_hashes",
        "INSERT INTO d1_migrations (name) VALUES ('0024_held_jobs.sql')",
    ] {
        let operator = Operator::new().await;
        operator.deploy("production").await;
        operator.api.with(|account| account.resources.change_database("clipgate", change));
        let output = operator.run("production", &[], TOKEN).await;
        let printed = printed(&output);
        assert!(!output.status.success() && printed.contains("No database from before 1.0"), "{change}: {printed}");
        let versions = operator.api.with(|account| account.workers.0["clipgate-edge"].versions);
        assert_eq!(versions, 1, "{change}: the Worker was deployed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_account_id_is_named() {
    let operator = Operator::new().await;
    let output = operator.run_as("another-account", "production", &[], TOKEN).await;
    let printed = printed(&output);
    assert!(!output.status.success() && printed.contains("CLOUDFLARE_ACCOUNT_ID must be the account ID"), "{printed}");
    assert!(!printed.contains("is not a list"), "{printed}");
    operator.api.with(|account| assert!(account.requests.iter().all(|request| request.starts_with("GET "))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_file_of_environments_is_explained() {
    let output = Operator::new().await.run("production", &["--environments", "/nowhere.toml"], TOKEN).await;
    assert!(!output.status.success() && printed(&output).contains("environments.example.toml"), "{}", printed(&output));
}

/// Serves this response at every path, and returns the address.
pub(crate) async fn serve(
    status: StatusCode,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let pairs = headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
    let headers: HeaderMap = pairs.collect();
    let router = Router::new().fallback(move || std::future::ready((status, headers, body)));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_403_of_the_protection_against_bots_is_recognised_at_once() {
    let challenge = serve(StatusCode::FORBIDDEN, &[("cf-mitigated", "challenge")], "<html>").await;
    let blocked = serve(StatusCode::FORBIDDEN, &[], "error code: 1010").await;
    for address in [challenge, blocked] {
        let started = Instant::now();
        let error = format!("{:#}", wait_until_healthy(&address, Duration::from_mins(5)).await.expect_err("a 403"));
        assert!(error.contains("Bot Fight Mode and Browser Integrity Check"), "{error}");
        assert!(started.elapsed() < Duration::from_mins(1));
    }
    let other = serve(StatusCode::FORBIDDEN, &[], "{}").await;
    let error = format!("{:#}", wait_until_healthy(&other, Duration::ZERO).await.expect_err("a 403"));
    assert!(error.contains("status 403") && !error.contains("Bot Fight Mode"), "{error}");
}
