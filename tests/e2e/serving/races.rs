//! Concurrent reports, decisions, deletions, schedule changes and sweeps on workerd take effect in some order: every
//! state change follows the table of transitions, and only a published content is served.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::{ContentState, paths};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, now_unix};

type RacingRequest<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

#[e2e]
async fn concurrent_reports_decisions_and_sweeps_expose_only_published_content(stack: Arc<TestStack>) -> Result<()> {
    let mut ends = Vec::new();
    // Six rounds have each kind of schedule with and without an earlier report, and each order of the requests.
    for round in 0..fixtures::cases(6, 60) {
        let at = (now_unix() + 1_000).to_string();
        let content = TestContent::upload(&stack, |form| match round % 2 {
            0 => form,
            _ => form.text("scheduled_publish_at_unix", &at),
        })
        .await?;
        content.job.claim_granted().await?;
        content.store().await?;
        if round % 3 == 0 {
            content.job.report_only(content.outcome(&[Recommendation::Review])).await?;
        }
        let mut racing: Vec<RacingRequest<'_>> = vec![
            Box::pin(report(&content)),
            Box::pin(report(&content)),
            Box::pin(decide(&content, paths::MODERATION_APPROVE)),
            Box::pin(decide(&content, paths::MODERATION_TAKE_DOWN)),
            Box::pin(owner_request(&content, paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": null }))),
            Box::pin(sweep(&stack)),
        ];
        if round % 4 == 0 {
            racing.push(Box::pin(owner_request(&content, paths::DELETE_CONTENT, json!({}))));
        }
        racing.rotate_left(round % 5);
        for result in join_all(racing).await {
            result?;
        }
        let state = content.state().await?;
        ensure!(ContentState::ALL.iter().any(|known| known.as_str() == state), "{state}");
        content.ensure_public(state == "published").await?;
        if round % 4 == 0 {
            ensure!(state == "deleted", "{state}");
        }
        ends.push(state);
    }
    println!("the races ended in {ends:?}");
    Ok(())
}

async fn report(content: &TestContent) -> Result<()> {
    content.job.report_only(content.outcome(&[Recommendation::Pass])).await.map(drop)
}

async fn decide(content: &TestContent, path: &str) -> Result<()> {
    let answer = content.decide(path).await?;
    ensure!(answer.status == 200 || answer.status == 409, "{answer:?}");
    Ok(())
}

async fn owner_request(content: &TestContent, path: &str, body: Value) -> Result<()> {
    let answer = content.owner_request(path, body).await?;
    ensure!(answer.status == 200 || answer.status == 409, "{answer:?}");
    Ok(())
}

async fn sweep(stack: &TestStack) -> Result<()> {
    stack.sweep().await.map(drop)
}
