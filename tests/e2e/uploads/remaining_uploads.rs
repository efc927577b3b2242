//! The upload limits that programs can read: the daily limit, the remaining quota, and the accepted files.

use anyhow::{Result, ensure};
use contract::api::MintSession;
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{StackLimits, TestStack, e2e, send};

#[e2e]
async fn a_new_channel_has_its_whole_daily_limit(stack: Arc<TestStack>) -> Result<()> {
    let key = stack.account().await?.create_key().await?;
    let answer = stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?;
    let expected = json!({
        "success": true,
        "ui_limit_failure_translation_key": "content_upload_limit_failure",
        "is_limit_activated": false,
        "limit_reset_time_unix": null,
        "limit_amount": 50,
        "remaining": 50,
        "max_open_uploads": StackLimits::NONE.open_uploads,
        "open_uploads": 0,
        "max_daily_changes": 200,
        "remaining_changes": 200,
        "changes_reset_time_unix": answer.json()?["changes_reset_time_unix"],
        "max_requests": 100,
        "request_period_seconds": 10,
        "accepts": {
            "max_file_bytes": 95_000_000,
            "max_resumable_bytes": 2_000_000_000,
            "file_extensions": ["mp4", "mov", "3gp", "webm", "mkv", "avi", "flv", "mpeg", "wmv", "ogg"],
            "min_duration_ms": 2_000,
            "max_duration_ms": 120_000,
            "max_caption_characters": 2_200,
            "max_ai_summary_characters": 5_000,
            "max_external_id_characters": 128,
            "max_metadata_members": 20,
            "max_metadata_name_characters": 40,
            "max_metadata_value_characters": 500,
            "max_metadata_bytes": 4_096,
            "max_thumbnail_bytes": 2_000_000,
            "thumbnail_media_types": ["image/jpeg", "image/png", "image/webp"],
            "max_captions_bytes": 524_288,
            "max_captions_languages": 8,
            "max_pixels_per_second": 1_100_000_000,
            "min_schedule_ahead_seconds": 300,
            "max_schedule_ahead_seconds": 180 * 86_400,
            "min_bytes_per_second": 16_384,
            "pace_seconds": 30,
        },
    });
    ensure!(answer.json()? == expected, "{answer:?}");
    ensure!(expected["changes_reset_time_unix"].as_u64().is_some_and(|time| time % 86_400 == 0), "{answer:?}");
    ensure!(answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400, \"burst\";q=100;w=10", "{answer:?}");
    ensure!(answer.header("ratelimit").starts_with("\"daily\";r=50;t="), "{answer:?}");
    Ok(())
}

#[e2e]
async fn a_limit_of_zero_is_active_until_midnight(stack: Arc<TestStack>) -> Result<()> {
    let key = stack.account_with_limit(Some(0)).await?.create_key().await?;
    let body = stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?.json()?;
    ensure!(body["is_limit_activated"] == true && body["remaining"] == 0, "{body}");
    ensure!(body["limit_reset_time_unix"].as_u64().is_some_and(|time| time % 86_400 == 0), "{body}");
    Ok(())
}

#[e2e]
async fn the_site_can_change_the_daily_limit(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let key = account.create_key().await?;
    let request =
        MintSession { account_id: account.id, daily_upload_limit: Some(7), channel_name: None, ttl_seconds: None };
    stack.create_session(&request).await?;
    let body = stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?.json()?;
    ensure!(body["limit_amount"] == 7 && body["remaining"] == 7, "{body}");
    Ok(())
}

#[e2e]
async fn each_request_counts_as_a_use_of_the_key(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let key = account.create_key().await?;
    let uses = (0..10).map(|_| stack.get_with_key(paths::UPLOAD_LIMITS, &key));
    futures_util::future::join_all(uses).await;
    let metadata = account.post(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 10, "{metadata}");
    Ok(())
}

#[e2e]
async fn the_categories_are_listed(stack: Arc<TestStack>) -> Result<()> {
    let key = stack.account().await?.create_key().await?;
    let body = stack.get_with_key(paths::CATEGORIES, &key).await?.json()?;
    ensure!(body["categories"][0] == json!({ "id": 1, "name": "Animals" }), "{body}");
    let twice = json!({ "categories": [{ "id": 1, "name": "A" }, { "id": 1, "name": "B" }] });
    let answer = send(stack.service_request(Method::PUT, paths::SERVICE_CATEGORIES).json(&twice)).await?;
    ensure!(answer.code()? == "request_malformed" && answer.json()?["field"] == "categories", "{answer:?}");
    Ok(())
}
