//! Whatever is asked, the answer is JSON of the right envelope and carries a request id.

use crate::harness::{Harness, Suite, ensure_refused, send};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "answers::the_worker_says_that_it_lives_and_its_version",
        health,
    );
    suite.add("answers::an_unknown_path_is_json", unknown_path);
    suite.add("answers::a_wrong_method_names_the_right_ones", wrong_method);
    suite.add(
        "answers::key_management_fails_in_its_own_envelope",
        key_envelope,
    );
    suite.add("answers::a_body_that_is_no_object_is_told_so", bodies);
    suite.add("answers::a_header_of_any_bytes_is_answered", odd_headers);
    suite.add("answers::the_api_description_is_served", openapi);
    suite.add(
        "answers::a_path_that_is_no_route_is_not_logged",
        key_in_path,
    );
}

async fn health(harness: Arc<Harness>) -> Result<()> {
    let answer = harness.get(paths::HEALTH).await?;
    ensure!(answer.status == 200);
    ensure!(answer.json()? == json!({ "success": true, "version": env!("CARGO_PKG_VERSION") }));
    Ok(())
}

/// What no header can hold counts as not sent.
async fn odd_headers(harness: Arc<Harness>) -> Result<()> {
    for odd in ["é", "\u{7f}", "a\tb", "\u{fffd}"] {
        for name in ["X-Odd", "Authorization", "Cookie", "Content-Type"] {
            let request = format!(
                "GET {} HTTP/1.1\r\nHost: {}\r\n{name}: {odd}\r\nConnection: close\r\n\r\n",
                paths::UPLOAD_LIMITS,
                harness.address()
            );
            let answer = crate::raw::exchange(harness.address(), request.as_bytes()).await?;
            let is_json = answer.contains("\"success\":false") && answer.contains("x-request-id");
            // The runtime itself may refuse such a request before it is ours.
            ensure!(
                is_json || answer.starts_with("HTTP/1.1 400"),
                "{name}: {odd:?}: {answer}"
            );
        }
    }
    Ok(())
}

async fn unknown_path(harness: Arc<Harness>) -> Result<()> {
    let mut ids = HashSet::new();
    for path in [
        "/",
        "/nothing",
        "/api/php/developer/nothing",
        "/%ff",
        "/api/php/user_settings",
    ] {
        let answer = harness.get(path).await?;
        ensure_refused(&answer, 404, "not_found")?;
        ensure!(
            answer.header("content-type") == "application/json",
            "{answer:?}"
        );
        ensure!(answer.json()?["detail"].is_string(), "{answer:?}");
        ensure!(
            ids.insert(answer.header("x-request-id").to_owned()),
            "a request id came twice"
        );
        ensure!(answer.header("x-request-id").len() == 36, "{answer:?}");
    }
    Ok(())
}

async fn wrong_method(harness: Arc<Harness>) -> Result<()> {
    let cases = [
        (Method::GET, paths::CREATE_API_KEY, "POST"),
        (Method::PATCH, paths::SESSIONS, "POST,DELETE"),
        (Method::POST, paths::UPLOAD_LIMITS, "GET,HEAD"),
        (Method::OPTIONS, paths::DELETE_API_KEY, "POST"),
        (Method::POST, paths::OPENAPI, "GET,HEAD"),
    ];
    for (method, path, allowed) in cases {
        let answer = send(harness.request(method.clone(), path)).await?;
        ensure_refused(&answer, 405, "method_not_allowed")?;
        let allow: HashSet<&str> = answer.header("allow").split(',').map(str::trim).collect();
        ensure!(
            allow == allowed.split(',').collect(),
            "{method} {path}: {answer:?}"
        );
        ensure!(!answer.header("x-request-id").is_empty());
    }
    Ok(())
}

async fn key_envelope(harness: Arc<Harness>) -> Result<()> {
    let nulls = |code: &str| json!({ "success": false, "error_message_code": code, "api_key": null, "key": null });
    let unknown = harness.get("/api/php/user_settings/nothing").await?;
    ensure!(
        unknown.status == 404 && unknown.json()? == nulls("not_found"),
        "{unknown:?}"
    );
    let wrong_method = harness.get(paths::CREATE_API_KEY).await?;
    ensure!(
        wrong_method.status == 405 && wrong_method.json()? == nulls("method_not_allowed"),
        "{wrong_method:?}"
    );
    let no_session = send(
        harness
            .request(Method::POST, paths::CREATE_API_KEY)
            .json(&json!({})),
    )
    .await?;
    ensure!(
        no_session.status == 401 && no_session.json()? == nulls("session_required"),
        "{no_session:?}"
    );
    Ok(())
}

async fn bodies(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let post = |body: Vec<u8>| {
        let request = harness
            .request(Method::POST, paths::DELETE_API_KEY)
            .header("Cookie", &account.cookie);
        send(
            request
                .header("Content-Type", "application/json")
                .body(body),
        )
    };
    for broken in [
        "[]",
        "null",
        "\"text\"",
        "1",
        "{",
        "{}{}",
        "{} x",
        "{},",
        "{'a': 1}",
        "{\"a\": 1,}",
        "\u{feff}{}",
        "{\"a\":}",
        "\0",
    ] {
        ensure_refused(&post(broken.into()).await?, 400, "request_malformed")?;
    }
    ensure_refused(&post(vec![b'['; 300_000]).await?, 400, "request_malformed")?;
    // Well-formed, so they come as far as to the missing key.
    // A member that comes twice is no matter here, where none means anything.
    for taken in [
        "",
        " \r\n",
        "{}",
        " {} ",
        "{\"unknown\": 1}",
        "{\"twice\": 1, \"twice\": 2}",
    ] {
        ensure_refused(&post(taken.into()).await?, 404, "api_key_not_found")?;
    }
    Ok(())
}

async fn openapi(harness: Arc<Harness>) -> Result<()> {
    let answer = harness.get("/openapi.json").await?;
    ensure!(answer.status == 200);
    ensure!(
        answer
            .header("content-type")
            .starts_with("application/json"),
        "{:?}",
        answer.headers
    );
    ensure!(
        answer.json()?["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1"))
    );
    Ok(())
}

async fn key_in_path(harness: Arc<Harness>) -> Result<()> {
    let secret = "cgk_0123456789abcdefghijABCDEFGHIJ0123456789zzzzzz";
    let answer = harness.get(&format!("/nothing/{secret}")).await?;
    let logged = harness.logged(answer.header("x-request-id")).await?;
    ensure!(!logged.to_string().contains(secret), "{logged}");
    Ok(())
}
