//! Reports, decisions, deletions, schedules and sweeps at the same moment, on workerd: one of them comes first, the
//! content goes by the table, and what is shown is what is published.

use crate::harness::{Harness, Suite, send};
use crate::origin::now_unix;
use crate::shown::Shown;
use anyhow::{Result, ensure};
use contract::ContentState;
use contract::moderation::Verdict;
use contract::paths;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use std::pin::Pin;
use std::sync::Arc;

const ROUNDS: usize = 12;

pub fn register(suite: &mut Suite) {
    suite.add("content_races::whoever_comes_first_nothing_leaks", races);
}

type Racing<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

async fn races(harness: Arc<Harness>) -> Result<()> {
    let mut ends = Vec::new();
    for round in 0..ROUNDS {
        let at = (now_unix() + 1_000).to_string();
        let shown = Shown::upload(&harness, |form| match round % 2 {
            0 => form,
            _ => form.text("scheduled_publish_at_unix", &at),
        })
        .await?;
        shown.job.take().await?;
        shown.store().await?;
        if round % 3 == 0 {
            shown.job.report(shown.outcome(&[Verdict::Review])).await?;
        }
        let mut racing: Vec<Racing<'_>> = vec![
            Box::pin(reported(&shown)),
            Box::pin(reported(&shown)),
            Box::pin(decided(&shown, paths::MODERATION_APPROVE)),
            Box::pin(decided(&shown, paths::MODERATION_TAKE_DOWN)),
            Box::pin(wished(&shown, paths::RESCHEDULE_CONTENT)),
            Box::pin(swept(&harness)),
        ];
        if round % 4 == 0 {
            racing.push(Box::pin(wished(&shown, paths::DELETE_CONTENT)));
        }
        racing.rotate_left(round % 5);
        for done in join_all(racing).await {
            done?;
        }
        let state = shown.state().await?;
        let known = ContentState::ALL.iter().any(|one| one.as_str() == state);
        ensure!(known, "{state}");
        shown.ensure_public(state == "published").await?;
        if round % 4 == 0 {
            ensure!(state == "deleted", "{state}");
        }
        ends.push(state);
    }
    println!("races of contents ended {ends:?}");
    Ok(())
}

async fn reported(shown: &Shown) -> Result<()> {
    shown
        .job
        .report(shown.outcome(&[Verdict::Pass]))
        .await
        .map(drop)
}

async fn decided(shown: &Shown, path: &str) -> Result<()> {
    let answer = shown.decide(path).await?;
    ensure!(answer.status == 200 || answer.status == 409, "{answer:?}");
    Ok(())
}

async fn wished(shown: &Shown, path: &str) -> Result<()> {
    let answer = shown
        .wish(path, json!({ "scheduled_publish_at_unix": null }))
        .await?;
    ensure!(answer.status == 200 || answer.status == 409, "{answer:?}");
    Ok(())
}

async fn swept(harness: &Harness) -> Result<()> {
    let answer = send(harness.service(Method::POST, paths::SWEEP)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}
