//! A finished video looks the same after its details have moved to R2, and every later change of it works.

use anyhow::{Result, ensure};
use contract::{MediaFile, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

/// Backdates the content as if it had been finished a month ago.
async fn age(content: &TestContent) -> Result<()> {
    let (stack, id) = (content.stack(), content.job.content_id);
    let finished = "finished_at_unix = finished_at_unix - 40 * 86400, expanded_at_unix = NULL";
    stack.change_rows(format!("UPDATE contents SET {finished} WHERE id = {id}")).await?;
    let rested = format!("UPDATE cleanups SET noticed_at_unix = 1, due_at_unix = 1 WHERE content_id = {id}");
    stack.change_rows_and_sweep(rested).await?;
    Ok(())
}

async fn ensure_compacted(content: &TestContent, is_compacted: u64) -> Result<()> {
    content.stack().sweep().await?;
    let sql = "SELECT is_compacted FROM contents WHERE id = ?1";
    let found = content.stack().count(sql, content.job.content_id)?;
    ensure!(found == is_compacted, "is_compacted is {found}");
    Ok(())
}

/// Returns the bytes that the owner, viewers and moderators get.
async fn seen(content: &TestContent) -> Result<Vec<Vec<u8>>> {
    let stack = content.stack();
    let mut seen = vec![content.job.status_with_key(&content.job.channel.key).await?.bytes];
    seen.push(stack.get_with_key(paths::UPLOADS, &content.job.channel.key).await?.bytes);
    for path in content.documents() {
        seen.push(stack.get(&path).await?.bytes);
    }
    for file in [MediaFile::Video, MediaFile::Poster] {
        let answer = send(content.get(file).header("Range", "bytes=0-99")).await?;
        ensure!(answer.status == 206, "{answer:?}");
        seen.push([answer.header("etag").as_bytes(), &answer.bytes].concat());
    }
    let path = format!("{}?slug={}", paths::MODERATION_CONTENTS, content.slug_url);
    let mut found = send(moderator_request(stack, Method::GET, &path)).await?.json()?["contents"][0].clone();
    // The address expires after some minutes, so it differs each time.
    ensure!(found["video_url"].as_str().is_some(), "{found}");
    found["video_url"] = Value::Null;
    seen.push(found.to_string().into_bytes());
    Ok(seen)
}

fn objects(content: &TestContent) -> Result<Vec<String>> {
    let keys = content.stack().objects()?.into_iter().map(|object| object.key);
    Ok(keys.filter(|key| key.contains(&content.job.content_uuid)).collect())
}

#[e2e]
async fn a_compacted_video_looks_the_same_and_can_be_changed(stack: Arc<TestStack>) -> Result<()> {
    let video = stack.small_video();
    let content = TestContent::upload_file(&stack, &video).await?;
    content.finish(&[contract::moderation::Recommendation::Pass]).await?;
    age(&content).await?;
    ensure_compacted(&content, 1).await?;
    ensure!(objects(&content)?.iter().any(|key| key.ends_with("/1/finished.json")), "{:?}", objects(&content)?);
    content.ensure_public(true).await?;

    // A take-down blocks the file, whose hash is in R2.
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    ensure_compacted(&content, 0).await?;
    let copy = Channel::new(&stack).await?;
    let refused = copy.upload(Form::new().file("file", "copy.mp4", &video)).await?;
    ensure_refused(&refused, 422, "content_moderation_rejected")?;
    content.ensure_public(false).await?;
    ensure!(content.decide(paths::MODERATION_RESTORE).await?.status == 200);
    content.ensure_public(true).await?;
    copy.upload_accepted(Form::new().file("file", "copy.mp4", &video)).await?;

    let changed = content.owner_request(paths::UPDATE_CONTENT, json!({ "caption": "another one" })).await?;
    ensure!(changed.status == 200, "{changed:?}");
    age(&content).await?;
    ensure_compacted(&content, 1).await?;
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    content.ensure_public(false).await?;
    age(&content).await?;
    stack.sweep().await?;
    ensure!(objects(&content)?.is_empty(), "{:?}", objects(&content)?);
    Ok(())
}

#[e2e]
async fn the_owner_viewers_and_moderators_see_no_difference(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "seen before and after").await?;
    let id = content.job.content_id;
    // The status contains the time, so it is changed before the video is read, and the clean-up delays the compaction.
    let aged = "finished_at_unix = finished_at_unix - 40 * 86400";
    stack.change_rows(format!("UPDATE contents SET {aged} WHERE id = {id}")).await?;
    let before = seen(&content).await?;
    ensure_compacted(&content, 0).await?;
    let rested = format!("UPDATE cleanups SET noticed_at_unix = 1, due_at_unix = 1 WHERE content_id = {id}");
    stack.change_rows_and_sweep(rested).await?;
    ensure_compacted(&content, 1).await?;
    let after = seen(&content).await?;
    for (after, before) in after.iter().zip(&before) {
        ensure!(after == before, "{}\n{}", String::from_utf8_lossy(after), String::from_utf8_lossy(before));
    }
    Ok(())
}

#[e2e(Own)]
async fn a_poll_of_the_status_is_one_batch_and_writes_once_a_minute(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "polled").await?;
    let channel = content.job.channel.account.channel_id;
    let mut writes = 0;
    for number in 0..6 {
        if number == 0 {
            let unused = format!("UPDATE api_keys SET last_used_at_unix = NULL WHERE channel_id = {channel}");
            stack.change_rows(unused).await?;
        }
        let answer = content.job.status_with_key(&content.job.channel.key).await?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        println!("a poll: {} batches, {} rows written", logged["d1_batches"], logged["d1_rows_written"]);
        ensure!(logged["d1_batches"] == 1 && logged["r2_operations"] == 0, "{logged}");
        writes += u64::from(logged["d1_rows_written"] != 0);
    }
    // Another minute may have begun.
    ensure!((1..=2).contains(&writes), "{writes}");
    Ok(())
}
