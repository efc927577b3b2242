//! A key or an account that is used too often is slowed down, without affecting others. An invalid key is refused as
//! invalid, however often it is used, until its address sends too many unknown keys (`unknown_keys.rs`).

use anyhow::{Context, Result, ensure};
use contract::paths;
use futures_util::future::{join, join_all};
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, StackLimits, TestStack, e2e, ensure_refused};

const RATE: u32 = StackLimits::FEW_PER_KEY.key_rate;

#[e2e(Limited(StackLimits::FEW_PER_KEY))]
async fn a_key_that_is_used_too_often_is_slowed_down_and_other_keys_are_not(stack: Arc<TestStack>) -> Result<()> {
    let (busy, other) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let refused = first_refusal(&stack, &busy.key).await?;
    ensure_refused(&refused, 429, "rate_limited")?;
    ensure!(refused.header("retry-after") == "10", "{refused:?}");
    ensure!(refused.header("ratelimit-policy") == "\"burst\";q=100;w=10", "{refused:?}");
    ensure!(refused.header("ratelimit") == "\"burst\";r=0;t=10", "{refused:?}");
    ensure!(use_key(&stack, &other.key).await?.status == 200);
    // The deleted key is over its rate too.
    busy.account.post(paths::DELETE_API_KEY).await?;
    ensure_refused(&use_key(&stack, &busy.key).await?, 401, "api_key_invalid")
}

#[e2e(Limited(StackLimits::FEW_PER_KEY))]
async fn an_account_whose_sessions_are_used_too_often_is_slowed_down_and_others_are_not(
    stack: Arc<TestStack>,
) -> Result<()> {
    let (busy, other) = (stack.account().await?, stack.account().await?);
    // Both kinds in one burst: on a busy machine, the period may be over when the answers are there.
    let answers = join_all((0..RATE * 3).map(|_| join(busy.post(paths::GET_API_KEY), busy.get(paths::WEBHOOKS))));
    let (answers, others): (Vec<_>, Vec<_>) = answers.await.into_iter().unzip();
    let first_refused = |answers: Vec<Result<HttpAnswer>>| -> Result<HttpAnswer> {
        let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
        answers.into_iter().find(|answer| answer.status == 429).context("every request was accepted")
    };
    let refused = first_refused(answers)?;
    ensure!(refused.header("retry-after") == "10", "{refused:?}");
    let envelope = json!({ "success": false, "error_message_code": "rate_limited", "api_key": null, "key": null });
    ensure!(refused.json()? == envelope, "{refused:?}");
    ensure_refused(&first_refused(others)?, 429, "rate_limited")?;
    ensure!(other.post(paths::GET_API_KEY).await?.status == 200);
    Ok(())
}

/// Uses the key three times as often as allowed, all at once, and returns a refusal. The runtime allows somewhat more
/// than the configured rate.
async fn first_refusal(stack: &TestStack, key: &str) -> Result<HttpAnswer> {
    let answers = join_all((0..RATE * 3).map(|_| use_key(stack, key))).await;
    let answers: Vec<HttpAnswer> = answers.into_iter().collect::<Result<_>>()?;
    answers.into_iter().find(|answer| answer.status != 200).context("every request was accepted")
}

async fn use_key(stack: &TestStack, key: &str) -> Result<HttpAnswer> {
    stack.get_with_key(paths::UPLOAD_LIMITS, key).await
}
