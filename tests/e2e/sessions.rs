//! Sessions: minted and ended by the site's back end alone, and over when they end.

use crate::harness::{Harness, Suite, ensure_refused, send};
use anyhow::{Result, ensure};
use contract::api::MintSession;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "sessions::only_the_service_token_mints_and_ends",
        service_token,
    );
    suite.add(
        "sessions::an_account_keeps_its_channel_over_sessions",
        channel,
    );
    suite.add("sessions::an_ended_session_is_over", ended);
    suite.add(
        "sessions::what_does_not_fit_is_told_with_its_field",
        misfits,
    );
    suite.add(
        "sessions::a_foreign_or_garbled_cookie_is_no_session",
        garbled,
    );
}

async fn service_token(harness: Arc<Harness>) -> Result<()> {
    let body = json!({ "account_id": 77 });
    let admin = format!("Bearer {}", harness.env().get("ADMIN_TOKEN"));
    for method in [Method::POST, Method::DELETE] {
        for authorization in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer wrong",
            "Basic eDp5",
            admin.as_str(),
        ] {
            let mut request = harness.request(method.clone(), paths::SESSIONS).json(&body);
            if !authorization.is_empty() {
                request = request.header("Authorization", authorization);
            }
            ensure_refused(&send(request).await?, 401, "service_token_invalid")?;
        }
    }
    Ok(())
}

async fn channel(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let wanted = MintSession {
        account_id: account.id,
        daily_upload_limit: None,
        ttl_seconds: Some(60),
    };
    let again = harness.mint(&wanted).await?;
    ensure!(again.channel_id == account.channel_id && again.session_cookie != account.cookie);
    ensure!(again.session_cookie.starts_with("__Host-session="));
    ensure!(account.post(paths::CREATE_API_KEY).await?.status == 200);
    Ok(())
}

async fn ended(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    for _ in 0..2 {
        let request = harness.service(Method::DELETE, paths::SESSIONS);
        let answer = send(request.json(&json!({ "session_cookie": account.cookie }))).await?;
        ensure!(
            answer.status == 200 && answer.json()? == json!({ "success": true }),
            "{answer:?}"
        );
    }
    ensure_refused(
        &account.post(paths::CREATE_API_KEY).await?,
        401,
        "session_required",
    )
}

async fn misfits(harness: Arc<Harness>) -> Result<()> {
    let cases: [(Value, Option<&str>); 8] = [
        (json!({}), None),
        (json!({ "account_id": "5" }), None),
        (json!({ "account_id": -5 }), None),
        (json!({ "account_id": 0 }), Some("account_id")),
        (json!({ "account_id": 1_u64 << 53 }), Some("account_id")),
        (
            json!({ "account_id": 5, "ttl_seconds": 59 }),
            Some("ttl_seconds"),
        ),
        (
            json!({ "account_id": 5, "ttl_seconds": 2_592_001 }),
            Some("ttl_seconds"),
        ),
        (
            json!({ "account_id": 5, "daily_upload_limit": 1_000_001 }),
            Some("daily_upload_limit"),
        ),
    ];
    for (body, field) in cases {
        let answer = send(harness.service(Method::POST, paths::SESSIONS).json(&body)).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(
            answer.json()?["field"].as_str() == field,
            "{body}: {answer:?}"
        );
    }
    let twice = harness
        .service(Method::POST, paths::SESSIONS)
        .header("Content-Type", "application/json")
        .body(r#"{"account_id": 5, "account_id": 6}"#);
    ensure_refused(&send(twice).await?, 400, "request_malformed")?;
    let request = harness
        .service(Method::DELETE, paths::SESSIONS)
        .json(&json!({ "session_cookie": "x" }));
    ensure_refused(&send(request).await?, 400, "request_malformed")
}

async fn garbled(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let token = account
        .cookie
        .split_once('=')
        .map_or("", |(_, token)| token);
    let cookies = [
        String::new(),
        format!("session={token}"),
        format!("__Host-session={}", "A".repeat(43)),
        format!("__Host-session={}", &token[1..]),
        format!("__Host-session=../{}", &token[3..]),
    ];
    for cookie in cookies {
        let request = harness
            .request(Method::POST, paths::CREATE_API_KEY)
            .header("Cookie", &cookie)
            .json(&json!({}));
        ensure_refused(&send(request).await?, 401, "session_required")?;
    }
    Ok(())
}
