//! Uploads with the field `test`: their videos end as asked, only their owner sees them, and they use no quota.

use super::resumable::Upload;
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ChannelRows, ClientProgram, HttpAnswer, ReceivedEvent, TestStack, WebhookReceiver, WebhookReply, e2e,
    ensure_refused, send, until,
};

/// Long enough for every step of a test video but the slow ones, on a busy machine.
const STEPS: Duration = Duration::from_mins(1);

fn form(channel: &Channel, outcome: &str) -> Form {
    Form::new().text("test", outcome).file("file", "clip.mp4", &channel.stack.small_video())
}

async fn upload(channel: &Channel, outcome: &str) -> Result<Map<String, Value>> {
    let result = channel.upload_accepted(form(channel, outcome)).await?;
    ensure!(result["is_test"] == true, "{result:?}");
    Ok(result)
}

async fn status(channel: &Channel, result: &Map<String, Value>) -> Result<Value> {
    let uuid = result["content_uuid"].as_str().context("no content_uuid")?;
    let path = format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS);
    channel.stack.get_with_key(&path, &channel.key).await?.json()
}

/// Asks for the status, as a client does, until it is as wanted.
async fn until_status(
    channel: &Channel,
    result: &Map<String, Value>,
    is_wanted: impl Fn(&Value) -> bool,
) -> Result<Value> {
    let look = async || Ok(Some(status(channel, result).await?).filter(|status| is_wanted(status)));
    until(STEPS, look, || format!("{result:?}")).await
}

async fn change(channel: &Channel, path: &str, body: Value) -> Result<HttpAnswer> {
    send(channel.stack.request(Method::POST, path).bearer_auth(&channel.key).json(&body)).await
}

#[e2e]
async fn a_test_video_is_published_for_its_owner_only_and_uses_no_quota(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let result = upload(&channel, "true").await?;
    ensure!(result["is_limit_activated"] == false && result["message_code"] == "content_upload_success", "{result:?}");
    let first = until_status(&channel, &result, |status| status["state"] == "published").await?;
    ensure!(first["is_test"] == true, "{first}");
    let complete = until_status(&channel, &result, |status| status["quality"] == "full").await?;
    ensure!(complete["check_after_seconds"].is_null() && complete["progress_percent"] == 100, "{complete}");
    let urls = complete["urls"].as_object().context("no URLs")?;
    let thumbnails = complete["thumbnails"].as_array().into_iter().flatten().map(|thumbnail| &thumbnail["url"]);
    for url in urls.values().chain(thumbnails).filter_map(Value::as_str) {
        let path = url.find("/m").or_else(|| url.find("/embed")).map(|start| &url[start..]);
        let path = path.with_context(|| url.to_owned())?;
        let answer = stack.get(path).await?;
        ensure!(answer.status == 404, "{url}: {}", answer.status);
    }
    let list = stack.get_with_key(paths::UPLOADS, &channel.key).await?.json()?;
    ensure!(list["uploads"] == json!([]), "{list}");
    let nothing_used = ChannelRows { committed: 1, ..ChannelRows::default() };
    channel.ensure_rows(&nothing_used)?;
    // The quota of one is still there.
    channel.upload_accepted(Form::new().file("file", "clip.mp4", &stack.small_video())).await?;
    Ok(())
}

#[e2e(Own)]
async fn the_events_of_a_test_video_reach_webhooks_within_seconds_and_are_marked(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let receiver = WebhookReceiver::start(|_| WebhookReply::Status(204)).await?;
    channel.account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": receiver.url })).await?;
    let form = form(&channel, "taken_down").text("external_id", "order-7");
    let result = channel.upload_accepted(form).await?;
    // Nobody asks for the status, and no sweep runs.
    let look = async || Ok(Some(receiver.received()).filter(|received| received.len() >= 3));
    let requests = until(STEPS, look, || format!("{:?}", receiver.received())).await?;
    let kinds = requests.iter().map(ReceivedEvent::kind).collect::<Result<Vec<_>>>()?;
    ensure!(kinds == ["content.published", "content.completed", "content.taken_down"], "{kinds:?}");
    for (index, request) in requests.iter().enumerate() {
        let data = &request.event["data"];
        ensure!(request.event["content_sequence"] == index + 1 && data["is_test"] == true, "{:?}", request.event);
        ensure!(data["content_uuid"] == result["content_uuid"] && data["external_id"] == "order-7", "{data}");
    }
    let removed = &requests[2].event["data"];
    ensure!(removed["error_message_code"] == "content_moderation_rejected" && removed["policy_code"] == "other");
    let uuid = result["content_uuid"].as_str().context("no content_uuid")?;
    let log = stack.get_with_key(&format!("{}?content_uuid={uuid}", paths::EVENTS), &channel.key).await?.json()?;
    let events: Vec<_> = requests.iter().map(|request| request.event.clone()).collect();
    ensure!(log["events"] == json!(events), "{log}");
    Ok(())
}

#[e2e]
async fn a_test_video_ends_as_asked(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (outcome, state, code) in [
        ("rejected", "rejected", "content_moderation_rejected"),
        ("invalid_file", "rejected", "content_file_invalid_format"),
        ("failed", "failed", "content_processing_failed"),
    ] {
        let result = upload(&channel, outcome).await?;
        let status = until_status(&channel, &result, |status| status["state"] != "processing").await?;
        ensure!(status["state"] == state && status["error_message_code"] == code, "{status}");
        ensure!(status["policy_code"] == if outcome == "rejected" { json!("other") } else { Value::Null }, "{status}");
    }
    let waiting = upload(&channel, "waiting").await?;
    let status = until_status(&channel, &waiting, |status| status["check_after_seconds"] == 300).await?;
    ensure!(
        status["state"] == "processing" && status["detail"].as_str().is_some_and(|text| text.contains("moderator"))
    );
    Ok(())
}

#[e2e]
async fn a_test_upload_can_ask_for_a_refusal(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (code, http_status, retries) in [
        ("content_upload_limit_failure", 429, true),
        ("too_many_uploads", 429, true),
        ("rate_limited", 429, true),
        ("channel_suspended", 403, false),
        ("upload_too_slow", 408, false),
        ("service_overloaded", 503, true),
        ("service_unavailable", 503, true),
        ("internal_error", 500, false),
    ] {
        let refused = channel.upload(form(&channel, code)).await?;
        ensure_refused(&refused, http_status, code)?;
        ensure!(refused.header("retry-after").is_empty() != retries, "{refused:?}");
        let told = refused.json()?;
        ensure!(told["detail"].as_str().is_some_and(|detail| detail.starts_with("This is a test")), "{told}");
        if code == "content_upload_limit_failure" {
            ensure!(told["is_limit_activated"] == true && told["limit_reset_time_unix"].is_u64(), "{told}");
        }
    }
    ensure_refused(&channel.upload(form(&channel, "reject")).await?, 422, "content_test_invalid")?;
    // A file that is really wrong is refused as it always is.
    let text = Form::new().text("test", "true").file("file", "clip.mp4", b"no video at all");
    ensure_refused(&channel.upload(text).await?, 415, "content_file_invalid_format")?;
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_test_video_can_be_deleted_but_not_changed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let result = upload(&channel, "published").await?;
    let uuid = &result["content_uuid"];
    for (path, body) in [
        (paths::UPDATE_CONTENT, json!({ "content_uuid": uuid, "caption": "Other" })),
        (paths::RESCHEDULE_CONTENT, json!({ "content_uuid": uuid, "scheduled_publish_at_unix": null })),
        (paths::RELEASE_CONTENT, json!({ "content_uuid": uuid })),
        (paths::APPEAL_CONTENT, json!({ "content_uuid": uuid, "text": "Please look again." })),
        (paths::DELETE_CAPTIONS, json!({ "content_uuid": uuid, "language": "de" })),
    ] {
        let refused = change(&channel, path, body).await?;
        let code = if path == paths::APPEAL_CONTENT { "appeal_not_possible" } else { "content_state_conflict" };
        ensure_refused(&refused, 409, code)?;
        ensure!(refused.json()?["detail"] == "This is a test video. It can be deleted, but not changed.", "{path}");
    }
    let stranger = Channel::new(&stack).await?;
    ensure_refused(
        &change(&stranger, paths::DELETE_CONTENT, json!({ "content_uuid": uuid })).await?,
        404,
        "content_not_found",
    )?;
    for _ in 0..2 {
        let deleted = change(&channel, paths::DELETE_CONTENT, json!({ "content_uuid": uuid })).await?;
        ensure!(deleted.status == 200 && deleted.json()?["state"] == "deleted", "{deleted:?}");
    }
    ensure!(status(&channel, &result).await?["state"] == "deleted");
    Ok(())
}

#[e2e]
async fn a_resumable_upload_and_the_client_program_can_test(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    let resumable = Upload::begin(&channel, video.len(), &[("test", "failed")]).await?;
    ensure!(resumable.append(0, &video).await?.status.is_success());
    let described = stack.get(&resumable.path).await?.json()?;
    ensure!(described["state"] == "accepted" && described["result"]["is_test"] == true, "{described}");
    let result = described["result"].as_object().context("no result")?;
    let status = until_status(&channel, result, |status| status["state"] != "processing").await?;
    ensure!(status["state"] == "failed", "{status}");
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &video)?;
    let rejected = program.run(&["upload", "clip.mp4", "--test=rejected", "--wait"]).await?;
    ensure!(rejected.code != 0 && format!("{rejected:?}").contains("content_moderation_rejected"), "{rejected:?}");
    let published = program.run(&["upload", "clip.mp4", "--test", "--wait", "--json"]).await?;
    ensure!(published.code == 0 && published.event("uploaded")?["answer"]["is_test"] == true, "{published:?}");
    let wrong = program.run(&["upload", "clip.mp4", "--test=reject"]).await?;
    ensure!(wrong.errors.contains("Did you mean `rejected`?"), "{wrong:?}");
    // A retry would be refused again, so there is none.
    let busy = program.run(&["upload", "clip.mp4", "--test=service_overloaded"]).await?;
    ensure!(busy.code == 6 && !format!("{busy:?}").contains("Trying again"), "{busy:?}");
    channel.ensure_rows(&ChannelRows { committed: 3, ..ChannelRows::default() })
}
