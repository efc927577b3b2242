//! Delivery of events from the Worker to a receiver that works, fails, lies or is slow.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use tests::{
    ReceivedEvent, TestAccount, TestContent, TestStack, WebhookReceiver, WebhookReply, e2e, ensure_refused, until,
};

/// The longest time until something is recorded. All failing webhooks of the stack share two requests at a time, and
/// some never answer, which takes 10 s each.
const RECORDED: Duration = Duration::from_mins(3);

/// Creates a webhook and returns its uuid.
async fn create(account: &TestAccount, url: &str) -> Result<String> {
    let created = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": url })).await?;
    let uuid = created.json()?["webhook"]["webhook_uuid"].as_str().map(str::to_owned);
    uuid.with_context(|| format!("not created: {}", created.status))
}

async fn deliveries(account: &TestAccount, uuid: &str) -> Result<Vec<Value>> {
    let answer = account.get(&format!("{}?webhook_uuid={uuid}", paths::WEBHOOK_DELIVERIES)).await?;
    Ok(answer.json()?["deliveries"].as_array().with_context(|| format!("{answer:?}"))?.clone())
}

/// Waits until the newest delivery has had an answer, and returns it.
async fn until_answered(account: &TestAccount, uuid: &str) -> Result<Value> {
    let look =
        async || Ok(deliveries(account, uuid).await?.into_iter().next().filter(|one| one["response"].is_object()));
    until(RECORDED, look, || "no delivery has an answer".to_owned()).await
}

/// Makes all waiting deliveries due as new ones are, so that the next change has them sent. Those whose time has passed
/// are sent by the run of each minute, which no stack has.
async fn let_time_pass(stack: &TestStack, account: &TestAccount) -> Result<()> {
    let due = format!(
        "UPDATE webhook_deliveries SET due_at_unix = 0 WHERE due_at_unix IS NOT NULL
             AND webhook_id IN (SELECT id FROM webhooks WHERE channel_id = {})",
        account.channel_id
    );
    stack.change_rows(due).await
}

/// Sweeps until this many requests have arrived, and returns all. A sweep sends nothing to a webhook to which another
/// run is sending just then.
async fn sweep_until_received(
    stack: &TestStack,
    receiver: &WebhookReceiver,
    count: usize,
) -> Result<Vec<ReceivedEvent>> {
    let look = async || {
        stack.sweep().await?;
        Ok(Some(receiver.received()).filter(|requests| requests.len() >= count))
    };
    until(RECORDED, look, || format!("{count} requests: {:?}", receiver.received())).await
}

/// On a stack of its own: the failing webhooks of a stack wait for each other, and some of other tests never answer.
#[e2e(Own)]
async fn a_failed_event_is_sent_again_with_the_same_id_before_the_next_of_its_video(
    stack: Arc<TestStack>,
) -> Result<()> {
    let status = Arc::new(AtomicU16::new(503));
    let answer = Arc::clone(&status);
    let receiver =
        WebhookReceiver::start(move |_| WebhookReply::Text(answer.load(Ordering::Relaxed), "a note".to_owned()));
    let receiver = receiver.await?;
    let content = TestContent::upload(&stack, |form| form).await?;
    let account = &content.job.channel.account;
    let uuid = create(account, &receiver.url).await?;
    content.finish(&[Recommendation::Pass]).await?;
    let failed = until_answered(account, &uuid).await?;
    ensure!(failed["state"] == "pending" && failed["response"]["status"] == 503, "{failed}");
    ensure!(failed["response"]["body_start"] == "a note" && failed["next_attempt_at_unix"].is_u64(), "{failed}");
    let delete = stack.request(reqwest::Method::POST, paths::DELETE_CONTENT).bearer_auth(&content.job.channel.key);
    tests::send(delete.json(&json!({ "content_uuid": content.job.content_uuid }))).await?;
    status.store(204, Ordering::Relaxed);
    let_time_pass(&stack, account).await?;
    let requests = sweep_until_received(&stack, &receiver, 3).await?;
    let kinds = requests.iter().map(ReceivedEvent::kind).collect::<Result<Vec<_>>>()?;
    ensure!(kinds == ["content.published", "content.published", "content.deleted"], "{kinds:?}");
    ensure!(
        requests[0].body == requests[1].body && requests[0].header("webhook-id") == requests[1].header("webhook-id")
    );
    ensure!(requests[2].event["content_sequence"] == 2, "{:?}", requests[2].event);
    // The same events are in the log.
    let log = stack.get_with_key(paths::EVENTS, &content.job.channel.key).await?.json()?;
    ensure!(log["events"] == json!([requests[1].event, requests[2].event]), "{log}");
    Ok(())
}

#[e2e]
async fn a_redirect_is_a_failure_and_nobody_follows_it(stack: Arc<TestStack>) -> Result<()> {
    let inside = WebhookReceiver::start(|_| WebhookReply::Status(200)).await?;
    let to = inside.url.clone();
    let receiver = WebhookReceiver::start(move |_| WebhookReply::Redirect(to.clone())).await?;
    let account = stack.account().await?;
    let uuid = create(&account, &receiver.url).await?;
    let tested = account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?.json()?;
    ensure!(tested["is_delivered"] == false && tested["response"]["status"] == 307, "{tested}");
    ensure!(receiver.received().len() == 1 && inside.received().is_empty(), "the redirect was followed");
    Ok(())
}

#[e2e]
async fn an_answer_without_end_is_cut_and_a_receiver_that_hangs_is_left(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let endless = WebhookReceiver::start(|_| WebhookReply::Endless).await?;
    let uuid = create(&account, &endless.url).await?;
    let tested = account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?.json()?;
    ensure!(tested["is_delivered"] == true, "{tested}");
    ensure!(tested["response"]["body_start"] == "x".repeat(1_024), "{tested}");
    let too_soon = account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?;
    ensure_refused(&too_soon, 429, "rate_limited")?;
    ensure!(
        too_soon.json()?["detail"].as_str().is_some_and(|text| text.contains("webhook was tested")),
        "{too_soon:?}"
    );
    let hanging = WebhookReceiver::start(|_| WebhookReply::Never).await?;
    let uuid = create(&account, &hanging.url).await?;
    let tested = account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?.json()?;
    ensure!(tested["response"]["failure"] == "timeout" && tested["response"]["status"].is_null(), "{tested}");
    let gone = format!("http://127.0.0.1:{}/", dev::free_port()?);
    let uuid = create(&account, &gone).await?;
    let tested = account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?.json()?;
    ensure!(tested["response"]["failure"] == "unreachable", "{tested}");
    Ok(())
}

#[e2e]
async fn a_receiver_that_hangs_does_not_hold_back_another_channel_s(stack: Arc<TestStack>) -> Result<()> {
    let hanging = WebhookReceiver::start(|_| WebhookReply::Never).await?;
    let working = WebhookReceiver::start(|_| WebhookReply::Status(204)).await?;
    let (slow, quick) = (stack.account().await?, stack.account().await?);
    for _ in 0..2 {
        create(&slow, &hanging.url).await?;
    }
    create(&quick, &working.url).await?;
    for account in [&slow, &quick] {
        account.create_key().await?;
        account.post(paths::ROTATE_API_KEY).await?;
    }
    sweep_until_received(&stack, &working, 1).await.map(drop)
}

#[e2e]
async fn a_webhook_that_is_gone_is_paused_and_what_it_missed_can_be_sent_again(stack: Arc<TestStack>) -> Result<()> {
    let status = Arc::new(AtomicU16::new(410));
    let answer = Arc::clone(&status);
    let receiver = WebhookReceiver::start(move |_| WebhookReply::Status(answer.load(Ordering::Relaxed))).await?;
    let account = stack.account().await?;
    let uuid = create(&account, &receiver.url).await?;
    account.create_key().await?;
    account.post(paths::ROTATE_API_KEY).await?;
    let look = async || {
        let list = account.get(paths::WEBHOOKS).await?.json()?;
        Ok(Some(list["webhooks"][0].clone()).filter(|webhook| webhook["state"] == "paused"))
    };
    let paused = until(RECORDED, look, || "it is not paused".to_owned()).await?;
    ensure!(paused["pause_reason"] == "gone", "{paused}");
    let since = json!({ "webhook_uuid": uuid, "since_unix": 0 });
    ensure_refused(&account.post_json(paths::SEND_EVENTS_AGAIN, &since).await?, 409, "webhook_inactive")?;
    status.store(200, Ordering::Relaxed);
    account.post_json(paths::UPDATE_WEBHOOK, &json!({ "webhook_uuid": uuid, "is_active": true })).await?;
    let queued = account.post_json(paths::SEND_EVENTS_AGAIN, &since).await?.json()?;
    ensure!(queued["queued"] == 2 && queued["next_after"].is_null(), "{queued}");
    let requests = sweep_until_received(&stack, &receiver, 3).await?;
    let kinds = requests.iter().map(ReceivedEvent::kind).collect::<Result<Vec<_>>>()?;
    ensure!(kinds == ["key.rotated", "key.rotated", "webhook.paused"], "{kinds:?}");
    let one = json!({ "webhook_uuid": uuid, "event_id": requests[0].header("webhook-id") });
    ensure!(account.post_json(paths::SEND_EVENTS_AGAIN, &one).await?.json()?["queued"] == 1);
    let requests = sweep_until_received(&stack, &receiver, 4).await?;
    ensure!(requests[3].body == requests[0].body, "{requests:?}");
    let unknown = json!({ "webhook_uuid": uuid, "event_id": "evt_unknown" });
    ensure_refused(&account.post_json(paths::SEND_EVENTS_AGAIN, &unknown).await?, 404, "event_not_found")
}
