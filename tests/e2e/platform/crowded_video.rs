//! Many connections that change one video at once: each gets its turn, or is told when to retry, and nobody waits long
//! for a moderator or an origin.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::{ContentState, paths};
use futures_util::future::{try_join, try_join_all};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{HttpAnswer, TestContent, TestStack, e2e};

/// The changes that are made one after the other, to compare their cost.
const ALONE: usize = 20;
/// The longest time that a moderator and an origin wait in the crowd. In the short form, other tests keep the machine
/// busy.
fn staff_bound() -> Duration {
    Duration::from_secs(fixtures::cases(6, 3))
}

/// The work of a change in the crowd, in multiples of the work of a change alone.
fn work_bound() -> f64 {
    fixtures::cases(6.0, 4.0)
}

/// The work of requests in the database.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    batches: u64,
    statements: u64,
}

/// Returns the work of the changes that are logged from a line on, of which there must be this many.
async fn work_since(stack: &TestStack, first: usize, count: usize) -> Result<Work> {
    let logged = stack.logged_about(paths::UPDATE_CONTENT, first + count).await?;
    let mut work = Work::default();
    for line in logged.get(first..).context("too little is logged")? {
        let number = |name: &str| line[name].as_u64().with_context(|| format!("no {name}: {line}"));
        work.batches += number("d1_batches")?;
        work.statements += number("d1_statements")?;
    }
    Ok(work)
}

async fn change(content: &TestContent, external_id: String) -> Result<HttpAnswer> {
    content.owner_request(paths::UPDATE_CONTENT, json!({ "external_id": external_id })).await
}

/// Changes the video without a pause until then, and returns the answers.
async fn change_until(content: &TestContent, connection: usize, until: Instant) -> Result<Vec<HttpAnswer>> {
    let mut answers = Vec::new();
    while Instant::now() < until {
        answers.push(change(content, format!("{connection} {}", answers.len())).await?);
    }
    Ok(answers)
}

/// Reports the finished job, and later takes the video down. Returns how long each took.
async fn act_as_staff(content: &TestContent, time: Duration) -> Result<(Duration, Duration)> {
    tokio::time::sleep(time / 3).await;
    let started = Instant::now();
    let answer = content.job.report_only(content.outcome(&[Recommendation::Pass])).await?;
    ensure!(answer.accepted && answer.state == Some(ContentState::Published), "{answer:?}");
    let report = started.elapsed();
    tokio::time::sleep(time / 3).await;
    let started = Instant::now();
    let answer = content.decide(paths::MODERATION_TAKE_DOWN).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok((report, started.elapsed()))
}

/// Lets so many connections change one video for this time.
async fn crowd(stack: &Arc<TestStack>, connections: usize, time: Duration) -> Result<()> {
    let content = TestContent::upload(stack, |form| form).await?;
    content.job.claim_granted().await?;
    content.job.store(&content.outcome(&[Recommendation::Pass])).await?;
    let before = stack.logged_answers()?.iter().filter(|line| line["path"] == paths::UPDATE_CONTENT).count();
    let started = Instant::now();
    for number in 0..ALONE {
        let answer = change(&content, format!("alone {number}")).await?;
        ensure!(answer.status == 200, "{answer:?}");
    }
    let time_alone = started.elapsed();
    let alone = work_since(stack, before, ALONE).await?;
    let until = Instant::now() + time;
    let changes = try_join_all((0..connections).map(|connection| change_until(&content, connection, until)));
    let (answers, (report, take_down)) = try_join(changes, act_as_staff(&content, time)).await?;
    let answers: Vec<HttpAnswer> = answers.into_iter().flatten().collect();
    let crowded = work_since(stack, before + ALONE, answers.len()).await?;
    let done = answers.iter().filter(|answer| answer.status == 200).count();
    #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
    let multiple = |of: fn(Work) -> u64| (of(crowded) as f64 / done as f64) / (of(alone) as f64 / ALONE as f64);
    let (batches, statements) = (multiple(|work| work.batches), multiple(|work| work.statements));
    println!(
        "{ALONE} changes alone: {time_alone:?}; {connections} connections, {time:?}: {done} changes done, {} told to \
         retry; work of a change: {batches:.2} times the batches and {statements:.2} times the statements of one alone; \
         report {report:?}, take-down {take_down:?}",
        answers.len() - done,
    );
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        ensure!(answer.status == 503, "{answer:?}");
        ensure!(answer.header("retry-after").parse::<u64>().is_ok_and(|seconds| seconds > 0), "{answer:?}");
    }
    ensure!(done > connections, "hardly anybody got a turn");
    ensure!(report < staff_bound() && take_down < staff_bound(), "report {report:?}, take-down {take_down:?}");
    ensure!(batches <= work_bound() && statements <= work_bound(), "{crowded:?}, alone {alone:?}");
    ensure!(content.state().await? == "taken_down");
    Ok(())
}

#[e2e(New)]
async fn a_crowd_on_one_video_gets_its_turns_and_staff_goes_first(stack: Arc<TestStack>) -> Result<()> {
    crowd(&stack, 16, Duration::from_secs(fixtures::cases(6, 30))).await?;
    if fixtures::cases(false, true) {
        crowd(&stack, 64, Duration::from_secs(30)).await?;
    }
    Ok(())
}

/// The error of the real database for each guard of a change, by which the Worker recognises a lost race.
#[e2e]
async fn the_database_names_the_guard_that_failed(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let uuid = &content.job.content_uuid;
    let of_video = format!("(SELECT id FROM contents WHERE uuid = '{uuid}')");
    for (sql, guard) in [
        (format!("UPDATE contents SET revision = NULL WHERE uuid = '{uuid}'"), "contents.revision"),
        (format!("UPDATE jobs SET state = NULL WHERE content_id = {of_video}"), "jobs.state"),
        (
            format!(
                "UPDATE daily_usage SET content_changes = NULL
                 WHERE channel_id = (SELECT channel_id FROM contents WHERE uuid = '{uuid}')"
            ),
            "daily_usage.content_changes",
        ),
    ] {
        let answer = tests::send(stack.request(reqwest::Method::POST, "/dev/change").body(sql)).await?;
        // A lost race is the only error of a constraint that is answered so.
        ensure!(answer.status == 503 && answer.code()? == "service_overloaded", "{guard}: {answer:?}");
        let logged: Value = stack.logged(answer.header("x-request-id")).await?;
        let text = format!("NOT NULL constraint failed: {guard}");
        ensure!(logged["cause"].as_str().is_some_and(|cause| cause.contains(&text)), "{logged}");
    }
    Ok(())
}
