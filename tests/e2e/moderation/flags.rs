//! Approved videos that need another review: viewers reported them, or a frame was blocked later.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{
    Channel, HttpAnswer, StackLimits, TestContent, TestStack, bytes_of, e2e, ensure_refused, moderator_request, send,
};

/// Reports a page as a viewer at this address.
async fn report(stack: &TestStack, page: &str, text: &str, address: &str) -> Result<HttpAnswer> {
    let body = json!({ "page": page, "reason": "violence", "text": text });
    let request = stack.request(Method::POST, paths::REPORT_PAGE).header("CF-Connecting-IP", address);
    send(request.json(&body)).await
}

/// Returns the flagged contents.
async fn flagged(stack: &TestStack) -> Result<Vec<Value>> {
    let answer = send(moderator_request(stack, Method::GET, paths::MODERATION_FLAGGED)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(answer.json()?["contents"].as_array().context("no contents")?.clone())
}

async fn flag_of(content: &TestContent) -> Result<Option<Value>> {
    let uuid = content.job.content_uuid.as_str();
    Ok(flagged(content.stack()).await?.into_iter().find(|flag| flag["content_uuid"] == uuid))
}

#[e2e]
async fn reports_of_viewers_gather_until_a_person_decides(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    let page = stack.url(&content.page());
    for (text, address) in [("one", "203.0.113.1"), ("two", "203.0.113.1"), ("three", "203.0.113.2")] {
        ensure!(report(&stack, &page, text, address).await?.status == 200);
    }
    let flag = flag_of(&content).await?.context("the content is not flagged")?;
    ensure!(flag["reports"] == 2 && flag["hash"].is_null(), "{flag}");
    let mut texts: Vec<_> = flag["latest_reports"].as_array().into_iter().flatten().collect();
    texts.sort_by_key(|report| report["text"].to_string());
    ensure!(texts.len() == 2 && texts[0]["text"] == "three" && texts[1]["text"] == "two", "{flag}");
    let addresses = "SELECT count(*) FROM abuse_reports WHERE content_id = ?1 AND reporter LIKE '%cb007101%'";
    ensure!(stack.count(addresses, content.job.content_id)? == 0, "an address was stored");
    content.ensure_public(true).await?;
    let answer = content.decide(paths::MODERATION_DISMISS).await?;
    ensure!(answer.status == 200, "{answer:?}");
    ensure!(flag_of(&content).await?.is_none());
    ensure_refused(&content.decide(paths::MODERATION_DISMISS).await?, 404, "content_not_found")?;
    ensure!(report(&stack, &page, "again", "203.0.113.1").await?.status == 200);
    content.decide(paths::MODERATION_TAKE_DOWN).await?;
    ensure!(flag_of(&content).await?.is_none());
    ensure_refused(&report(&stack, &page, "late", "203.0.113.1").await?, 404, "not_found")?;
    let elsewhere = report(&stack, "https://www.example/news", "", "203.0.113.1").await?;
    ensure_refused(&elsewhere, 400, "request_malformed")?;
    let deceptive = report(&stack, &page, "a\u{202e}b", "203.0.113.1").await?;
    ensure_refused(&deceptive, 400, "request_malformed")
}

/// Uploads and publishes this video, reports it as a viewer, and deletes it as its owner.
async fn reported_and_deleted(stack: &Arc<TestStack>, video: &[u8]) -> Result<TestContent> {
    let content = TestContent::upload_file(stack, video).await?;
    content.store().await?;
    content.finish(&[Recommendation::Pass]).await?;
    let page = stack.url(&content.page());
    ensure!(report(stack, &page, "they fight", "203.0.113.7").await?.status == 200);
    let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    content.ensure_public(false).await?;
    ensure!(content.state().await? == "deleted");
    Ok(content)
}

#[e2e]
async fn a_reported_video_that_its_owner_deletes_is_decided_all_the_same(stack: Arc<TestStack>) -> Result<()> {
    for (decision, is_blocked) in
        [(paths::MODERATION_REJECT, true), (paths::MODERATION_TAKE_DOWN, true), (paths::MODERATION_DISMISS, false)]
    {
        let video = stack.small_video();
        let content = reported_and_deleted(&stack, &video).await?;
        let flag = flag_of(&content).await?.context("the report is gone")?;
        ensure!(flag["state"] == "deleted" && flag["latest_reports"][0]["text"] == "they fight", "{flag}");
        let url = flag["video_url"].as_str().and_then(|url| url.find("/internal").map(|start| &url[start..]));
        let shown = send(stack.request(Method::GET, url.context("no video_url")?)).await?;
        ensure!(shown.status == 200 && shown.bytes == bytes_of(MediaFile::Video), "{}", shown.status);
        let decided = content.decide(decision).await?;
        ensure!(decided.status == 200, "{decision}: {decided:?}");
        ensure!(flag_of(&content).await?.is_none());
        let copy = Channel::new(&stack).await?.upload(Form::new().file("file", "copy.mp4", &video)).await?;
        if is_blocked {
            ensure_refused(&copy, 422, "content_moderation_rejected").context(decision)?;
        } else {
            ensure!(copy.status == 200, "{copy:?}");
        }
        let mut disguised = TestContent::upload(&stack, |form| form).await?;
        disguised.frames.clone_from(&content.frames);
        disguised.finish(&[Recommendation::Pass]).await?;
        let expected = if is_blocked { "rejected" } else { "published" };
        ensure!(disguised.state().await? == expected, "{decision}");
    }
    Ok(())
}

#[e2e]
async fn a_page_of_another_site_cannot_report_in_the_name_of_its_visitor(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    let body = json!({ "page": stack.url(&content.page()), "reason": "violence", "text": "" });
    let own = stack.env().get("BASE_URL").to_owned();
    let request = || stack.request(Method::POST, paths::REPORT_PAGE);
    for (name, value) in
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "https://evil.example")]
    {
        ensure_refused(&send(request().header(name, value).json(&body)).await?, 403, "csrf_rejected")?;
    }
    // A form of another site can send text, but not JSON.
    let text = request().header("Content-Type", "text/plain").body(body.to_string());
    ensure_refused(&send(text).await?, 415, "json_content_type_required")?;
    ensure!(flag_of(&content).await?.is_none());
    let of_the_page = request().header("Sec-Fetch-Site", "same-origin").header("Origin", own).json(&body);
    ensure!(send(of_the_page).await?.status == 200);
    ensure!(flag_of(&content).await?.is_some());
    Ok(())
}

#[e2e(Limited(StackLimits::FEW_PER_ADDRESS))]
async fn an_address_that_reports_again_and_again_is_slowed_down(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    let page = stack.url(&content.page());
    let mut statuses = Vec::new();
    for _ in 0..StackLimits::FEW_PER_ADDRESS.address_rate * 4 {
        statuses.push(report(&stack, &page, "", "203.0.113.1").await?.status.as_u16());
    }
    ensure!(statuses.contains(&429), "{statuses:?}");
    ensure!(report(&stack, &page, "", "203.0.113.2").await?.status == 200);
    Ok(())
}

#[e2e(Own)]
async fn a_published_video_is_flagged_if_one_of_its_frames_is_blocked_later(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a clip").await?;
    let other = TestContent::published(&stack, "another clip").await?;
    let body = json!({ "hash": content.frames[0].hash.to_string(), "reason": "by hand" });
    let answer = send(moderator_request(&stack, Method::POST, paths::MODERATION_HASHES).json(&body)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let pass = async || {
        stack.sweep().await?;
        flag_of(&content).await
    };
    // The search passes for other tests' hashes come first.
    let patience = std::time::Duration::from_mins(4);
    let flag = tests::until(patience, pass, || "the content was not flagged".to_owned()).await?;
    ensure!(flag["hash"] == body["hash"] && flag["state"] == "published", "{flag}");
    ensure!(flag_of(&other).await?.is_none());
    content.ensure_public(true).await
}
