//! A database that stalls delays an answer for a moment, and never longer than the deadline of a batch.

use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, HttpAnswer, TestStack, e2e, ensure_refused, moderator_request, send};

/// The deadline of a batch in `wrangler.toml`, plus an allowance for a slow machine.
const BOUND: Duration = Duration::from_secs(5 + 5);

/// Makes the database stall for this many seconds from now.
async fn stall(stack: &TestStack, seconds: u64) -> Result<()> {
    let answer = send(stack.request(Method::POST, "/dev/stall").body(seconds.to_string())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}

/// Sends a poll, an upload and a change while the database stalls, and returns their answers and how long they took.
async fn during_stall(stack: &TestStack, channel: &Channel, seconds: u64) -> Result<(Vec<HttpAnswer>, Duration)> {
    let form = Form::new().file("file", "a.mp4", &stack.small_video());
    stall(stack, seconds).await?;
    let started = Instant::now();
    let answers = futures_util::future::try_join3(
        stack.get_with_key(paths::UPLOAD_LIMITS, &channel.key),
        channel.upload(form),
        channel.account.get(paths::GET_API_KEY),
    );
    let (limits, upload, key) = answers.await?;
    let took = started.elapsed();
    stall(stack, 0).await?;
    Ok((vec![limits, upload, key], took))
}

#[e2e(Own)]
async fn a_stalled_database_gives_503_within_the_deadline(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for seconds in [25, 60] {
        let (answers, took) = during_stall(&stack, &channel, seconds).await?;
        println!("stalled for {seconds} s: the last answer after {:.1} s", took.as_secs_f64());
        ensure!(took < BOUND, "{took:?}");
        for answer in &answers {
            ensure_refused(answer, 503, "service_overloaded")?;
            ensure!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{answer:?}");
            let logged = stack.logged(answer.header("x-request-id")).await?;
            ensure!(logged["cause"].as_str().is_some_and(|cause| cause.contains("outcome unknown")), "{logged}");
        }
        let form = Form::new().file("file", "a.mp4", &stack.small_video());
        ensure!(channel.upload(form).await?.status == 200, "an upload after the stall failed");
    }
    Ok(())
}

#[e2e(Own)]
async fn a_short_stall_of_the_database_only_delays_the_answer(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (answers, took) = during_stall(&stack, &channel, 2).await?;
    ensure!(took >= Duration::from_secs(1), "nothing stalled: {took:?}");
    for answer in answers {
        ensure!(answer.status == 200, "{answer:?}");
    }
    Ok(())
}

#[e2e(Own)]
async fn a_stalled_database_gives_503_to_the_sweep_and_to_monitoring(stack: Arc<TestStack>) -> Result<()> {
    let service = stack.env().get("SERVICE_TOKEN");
    stall(&stack, 12).await?;
    let health = send(moderator_request(&stack, Method::GET, paths::SERVICE_HEALTH));
    let sweep = send(stack.request(Method::POST, paths::SWEEP).bearer_auth(service));
    let (health, sweep) = futures_util::future::try_join(health, sweep).await?;
    stall(&stack, 0).await?;
    for answer in [health, sweep] {
        ensure!(answer.status == 503, "{answer:?}");
        ensure!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{answer:?}");
    }
    Ok(())
}
