//! Operations on one account's key at the same time: each outcome is one that some order explains.

use crate::harness::{Account, Answer, Harness, Suite};
use anyhow::{Result, ensure};
use contract::paths;
use futures_util::future::join_all;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("races::of_64_creations_exactly_one_succeeds", creations);
    suite.add("races::of_32_deletions_exactly_one_succeeds", deletions);
    suite.add("races::after_32_rotations_exactly_one_key_lives", rotations);
    suite.add(
        "races::creations_deletions_and_rotations_leave_at_most_one_key",
        all_at_once,
    );
}

async fn at_once(account: &Account, path: &str, times: usize) -> Result<Vec<Answer>> {
    join_all((0..times).map(|_| account.post(path)))
        .await
        .into_iter()
        .collect()
}

fn keys(answers: &[Answer]) -> Result<Vec<String>> {
    let bodies: Result<Vec<_>> = answers.iter().map(Answer::json).collect();
    Ok(bodies?
        .iter()
        .filter_map(|body| Some(body["api_key"].as_str()?.to_owned()))
        .collect())
}

fn with_code(answers: &[Answer], code: &str) -> usize {
    answers
        .iter()
        .filter(|answer| answer.code().is_ok_and(|found| found == code))
        .count()
}

async fn alive(harness: &Harness, keys: &[String]) -> Result<usize> {
    let mut alive = 0;
    for key in keys {
        alive += usize::from(harness.with_key(paths::UPLOAD_LIMITS, key).await?.status == 200);
    }
    Ok(alive)
}

fn rows(harness: &Harness, account: &Account) -> Result<u64> {
    harness.count(
        "SELECT count(*) FROM api_keys WHERE channel_id = ?1",
        account.channel_id,
    )
}

async fn creations(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let answers = at_once(&account, paths::CREATE_API_KEY, 64).await?;
    let keys = keys(&answers)?;
    ensure!(
        keys.len() == 1 && with_code(&answers, "api_key_already_exists") == 63,
        "{answers:?}"
    );
    ensure!(rows(&harness, &account)? == 1 && alive(&harness, &keys).await? == 1);
    Ok(())
}

async fn deletions(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    account.create_key().await?;
    let answers = at_once(&account, paths::DELETE_API_KEY, 32).await?;
    let succeeded = answers.iter().filter(|answer| answer.status == 200).count();
    ensure!(
        succeeded == 1 && with_code(&answers, "api_key_not_found") == 31,
        "{answers:?}"
    );
    ensure!(rows(&harness, &account)? == 0);
    Ok(())
}

async fn rotations(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let first = account.create_key().await?;
    let answers = at_once(&account, paths::ROTATE_API_KEY, 32).await?;
    let mut keys = keys(&answers)?;
    ensure!(keys.len() == 32, "{answers:?}");
    ensure!(alive(&harness, &keys).await? == 1 && rows(&harness, &account)? == 1);
    keys.push(first);
    ensure!(alive(&harness, &keys).await? == 1, "the first key lives on");
    Ok(())
}

async fn all_at_once(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let paths = [
        paths::CREATE_API_KEY,
        paths::DELETE_API_KEY,
        paths::ROTATE_API_KEY,
    ];
    let mut made = Vec::new();
    for _ in 0..10 {
        let answers: Result<Vec<_>> = join_all((0..24).map(|n| account.post(paths[n % 3])))
            .await
            .into_iter()
            .collect();
        let answers = answers?;
        let expected = ["", "api_key_already_exists", "api_key_not_found"];
        ensure!(answers.iter().all(|answer| {
            answer
                .code()
                .is_ok_and(|code| expected.contains(&code.as_str()))
        }));
        made.extend(keys(&answers)?);
        let alive = alive(&harness, &made).await?;
        ensure!(
            u64::try_from(alive)? == rows(&harness, &account)? && alive <= 1,
            "{alive} keys live"
        );
    }
    Ok(())
}
