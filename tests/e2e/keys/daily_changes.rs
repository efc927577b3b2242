//! An owner's changes leave a bounded number of rows, and a replaced key is invalid at once.

use anyhow::{Context, Result, ensure};
use contract::limits::{MAX_DAILY_NEW_KEYS, MAX_DAILY_WEBHOOK_CHANGES};
use contract::paths;
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use tests::{HttpAnswer, TestAccount, TestStack, e2e, ensure_refused};

const SECONDS_A_DAY: u64 = 86_400;

/// The tables that keep rows about an account for a month or longer.
const KEPT: [(&str, &str); 4] = [
    ("trail", "SELECT count(*) FROM trail WHERE subject = 'channel:' || ?1"),
    (
        "trail places",
        "SELECT count(*) FROM trail_places JOIN trail ON trail.id = trail_id WHERE subject = 'channel:' || ?1",
    ),
    (
        "removals",
        "SELECT count(*) FROM removals JOIN channels ON kind = 'key' AND subject = CAST(account_id AS TEXT)
         WHERE channels.id = ?1",
    ),
    ("events", "SELECT count(*) FROM events WHERE channel_id = ?1"),
];

fn kept(stack: &TestStack, account: &TestAccount) -> Result<Vec<(&'static str, u64)>> {
    KEPT.iter().map(|(name, sql)| Ok((*name, stack.count(sql, account.channel_id)?))).collect()
}

/// Fails unless the answer says that the daily limit is reached, and when the next day begins.
fn ensure_limit_reached(answer: &HttpAnswer) -> Result<()> {
    ensure_refused(answer, 429, "daily_change_limit_reached")?;
    let seconds: u64 = answer.header("retry-after").parse().context("no Retry-After")?;
    ensure!((1..=SECONDS_A_DAY).contains(&seconds), "{answer:?}");
    Ok(())
}

#[e2e]
async fn a_burst_of_206_rotations_leaves_a_bounded_number_of_rows_and_no_old_key_is_valid(
    stack: Arc<TestStack>,
) -> Result<()> {
    let account = stack.account().await?;
    let mut keys = vec![account.create_key().await?];
    let answers = join_all((0..206).map(|_| account.post(paths::ROTATE_API_KEY))).await;
    let answers = answers.into_iter().collect::<Result<Vec<_>>>()?;
    for answer in &answers {
        if let Some(key) = answer.json()?["api_key"].as_str() {
            keys.push(key.to_owned());
        } else {
            ensure_limit_reached(answer)?;
            let envelope = json!({ "success": false, "error_message_code": "daily_change_limit_reached",
                "api_key": null, "key": null });
            ensure!(answer.json()? == envelope, "{answer:?}");
        }
    }
    ensure!(keys.len() == MAX_DAILY_NEW_KEYS as usize, "{} keys", keys.len());
    let rows = kept(&stack, &account)?;
    println!("206 rotations: {} keys, {rows:?}", keys.len());
    ensure!(rows.iter().all(|(_, count)| *count <= u64::from(MAX_DAILY_NEW_KEYS)), "{rows:?}");
    let mut valid = 0;
    for key in &keys {
        valid += u32::from(stack.get_with_key(paths::UPLOAD_LIMITS, key).await?.status == 200);
    }
    ensure!(valid == 1, "{valid} keys are valid");
    // A key that leaked can still be revoked.
    ensure!(account.post(paths::DELETE_API_KEY).await?.status == 200);
    ensure_limit_reached(&account.post(paths::CREATE_API_KEY).await?)?;
    ensure!(
        stack.account().await?.post(paths::CREATE_API_KEY).await?.status == 200,
        "another account has its own limit"
    );
    Ok(())
}

#[e2e]
async fn webhooks_are_created_and_changed_a_bounded_number_of_times_a_day(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let create =
        || async { account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": "https://hooks.example.com/a" })).await };
    let mut last = create().await?;
    for _ in 1..MAX_DAILY_WEBHOOK_CHANGES {
        let webhook = json!({ "webhook_uuid": last.json()?["webhook"]["webhook_uuid"] });
        ensure!(account.post_json(paths::DELETE_WEBHOOK, &webhook).await?.status == 200);
        last = create().await?;
    }
    let webhook = json!({ "webhook_uuid": last.json()?["webhook"]["webhook_uuid"] });
    ensure_limit_reached(&create().await?)?;
    ensure_limit_reached(&account.post_json(paths::ROTATE_WEBHOOK_SECRET, &webhook).await?)?;
    let disable = json!({ "webhook_uuid": webhook["webhook_uuid"], "is_active": false });
    ensure_limit_reached(&account.post_json(paths::UPDATE_WEBHOOK, &disable).await?)?;
    ensure!(account.post_json(paths::DELETE_WEBHOOK, &webhook).await?.status == 200, "a webhook can always be deleted");
    Ok(())
}
