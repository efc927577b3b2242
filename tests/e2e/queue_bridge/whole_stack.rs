//! From an upload to a pulled message, on a stack of its own: nobody else pulls from its queue, and it can be restarted.

use super::queue::{bridge, client};
use crate::harness::{Harness, Suite, send};
use anyhow::{Context, Result, ensure};
use contract::paths;
use dev::{Options, Stack, Variant};
use fixtures::Form;
use origin::queue::{Delivery, QueueClient};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What an arrival may take at most: some milliseconds, and a second for each time that the bridge does not answer.
const ARRIVAL: Duration = Duration::from_secs(20);
const MINUTE: Duration = Duration::from_mins(1);

pub fn register(suite: &mut Suite) {
    suite.add(
        "queue_bridge::an_upload_arrives_as_a_job_and_jobs_and_leases_survive_a_restart",
        restart,
    );
}

/// The folder goes with the test, also by a failure.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left then is in the temporary folder.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn restart(harness: Arc<Harness>) -> Result<()> {
    let name = format!("clipgate-e2e-queue-{}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    let stack = boot(&folder).await?;
    let key = create_key(&harness, &stack).await?;
    let first = upload(&harness, &stack, &key).await?;
    let queue = client(&stack.env, stack.env.get("QUEUE_ID"))?;
    let started = Instant::now();
    let held = arrival(&queue).await?;
    println!(
        "queue_bridge: an upload's job was pulled after {:?}",
        started.elapsed()
    );
    ensure_is(&held, &first)?;
    // Once the bridge does not take it, once it takes it and cannot say so: it still comes, and once.
    let faults = json!([{ "on": "arrive", "kind": "unavailable" }, { "on": "arrive", "kind": "unanswered" }]);
    set_faults(&harness, &stack, &faults).await?;
    let second = upload(&harness, &stack, &key).await?;
    until_backlog(&queue, 2).await?;
    drop(stack);

    let stack = boot(&folder).await?;
    let queue = client(&stack.env, stack.env.get("QUEUE_ID"))?;
    ensure_is(&arrival(&queue).await?, &second)?;
    let settled = queue.settle(&[held.lease], &[]).await?;
    ensure!(settled.acknowledged == Some(1), "{settled:?}");
    // The key survived, and what is sent after the restart arrives too.
    let third = upload(&harness, &stack, &key).await?;
    ensure_is(&arrival(&queue).await?, &third)?;
    ensure!(queue.pull(1, MINUTE).await?.backlog == Some(2));
    Ok(())
}

async fn boot(folder: &Folder) -> Result<Stack> {
    let options = Options {
        port: dev::free_port()?,
        state: folder.0.clone(),
        variant: Variant::Development,
        vars: Vec::new(),
        key_rate: None,
        origins: Vec::new(),
        published: None,
    };
    Stack::boot(options, |_| {}).await
}

async fn create_key(harness: &Harness, stack: &Stack) -> Result<String> {
    let url = format!("{}{}", stack.env.get("BASE_URL"), paths::CREATE_API_KEY);
    let request = harness.client.post(url).json(&json!({}));
    let answer = send(request.header("Cookie", stack.env.get("SESSION_COOKIE"))).await?;
    let key = answer.json()?["api_key"].as_str().map(str::to_owned);
    key.with_context(|| format!("no key: {answer:?}"))
}

/// The answer to an upload.
async fn upload(harness: &Harness, stack: &Stack, key: &str) -> Result<Value> {
    let url = format!("{}{}", stack.env.get("UPLOAD_URL"), paths::UPLOAD_VIDEO);
    let form = Form::new().file("file", "a.mp4", &harness.small_video());
    let request = harness.client.post(url).bearer_auth(key);
    let request = request
        .header("Content-Type", Form::content_type())
        .body(form.body());
    let answer = send(request).await?;
    ensure!(answer.status == 200, "{answer:?}");
    answer.json()
}

/// Faults of the stack's own queue.
async fn set_faults(harness: &Harness, stack: &Stack, faults: &Value) -> Result<()> {
    let url = format!("{}/faults", bridge(&stack.env));
    let request = harness
        .client
        .put(url)
        .bearer_auth(stack.env.get("QUEUE_API_TOKEN"));
    let answer = send(request.json(faults)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}

/// The next message, which must come soon.
async fn arrival(queue: &QueueClient) -> Result<Delivery> {
    let started = Instant::now();
    while started.elapsed() < ARRIVAL {
        if let Some(delivery) = queue.pull(1, 10 * MINUTE).await?.deliveries.pop() {
            return Ok(delivery);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("no message within {ARRIVAL:?}")
}

/// Returns when the queue has so many messages: the local queue hands them on behind the upload's answer.
async fn until_backlog(queue: &QueueClient, count: u64) -> Result<()> {
    let started = Instant::now();
    while started.elapsed() < ARRIVAL {
        let batch = queue.pull(1, Duration::ZERO).await?;
        if batch.backlog == Some(count) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    anyhow::bail!("not {count} messages within {ARRIVAL:?}")
}

fn ensure_is(delivery: &Delivery, uploaded: &Value) -> Result<()> {
    let job = delivery.job.as_ref().map_err(Clone::clone)?;
    ensure!(
        job.content_uuid == uploaded["content_uuid"]
            && job.content_id == uploaded["content_id"]
            && job.generation == 1,
        "{job:?} is not of {uploaded}"
    );
    Ok(())
}
