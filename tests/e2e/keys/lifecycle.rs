//! The life of an API key, exactly as the specification describes it.

use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{HttpAnswer, TestAccount, TestStack, e2e, ensure_refused, now_unix, send};

fn sorted_names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

async fn metadata(stack: &TestStack, account: &TestAccount) -> Result<HttpAnswer> {
    send(stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", &account.cookie)).await
}

#[e2e]
async fn a_new_key_is_returned_once_with_its_metadata(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let before = now_unix();
    let answer = account.post(paths::CREATE_API_KEY).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let body = answer.json()?;
    ensure!(sorted_names(&body) == ["api_key", "error_message_code", "key", "success"]);
    ensure!(body["success"] == true && body["error_message_code"].is_null());
    let key = body["api_key"].as_str().unwrap_or_default();
    ensure!(key.starts_with("cgk_") && key.len() == 50, "the key has the wrong form");
    let created = body["key"]["created_at_unix"].as_u64().unwrap_or_default();
    ensure!((before..=now_unix()).contains(&created), "{created}");
    let expected = json!({
        "key_hint": format!("{}…{}", &key[..8], &key[46..]),
        "created_at_unix": created,
        "rotated_at_unix": null,
        "last_used_at_unix": null,
        "uses_count": 0,
    });
    ensure!(body["key"] == expected, "{body}");
    let read_again = metadata(&stack, &account).await?.json()?;
    ensure!(read_again == json!({ "success": true, "error_message_code": null, "api_key": null, "key": expected }));
    Ok(())
}

#[e2e]
async fn a_second_key_is_refused_and_the_first_stays_valid(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let key = account.create_key().await?;
    let again = account.post(paths::CREATE_API_KEY).await?;
    ensure_refused(&again, 409, "api_key_already_exists")?;
    ensure!(again.json()?["api_key"].is_null() && again.json()?["key"].is_null());
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?.status == 200);
    Ok(())
}

#[e2e]
async fn a_deleted_key_is_invalid_and_a_new_one_can_be_created(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let key = account.create_key().await?;
    let deleted = account.post(paths::DELETE_API_KEY).await?;
    ensure!(deleted.status == 200);
    let expected = json!({ "success": true, "error_message_code": null, "api_key": null, "key": null });
    ensure!(deleted.json()? == expected, "{deleted:?}");
    ensure_refused(&stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?, 401, "api_key_invalid")?;
    ensure_refused(&account.post(paths::DELETE_API_KEY).await?, 404, "api_key_not_found")?;
    let next = account.create_key().await?;
    ensure!(next != key);
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, &next).await?.status == 200);
    ensure_refused(&stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?, 401, "api_key_invalid")
}

#[e2e]
async fn rotation_replaces_the_key_and_keeps_its_metadata(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let old = account.create_key().await?;
    stack.get_with_key(paths::UPLOAD_LIMITS, &old).await?;
    let before = metadata(&stack, &account).await?.json()?["key"].clone();
    ensure!(before["uses_count"] == 1 && before["last_used_at_unix"].is_u64(), "{before}");
    let rotated = account.post(paths::ROTATE_API_KEY).await?.json()?;
    let new = rotated["api_key"].as_str().unwrap_or_default();
    ensure!(new.starts_with("cgk_") && new != old);
    ensure!(rotated["key"]["rotated_at_unix"].as_u64() >= before["created_at_unix"].as_u64());
    for name in ["created_at_unix", "last_used_at_unix", "uses_count"] {
        ensure!(rotated["key"][name] == before[name], "{name}: {rotated}");
    }
    ensure_refused(&stack.get_with_key(paths::UPLOAD_LIMITS, &old).await?, 401, "api_key_invalid")?;
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, new).await?.status == 200);
    Ok(())
}

#[e2e]
async fn without_a_key_there_is_nothing_to_delete_or_rotate(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    for path in [paths::DELETE_API_KEY, paths::ROTATE_API_KEY] {
        ensure_refused(&account.post(path).await?, 404, "api_key_not_found")?;
    }
    Ok(())
}

/// It is a question with an answer: browsers log every refusal as an error of the page.
#[e2e]
async fn reading_the_key_of_an_account_without_one_succeeds(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let none = json!({ "success": true, "error_message_code": null, "api_key": null, "key": null });
    for answer in [metadata(&stack, &account).await?, account.post(paths::GET_API_KEY).await?] {
        ensure!(answer.status == 200 && answer.json()? == none, "{answer:?}");
    }
    Ok(())
}

#[e2e]
async fn accounts_cannot_touch_each_others_keys(stack: Arc<TestStack>) -> Result<()> {
    let (first, second) = (stack.account().await?, stack.account().await?);
    ensure!(first.channel_id != second.channel_id);
    let key = first.create_key().await?;
    ensure_refused(&second.post(paths::DELETE_API_KEY).await?, 404, "api_key_not_found")?;
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?.status == 200);
    Ok(())
}

#[e2e]
async fn the_database_stores_only_a_hash_and_a_hint_of_the_key(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    account.create_key().await?;
    let sql = "SELECT count(*) FROM api_keys WHERE channel_id = ?1 AND length(key_hash) = 64 AND length(key_hint) = 13";
    ensure!(stack.count(sql, account.channel_id)? == 1);
    Ok(())
}
