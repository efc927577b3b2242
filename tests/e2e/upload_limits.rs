//! What is left of the day, as programs are told.

use crate::harness::{Harness, Suite, send};
use anyhow::{Result, ensure};
use contract::api::MintSession;
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("upload_limits::a_fresh_channel_has_its_whole_day", fresh);
    suite.add(
        "upload_limits::a_limit_of_zero_is_active_until_midnight",
        zero,
    );
    suite.add("upload_limits::the_site_can_change_the_limit", changed);
    suite.add("upload_limits::each_use_is_counted", counted);
    suite.add("upload_limits::the_categories_are_listed", categories);
}

async fn fresh(harness: Arc<Harness>) -> Result<()> {
    let key = harness.account().await?.create_key().await?;
    let answer = harness.with_key(paths::UPLOAD_LIMITS, &key).await?;
    let expected = json!({
        "success": true,
        "ui_limit_failure_translation_key": "content_upload_limit_failure",
        "is_limit_activated": false,
        "limit_reset_time_unix": null,
        "limit_amount": 50,
        "remaining": 50,
    });
    ensure!(answer.json()? == expected, "{answer:?}");
    ensure!(
        answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400",
        "{answer:?}"
    );
    ensure!(
        answer.header("ratelimit").starts_with("\"daily\";r=50;t="),
        "{answer:?}"
    );
    Ok(())
}

async fn zero(harness: Arc<Harness>) -> Result<()> {
    let key = harness
        .account_with_limit(Some(0))
        .await?
        .create_key()
        .await?;
    let body = harness.with_key(paths::UPLOAD_LIMITS, &key).await?.json()?;
    ensure!(
        body["is_limit_activated"] == true && body["remaining"] == 0,
        "{body}"
    );
    ensure!(
        body["limit_reset_time_unix"]
            .as_u64()
            .is_some_and(|time| time % 86_400 == 0),
        "{body}"
    );
    Ok(())
}

async fn changed(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let key = account.create_key().await?;
    let wanted = MintSession {
        account_id: account.id,
        daily_upload_limit: Some(7),
        ttl_seconds: None,
    };
    harness.mint(&wanted).await?;
    let body = harness.with_key(paths::UPLOAD_LIMITS, &key).await?.json()?;
    ensure!(
        body["limit_amount"] == 7 && body["remaining"] == 7,
        "{body}"
    );
    Ok(())
}

async fn counted(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let key = account.create_key().await?;
    let uses = (0..10).map(|_| harness.with_key(paths::UPLOAD_LIMITS, &key));
    futures_util::future::join_all(uses).await;
    let metadata = account.post(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 10, "{metadata}");
    Ok(())
}

async fn categories(harness: Arc<Harness>) -> Result<()> {
    let key = harness.account().await?.create_key().await?;
    let body = harness.with_key(paths::CATEGORIES, &key).await?.json()?;
    ensure!(
        body["categories"][0] == json!({ "id": 1, "name": "Animals" }),
        "{body}"
    );
    let twice = json!({ "categories": [{ "id": 1, "name": "A" }, { "id": 1, "name": "B" }] });
    let answer = send(
        harness
            .service(Method::PUT, paths::SERVICE_CATEGORIES)
            .json(&twice),
    )
    .await?;
    ensure!(
        answer.code()? == "request_malformed" && answer.json()?["field"] == "categories",
        "{answer:?}"
    );
    Ok(())
}
