//! Clients generated from the OpenAPI document take a video through its life with the running system.

use anyhow::{Result, ensure};
use contract::paths;
use serde_json::json;
use std::sync::Arc;
use tests::{GeneratedClient, TestStack, e2e, ensure_refused, run_tool};
use tokio::task::spawn_blocking;

#[e2e]
async fn a_generated_typescript_client_lives_a_life_cycle(stack: Arc<TestStack>) -> Result<()> {
    live(&stack, GeneratedClient::TypeScript).await
}

#[e2e]
async fn a_generated_python_client_lives_a_life_cycle(stack: Arc<TestStack>) -> Result<()> {
    live(&stack, GeneratedClient::Python).await
}

/// Runs the client's program, and checks that it leaves a deleted content and no key. Its first upload uses up the
/// daily limit, so the second must be recognised as a retry.
async fn live(stack: &Arc<TestStack>, client: GeneratedClient) -> Result<()> {
    let account = stack.account_with_limit(Some(1)).await?;
    let clip = stack.folder().join(format!("life-cycle-{client:?}.mp4"));
    std::fs::write(&clip, stack.small_video())?;
    let Some(mut program) = spawn_blocking(move || client.generate()).await?? else { return Ok(()) };
    program.env("FILE", clip).env("SESSION_COOKIE", &account.cookie);
    program.env("BASE_URL", stack.env().get("BASE_URL")).env("UPLOAD_URL", stack.env().get("UPLOAD_URL"));
    let output = spawn_blocking(move || run_tool(&mut program)).await??;
    let content_uuid = String::from_utf8(output.stdout)?;
    let row = stack.row("SELECT uuid, state FROM contents WHERE channel_id = ?1", account.channel_id)?;
    ensure!(json!(row) == json!({ "uuid": content_uuid.trim(), "state": "deleted" }), "{row:?}");
    ensure_refused(&account.post(paths::DELETE_API_KEY).await?, 404, "api_key_not_found")
}
