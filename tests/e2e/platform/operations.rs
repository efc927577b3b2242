//! The Worker's metrics, and its health report about the services it needs.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::{HttpAnswer, Store, TestContent, TestJob, TestStack, e2e, ensure_refused, send, until};

/// Series that are compared with counted rows.
const COUNTED: [(&str, &str); 8] = [
    ("contents{state=\"processing\"}", "SELECT count(*) FROM contents WHERE state = 'processing' OR ?1"),
    ("contents{state=\"published\"}", "SELECT count(*) FROM contents WHERE state = 'published' OR ?1"),
    ("contents{state=\"deleted\"}", "SELECT count(*) FROM contents WHERE state = 'deleted' OR ?1"),
    (
        "jobs{stage=\"queued\"}",
        "SELECT count(*) FROM contents JOIN jobs ON content_id = contents.id AND kind = 'video'
         WHERE contents.state = 'processing' AND stage = 'queued' AND waits_for IS NULL OR ?1",
    ),
    ("waiting_contents{for=\"person\"}", "SELECT count(*) FROM contents WHERE waits_for = 'person' OR ?1"),
    ("open_uploads", "SELECT count(*) FROM uploads WHERE state = 'reserved' OR ?1"),
    (
        "backlog{of=\"cleanups\"}",
        "SELECT count(*) FROM cleanups WHERE (due_at_unix IS NULL OR due_at_unix <= unixepoch()) AND NOT ?1",
    ),
    ("backlog{of=\"garbage\"}", "SELECT count(*) FROM garbage WHERE NOT ?1"),
];

async fn ask(stack: &TestStack, path: &str) -> Result<HttpAnswer> {
    send(stack.request(Method::GET, path).bearer_auth(stack.env().get("WATCH_TOKEN"))).await
}

async fn metrics(stack: &TestStack) -> Result<String> {
    let answer = ask(stack, paths::METRICS).await?;
    ensure!(answer.status == 200 && answer.header("content-type").starts_with("text/plain"), "{answer:?}");
    Ok(String::from_utf8(answer.bytes)?)
}

/// Returns the value of a series.
fn value<'a>(page: &'a str, series: &str) -> Result<&'a str> {
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("clipgate_edge_{series} ")));
    line.with_context(|| format!("no {series} in\n{page}"))
}

#[e2e]
async fn the_token_of_monitoring_reads_metrics_and_health_and_nothing_else(stack: Arc<TestStack>) -> Result<()> {
    for path in [paths::METRICS, paths::SERVICE_HEALTH] {
        ensure!(ask(&stack, path).await?.status == 200, "{path}");
        let admin = stack.request(Method::GET, path).bearer_auth(stack.env().get("ADMIN_TOKEN"));
        ensure!(send(admin).await?.status == 200, "{path}");
        ensure_refused(&stack.get(path).await?, 401, "admin_token_invalid")?;
        ensure_refused(&send(stack.service_request(Method::GET, path)).await?, 401, "admin_token_invalid")?;
    }
    for path in [paths::MODERATION_QUEUE, paths::TRAIL, paths::TOKENS, paths::DEAD_LETTERS] {
        ensure_refused(&ask(&stack, path).await?, 403, "token_role_missing")?;
    }
    let erase = json!({ "account_id": 1, "reason": "r" });
    for (path, body) in [(paths::ERASE_ACCOUNT, erase), (paths::FSCK, json!({}))] {
        let request = stack.request(Method::POST, path).bearer_auth(stack.env().get("WATCH_TOKEN")).json(&body);
        ensure_refused(&send(request).await?, 403, "token_role_missing")?;
    }
    Ok(())
}

#[e2e]
async fn each_request_is_counted_without_a_write_to_the_database(stack: Arc<TestStack>) -> Result<()> {
    for (path, status) in [(paths::HEALTH, 200), ("/nothing", 404)] {
        let answer = stack.get(path).await?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(answer.status == status && logged["counted"] == true, "{logged}");
        ensure!(logged["d1_rows_written"] == 0, "{logged}");
    }
    Ok(())
}

#[e2e(Own)]
async fn the_metrics_are_the_counted_rows(stack: Arc<TestStack>) -> Result<()> {
    TestContent::published(&stack, "counted").await?;
    TestContent::upload(&stack, |form| form).await?.finish(&[Recommendation::Review]).await?;
    TestJob::new(&stack).await?;
    stack.sweep().await?;
    let page = metrics(&stack).await?;
    for (series, sql) in COUNTED {
        let rows = stack.count(sql, 0)?.to_string();
        ensure!(value(&page, series)? == rows, "{series} is not {rows} in\n{page}");
    }
    for part in ["d1", "r2", "kv", "queue"] {
        ensure!(value(&page, &format!("part_up{{part=\"{part}\"}}"))? == "1", "{page}");
    }
    for series in [
        "database_bytes",
        "sweep_runs_total{part=\"whole\"}",
        "sweep_success_timestamp_seconds{part=\"silent_jobs\"}",
        "sweep_success_timestamp_seconds{part=\"held_jobs\"}",
    ] {
        ensure!(value(&page, series)?.parse::<f64>()? >= 1.0, "{series} in {page}");
    }
    value(&page, "queue_messages{queue=\"jobs\"}").map(drop)
}

#[e2e(Own)]
async fn health_names_the_part_that_does_not_answer(stack: Arc<TestStack>) -> Result<()> {
    TestJob::new(&stack).await?;
    let healthy = ask(&stack, paths::SERVICE_HEALTH).await?;
    ensure!(healthy.status == 200, "{healthy:?}");
    ensure!(healthy.json()?["parts"] == json!(["d1", "r2", "kv", "queue"]), "{healthy:?}");
    for (part, store) in [("d1", Store::D1), ("r2", Store::R2), ("kv", Store::Kv)] {
        let broken = stack.break_store(store)?;
        let refused = ask(&stack, paths::SERVICE_HEALTH).await?;
        ensure_refused(&refused, 503, "service_unavailable")?;
        ensure!(refused.json()?["detail"] == format!("No answer from: {part}."), "{refused:?}");
        let page = metrics(&stack).await?;
        ensure!(value(&page, &format!("part_up{{part=\"{part}\"}}"))? == "0", "{page}");
        drop(broken);
        let look = async || Ok((ask(&stack, paths::SERVICE_HEALTH).await?.status == 200).then_some(()));
        until(Duration::from_mins(1), look, || format!("{part} stays broken")).await?;
    }
    Ok(())
}
