//! Sessions: only the site's back end creates and ends them, and an ended session is refused.

use anyhow::{Result, ensure};
use contract::api::MintSession;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused, send};

#[e2e]
async fn only_the_service_token_creates_and_ends_sessions(stack: Arc<TestStack>) -> Result<()> {
    let body = json!({ "account_id": 77 });
    let admin = format!("Bearer {}", stack.env().get("ADMIN_TOKEN"));
    for method in [Method::POST, Method::DELETE] {
        for authorization in ["", "Bearer", "Bearer ", "Bearer wrong", "Basic eDp5", admin.as_str()] {
            let mut request = stack.request(method.clone(), paths::SESSIONS).json(&body);
            if !authorization.is_empty() {
                request = request.header("Authorization", authorization);
            }
            ensure_refused(&send(request).await?, 401, "service_token_invalid")?;
        }
    }
    Ok(())
}

#[e2e]
async fn an_account_keeps_its_channel_across_sessions(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let request =
        MintSession { account_id: account.id, daily_upload_limit: None, channel_name: None, ttl_seconds: Some(60) };
    let again = stack.create_session(&request).await?;
    ensure!(again.channel_id == account.channel_id && again.session_cookie != account.cookie);
    ensure!(again.session_cookie.starts_with("__Host-session="));
    ensure!(account.post(paths::CREATE_API_KEY).await?.status == 200);
    Ok(())
}

#[e2e]
async fn an_ended_session_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    for _ in 0..2 {
        let request = stack.service_request(Method::DELETE, paths::SESSIONS);
        let answer = send(request.json(&json!({ "session_cookie": account.cookie }))).await?;
        ensure!(answer.status == 200 && answer.json()? == json!({ "success": true }), "{answer:?}");
    }
    ensure_refused(&account.post(paths::CREATE_API_KEY).await?, 401, "session_required")
}

#[e2e]
async fn a_foreign_cookie_with_any_letters_does_not_sign_the_user_out(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    for foreign in ["name=José".as_bytes(), b"name=Jos\xe9", "名=日本".as_bytes()] {
        let cookies = [foreign, b"; ", account.cookie.as_bytes()].concat();
        let request = stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", cookies);
        ensure!(send(request).await?.status == 200);
    }
    Ok(())
}

#[e2e]
async fn an_invalid_session_request_is_refused_with_its_field(stack: Arc<TestStack>) -> Result<()> {
    let cases: [(Value, &str); 8] = [
        (json!({}), "account_id"),
        (json!({ "account_id": "5" }), "account_id"),
        (json!({ "account_id": -5 }), "account_id"),
        (json!({ "account_id": 0 }), "account_id"),
        (json!({ "account_id": 1_u64 << 53 }), "account_id"),
        (json!({ "account_id": 5, "ttl_seconds": 59 }), "ttl_seconds"),
        (json!({ "account_id": 5, "ttl_seconds": 2_592_001 }), "ttl_seconds"),
        (json!({ "account_id": 5, "daily_upload_limit": 1_000_001 }), "daily_upload_limit"),
    ];
    for (body, field) in cases {
        let answer = send(stack.service_request(Method::POST, paths::SESSIONS).json(&body)).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"].as_str() == Some(field), "{body}: {answer:?}");
    }
    let twice = stack
        .service_request(Method::POST, paths::SESSIONS)
        .header("Content-Type", "application/json")
        .body(r#"{"account_id": 5, "account_id": 6}"#);
    ensure_refused(&send(twice).await?, 400, "request_malformed")?;
    let request = stack.service_request(Method::DELETE, paths::SESSIONS).json(&json!({ "session_cookie": "x" }));
    ensure_refused(&send(request).await?, 400, "request_malformed")
}

#[e2e]
async fn a_foreign_or_malformed_cookie_is_not_a_session(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let token = account.cookie.split_once('=').map_or("", |(_, token)| token);
    let cookies = [
        String::new(),
        format!("session={token}"),
        format!("__Host-session={}", "A".repeat(43)),
        format!("__Host-session={}", &token[1..]),
        format!("__Host-session=../{}", &token[3..]),
    ];
    for cookie in cookies {
        let request = stack.request(Method::POST, paths::CREATE_API_KEY).header("Cookie", &cookie).json(&json!({}));
        ensure_refused(&send(request).await?, 401, "session_required")?;
    }
    Ok(())
}
