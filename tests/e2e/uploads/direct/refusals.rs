//! Requests with tokens that are refused, each with its documented code.

use super::{Direct, by_owner, clip, form, with_caption};
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, ensure_refused, send};

#[e2e]
async fn an_invalid_direct_upload_is_refused_by_the_name_of_its_field(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (request, status, code, field) in [
        (json!({ "expires_in_seconds": 59 }), 422, "direct_upload_invalid", "expires_in_seconds"),
        (json!({ "expires_in_seconds": 86_401 }), 422, "direct_upload_invalid", "expires_in_seconds"),
        (json!({ "max_bytes": 0 }), 422, "direct_upload_invalid", "max_bytes"),
        (json!({ "max_duration_ms": 120_001 }), 422, "direct_upload_invalid", "max_duration_ms"),
        (json!({ "allowed_origin": "*" }), 422, "direct_upload_invalid", "allowed_origin"),
        (json!({ "allowed_origin": "https://app.example/" }), 422, "direct_upload_invalid", "allowed_origin"),
        (json!({ "fields": { "file": "x" } }), 422, "direct_upload_invalid", "fields"),
        (json!({ "user_may_set": ["upload_token"] }), 422, "direct_upload_invalid", "user_may_set"),
        (json!({ "fields": { "super_category_id": "9999" } }), 422, "content_category_invalid", "super_category_id"),
        (json!({ "external_id": "a\nb" }), 422, "content_external_id_invalid", "external_id"),
        (json!({ "expires_in": 60 }), 422, "field_unknown", "expires_in"),
    ] {
        let answer = by_owner(&channel, Method::POST, paths::DIRECT_UPLOADS, Some(&request)).await?;
        ensure_refused(&answer, status, code)?;
        ensure!(answer.json()?["field"] == field, "{request}: {answer:?}");
    }
    Ok(())
}

#[e2e]
async fn another_channel_cannot_read_or_revoke_a_direct_upload(stack: Arc<TestStack>) -> Result<()> {
    let (owner, stranger) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let direct = Direct::create(&owner, with_caption()).await?;
    let unknown = format!("{}/019a9b1c-4a6f-7c3e-9b52-6d1f0e8a7c34", paths::DIRECT_UPLOADS);
    for path in [direct.path(), unknown, format!("{}/x", paths::DIRECT_UPLOADS)] {
        for method in [Method::GET, Method::DELETE] {
            let answer = by_owner(&stranger, method, &path, None).await?;
            ensure_refused(&answer, 404, "direct_upload_not_found")?;
        }
    }
    ensure!(direct.read().await?["state"] == "open");
    let listed = by_owner(&stranger, Method::GET, paths::DIRECT_UPLOADS, None).await?;
    ensure!(listed.json()?["direct_uploads"] == json!([]), "{listed:?}");
    Ok(())
}

#[e2e]
async fn an_upload_that_breaks_the_owners_rules_is_refused_and_the_token_stays(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let request = json!({ "user_may_set": ["caption"], "max_bytes": 60_000, "max_duration_ms": 5_500 });
    let direct = Direct::create(&channel, request).await?;
    let video = clip(&channel);
    let file = || Form::new().file("file", "a.mp4", &video);
    let larger = Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 4_000_000, 1));
    let slightly_larger = Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 61_000, 1));
    let longer = Form::new().file("file", "a.mp4", &fixtures::mp4(6_000, 9_000, 1));
    for (form, status, code) in [
        (file().text("external_id", "mine"), 422, "direct_upload_field_forbidden"),
        (Form::new().text("upload_token", "x"), 422, "direct_upload_field_forbidden"),
        (Form::new().text("captoin", "x").file("file", "a.mp4", &video), 422, "field_unknown"),
        (larger, 413, "content_file_too_large"),
        (slightly_larger, 413, "content_file_too_large"),
        (longer, 422, "content_video_duration_invalid"),
        (Form::new().file("file", "a.mp4", b"not a video"), 415, "content_file_invalid_format"),
        (Form::new().text("caption", "a"), 400, "file_not_found"),
    ] {
        ensure_refused(&direct.upload(form).await?, status, code)?;
    }
    let long = format!("caption {}", "YWFh".repeat(16_000));
    for (length, metadata, status, code) in [
        (60_001, "", 413, "content_file_too_large"),
        (100, "external_id YQ==", 422, "direct_upload_field_forbidden"),
        (100, "upload_token eA==", 422, "upload_token_invalid"),
        (100, "caption %%%", 400, "upload_metadata_invalid"),
        (100, &long, 400, "upload_metadata_invalid"),
        (0, "", 400, "request_malformed"),
    ] {
        let answer = send(direct.creation(length, metadata)).await?;
        ensure_refused(&answer, status, code)?;
        ensure!(answer.header("clipgate-error-code") == code, "{answer:?}");
    }
    channel.ensure_rows(&ChannelRows::default())?;
    ensure!(direct.upload(form(&channel)).await?.status == 200);
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_full_day_is_told_without_the_channels_numbers(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(0)).await?;
    let direct = Direct::create(&channel, with_caption()).await?;
    for answer in [direct.upload(form(&channel)).await?, send(direct.creation(100, "")).await?] {
        ensure_refused(&answer, 429, "content_upload_limit_failure")?;
        let body = answer.json()?;
        ensure!(body.get("limit_amount").is_none() && answer.header("ratelimit").is_empty(), "{answer:?}");
        ensure!(!answer.header("retry-after").is_empty(), "{answer:?}");
    }
    Ok(())
}
