//! The queue bridge behaves as Cloudflare's pull queues do, as seen through the origin's own client: leases, retries,
//! delays, dead letters, late acknowledgements. Each test has its own queue with its own clock.

use anyhow::{Context, Result, ensure};
use origin::clients::queue::{QueueError, QueueMessage};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{TestQueue, TestStack, e2e, job_text};

pub(super) const MINUTE: Duration = Duration::from_mins(1);
pub(super) const NO_DELAY: Duration = Duration::ZERO;

#[e2e]
async fn a_leased_message_is_hidden_until_its_lease_expires(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    let first = queue.pull_one(MINUTE).await?;
    ensure!(first.delivery_attempt == 1, "{first:?}");
    queue.ensure_empty().await?;
    let (most_of_the_lease, rest) = (Duration::from_secs(50), Duration::from_secs(10));
    queue.advance(most_of_the_lease).await?;
    queue.ensure_empty().await?;
    queue.advance(rest).await?;
    let second = queue.pull_one(MINUTE).await?;
    ensure!(second.delivery_attempt == 2 && second.lease != first.lease, "{second:?}");
    ensure!(second.message_id == first.message_id && second.job == first.job);
    ensure!(second.sent_at_ms == first.sent_at_ms && first.sent_at_ms > Some(0));
    let settled = queue.client.settle(&[second.lease], &[]).await?;
    ensure!(settled.acknowledged == Some(1) && settled.warnings.is_empty(), "{settled:?}");
    queue.advance(2 * MINUTE).await?;
    queue.ensure_stats(0, 0).await
}

#[e2e]
async fn a_returned_message_is_delivered_after_its_delay(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    let first = queue.pull_one(MINUTE).await?;
    let settled = queue.client.settle(&[], &[(first.lease, 10 * MINUTE)]).await?;
    ensure!(settled.returned == Some(1), "{settled:?}");
    // The lease has expired, the delay has not.
    queue.advance(5 * MINUTE).await?;
    queue.ensure_empty().await?;
    queue.advance(5 * MINUTE).await?;
    let second = queue.pull_one(MINUTE).await?;
    ensure!(second.delivery_attempt == 2);
    queue.client.settle(&[], &[(second.lease, NO_DELAY)]).await?;
    ensure!(queue.pull_one(MINUTE).await?.delivery_attempt == 3);
    Ok(())
}

#[e2e]
async fn a_message_sent_with_a_delay_is_delivered_after_it(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), MINUTE).await?;
    queue.ensure_empty().await?;
    queue.ensure_stats(1, 0).await?;
    queue.advance(MINUTE).await?;
    queue.pull_one(MINUTE).await.map(drop)
}

#[e2e]
async fn a_late_acknowledgement_still_counts(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    let first = queue.pull_one(MINUTE).await?;
    queue.advance(MINUTE).await?;
    let second = queue.pull_one(MINUTE).await?;
    for lease in [first.lease, second.lease] {
        let settled = queue.client.settle(&[lease], &[]).await?;
        ensure!(settled.acknowledged == Some(1) && settled.warnings.is_empty(), "{settled:?}");
        queue.ensure_stats(0, 0).await?;
    }
    Ok(())
}

#[e2e]
async fn a_stale_lease_cannot_take_a_message_from_its_holder(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    let first = queue.pull_one(MINUTE).await?;
    queue.advance(MINUTE).await?;
    queue.pull_one(MINUTE).await?;
    queue.client.settle(&[], &[(first.lease, NO_DELAY)]).await?;
    queue.ensure_empty().await
}

#[e2e]
async fn a_message_becomes_a_dead_letter_after_its_fourth_failure(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    queue.client.send(&job_text(1), NO_DELAY).await?;
    for attempt in 1..=4 {
        let message = queue.pull_one(MINUTE).await?;
        ensure!(message.delivery_attempt == attempt, "{message:?}");
        // Half of the attempts return the message. The others let the lease expire, as a killed origin does.
        match attempt {
            1 | 3 => drop(queue.client.settle(&[], &[(message.lease, NO_DELAY)]).await?),
            _ => queue.advance(MINUTE).await?,
        }
        queue.ensure_stats(u64::from(attempt < 4), u64::from(attempt == 4)).await?;
    }
    queue.ensure_empty().await?;
    let dead = queue.dead.pull(10, MINUTE).await?.messages;
    ensure!(dead.len() == 1 && dead[0].delivery_attempt == 1, "{dead:?}");
    ensure!(dead[0].job.as_ref().is_ok_and(|job| job.content_id == 1), "{dead:?}");
    // A dead letter can be sent again.
    queue.client.send(&job_text(1), NO_DELAY).await?;
    queue.dead.settle(&[dead[0].lease.clone()], &[]).await?;
    ensure!(queue.pull_one(MINUTE).await?.delivery_attempt == 1);
    queue.ensure_stats(1, 0).await
}

#[e2e]
async fn a_message_that_is_not_a_job_becomes_a_dead_letter(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 1).await?;
    let unknown = job_text(1).replace("\"version\":1", "\"version\":99");
    queue.client.send(&unknown, NO_DELAY).await?;
    queue.client.send(&job_text(2), NO_DELAY).await?;
    for _ in 0..2 {
        let messages = queue.client.pull(1, MINUTE).await?.messages;
        let [QueueMessage { lease, job: Err(_), .. }] = messages.as_slice() else {
            anyhow::bail!("{messages:?}");
        };
        queue.client.settle(&[], &[(lease.clone(), NO_DELAY)]).await?;
    }
    queue.ensure_stats(1, 1).await?;
    let dead = queue.dead.pull(1, MINUTE).await?.messages;
    let answer = dead.first().context("no dead letter")?.job.as_ref();
    let answer = answer.err().context("it can be read as a job")?;
    ensure!(answer.text.as_deref() == Some(unknown.as_str()), "{answer:?}");
    ensure!(queue.pull_one(MINUTE).await?.job.is_ok_and(|job| job.content_id == 2));
    Ok(())
}

#[e2e]
async fn messages_are_delivered_in_order_and_five_at_a_time_by_default(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    for number in 1..=7 {
        queue.client.send(&job_text(number), NO_DELAY).await?;
    }
    let answer = queue.call_api("/pull", &json!({})).await?;
    ensure!(answer["result"]["messages"].as_array().map(Vec::len) == Some(5), "{answer}");
    let batch = queue.client.pull(100, MINUTE).await?;
    ensure!(batch.backlog == Some(7) && job_numbers(&batch.messages) == [6, 7], "{batch:?}");
    queue.advance(MINUTE).await?;
    let all = queue.client.pull(100, MINUTE).await?.messages;
    ensure!(job_numbers(&all) == [1, 2, 3, 4, 5, 6, 7], "{all:?}");
    Ok(())
}

/// Returns the numbers of the jobs in the messages.
pub(super) fn job_numbers(messages: &[QueueMessage]) -> Vec<u64> {
    let jobs = messages.iter().filter_map(|message| message.job.as_ref().ok());
    jobs.map(|job| job.content_id).collect()
}

#[e2e]
async fn a_json_message_is_delivered_in_base64_and_decoded(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    let job: Value = serde_json::from_str(&job_text(1))?;
    queue.call_api("", &json!({ "body": job, "content_type": "json" })).await?;
    let answer = queue.call_api("/pull", &json!({})).await?;
    let message = &answer["result"]["messages"][0];
    ensure!(message["metadata"]["CF-Content-Type"] == "json", "{message}");
    ensure!(!message["body"].as_str().context("no body")?.contains('{'), "{message}");
    queue.advance(MINUTE).await?;
    ensure!(queue.pull_one(MINUTE).await?.job.is_ok_and(|job| job.content_id == 1));
    Ok(())
}

#[e2e]
async fn without_a_valid_token_every_request_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    let actions = ["", "/pull", "/ack"].map(|action| (Method::POST, queue.api_url(action)));
    let control = [(Method::GET, "/stats"), (Method::PUT, "/faults"), (Method::POST, "/advance")];
    let control = control.map(|(method, path)| (method, queue.control_url(path)));
    for (method, url) in actions.into_iter().chain(control) {
        let request = stack.client.request(method, url).json(&json!({}));
        for request in [request.try_clone(), request.try_clone().map(|request| request.bearer_auth("x"))] {
            let answer = request.context("the request cannot be cloned")?.send().await?;
            ensure!(answer.status() == StatusCode::UNAUTHORIZED, "{answer:?}");
            let body: Value = answer.json().await?;
            ensure!(body["success"] == false && body["errors"][0]["code"] == 10000, "{body}");
        }
    }
    for stranger in [queue.with_token("x")?, queue.with_account("x")?, queue.with_queue("x")?] {
        let error = stranger.pull(1, MINUTE).await.err().context("the pull succeeded")?;
        ensure!(matches!(error, QueueError::Refused { .. }), "{error}");
    }
    Ok(())
}

#[e2e]
async fn cloudflares_limits_are_enforced(stack: Arc<TestStack>) -> Result<()> {
    let queue = TestQueue::create(&stack, 3).await?;
    let over_the_limits = [
        ("/pull", json!({ "batch_size": 101 })),
        ("/pull", json!({ "batch_size": 0 })),
        ("/pull", json!({ "visibility_timeout_ms": 12 * 60 * 60 * 1000 + 1 })),
        ("/ack", json!({ "retries": [{ "lease_id": "x", "delay_seconds": 43_201 }] })),
        ("", json!({ "body": "x".repeat(128_001), "content_type": "text" })),
        ("", json!({ "body": "x", "content_type": "text", "delay_seconds": 43_201 })),
    ];
    for (action, body) in over_the_limits {
        let answer = queue.call_api(action, &body).await?;
        ensure!(answer["success"] == false && answer["result"].is_null(), "{answer}");
    }
    let unknown_lease = queue.call_api("/ack", &json!({ "acks": [{ "lease_id": "x" }] })).await?;
    ensure!(
        unknown_lease["result"]["ackCount"] == 0 && !unknown_lease["result"]["warnings"]["x"].is_null(),
        "{unknown_lease}"
    );
    queue.client.send(&"x".repeat(128_000), 12 * 60 * MINUTE).await?;
    queue.ensure_stats(1, 0).await
}
