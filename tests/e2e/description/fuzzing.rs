//! schemathesis sends valid and invalid requests, and compares every response with the documents.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::process::Command;
use std::sync::Arc;
use tests::{Document, TestContent, TestStack, e2e, project, python_tool, send};
use tokio::task::spawn_blocking;

/// Every run of the tests sends the same requests: this many for each operation and phase. `make contract-fuzz` sends
/// others for a given time.
const REQUESTS: &str = "3";
const SEED: &str = "1";

#[e2e]
async fn every_answer_to_a_fuzzer_is_described(stack: Arc<TestStack>) -> Result<()> {
    fuzz(&stack, Document::Public).await
}

/// The requests replace the categories and change the limits of any account, so the stack is of no use afterwards.
#[e2e(New)]
async fn every_internal_answer_to_a_fuzzer_is_described(stack: Arc<TestStack>) -> Result<()> {
    fuzz(&stack, Document::Internal).await
}

async fn fuzz(stack: &Arc<TestStack>, document: Document) -> Result<()> {
    let Some(mut command) = python_tool("schemathesis") else { return Ok(()) };
    let (configuration, folder) = (project().join("tests/description"), project().join("target/description"));
    std::fs::create_dir_all(&folder)?;
    command.arg("--config-file").arg(configuration.join("schemathesis.toml")).arg("run").arg(document.path());
    command.args(["--url", stack.env().get("BASE_URL"), "--continue-on-failure"]);
    match std::env::var("CONTRACT_FUZZ_SECONDS") {
        Ok(seconds) => command.args(["--max-time", &seconds]),
        Err(_) => command.args(["--seed", SEED, "--max-examples", REQUESTS]),
    };
    command.arg("--generation-database=none").env("PYTHONPATH", configuration).env("PYTHONDONTWRITEBYTECODE", "1");
    command.current_dir(folder);
    set_environment(&mut command, stack).await?;
    let output = spawn_blocking(move || command.output()).await?.context("starting schemathesis")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "schemathesis:\n{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    let (_, cases) = printed.split_once("Test cases:\n").context("no cases were counted")?;
    println!("schemathesis, {document:?}: {}", cases.lines().next().unwrap_or_default().trim());
    Ok(())
}

/// Sets the credentials and the names of a published video. The requests delete the key of one account, so uploads use
/// another account's key.
async fn set_environment(command: &mut Command, stack: &Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let content = TestContent::published(stack, "Fuzzed").await?;
    let clip = stack.folder().join("fuzzing.mp4");
    std::fs::write(&clip, stack.small_video())?;
    let (_, session) = account.cookie.split_once('=').context("the cookie has no value")?;
    command.env("API_KEY", &content.job.channel.key).env("SESSION", session).env("FILE", clip);
    command.env("CONTENT_UUID", &content.job.content_uuid).env("SLUG_URL", &content.slug_url);
    command.env("MEDIA_NAME", &content.media_name).env("MEDIA_STEM", content.stem());
    let channel = &content.job.channel;
    let created = stack.request(Method::POST, paths::DIRECT_UPLOADS).bearer_auth(&channel.key).json(&json!({}));
    let token = send(created).await?.json()?["token"].as_str().context("no token")?.to_owned();
    command.env("DIRECT_UPLOAD_TOKEN", token);
    for secret in ["SERVICE_TOKEN", "ADMIN_TOKEN"] {
        command.env(secret, stack.env().get(secret));
    }
    Ok(())
}
