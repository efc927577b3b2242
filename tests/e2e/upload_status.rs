//! How a channel's contents are doing: one by one, as a list, and nobody else's.

use crate::channel::Channel;
use crate::harness::{Answer, Harness, Suite, ensure_refused, send};
use crate::origin::{Job, processed};
use anyhow::{Context, Result, ensure};
use contract::{Stage, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "upload_status::nothing_changed_is_told_without_a_body",
        not_modified,
    );
    suite.add(
        "upload_status::the_contents_of_others_are_not_there",
        invisible,
    );
    suite.add(
        "upload_status::what_does_not_fit_is_told_with_its_field",
        misfits,
    );
    suite.add(
        "upload_status::pages_lead_through_all_uploads_whatever_comes_meanwhile",
        pages,
    );
    suite.add(
        "upload_status::every_answer_to_a_key_tells_the_limit",
        limit,
    );
}

async fn ask(channel: &Channel, path: &str, tag: Option<&str>) -> Result<Answer> {
    let request = channel.harness.request(Method::GET, path);
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

async fn not_modified(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    for path in [status_path(&job.content_uuid), paths::UPLOADS.to_owned()] {
        let first = ask(&job.channel, &path, None).await?;
        let tag = first.header("etag").to_owned();
        ensure!(first.status == 200 && !tag.is_empty(), "{first:?}");
        for known in [tag.clone(), format!("\"x\", {tag}"), "*".to_owned()] {
            let again = ask(&job.channel, &path, Some(&known)).await?;
            ensure!(again.status == 304 && again.bytes.is_empty(), "{again:?}");
            ensure!(again.header("etag") == tag && !again.header("ratelimit").is_empty());
        }
        ensure!(ask(&job.channel, &path, Some("\"x\"")).await?.status == 200);
    }
    let path = status_path(&job.content_uuid);
    let mut tags = vec![
        ask(&job.channel, &path, None)
            .await?
            .header("etag")
            .to_owned(),
    ];
    job.take().await?;
    job.progress(Stage::Transcode, 50).await?;
    tags.push(
        ask(&job.channel, &path, None)
            .await?
            .header("etag")
            .to_owned(),
    );
    job.report(processed(&[])).await?;
    let last = ask(&job.channel, &path, Some(&tags[1])).await?;
    ensure!(last.status == 200, "{last:?}");
    tags.push(last.header("etag").to_owned());
    tags.dedup();
    ensure!(tags.len() == 3, "each change is seen: {tags:?}");
    Ok(())
}

async fn invisible(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let stranger = Channel::new(&harness).await?;
    let theirs = job.ask_status(&stranger.key).await?;
    ensure_refused(&theirs, 404, "content_not_found")?;
    let nobodys = "00000000-0000-7000-8000-000000000000";
    let unknown = ask(&stranger, &status_path(nobodys), None).await?;
    ensure!(unknown.bytes == theirs.bytes, "{unknown:?} {theirs:?}");
    let list = ask(&stranger, paths::UPLOADS, None).await?.json()?;
    ensure!(
        list["uploads"] == serde_json::json!([]) && list["next_cursor"].is_null(),
        "{list}"
    );
    let keyless = harness.get(&status_path(&job.content_uuid)).await?;
    ensure_refused(&keyless, 401, "api_key_invalid")
}

async fn misfits(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (status, uploads) = (paths::UPLOAD_STATUS, paths::UPLOADS);
    for (path, field) in [
        (status.to_owned(), "content_uuid"),
        (format!("{status}?content_uuid="), "content_uuid"),
        (format!("{status}?content_uuid=1%20OR%201"), "content_uuid"),
        (
            format!("{status}?content_uuid=00000000000070008000000000000000"),
            "content_uuid",
        ),
        (format!("{uploads}?limit=0"), "limit"),
        (format!("{uploads}?limit=101"), "limit"),
        (format!("{uploads}?limit=-1"), "limit"),
        (format!("{uploads}?cursor=abc"), "cursor"),
        (format!("{uploads}?cursor="), "cursor"),
    ] {
        let answer = ask(&channel, &path, None).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == field, "{path}: {answer:?}");
        ensure_refused(&harness.get(&path).await?, 401, "api_key_invalid")?;
    }
    Ok(())
}

async fn upload(channel: &Channel, count: usize) -> Result<()> {
    for _ in 0..count {
        let video = channel.harness.small_video();
        channel
            .publish(Form::new().file("file", "a.mp4", &video))
            .await?;
    }
    Ok(())
}

async fn pages(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    upload(&channel, 5).await?;
    let (mut seen, mut cursor, mut lengths) = (Vec::new(), None::<String>, Vec::new());
    loop {
        let next = cursor.map_or(String::new(), |cursor| format!("&cursor={cursor}"));
        let path = format!("{}?limit=2{next}", paths::UPLOADS);
        let page = ask(&channel, &path, None).await?.json()?;
        let uploads = page["uploads"].as_array().context("no uploads")?;
        lengths.push(uploads.len());
        seen.extend(
            uploads
                .iter()
                .filter_map(|upload| upload["content_id"].as_u64()),
        );
        // What comes meanwhile stands before everything that was asked for.
        upload(&channel, 1).await?;
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    ensure!(lengths == [2, 2, 1], "{lengths:?}");
    ensure!(
        seen.is_sorted_by(|left, right| left > right) && seen.len() == 5,
        "{seen:?}"
    );
    let whole: Value = ask(&channel, paths::UPLOADS, None).await?.json()?;
    ensure!(
        whole["uploads"].as_array().map(Vec::len) == Some(8),
        "{whole}"
    );
    Ok(())
}

async fn limit(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let sql = "SELECT uses_count FROM api_keys WHERE channel_id = ?1";
    let uses = || harness.count(sql, job.channel.account.channel_id);
    let before = uses()?;
    let asked = [
        status_path(&job.content_uuid),
        status_path("00000000-0000-7000-8000-000000000000"),
        paths::UPLOAD_STATUS.to_owned(),
        paths::UPLOADS.to_owned(),
        format!("{}?limit=x", paths::UPLOADS),
    ];
    for path in &asked {
        let answer = ask(&job.channel, path, None).await?;
        ensure!(
            answer.header("ratelimit").starts_with("\"daily\";r=49;t="),
            "{answer:?}"
        );
        ensure!(
            answer.header("ratelimit-policy") == "\"daily\";q=50;w=86400",
            "{answer:?}"
        );
    }
    ensure!(uses()? == before + asked.len() as u64);
    Ok(())
}
