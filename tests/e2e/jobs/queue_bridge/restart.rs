//! From an upload to a pulled message, on a restartable stack without other consumers.

use super::messages::MINUTE;
use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use origin::clients::queue::{QueueClient, QueueMessage};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{StackLimits, TestCache, TestStack, bridge_address, e2e, queue_client, send, until};

/// The longest time until a message arrives. It takes milliseconds, plus a second each time the bridge does not answer.
const ARRIVAL: Duration = Duration::from_secs(20);

#[e2e]
async fn an_upload_arrives_as_a_job_and_jobs_and_leases_survive_a_restart(shared: Arc<TestStack>) -> Result<()> {
    let stack = TestStack::boot("restarted", StackLimits::NONE, TestCache::None).await?;
    let key = create_key(&stack).await?;
    let first = upload(&stack, &key, &shared.small_video()).await?;
    let queue = queue_client(stack.env(), stack.env().get("QUEUE_ID"))?;
    let started = Instant::now();
    let held = pull_next(&queue).await?;
    println!("queue_bridge: an upload's job was pulled after {:?}", started.elapsed());
    ensure_job_of(&held, &first)?;
    // The bridge first refuses the message, then accepts it but loses the response. It still arrives, exactly once.
    let faults = json!([{ "on": "arrive", "kind": "unavailable" }, { "on": "arrive", "kind": "unanswered" }]);
    set_faults(&stack, &faults).await?;
    let second = upload(&stack, &key, &shared.small_video()).await?;
    until_backlog(&queue, 2).await?;

    let stack = stack.restart().await?;
    let queue = queue_client(stack.env(), stack.env().get("QUEUE_ID"))?;
    ensure_job_of(&pull_next(&queue).await?, &second)?;
    let settled = queue.settle(&[held.lease], &[]).await?;
    ensure!(settled.acknowledged == Some(1), "{settled:?}");
    // As if an origin had claimed the first jobs. Otherwise this channel's third job would be held.
    stack.pretend_claims("true").await?;
    // The key has survived, and a message sent after the restart arrives too.
    let third = upload(&stack, &key, &shared.small_video()).await?;
    ensure_job_of(&pull_next(&queue).await?, &third)?;
    ensure!(queue.pull(1, MINUTE).await?.backlog == Some(2));
    Ok(())
}

async fn create_key(stack: &TestStack) -> Result<String> {
    let request = stack.request(Method::POST, paths::CREATE_API_KEY).json(&json!({}));
    let answer = send(request.header("Cookie", stack.env().get("SESSION_COOKIE"))).await?;
    let key = answer.json()?["api_key"].as_str().map(str::to_owned);
    key.with_context(|| format!("no key: {answer:?}"))
}

/// Uploads a video and returns the answer.
async fn upload(stack: &TestStack, key: &str, video: &[u8]) -> Result<Value> {
    let form = Form::new().file("file", "a.mp4", video);
    let request = stack.request(Method::POST, paths::UPLOAD_VIDEO).bearer_auth(key);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    answer.json()
}

/// Sets faults of the stack's own queue.
async fn set_faults(stack: &TestStack, faults: &Value) -> Result<()> {
    let request = stack.client.put(format!("{}/faults", bridge_address(stack.env())));
    let answer = send(request.bearer_auth(stack.env().get("QUEUE_API_TOKEN")).json(faults)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}

/// Waits for the next message.
async fn pull_next(queue: &QueueClient) -> Result<QueueMessage> {
    let look = async || Ok(queue.pull(1, 10 * MINUTE).await?.messages.pop());
    until(ARRIVAL, look, || "no message arrived".to_owned()).await
}

/// Waits until the queue has this many messages. The local queue forwards them after the upload was answered.
async fn until_backlog(queue: &QueueClient, count: u64) -> Result<()> {
    let look = async || Ok((queue.pull(1, Duration::ZERO).await?.backlog == Some(count)).then_some(()));
    until(ARRIVAL, look, || format!("the queue does not have {count} messages")).await
}

fn ensure_job_of(message: &QueueMessage, upload: &Value) -> Result<()> {
    let job = message.job.as_ref().map_err(Clone::clone)?;
    ensure!(
        job.content_uuid == upload["content_uuid"] && job.content_id == upload["content_id"] && job.generation == 1,
        "{job:?} does not belong to {upload}"
    );
    Ok(())
}
