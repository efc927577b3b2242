//! An event of each type, as a webhook gets it, against the `webhooks` section of the OpenAPI document.

use anyhow::{Context, Result, ensure};
use contract::api::EventType;
use contract::job::{JobOutcome, Quality};
use contract::moderation::Recommendation;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, Document, ReceivedEvent, TestAccount, TestContent, TestStack, WebhookReceiver, WebhookReply, e2e,
    moderator_request, now_unix, processed, project, send, until,
};

const SENT: Duration = Duration::from_mins(2);

async fn subscribe(account: &TestAccount, url: &str) -> Result<Value> {
    let created = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": url })).await?.json()?;
    ensure!(created["success"] == true, "{created}");
    Ok(created["webhook"]["webhook_uuid"].clone())
}

/// Uploads a video to a channel with a webhook.
async fn upload(stack: &Arc<TestStack>, url: &str, add: impl Fn(Form) -> Form) -> Result<TestContent> {
    let content = TestContent::upload(stack, |form| add(form.text("external_id", "order 7"))).await?;
    subscribe(&content.job.channel.account, url).await?;
    Ok(content)
}

/// Published, taken down, appealed without success, restored, and deleted.
async fn live_a_long_life(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let content = upload(stack, url, |form| form).await?;
    content.finish(&[Recommendation::Pass]).await?;
    content.decide(paths::MODERATION_TAKE_DOWN).await?;
    content.owner_request(paths::APPEAL_CONTENT, json!({ "text": "It is art." })).await?;
    reject_appeal(&content).await?;
    content.decide(paths::MODERATION_RESTORE).await?;
    content.owner_request(paths::DELETE_CONTENT, json!({})).await.map(drop)
}

/// Published in its first quality, and completed.
async fn be_completed(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let mut content = upload(stack, url, |form| form).await?;
    content.job.claim_granted().await?;
    let mut first = processed(&[Recommendation::Pass]);
    let JobOutcome::Processed { media, .. } = &mut first else { anyhow::bail!("no media") };
    let full = media.clone();
    media.quality = Quality::First;
    content.job.report(first).await?;
    content.job.generation = 2;
    content.job.claim_granted().await?;
    let completed = content.job.report(JobOutcome::Completed { media: full }).await?;
    ensure!(completed.accepted, "{completed:?}");
    Ok(())
}

/// Another moderator than the operator, who decided, rejects the appeal.
async fn reject_appeal(content: &TestContent) -> Result<()> {
    let stack = content.stack();
    let token = json!({ "name": "Zoe", "roles": ["decide"], "ttl_seconds": 3_600 });
    let token = send(moderator_request(stack, Method::POST, paths::TOKENS).json(&token)).await?.json()?;
    let token = token["token"].as_str().context("no token")?;
    stack.remember_secret(token);
    let body = json!({ "content_uuid": content.job.content_uuid, "reason": "r" });
    let request = stack.request(Method::POST, paths::MODERATION_REJECT_APPEAL).bearer_auth(token);
    let rejected = send(request.json(&body)).await?;
    ensure!(rejected.status == 200, "{rejected:?}");
    Ok(())
}

/// Waiting, and rejected by a person.
async fn be_rejected(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let content = upload(stack, url, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    content.decide(paths::MODERATION_REJECT).await.map(drop)
}

async fn be_scheduled(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let later = (now_unix() + 3_600).to_string();
    let content = upload(stack, url, |form| form.text("scheduled_publish_at_unix", &later)).await?;
    content.finish(&[Recommendation::Pass]).await.map(drop)
}

async fn fail(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let content = upload(stack, url, |form| form).await?;
    content.job.claim_granted().await?;
    content.job.report(JobOutcome::Failed { detail: "the disk is full".to_owned() }).await.map(drop)
}

/// The limit is reached, the webhook tested, the key rotated and deleted.
async fn use_a_channel_up(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let channel = Channel::with_limit(stack, Some(1)).await?;
    let uuid = subscribe(&channel.account, url).await?;
    channel.account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?;
    channel.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    channel.account.post(paths::ROTATE_API_KEY).await?;
    channel.account.post(paths::DELETE_API_KEY).await.map(drop)
}

/// A one-time token is used, and another one expires.
async fn upload_directly(stack: &Arc<TestStack>, url: &str) -> Result<()> {
    let channel = Channel::new(stack).await?;
    subscribe(&channel.account, url).await?;
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let request = stack.request(Method::POST, paths::DIRECT_UPLOADS).bearer_auth(&channel.key);
        let created = send(request.json(&json!({ "external_id": "order 7" }))).await?.json()?;
        tokens.push(created["token"].as_str().context("no token")?.to_owned());
    }
    let form = Form::new().file("file", "a.mp4", &stack.small_video());
    let request = stack.request(Method::POST, paths::DIRECT_UPLOAD).bearer_auth(&tokens[0]);
    let used = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(used.status == 200, "{used:?}");
    let expire = "UPDATE direct_uploads SET expires_at_unix = 1 WHERE state = 'open' AND channel_id = ";
    stack.change_rows(format!("{expire}{}", channel.account.channel_id)).await
}

/// Another webhook of the channel is paused, because it answers 410.
async fn lose_a_webhook(stack: &Arc<TestStack>, url: &str) -> Result<WebhookReceiver> {
    let account = stack.account().await?;
    let gone = WebhookReceiver::start(|_| WebhookReply::Status(410)).await?;
    subscribe(&account, url).await?;
    subscribe(&account, &gone.url).await?;
    account.create_key().await?;
    account.post(paths::ROTATE_API_KEY).await?;
    Ok(gone)
}

/// Waits until an event of every type has arrived.
async fn received(stack: &TestStack, receiver: &WebhookReceiver) -> Result<Vec<ReceivedEvent>> {
    let all = EventType::ALL.map(|kind| json!(kind));
    let missing = || {
        let arrived = receiver.received();
        let is_missing = |kind: &&Value| !arrived.iter().any(|one| one.event["type"] == **kind);
        all.iter().filter(is_missing).map(Value::to_string).collect::<Vec<_>>()
    };
    let look = async || {
        stack.sweep().await?;
        Ok(missing().is_empty().then(|| receiver.received()))
    };
    until(SENT, look, || format!("not sent: {:?}", missing())).await
}

/// Returns the line that the script reads.
fn line(one: &ReceivedEvent) -> String {
    let headers: Map<String, Value> =
        one.headers.keys().map(|name| (name.to_string(), json!(one.header(name.as_str())))).collect();
    json!({ "event": one.event, "headers": headers }).to_string()
}

/// Runs the script, and returns whether it finds the events as they are described.
fn are_described(lines: &str) -> Result<bool> {
    let mut command = Command::new(project().join("node_modules/.bin/node"));
    command.arg(project().join("tests/description/validate_events.mjs")).arg(Document::Public.path());
    let mut script = command.stdin(Stdio::piped()).spawn()?;
    script.stdin.take().context("no input")?.write_all(lines.as_bytes())?;
    Ok(script.wait()?.success())
}

#[e2e]
async fn every_type_of_event_is_sent_as_it_is_described(stack: Arc<TestStack>) -> Result<()> {
    let receiver = WebhookReceiver::start(|_| WebhookReply::Status(204)).await?;
    let url = receiver.url.as_str();
    let _gone = lose_a_webhook(&stack, url).await?;
    tokio::try_join!(
        live_a_long_life(&stack, url),
        be_completed(&stack, url),
        be_rejected(&stack, url),
        be_scheduled(&stack, url),
        fail(&stack, url),
        use_a_channel_up(&stack, url),
        upload_directly(&stack, url),
    )?;
    let events = received(&stack, &receiver).await?;
    let lines: Vec<_> = events.iter().map(line).collect();
    ensure!(are_described(&lines.join("\n"))?, "an event is not as it is described");
    // The script notices a member that is wrong, missing or unknown.
    let changes = [("\"sequence\":", "\"sequence\":-"), ("\"slug_url\":", "\"slug\":"), ("webhook-id", "id")];
    for (from, to) in changes {
        let wrong = lines.iter().find(|line| line.contains(from)).context("no event")?.replacen(from, to, 1);
        ensure!(!are_described(&wrong)?, "not noticed: {wrong}");
    }
    Ok(())
}
