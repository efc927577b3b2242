//! The initial data of a development stack: signed-in accounts and a few categories.

use crate::network::http_client;
use anyhow::{Context, Result};
use contract::api::{CreateOriginKey, MintSession, OriginKeyCreated, SessionMinted};
use contract::paths;
use serde_json::json;

const CATEGORIES: [(u32, &str); 5] = [(1, "Animals"), (2, "Comedy"), (3, "Gaming"), (4, "Music"), (5, "Sports")];

/// The longest lifetime that the API allows: a stack may run for days.
const SESSION_SECONDS: u32 = 30 * 86_400;

/// Creates a session for an account and returns its cookie. The account is created if it does not exist.
pub(crate) async fn create_session(base: &str, service_token: &str, account_id: u64) -> Result<String> {
    let channel_name = Some(format!("Channel of account {account_id}"));
    let session =
        MintSession { account_id, daily_upload_limit: None, channel_name, ttl_seconds: Some(SESSION_SECONDS) };
    let request = http_client().post(format!("{base}{}", paths::SESSIONS)).bearer_auth(service_token).json(&session);
    let response = request.send().await?.error_for_status().context("creating a session")?;
    Ok(response.json::<SessionMinted>().await?.session_cookie)
}

/// Makes a key for an origin.
pub async fn create_origin_key(base: &str, admin_token: &str, name: &str) -> Result<String> {
    let request = http_client().post(format!("{base}{}", paths::ORIGIN_KEYS)).bearer_auth(admin_token);
    let response = request.json(&CreateOriginKey { name: name.to_owned() }).send().await?;
    let response = response.error_for_status().context("making a key for an origin")?;
    Ok(response.json::<OriginKeyCreated>().await?.origin_key)
}

/// Sets the categories that uploads may name.
pub(crate) async fn set_categories(base: &str, service_token: &str) -> Result<()> {
    let list: Vec<_> = CATEGORIES.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
    let request = http_client().put(format!("{base}{}", paths::SERVICE_CATEGORIES)).bearer_auth(service_token);
    let response = request.json(&json!({ "categories": list })).send().await?;
    response.error_for_status().context("setting the categories")?;
    Ok(())
}
