//! The queue bridge keeps the promises of Cloudflare's pull queues, seen through the origin's own client: leases, retries,
//! delays, dead letters, late acknowledgements. Each test has a queue of its own with a clock of its own.

mod faults;
mod queue;
mod whole_stack;

use crate::harness::{Harness, Suite};
use anyhow::{Context, Result, ensure};
use origin::queue::{Delivery, QueueError};
use queue::{Queue, job_text};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);
const NONE: Duration = Duration::ZERO;

pub fn register(suite: &mut Suite) {
    suite.add(
        "queue_bridge::a_leased_message_is_hidden_until_its_lease_runs_out",
        leases,
    );
    suite.add(
        "queue_bridge::a_message_given_back_comes_after_its_delay",
        delays,
    );
    suite.add(
        "queue_bridge::a_message_sent_with_a_delay_comes_after_it",
        sent_late,
    );
    suite.add("queue_bridge::a_late_acknowledgement_still_counts", late);
    suite.add(
        "queue_bridge::a_stale_lease_cannot_take_a_message_from_its_holder",
        stale,
    );
    suite.add(
        "queue_bridge::the_fourth_failure_makes_a_dead_letter",
        dead_letters,
    );
    suite.add(
        "queue_bridge::a_message_that_is_no_job_ends_as_a_dead_letter",
        malformed,
    );
    suite.add(
        "queue_bridge::messages_come_in_their_order_and_five_at_a_time",
        order,
    );
    suite.add(
        "queue_bridge::a_json_message_comes_in_base64_and_is_read",
        packed,
    );
    suite.add("queue_bridge::without_its_token_nothing_is_served", token);
    suite.add("queue_bridge::cloudflares_limits_hold", limits);
    faults::register(suite);
    whole_stack::register(suite);
}

async fn leases(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    let first = queue.one(MINUTE).await?;
    ensure!(first.attempts == 1, "{first:?}");
    queue.ensure_empty().await?;
    let (most, rest) = (Duration::from_secs(50), Duration::from_secs(10));
    queue.advance(most).await?;
    queue.ensure_empty().await?;
    queue.advance(rest).await?;
    let second = queue.one(MINUTE).await?;
    ensure!(
        second.attempts == 2 && second.lease != first.lease,
        "{second:?}"
    );
    ensure!(second.message_id == first.message_id && second.job == first.job);
    ensure!(second.sent_at_ms == first.sent_at_ms && first.sent_at_ms > Some(0));
    let settled = queue.client.settle(&[second.lease], &[]).await?;
    ensure!(
        settled.acknowledged == Some(1) && settled.warnings.is_empty(),
        "{settled:?}"
    );
    queue.advance(2 * MINUTE).await?;
    queue.ensure_stats(0, 0).await
}

async fn delays(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    let first = queue.one(MINUTE).await?;
    let settled = queue
        .client
        .settle(&[], &[(first.lease, 10 * MINUTE)])
        .await?;
    ensure!(settled.returned == Some(1), "{settled:?}");
    // Past the lease, not past the delay.
    queue.advance(5 * MINUTE).await?;
    queue.ensure_empty().await?;
    queue.advance(5 * MINUTE).await?;
    let second = queue.one(MINUTE).await?;
    ensure!(second.attempts == 2);
    queue.client.settle(&[], &[(second.lease, NONE)]).await?;
    ensure!(queue.one(MINUTE).await?.attempts == 3);
    Ok(())
}

async fn sent_late(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), MINUTE).await?;
    queue.ensure_empty().await?;
    queue.ensure_stats(1, 0).await?;
    queue.advance(MINUTE).await?;
    queue.one(MINUTE).await.map(drop)
}

async fn late(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    let first = queue.one(MINUTE).await?;
    queue.advance(MINUTE).await?;
    let second = queue.one(MINUTE).await?;
    for lease in [first.lease, second.lease] {
        let settled = queue.client.settle(&[lease], &[]).await?;
        ensure!(
            settled.acknowledged == Some(1) && settled.warnings.is_empty(),
            "{settled:?}"
        );
        queue.ensure_stats(0, 0).await?;
    }
    Ok(())
}

async fn stale(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    let first = queue.one(MINUTE).await?;
    queue.advance(MINUTE).await?;
    queue.one(MINUTE).await?;
    queue.client.settle(&[], &[(first.lease, NONE)]).await?;
    queue.ensure_empty().await
}

async fn dead_letters(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    queue.client.send(&job_text(1), NONE).await?;
    for attempt in 1..=4 {
        let delivery = queue.one(MINUTE).await?;
        ensure!(delivery.attempts == attempt, "{delivery:?}");
        // Half of them given back, half of them left to run out, as by an origin that was killed.
        match attempt {
            1 | 3 => drop(queue.client.settle(&[], &[(delivery.lease, NONE)]).await?),
            _ => queue.advance(MINUTE).await?,
        }
        queue
            .ensure_stats(u64::from(attempt < 4), u64::from(attempt == 4))
            .await?;
    }
    queue.ensure_empty().await?;
    let dead = queue.dead.pull(10, MINUTE).await?.deliveries;
    ensure!(dead.len() == 1 && dead[0].attempts == 1, "{dead:?}");
    ensure!(
        dead[0].job.as_ref().is_ok_and(|job| job.content_id == 1),
        "{dead:?}"
    );
    // And brought back to life.
    queue.client.send(&job_text(1), NONE).await?;
    queue.dead.settle(&[dead[0].lease.clone()], &[]).await?;
    ensure!(queue.one(MINUTE).await?.attempts == 1);
    queue.ensure_stats(1, 0).await
}

async fn malformed(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 1).await?;
    let unknown = job_text(1).replace("\"version\":1", "\"version\":99");
    queue.client.send(&unknown, NONE).await?;
    queue.client.send(&job_text(2), NONE).await?;
    for _ in 0..2 {
        let deliveries = queue.client.pull(1, MINUTE).await?.deliveries;
        let [
            Delivery {
                lease, job: Err(_), ..
            },
        ] = deliveries.as_slice()
        else {
            anyhow::bail!("{deliveries:?}");
        };
        queue.client.settle(&[], &[(lease.clone(), NONE)]).await?;
    }
    queue.ensure_stats(1, 1).await?;
    let dead = queue.dead.pull(1, MINUTE).await?.deliveries;
    let told = dead.first().context("no dead letter")?.job.as_ref();
    let told = told.err().context("it is readable after all")?;
    ensure!(told.text.as_deref() == Some(unknown.as_str()), "{told:?}");
    ensure!(
        queue
            .one(MINUTE)
            .await?
            .job
            .is_ok_and(|job| job.content_id == 2)
    );
    Ok(())
}

async fn order(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    for number in 1..=7 {
        queue.client.send(&job_text(number), NONE).await?;
    }
    let answer = queue.raw("/pull", &json!({})).await?;
    ensure!(
        answer["result"]["messages"].as_array().map(Vec::len) == Some(5),
        "{answer}"
    );
    let batch = queue.client.pull(100, MINUTE).await?;
    ensure!(
        batch.backlog == Some(7) && numbers(&batch.deliveries) == [6, 7],
        "{batch:?}"
    );
    queue.advance(MINUTE).await?;
    let all = queue.client.pull(100, MINUTE).await?.deliveries;
    ensure!(numbers(&all) == [1, 2, 3, 4, 5, 6, 7], "{all:?}");
    Ok(())
}

fn numbers(deliveries: &[Delivery]) -> Vec<u64> {
    let jobs = deliveries
        .iter()
        .filter_map(|delivery| delivery.job.as_ref().ok());
    jobs.map(|job| job.content_id).collect()
}

async fn packed(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    let job: Value = serde_json::from_str(&job_text(1))?;
    queue
        .raw("", &json!({ "body": job, "content_type": "json" }))
        .await?;
    let answer = queue.raw("/pull", &json!({})).await?;
    let message = &answer["result"]["messages"][0];
    ensure!(
        message["metadata"]["CF-Content-Type"] == "json",
        "{message}"
    );
    ensure!(
        !message["body"].as_str().context("no body")?.contains('{'),
        "{message}"
    );
    queue.advance(MINUTE).await?;
    ensure!(
        queue
            .one(MINUTE)
            .await?
            .job
            .is_ok_and(|job| job.content_id == 1)
    );
    Ok(())
}

async fn token(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    let actions = ["", "/pull", "/ack"].map(|action| (Method::POST, queue.messages(action)));
    let steering = [
        (Method::GET, "/stats"),
        (Method::PUT, "/faults"),
        (Method::POST, "/advance"),
    ];
    let steering = steering.map(|(method, path)| (method, queue.steering(path)));
    for (method, url) in actions.into_iter().chain(steering) {
        let request = harness.client.request(method, url).json(&json!({}));
        for request in [
            request.try_clone(),
            request.try_clone().map(|request| request.bearer_auth("x")),
        ] {
            let answer = request.context("not cloned")?.send().await?;
            ensure!(answer.status() == StatusCode::UNAUTHORIZED, "{answer:?}");
            let body: Value = answer.json().await?;
            ensure!(
                body["success"] == false && body["errors"][0]["code"] == 10000,
                "{body}"
            );
        }
    }
    for stranger in [
        queue.with_token("x")?,
        queue.of_account("x")?,
        queue.of_queue("x")?,
    ] {
        let error = stranger
            .pull(1, MINUTE)
            .await
            .err()
            .context("it is served")?;
        ensure!(matches!(error, QueueError::Refused { .. }), "{error}");
    }
    Ok(())
}

async fn limits(harness: Arc<Harness>) -> Result<()> {
    let queue = Queue::fresh(&harness, 3).await?;
    let too_much = [
        ("/pull", json!({ "batch_size": 101 })),
        ("/pull", json!({ "batch_size": 0 })),
        (
            "/pull",
            json!({ "visibility_timeout_ms": 12 * 60 * 60 * 1000 + 1 }),
        ),
        (
            "/ack",
            json!({ "retries": [{ "lease_id": "x", "delay_seconds": 43_201 }] }),
        ),
        (
            "",
            json!({ "body": "x".repeat(128_001), "content_type": "text" }),
        ),
        (
            "",
            json!({ "body": "x", "content_type": "text", "delay_seconds": 43_201 }),
        ),
    ];
    for (action, asked) in too_much {
        let answer = queue.raw(action, &asked).await?;
        ensure!(
            answer["success"] == false && answer["result"].is_null(),
            "{answer}"
        );
    }
    let strange = queue
        .raw("/ack", &json!({ "acks": [{ "lease_id": "x" }] }))
        .await?;
    ensure!(
        strange["result"]["ackCount"] == 0 && !strange["result"]["warnings"]["x"].is_null(),
        "{strange}"
    );
    queue
        .client
        .send(&"x".repeat(128_000), 12 * 60 * MINUTE)
        .await?;
    queue.ensure_stats(1, 0).await
}
