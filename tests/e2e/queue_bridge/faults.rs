//! What may go wrong between queue and origin: each fault by itself, and all of them at once.

use super::queue::{Queue, job_text};
use super::{MINUTE, NONE};
use crate::harness::{Harness, Suite};
use anyhow::{Context, Result, ensure};
use origin::queue::{Batch, QueueError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const CHAOS_MESSAGES: u64 = 100;
/// Few enough that the messages meet many requests, and so many faults.
const BATCH: usize = 4;

pub fn register(suite: &mut Suite) {
    suite.add(
        "queue_bridge::an_answer_that_fails_is_told_by_what_to_do",
        told,
    );
    suite.add(
        "queue_bridge::a_pull_whose_answer_is_lost_loses_no_message",
        lost_pulls,
    );
    suite.add(
        "queue_bridge::an_acknowledgement_may_be_lost_on_its_way_or_on_the_way_back",
        lost_acks,
    );
    suite.add(
        "queue_bridge::messages_may_come_twice_late_and_out_of_order",
        deliveries,
    );
    suite.add(
        "queue_bridge::among_all_faults_each_job_is_done_and_none_is_acknowledged_before",
        chaos,
    );
}

async fn fails(queue: &Queue, fault: Value) -> Result<QueueError> {
    queue.set_faults(json!([fault])).await?;
    let error = queue
        .client
        .pull(10, MINUTE)
        .await
        .err()
        .context("it succeeded")?;
    ensure!(error.is_transient(), "{fault}: {error}");
    Ok(error)
}

async fn told(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    let throttled = fails(
        &queue,
        json!({ "on": "pull", "kind": "throttled", "retry_after": 9 }),
    )
    .await?;
    ensure!(
        throttled.retry_after() == Some(Duration::from_secs(9)),
        "{throttled}"
    );
    for status in [500, 502, 503] {
        let error = fails(
            &queue,
            json!({ "on": "pull", "kind": "unavailable", "status": status }),
        )
        .await?;
        ensure!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    }
    let page = fails(&queue, json!({ "on": "pull", "kind": "html" })).await?;
    ensure!(matches!(page, QueueError::Unreadable { .. }), "{page}");
    let page = fails(
        &queue,
        json!({ "on": "pull", "kind": "html", "status": 502 }),
    )
    .await?;
    ensure!(matches!(page, QueueError::Unavailable { .. }), "{page}");
    queue
        .set_faults(json!([{ "on": "pull", "kind": "unavailable", "status": 405 }]))
        .await?;
    let refused = queue
        .client
        .pull(1, MINUTE)
        .await
        .err()
        .context("it succeeded")?;
    ensure!(!refused.is_transient(), "{refused}");
    queue
        .set_faults(json!([{ "on": "pull", "kind": "slow", "delay_ms": 5_000 }]))
        .await?;
    let impatient = queue.with_timeout(Duration::from_millis(100))?;
    let error = impatient
        .pull(1, MINUTE)
        .await
        .err()
        .context("it succeeded")?;
    ensure!(matches!(error, QueueError::Unavailable { .. }), "{error}");
    // A fault is spent by the request that meets it.
    queue.ensure_empty().await
}

async fn lost_pulls(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    for (attempt, kind) in [(2, "truncated"), (4, "unanswered")] {
        fails(&queue, json!({ "on": "pull", "kind": kind })).await?;
        // It is leased to somebody who does not know.
        queue.ensure_empty().await?;
        queue.advance(MINUTE).await?;
        let delivery = queue.one(NONE).await?;
        ensure!(delivery.attempts == attempt, "{kind}: {delivery:?}");
    }
    Ok(())
}

async fn lost_acks(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    for (kind, applied) in [
        ("unapplied", false),
        ("unavailable", false),
        ("html", false),
        ("unanswered", true),
        ("truncated", true),
    ] {
        queue.client.send(&job_text(1), NONE).await?;
        let delivery = queue.one(MINUTE).await?;
        queue
            .set_faults(json!([{ "on": "ack", "kind": kind }]))
            .await?;
        let settled = queue
            .client
            .settle(std::slice::from_ref(&delivery.lease), &[])
            .await;
        // Only the fault that nobody can see looks like a success.
        ensure!(
            settled.is_ok() == (kind == "unapplied"),
            "{kind}: {settled:?}"
        );
        queue.ensure_stats(u64::from(!applied), 0).await?;
        // Saying it again is harmless, and enough.
        let again = queue.client.settle(&[delivery.lease], &[]).await?;
        ensure!(again.acknowledged == Some(1), "{kind}: {again:?}");
        queue.ensure_stats(0, 0).await?;
    }
    Ok(())
}

async fn deliveries(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 10).await?;
    for number in 1..=3 {
        queue.client.send(&job_text(number), NONE).await?;
    }
    let pull = async |kind: &str| -> Result<Batch> {
        queue
            .set_faults(json!([{ "on": "pull", "kind": kind }]))
            .await?;
        Ok(queue.client.pull(10, MINUTE).await?)
    };
    let twice = pull("duplicate").await?.deliveries;
    ensure!(twice.len() == 6, "{twice:?}");
    ensure!(twice[0].message_id == twice[1].message_id && twice[0].lease != twice[1].lease);
    queue.advance(MINUTE).await?;
    let reordered = pull("reorder").await?.deliveries;
    ensure!(super::numbers(&reordered) == [3, 2, 1], "{reordered:?}");
    queue.advance(MINUTE).await?;
    let late = pull("late").await?.deliveries;
    // They are out for delivery again before anybody could do them.
    ensure!(queue.client.pull(10, MINUTE).await?.deliveries.len() == 3);
    let leases: Vec<_> = late.into_iter().map(|delivery| delivery.lease).collect();
    ensure!(queue.client.settle(&leases, &[]).await?.acknowledged == Some(3));
    queue.ensure_stats(0, 0).await
}

async fn chaos(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 100).await?;
    let sends = (1..=CHAOS_MESSAGES).map(|number| {
        let client = &queue.client;
        async move { client.send(&job_text(number), NONE).await }
    });
    futures_util::future::try_join_all(sends).await?;
    queue.set_faults(every_fault()).await?;
    let mut done = BTreeMap::new();
    let (mut rounds, mut failures) = (0, 0);
    while done.len() < usize::try_from(CHAOS_MESSAGES)? || queue.depth().await? > 0 {
        rounds += 1;
        ensure!(
            rounds < 1_000,
            "no end: {} done, {failures} failures",
            done.len()
        );
        failures += round(&queue, &mut done).await?;
        queue.ensure_none_is_gone_undone(&done).await?;
        queue.advance(MINUTE).await?;
    }
    let most = done.values().max().copied().unwrap_or_default();
    println!(
        "queue_bridge: {CHAOS_MESSAGES} jobs among all faults: {rounds} rounds, {failures} failed requests, at most {most} deliveries of one"
    );
    queue.ensure_stats(0, 0).await
}

/// Pulls, does, acknowledges. Returns how many requests failed.
async fn round(queue: &Queue, done: &mut BTreeMap<u64, u32>) -> Result<u32> {
    let batch = match queue.client.pull(BATCH, MINUTE).await {
        Ok(batch) => batch,
        Err(error) if error.is_transient() => return Ok(1),
        Err(error) => return Err(error.into()),
    };
    let mut leases = Vec::new();
    for delivery in batch.deliveries {
        *done.entry(delivery.job?.content_id).or_default() += 1;
        leases.push(delivery.lease);
    }
    match queue.client.settle(&leases, &[]).await {
        Ok(_) => Ok(0),
        Err(error) if error.is_transient() => Ok(1),
        Err(error) => Err(error.into()),
    }
}

impl Queue {
    /// What is neither done nor in the queue has been lost or acknowledged by nobody who did it.
    async fn ensure_none_is_gone_undone(&self, done: &BTreeMap<u64, u32>) -> Result<()> {
        let undone = CHAOS_MESSAGES - u64::try_from(done.len())?;
        let there = self.depth().await?;
        ensure!(
            there >= undone,
            "{undone} are not done, and only {there} are there"
        );
        Ok(())
    }
}

/// Each with a chance that leaves half of the requests whole.
fn every_fault() -> Value {
    let pull = [
        "throttled",
        "unavailable",
        "html",
        "unanswered",
        "truncated",
        "duplicate",
        "reorder",
        "late",
    ];
    let ack = [
        "throttled",
        "unavailable",
        "html",
        "unapplied",
        "unanswered",
        "truncated",
    ];
    let of = |on: &str, kinds: &[&str]| -> Vec<Value> {
        let fault = |kind| json!({ "on": on, "kind": kind, "times": null, "rate": 0.08 });
        kinds.iter().map(fault).collect()
    };
    json!([of("pull", &pull), of("ack", &ack)].concat())
}
