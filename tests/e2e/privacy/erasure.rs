//! An account is exported and erased with `clipgate-operate`, on the real runtime.

use crate::moderation::operator_program::{lines, operate};
use anyhow::{Context, Result, ensure};
use contract::api::MintSession;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, ensure_refused, send};

/// Runs the erasure, and returns its exit code and what it printed.
fn erase(stack: &TestStack, account_id: u64) -> Result<(Option<i32>, Value)> {
    let id = account_id.to_string();
    let output =
        operate(stack, stack.env().get("ADMIN_TOKEN"), &["account", "erase", &id, "--reason", "a ticket", "--yes"])?;
    let printed = serde_json::from_slice(&output.stdout);
    let printed = printed.with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok((output.status.code(), printed))
}

/// Publishes a video with the word in its texts, its webhook and the name of its channel.
async fn account_with_word(stack: &Arc<TestStack>, word: &str) -> Result<TestContent> {
    let texts = |form: fixtures::Form| form.text("caption", word).text("ai_summary_of_content", word);
    let content = TestContent::upload(stack, texts).await?;
    let account = &content.job.channel.account;
    let session = MintSession {
        account_id: account.id,
        daily_upload_limit: None,
        channel_name: Some(word.to_owned()),
        ttl_seconds: None,
    };
    stack.create_session(&session).await?;
    let webhook = json!({ "url": format!("http://127.0.0.1:9/{word}") });
    let created = account.post_json(paths::CREATE_WEBHOOK, &webhook).await?;
    ensure!(created.status == 200, "{created:?}");
    content.finish(&[]).await?;
    content.store().await?;
    content.ensure_public(true).await?;
    Ok(content)
}

/// Makes the files of a deleted content due for deletion, and runs the sweep.
async fn let_files_rest(stack: &TestStack, content: &TestContent) -> Result<()> {
    let (content, channel) = (content.job.content_id, content.job.channel.account.channel_id);
    let rested = format!("UPDATE cleanups SET noticed_at_unix = 1, due_at_unix = 1 WHERE content_id = {content}");
    stack.change_rows_and_sweep(rested).await?;
    stack.change_rows_and_sweep(format!("UPDATE channels SET erasure_due_at_unix = 0 WHERE id = {channel}")).await?;
    Ok(())
}

#[e2e]
async fn an_erased_account_leaves_nothing_but_its_numbers(stack: Arc<TestStack>) -> Result<()> {
    let word = format!("wombat{}", stack.unique());
    let content = account_with_word(&stack, &word).await?;
    let other = TestContent::published(&stack, "of somebody else").await?;
    let account = &content.job.channel.account;
    let exported = lines(&stack, &["account", "export", &account.id.to_string()])?;
    let has = |table: &str, text: &str| {
        exported.iter().any(|line| line.contains(&format!("\"table\":\"{table}\"")) && line.contains(text))
    };
    ensure!(has("channels", &word) && has("contents", &word) && has("webhooks", &word), "{exported:#?}");
    ensure!(
        has("api_keys", "cgk_") && has("events", "content.published") && has("trail", "key_created"),
        "{exported:#?}"
    );
    ensure!(!exported.concat().contains(&other.job.content_uuid), "{exported:#?}");

    let admin = stack.env().get("ADMIN_TOKEN").to_owned();
    let unsure = operate(&stack, &admin, &["account", "erase", &account.id.to_string(), "--reason", "a ticket"])?;
    ensure!(unsure.status.code() == Some(2), "{unsure:?}");
    content.ensure_public(true).await?;

    let (code, printed) = erase(&stack, account.id)?;
    ensure!(code == Some(3) && printed["contents_left"] == 0 && printed["contents_waiting"] == 1, "{code:?} {printed}");
    content.ensure_public(false).await?;
    other.ensure_public(true).await?;
    ensure_refused(&content.job.status_with_key(&content.job.channel.key).await?, 401, "api_key_invalid")?;
    ensure_refused(&account.post(paths::CREATE_API_KEY).await?, 403, "account_erased")?;
    let session = json!({ "account_id": account.id, "channel_name": word });
    let session = send(stack.service_request(Method::POST, paths::SESSIONS).json(&session)).await?;
    ensure_refused(&session, 403, "account_erased")?;

    let_files_rest(&stack, &content).await?;
    ensure!(stack.places_with(&word)?.is_empty(), "{:?}", stack.places_with(&word));
    ensure!(!stack.objects()?.iter().any(|object| object.key.contains(&content.job.content_uuid)), "files are left");
    for table in ["contents", "jobs", "uploads", "events", "webhooks", "api_keys", "daily_usage"] {
        let left = stack.count(&format!("SELECT count(*) FROM {table} WHERE channel_id = ?1"), account.channel_id)?;
        ensure!(left == 0, "{left} rows of {table} are left");
    }
    let (code, printed) = erase(&stack, account.id)?;
    ensure!(code == Some(0) && printed["is_finished"] == true, "{code:?} {printed}");
    other.ensure_public(true).await
}

#[e2e]
async fn an_unknown_account_is_neither_exported_nor_erased(stack: Arc<TestStack>) -> Result<()> {
    for arguments in
        [&["account", "export", "987654321"][..], &["account", "erase", "987654321", "--reason", "r", "--yes"]]
    {
        let output = operate(&stack, stack.env().get("ADMIN_TOKEN"), arguments)?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.code() == Some(1) && text.contains("account_not_found"), "{text}");
    }
    Ok(())
}
