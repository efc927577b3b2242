//! What a development stack starts with: two signed-in accounts and a few categories.

use anyhow::{Context, Result};
use contract::api::{MintSession, SessionMinted};
use contract::paths;
use serde_json::json;

const CATEGORIES: [(u32, &str); 5] = [
    (1, "Animals"),
    (2, "Comedy"),
    (3, "Gaming"),
    (4, "Music"),
    (5, "Sports"),
];

/// The longest that there is: a stack may stay up for days.
const SESSION_SECONDS: u32 = 30 * 86_400;

/// The session cookie of an account, which comes into being with it.
pub async fn session(base: &str, service_token: &str, account_id: u64) -> Result<String> {
    let wanted = MintSession {
        account_id,
        daily_upload_limit: None,
        ttl_seconds: Some(SESSION_SECONDS),
    };
    let client = crate::http::client();
    let request = client
        .post(format!("{base}{}", paths::SESSIONS))
        .bearer_auth(service_token)
        .json(&wanted);
    let response = request
        .send()
        .await?
        .error_for_status()
        .context("minting a session")?;
    Ok(response.json::<SessionMinted>().await?.session_cookie)
}

/// The list of categories that uploads may name.
pub async fn categories(base: &str, service_token: &str) -> Result<()> {
    let list: Vec<_> = CATEGORIES
        .iter()
        .map(|(id, name)| json!({ "id": id, "name": name }))
        .collect();
    let client = crate::http::client();
    let request = client
        .put(format!("{base}{}", paths::SERVICE_CATEGORIES))
        .bearer_auth(service_token);
    let response = request.json(&json!({ "categories": list })).send().await?;
    response
        .error_for_status()
        .context("setting the categories")?;
    Ok(())
}
