//! The status of a channel's contents, one by one and as a list. The contents of other channels stay hidden.

use anyhow::{Context, Result, ensure};
use contract::{Stage, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, HttpAnswer, TestJob, TestStack, e2e, ensure_refused, processed, send, until};

async fn get(channel: &Channel, path: &str, tag: Option<&str>) -> Result<HttpAnswer> {
    let request = channel.stack.request(Method::GET, path);
    let request = request.bearer_auth(&channel.key);
    send(match tag {
        Some(tag) => request.header("If-None-Match", tag),
        None => request,
    })
    .await
}

fn status_path(content_uuid: &str) -> String {
    format!("{}?content_uuid={content_uuid}", paths::UPLOAD_STATUS)
}

#[e2e(Uncached)]
async fn an_unchanged_status_is_answered_with_304(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    for path in [status_path(&job.content_uuid), paths::UPLOADS.to_owned()] {
        let first = get(&job.channel, &path, None).await?;
        let tag = first.header("etag").to_owned();
        ensure!(first.status == 200 && !tag.is_empty(), "{first:?}");
        for known in [tag.clone(), format!("\"x\", {tag}"), "*".to_owned()] {
            let again = get(&job.channel, &path, Some(&known)).await?;
            ensure!(again.status == 304 && again.bytes.is_empty(), "{again:?}");
            ensure!(again.header("etag") == tag && !again.header("ratelimit").is_empty());
        }
        ensure!(get(&job.channel, &path, Some("\"x\"")).await?.status == 200);
    }
    let path = status_path(&job.content_uuid);
    let mut tags = vec![get(&job.channel, &path, None).await?.header("etag").to_owned()];
    job.claim_granted().await?;
    job.progress(Stage::Transcode, 50).await?;
    tags.push(get(&job.channel, &path, None).await?.header("etag").to_owned());
    job.report(processed(&[])).await?;
    let last = get(&job.channel, &path, Some(&tags[1])).await?;
    ensure!(last.status == 200, "{last:?}");
    tags.push(last.header("etag").to_owned());
    tags.dedup();
    ensure!(tags.len() == 3, "each change needs another tag: {tags:?}");
    Ok(())
}

/// On a stack of its own, because the pace of other tests would be estimated from.
#[e2e(New)]
async fn the_end_of_processing_is_estimated_from_earlier_videos(stack: Arc<TestStack>) -> Result<()> {
    let eta = async |job: &TestJob| {
        let status = get(&job.channel, &status_path(&job.content_uuid), None).await?.json()?;
        ensure!(status.get("eta_seconds").is_some(), "{status}");
        Ok(status["eta_seconds"].as_u64())
    };
    let first = TestJob::new(&stack).await?;
    ensure!(eta(&first).await?.is_none(), "there is nothing to estimate from");
    first.claim_granted().await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    first.report(processed(&[])).await?;
    ensure!(eta(&first).await?.is_none(), "it is not being processed");
    let second = TestJob::new(&stack).await?;
    // An isolate uses what it has read for ten seconds.
    let look = async || eta(&second).await;
    let queued = until(Duration::from_mins(1), look, || "there is no estimate".to_owned()).await?;
    second.claim_granted().await?;
    second.progress(Stage::Transcode, 90).await?;
    let nearly_done = eta(&second).await?;
    ensure!(nearly_done.is_some_and(|seconds| (1..=queued).contains(&seconds)), "{queued} {nearly_done:?}");
    Ok(())
}

#[e2e]
async fn the_contents_of_other_channels_are_not_visible(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let stranger = Channel::new(&stack).await?;
    let stranger_answer = job.status_with_key(&stranger.key).await?;
    ensure_refused(&stranger_answer, 404, "content_not_found")?;
    let unknown_uuid = "00000000-0000-7000-8000-000000000000";
    let unknown = get(&stranger, &status_path(unknown_uuid), None).await?;
    ensure!(unknown.bytes == stranger_answer.bytes, "{unknown:?} {stranger_answer:?}");
    let list = get(&stranger, paths::UPLOADS, None).await?.json()?;
    ensure!(list["uploads"] == serde_json::json!([]) && list["next_cursor"].is_null(), "{list}");
    let keyless = stack.get(&status_path(&job.content_uuid)).await?;
    ensure_refused(&keyless, 401, "api_key_invalid")
}

#[e2e]
async fn an_invalid_status_request_is_refused_with_its_field(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (status, uploads) = (paths::UPLOAD_STATUS, paths::UPLOADS);
    for (path, field) in [
        (status.to_owned(), "content_uuid"),
        (format!("{status}?content_uuid="), "content_uuid"),
        (format!("{status}?content_uuid=1%20OR%201"), "content_uuid"),
        (format!("{status}?content_uuid=00000000000070008000000000000000"), "content_uuid"),
        (format!("{uploads}?limit=0"), "limit"),
        (format!("{uploads}?limit=101"), "limit"),
        (format!("{uploads}?limit=-1"), "limit"),
        (format!("{uploads}?cursor=abc"), "cursor"),
        (format!("{uploads}?cursor="), "cursor"),
    ] {
        let answer = get(&channel, &path, None).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == field, "{path}: {answer:?}");
        ensure_refused(&stack.get(&path).await?, 401, "api_key_invalid")?;
    }
    Ok(())
}

async fn upload(channel: &Channel, count: usize) -> Result<()> {
    for _ in 0..count {
        let video = channel.stack.small_video();
        channel.upload_accepted(Form::new().file("file", "a.mp4", &video)).await?;
    }
    Ok(())
}

#[e2e]
async fn paging_visits_every_upload_while_new_ones_arrive(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    upload(&channel, 5).await?;
    let (mut seen, mut cursor, mut lengths) = (Vec::new(), None::<String>, Vec::new());
    loop {
        let next = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
        let path = format!("{}?limit=2{next}", paths::UPLOADS);
        let page = get(&channel, &path, None).await?.json()?;
        let uploads = page["uploads"].as_array().context("no uploads")?;
        lengths.push(uploads.len());
        seen.extend(uploads.iter().filter_map(|upload| upload["content_id"].as_u64()));
        // A new upload belongs before everything that was listed so far.
        upload(&channel, 1).await?;
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    ensure!(lengths == [2, 2, 1], "{lengths:?}");
    ensure!(seen.is_sorted_by(|left, right| left > right) && seen.len() == 5, "{seen:?}");
    let whole: Value = get(&channel, paths::UPLOADS, None).await?.json()?;
    ensure!(whole["uploads"].as_array().map(Vec::len) == Some(8), "{whole}");
    Ok(())
}

#[e2e]
async fn every_answer_to_a_key_carries_the_rate_limit(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let sql = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    let uses = || stack.count(sql, job.channel.account.channel_id);
    let before = uses()?;
    let paths = [
        status_path(&job.content_uuid),
        status_path("00000000-0000-7000-8000-000000000000"),
        paths::UPLOAD_STATUS.to_owned(),
        paths::UPLOADS.to_owned(),
        format!("{}?limit=x", paths::UPLOADS),
    ];
    for path in &paths {
        let answer = get(&job.channel, path, None).await?;
        ensure!(answer.header("ratelimit").starts_with("\"daily\";r=49;t="), "{answer:?}");
        ensure!(answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400, \"burst\";q=100;w=10", "{answer:?}");
    }
    // Two of them were refused, and the reads of a minute count as one.
    ensure!((before + 2..=before + 5).contains(&uses()?));
    Ok(())
}
