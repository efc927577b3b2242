//! The life of an API key, to the letter of the specification.

use crate::harness::{Account, Answer, Harness, Suite, ensure_refused, send};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn register(suite: &mut Suite) {
    suite.add(
        "key_life::a_new_key_is_shown_once_with_its_metadata",
        create,
    );
    suite.add(
        "key_life::a_second_key_is_refused_and_the_first_lives_on",
        second,
    );
    suite.add(
        "key_life::a_deleted_key_is_dead_and_a_new_one_can_be_made",
        delete,
    );
    suite.add(
        "key_life::rotation_replaces_the_key_and_keeps_its_history",
        rotate,
    );
    suite.add(
        "key_life::without_a_key_there_is_none_to_delete_rotate_or_show",
        none,
    );
    suite.add("key_life::accounts_do_not_see_each_other", separate);
    suite.add("key_life::the_database_holds_a_hash_and_a_hint", at_rest);
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn sorted_names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names
}

async fn metadata(harness: &Harness, account: &Account) -> Result<Answer> {
    send(
        harness
            .request(Method::GET, paths::GET_API_KEY)
            .header("Cookie", &account.cookie),
    )
    .await
}

async fn create(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let before = now();
    let answer = account.post(paths::CREATE_API_KEY).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let body = answer.json()?;
    ensure!(sorted_names(&body) == ["api_key", "error_message_code", "key", "success"]);
    ensure!(body["success"] == true && body["error_message_code"].is_null());
    let key = body["api_key"].as_str().unwrap_or_default();
    ensure!(
        key.starts_with("cgk_") && key.len() == 50,
        "the key has its form"
    );
    let created = body["key"]["created_at_unix"].as_u64().unwrap_or_default();
    ensure!((before..=now()).contains(&created), "{created}");
    let expected = json!({
        "key_hint": format!("{}…{}", &key[..8], &key[46..]),
        "created_at_unix": created,
        "rotated_at_unix": null,
        "last_used_at_unix": null,
        "uses_count": 0,
    });
    ensure!(body["key"] == expected, "{body}");
    let shown = metadata(&harness, &account).await?.json()?;
    ensure!(
        shown
            == json!({ "success": true, "error_message_code": null, "api_key": null, "key": expected })
    );
    Ok(())
}

async fn second(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let key = account.create_key().await?;
    let again = account.post(paths::CREATE_API_KEY).await?;
    ensure_refused(&again, 409, "api_key_already_exists")?;
    ensure!(again.json()?["api_key"].is_null() && again.json()?["key"].is_null());
    ensure!(harness.with_key(paths::UPLOAD_LIMITS, &key).await?.status == 200);
    Ok(())
}

async fn delete(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let key = account.create_key().await?;
    let deleted = account.post(paths::DELETE_API_KEY).await?;
    ensure!(deleted.status == 200);
    let expected =
        json!({ "success": true, "error_message_code": null, "api_key": null, "key": null });
    ensure!(deleted.json()? == expected, "{deleted:?}");
    ensure_refused(
        &harness.with_key(paths::UPLOAD_LIMITS, &key).await?,
        401,
        "api_key_invalid",
    )?;
    ensure_refused(
        &account.post(paths::DELETE_API_KEY).await?,
        404,
        "api_key_not_found",
    )?;
    let next = account.create_key().await?;
    ensure!(next != key);
    ensure!(harness.with_key(paths::UPLOAD_LIMITS, &next).await?.status == 200);
    ensure_refused(
        &harness.with_key(paths::UPLOAD_LIMITS, &key).await?,
        401,
        "api_key_invalid",
    )
}

async fn rotate(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let old = account.create_key().await?;
    harness.with_key(paths::UPLOAD_LIMITS, &old).await?;
    let before = metadata(&harness, &account).await?.json()?["key"].clone();
    ensure!(
        before["uses_count"] == 1 && before["last_used_at_unix"].is_u64(),
        "{before}"
    );
    let rotated = account.post(paths::ROTATE_API_KEY).await?.json()?;
    let new = rotated["api_key"].as_str().unwrap_or_default();
    ensure!(new.starts_with("cgk_") && new != old);
    ensure!(rotated["key"]["rotated_at_unix"].as_u64() >= before["created_at_unix"].as_u64());
    for kept in ["created_at_unix", "last_used_at_unix", "uses_count"] {
        ensure!(rotated["key"][kept] == before[kept], "{kept}: {rotated}");
    }
    ensure_refused(
        &harness.with_key(paths::UPLOAD_LIMITS, &old).await?,
        401,
        "api_key_invalid",
    )?;
    ensure!(harness.with_key(paths::UPLOAD_LIMITS, new).await?.status == 200);
    Ok(())
}

async fn none(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    for path in [
        paths::DELETE_API_KEY,
        paths::ROTATE_API_KEY,
        paths::GET_API_KEY,
    ] {
        ensure_refused(&account.post(path).await?, 404, "api_key_not_found")?;
    }
    ensure_refused(
        &metadata(&harness, &account).await?,
        404,
        "api_key_not_found",
    )
}

async fn separate(harness: Arc<Harness>) -> Result<()> {
    let (first, second) = (harness.account().await?, harness.account().await?);
    ensure!(first.channel_id != second.channel_id);
    let key = first.create_key().await?;
    ensure_refused(
        &second.post(paths::DELETE_API_KEY).await?,
        404,
        "api_key_not_found",
    )?;
    ensure!(harness.with_key(paths::UPLOAD_LIMITS, &key).await?.status == 200);
    Ok(())
}

async fn at_rest(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    account.create_key().await?;
    let sql = "SELECT count(*) FROM api_keys WHERE channel_id = ?1 AND length(key_hash) = 64 AND length(key_hint) = 13";
    ensure!(harness.count(sql, account.channel_id)? == 1);
    Ok(())
}
