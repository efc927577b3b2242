//! The initial data of a development stack: signed-in accounts and a few categories.

use crate::network::http_client;
use anyhow::{Context, Result};
use contract::api::{
    CreateOriginKey, CreateToken, MintSession, OriginKeyCreated, SessionMinted, TokenCreated, TokenRole,
};
use contract::paths;
use serde_json::json;

const CATEGORIES: [(u32, &str); 5] = [(1, "Animals"), (2, "Comedy"), (3, "Gaming"), (4, "Music"), (5, "Sports")];

/// The longest lifetime that the API allows: a stack may run for days.
const SESSION_SECONDS: u32 = 30 * 86_400;
const MODERATOR: &str = "local moderator";
const MODERATOR_SECONDS: u64 = 86_400;

/// Creates a session for an account and returns its cookie. The account is created if it does not exist.
pub(crate) async fn create_session(base: &str, service_token: &str, account_id: u64) -> Result<String> {
    let channel_name = Some(format!("Channel of account {account_id}"));
    let session =
        MintSession { account_id, daily_upload_limit: None, channel_name, ttl_seconds: Some(SESSION_SECONDS) };
    let request = http_client().post(format!("{base}{}", paths::SESSIONS)).bearer_auth(service_token).json(&session);
    let response = request.send().await?.error_for_status().context("creating a session")?;
    Ok(response.json::<SessionMinted>().await?.session_cookie)
}

/// Signs in at the desk with a new token that may do everything, and returns the cookie.
pub(crate) async fn sign_in_at_desk(base: &str, admin_token: &str) -> Result<String> {
    let roles = TokenRole::ALL.into_iter().filter(|role| *role != TokenRole::Service).collect();
    let token = CreateToken { name: MODERATOR.to_owned(), roles, ttl_seconds: MODERATOR_SECONDS };
    let request = http_client().post(format!("{base}{}", paths::TOKENS)).bearer_auth(admin_token).json(&token);
    let response = request.send().await?.error_for_status().context("making a token for a moderator")?;
    let token = response.json::<TokenCreated>().await?.token;
    let request = http_client().post(format!("{base}{}", paths::DESK_SIGN_IN)).bearer_auth(token);
    let response = request.send().await?.error_for_status().context("signing in at the desk")?;
    let cookie = response.headers().get("Set-Cookie").and_then(|cookie| cookie.to_str().ok());
    let pair = cookie.and_then(|cookie| cookie.split(';').next()).context("the response sets no cookie")?;
    Ok(pair.to_owned())
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
