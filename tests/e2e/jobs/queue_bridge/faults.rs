//! The faults that can happen between the queue and an origin, one by one and all together.

use super::messages::{MINUTE, NO_DELAY, job_numbers};
use anyhow::{Context, Result, ensure};
use origin::clients::queue::{MessageBatch, QueueError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestQueue, TestStack, e2e, job_text};

const CHAOS_MESSAGES: u64 = 100;
/// Small, so that the messages need many requests and meet many faults.
const BATCH: usize = 4;

async fn fault_of_a_pull(queue: &TestQueue, fault: Value) -> Result<QueueError> {
    queue.set_faults(json!([fault])).await?;
    let error = queue.client.pull(10, MINUTE).await.err().context("it succeeded")?;
    ensure!(error.is_transient(), "{fault}: {error}");
    Ok(error)
}

#[e2e]
async fn each_failed_answer_is_classified_by_how_to_react(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    let throttled = fault_of_a_pull(&queue, json!({ "on": "pull", "kind": "throttled", "retry_after": 9 })).await?;
    ensure!(throttled.retry_after() == Some(Duration::from_secs(9)), "{throttled}");
    for status in [500, 502, 503] {
        let error = fault_of_a_pull(&queue, json!({ "on": "pull", "kind": "unavailable", "status": status })).await?;
        ensure!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    }
    let page = fault_of_a_pull(&queue, json!({ "on": "pull", "kind": "html" })).await?;
    ensure!(matches!(page, QueueError::Unreadable { .. }), "{page}");
    let page = fault_of_a_pull(&queue, json!({ "on": "pull", "kind": "html", "status": 502 })).await?;
    ensure!(matches!(page, QueueError::Unavailable { .. }), "{page}");
    queue.set_faults(json!([{ "on": "pull", "kind": "unavailable", "status": 405 }])).await?;
    let refused = queue.client.pull(1, MINUTE).await.err().context("it succeeded")?;
    ensure!(!refused.is_transient(), "{refused}");
    queue.set_faults(json!([{ "on": "pull", "kind": "slow", "delay_ms": 5_000 }])).await?;
    let short_timeout = queue.with_timeout(Duration::from_millis(100))?;
    let error = short_timeout.pull(1, MINUTE).await.err().context("it succeeded")?;
    ensure!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    // A fault affects one request only.
    queue.ensure_empty().await
}

#[e2e]
async fn a_pull_whose_answer_is_lost_loses_no_message(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    for (attempt, kind) in [(2, "truncated"), (4, "unanswered")] {
        fault_of_a_pull(&queue, json!({ "on": "pull", "kind": kind })).await?;
        // The message is leased, but no client knows about it.
        queue.ensure_empty().await?;
        queue.advance(MINUTE).await?;
        let message = queue.pull_one(NO_DELAY).await?;
        ensure!(message.delivery_attempt == attempt, "{kind}: {message:?}");
    }
    Ok(())
}

#[e2e]
async fn an_acknowledgement_may_be_lost_in_either_direction(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    for (kind, applied) in
        [("unapplied", false), ("unavailable", false), ("html", false), ("unanswered", true), ("truncated", true)]
    {
        queue.client.send(&job_text(1), NO_DELAY).await?;
        let message = queue.pull_one(MINUTE).await?;
        queue.set_faults(json!([{ "on": "ack", "kind": kind }])).await?;
        let settled = queue.client.settle(std::slice::from_ref(&message.lease), &[]).await;
        // Only an acknowledgement that is answered but not applied looks like a success to the client.
        ensure!(settled.is_ok() == (kind == "unapplied"), "{kind}: {settled:?}");
        queue.ensure_stats(u64::from(!applied), 0).await?;
        // Acknowledging again is harmless and sufficient.
        let again = queue.client.settle(&[message.lease], &[]).await?;
        ensure!(again.acknowledged == Some(1), "{kind}: {again:?}");
        queue.ensure_stats(0, 0).await?;
    }
    Ok(())
}

#[e2e]
async fn messages_may_arrive_twice_late_and_out_of_order(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 10).await?;
    for number in 1..=3 {
        queue.client.send(&job_text(number), NO_DELAY).await?;
    }
    let pull = async |kind: &str| -> Result<MessageBatch> {
        queue.set_faults(json!([{ "on": "pull", "kind": kind }])).await?;
        Ok(queue.client.pull(10, MINUTE).await?)
    };
    let twice = pull("duplicate").await?.messages;
    ensure!(twice.len() == 6, "{twice:?}");
    ensure!(twice[0].message_id == twice[1].message_id && twice[0].lease != twice[1].lease);
    queue.advance(MINUTE).await?;
    let reordered = pull("reorder").await?.messages;
    ensure!(job_numbers(&reordered) == [3, 2, 1], "{reordered:?}");
    queue.advance(MINUTE).await?;
    let late = pull("late").await?.messages;
    // The leases expired before the answer arrived, so the same messages can be pulled again.
    ensure!(queue.client.pull(10, MINUTE).await?.messages.len() == 3);
    let leases: Vec<_> = late.into_iter().map(|message| message.lease).collect();
    ensure!(queue.client.settle(&leases, &[]).await?.acknowledged == Some(3));
    queue.ensure_stats(0, 0).await
}

#[e2e]
async fn under_all_faults_every_job_is_done_before_it_is_acknowledged(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 100).await?;
    let sends = (1..=CHAOS_MESSAGES).map(|number| {
        let client = &queue.client;
        async move { client.send(&job_text(number), NO_DELAY).await }
    });
    futures_util::future::try_join_all(sends).await?;
    queue.set_faults(every_fault()).await?;
    let mut done = BTreeMap::new();
    let (mut rounds, mut failures) = (0, 0);
    while done.len() < usize::try_from(CHAOS_MESSAGES)? || queue.depth().await? > 0 {
        rounds += 1;
        ensure!(rounds < 1_000, "it does not end: {} jobs done, {failures} failures", done.len());
        failures += work_once(&queue, &mut done).await?;
        ensure_none_is_lost(&queue, &done).await?;
        queue.advance(MINUTE).await?;
    }
    let most = done.values().max().copied().unwrap_or_default();
    println!(
        "queue_bridge: {CHAOS_MESSAGES} jobs under all faults: {rounds} rounds, {failures} failed requests, at most {most} \
         delivery attempts of one job"
    );
    queue.ensure_stats(0, 0).await
}

/// Pulls messages, counts their jobs as done, acknowledges them. Returns how many requests failed.
async fn work_once(queue: &TestQueue, done: &mut BTreeMap<u64, u32>) -> Result<u32> {
    let batch = match queue.client.pull(BATCH, MINUTE).await {
        Ok(batch) => batch,
        Err(error) if error.is_transient() => return Ok(1),
        Err(error) => return Err(error.into()),
    };
    let mut leases = Vec::new();
    for message in batch.messages {
        *done.entry(message.job?.content_id).or_default() += 1;
        leases.push(message.lease);
    }
    match queue.client.settle(&leases, &[]).await {
        Ok(_) => Ok(0),
        Err(error) if error.is_transient() => Ok(1),
        Err(error) => Err(error.into()),
    }
}

/// Fails if a job is neither done nor in the queue: it was lost, or acknowledged before it was done.
async fn ensure_none_is_lost(queue: &TestQueue, done: &BTreeMap<u64, u32>) -> Result<()> {
    let undone = CHAOS_MESSAGES - u64::try_from(done.len())?;
    let queued = queue.depth().await?;
    ensure!(queued >= undone, "{undone} jobs are not done, and only {queued} are in the queue");
    Ok(())
}

/// Returns every fault, each so rare that half of the requests meet none.
fn every_fault() -> Value {
    let pull = ["throttled", "unavailable", "html", "unanswered", "truncated", "duplicate", "reorder", "late"];
    let ack = ["throttled", "unavailable", "html", "unapplied", "unanswered", "truncated"];
    let of = |on: &str, kinds: &[&str]| -> Vec<Value> {
        let fault = |kind| json!({ "on": on, "kind": kind, "times": null, "rate": 0.08 });
        kinds.iter().map(fault).collect()
    };
    json!([of("pull", &pull), of("ack", &ack)].concat())
}
