//! The Worker's metrics, and its report on whether everything it needs answers.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::Method;
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
        "SELECT count(*) FROM contents WHERE state = 'processing' AND stage = 'queued' AND waits_for IS NULL OR ?1",
    ),
    ("waiting_contents{for=\"person\"}", "SELECT count(*) FROM contents WHERE waits_for = 'person' OR ?1"),
    ("open_uploads", "SELECT count(*) FROM uploads WHERE state = 'reserved' OR ?1"),
    ("backlog{of=\"cleanups\"}", "SELECT count(*) FROM cleanups WHERE NOT ?1"),
    ("backlog{of=\"garbage\"}", "SELECT count(*) FROM garbage WHERE NOT ?1"),
];

async fn ask(stack: &TestStack, path: &str) -> Result<HttpAnswer> {
    send(stack.request(Method::GET, path).bearer_auth(stack.env().get("ADMIN_TOKEN"))).await
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
async fn only_the_admin_token_reads_metrics_and_health(stack: Arc<TestStack>) -> Result<()> {
    for path in [paths::METRICS, paths::SERVICE_HEALTH] {
        ensure_refused(&stack.get(path).await?, 401, "admin_token_invalid")?;
        ensure_refused(&send(stack.service_request(Method::GET, path)).await?, 401, "admin_token_invalid")?;
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
    for series in
        ["database_bytes", "sweep_runs_total{part=\"whole\"}", "sweep_success_timestamp_seconds{part=\"outbox\"}"]
    {
        ensure!(value(&page, series)?.parse::<f64>()? >= 1.0, "{series} in {page}");
    }
    value(&page, "queue_messages").map(drop)
}

#[e2e(Own)]
async fn health_names_the_part_that_does_not_answer(stack: Arc<TestStack>) -> Result<()> {
    TestJob::new(&stack).await?;
    let healthy = ask(&stack, paths::SERVICE_HEALTH).await?;
    ensure!(healthy.status == 200, "{healthy:?}");
    ensure!(healthy.json()?["parts"] == serde_json::json!(["d1", "r2", "kv", "queue"]), "{healthy:?}");
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
