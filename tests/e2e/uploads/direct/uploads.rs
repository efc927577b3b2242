//! An upload with a token: its response, its video, and what its owner and its holder can read.

use super::{Direct, by_owner, clip, form, with_caption};
use crate::uploads::resumable::Upload;
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, send};

/// As many as for an upload with the key: one that begins it, and the commit.
const WRITE_BATCHES: u64 = 2;

#[e2e(Own)]
async fn a_user_uploads_with_a_token_and_learns_only_what_concerns_the_video(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let request =
        json!({ "user_may_set": ["caption"], "fields": { "super_category_id": "1" }, "external_id": "order-7" });
    let direct = Direct::create(&channel, request).await?;
    let before = direct.status().await?.json()?;
    ensure!(before["state"] == "open" && before["content_uuid"].is_null(), "{before}");
    channel.ensure_rows(&ChannelRows::default())?;
    let answer = direct.upload(form(&channel)).await?;
    let body = answer.json()?;
    let uuid = body["content_uuid"].clone();
    let expected = json!({ "success": true, "content_uuid": uuid, "content_state": "processing" });
    ensure!(answer.status == 200 && body == expected, "{answer:?}");
    ensure!(answer.header("ratelimit").is_empty() && answer.header("ratelimit-policy").is_empty(), "{answer:?}");
    let logged = stack.logged(answer.header("x-request-id")).await?;
    println!(
        "a direct upload: {} write batches, {} rows written",
        logged["d1_write_batches"], logged["d1_rows_written"]
    );
    ensure!(logged["d1_write_batches"] == WRITE_BATCHES, "{logged}");
    let status = direct.status().await?.json()?;
    ensure!(status["state"] == "used" && status["content_uuid"] == uuid, "{status}");
    ensure!(status["content_state"] == "processing" && status["check_after_seconds"].is_u64(), "{status}");
    let read = direct.read().await?;
    ensure!(read["state"] == "used" && read["content_uuid"] == uuid, "{read}");
    ensure!(read["fields"] == json!({ "external_id": "order-7", "super_category_id": "1" }), "{read}");
    let listed = by_owner(&channel, Method::GET, &format!("{}?state=used", paths::DIRECT_UPLOADS), None).await?;
    ensure!(listed.json()?["direct_uploads"] == json!([read]), "{listed:?}");
    let log = by_owner(&channel, Method::GET, paths::EVENTS, None).await?.json()?;
    let event = &log["events"][0];
    let data = json!({ "direct_upload_id": direct.id, "content_uuid": uuid, "external_id": "order-7" });
    ensure!(event["type"] == "direct_upload.used" && event["data"] == data, "{log}");
    let select = "SELECT caption, super_category_id, external_id FROM contents WHERE channel_id = ?1";
    let row = stack.row(select, channel.account.channel_id)?;
    ensure!(row["caption"] == "Hello" && row["super_category_id"] == 1 && row["external_id"] == "order-7", "{row:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_resumable_upload_with_a_token_needs_no_key(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, with_caption()).await?;
    let file = clip(&channel);
    let begun = send(direct.creation(file.len(), "caption SGVsbG8=")).await?;
    ensure!(begun.status == 201 && begun.header("ratelimit").is_empty(), "{begun:?}");
    let upload = Upload::at(&channel, &begun)?;
    upload.append(0, &file[..4_000]).await?;
    ensure!(upload.offset().await? == 4_000);
    let last = send(upload.appending(4_000, &file[4_000..]).header("Accept", "application/json")).await?;
    let body = last.json()?;
    let expected = json!({ "success": true, "content_uuid": body["content_uuid"], "content_state": "processing" });
    ensure!(last.status == 200 && body == expected, "{last:?}");
    let seen = send(upload.request(Method::GET)).await?;
    ensure!(seen.json()?["state"] == "accepted" && seen.json()?["result"].is_null(), "{seen:?}");
    ensure!(seen.header("clipgate-content-uuid") == body["content_uuid"].as_str().unwrap_or_default(), "{seen:?}");
    upload.ensure_not_logged()?;
    upload.ensure_stored(&file).await?;
    ensure!(direct.read().await?["state"] == "used");
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_page_without_a_script_sends_the_token_as_the_first_field(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, with_caption()).await?;
    let posted = |form: Form| {
        let request = stack.request(Method::POST, paths::DIRECT_UPLOAD).header("Content-Type", Form::content_type());
        request.body(form.body())
    };
    let late = Form::new().text("caption", "a").text("direct_upload_token", &direct.token);
    let late = send(posted(late.file("file", "a.mp4", &clip(&channel)))).await?;
    tests::ensure_refused(&late, 401, "direct_upload_token_invalid")?;
    let first = Form::new().text("direct_upload_token", &direct.token).text("caption", "Hello");
    let answer = send(posted(first.file("file", "a.mp4", &clip(&channel)))).await?;
    ensure!(answer.status == 200 && answer.json()?["success"] == true, "{answer:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn an_upload_that_requires_release_is_published_by_its_owner(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, json!({ "requires_release": true })).await?;
    let answer = direct.upload(Form::new().file("file", "a.mp4", &clip(&channel))).await?;
    let uuid = answer.json()?["content_uuid"].clone();
    let status = format!("{}?content_uuid={}", paths::UPLOAD_STATUS, uuid.as_str().unwrap_or_default());
    let status = || by_owner(&channel, Method::GET, &status, None);
    ensure!(status().await?.json()?["needs_release"] == true, "{:?}", status().await?);
    let release = json!({ "content_uuid": uuid });
    let released = by_owner(&channel, Method::POST, paths::RELEASE_CONTENT, Some(&release)).await?;
    ensure!(released.status == 200, "{released:?}");
    ensure!(status().await?.json()?["needs_release"] != true, "{:?}", status().await?);
    Ok(())
}
