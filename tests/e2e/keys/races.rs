//! Concurrent operations on an account's key are serializable.

use anyhow::{Result, ensure};
use contract::paths;
use futures_util::future::join_all;
use std::sync::Arc;
use tests::{HttpAnswer, TestAccount, TestStack, e2e};

async fn post_concurrently(account: &TestAccount, path: &str, times: usize) -> Result<Vec<HttpAnswer>> {
    join_all((0..times).map(|_| account.post(path))).await.into_iter().collect()
}

fn keys(answers: &[HttpAnswer]) -> Result<Vec<String>> {
    let bodies: Result<Vec<_>> = answers.iter().map(HttpAnswer::json).collect();
    Ok(bodies?.iter().filter_map(|body| Some(body["api_key"].as_str()?.to_owned())).collect())
}

fn count_code(answers: &[HttpAnswer], code: &str) -> usize {
    answers.iter().filter(|answer| answer.code().is_ok_and(|other| other == code)).count()
}

async fn count_valid(stack: &TestStack, keys: &[String]) -> Result<usize> {
    let mut valid = 0;
    for key in keys {
        valid += usize::from(stack.get_with_key(paths::UPLOAD_LIMITS, key).await?.status == 200);
    }
    Ok(valid)
}

fn key_rows(stack: &TestStack, account: &TestAccount) -> Result<u64> {
    stack.count("SELECT count(*) FROM api_keys WHERE channel_id = ?1", account.channel_id)
}

#[e2e]
async fn exactly_one_of_64_concurrent_creations_succeeds(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let answers = post_concurrently(&account, paths::CREATE_API_KEY, 64).await?;
    let keys = keys(&answers)?;
    ensure!(keys.len() == 1 && count_code(&answers, "api_key_already_exists") == 63, "{answers:?}");
    ensure!(key_rows(&stack, &account)? == 1 && count_valid(&stack, &keys).await? == 1);
    Ok(())
}

#[e2e]
async fn exactly_one_of_32_concurrent_deletions_succeeds(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    account.create_key().await?;
    let answers = post_concurrently(&account, paths::DELETE_API_KEY, 32).await?;
    let succeeded = answers.iter().filter(|answer| answer.status == 200).count();
    ensure!(succeeded == 1 && count_code(&answers, "api_key_not_found") == 31, "{answers:?}");
    ensure!(key_rows(&stack, &account)? == 0);
    Ok(())
}

#[e2e]
async fn exactly_one_key_is_valid_after_32_concurrent_rotations(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let first = account.create_key().await?;
    let answers = post_concurrently(&account, paths::ROTATE_API_KEY, 32).await?;
    let mut keys = keys(&answers)?;
    ensure!(keys.len() == 32, "{answers:?}");
    ensure!(count_valid(&stack, &keys).await? == 1 && key_rows(&stack, &account)? == 1);
    keys.push(first);
    ensure!(count_valid(&stack, &keys).await? == 1, "the first key is still valid");
    Ok(())
}

#[e2e]
async fn concurrent_creations_deletions_and_rotations_leave_at_most_one_key(stack: Arc<TestStack>) -> Result<()> {
    let paths = [paths::CREATE_API_KEY, paths::DELETE_API_KEY, paths::ROTATE_API_KEY];
    let rounds = fixtures::cases(4, 20);
    for _ in 0..rounds {
        // An account gets only a limited number of keys per day.
        let account = stack.account().await?;
        let mut created = vec![account.create_key().await?];
        let answers: Result<Vec<_>> = join_all((0..24).map(|n| account.post(paths[n % 3]))).await.into_iter().collect();
        let answers = answers?;
        let expected = ["", "api_key_already_exists", "api_key_not_found"];
        for answer in &answers {
            ensure!(expected.contains(&answer.code()?.as_str()), "{answer:?}");
        }
        created.extend(keys(&answers)?);
        let valid = count_valid(&stack, &created).await?;
        ensure!(u64::try_from(valid)? == key_rows(&stack, &account)? && valid <= 1, "{valid} keys are valid");
    }
    println!("key races: {rounds} rounds of 24 requests at once, never more than one valid key");
    Ok(())
}
