//! The receivers in `docs/publish/webhooks.md`, exactly as they are printed there. They verify signatures with the
//! public libraries.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestAccount, TestContent, TestStack, documented_program, e2e, project, send, until};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const STARTED: Duration = Duration::from_mins(1);

/// Writes the Node.js program to where it finds its library.
fn node_program() -> Result<PathBuf> {
    let folder = project().join("target/webhooks");
    std::fs::create_dir_all(&folder)?;
    let modules = folder.join("node_modules");
    if !modules.exists() {
        std::os::unix::fs::symlink(project().canonicalize()?.join("tests/description/node_modules"), &modules)?;
    }
    let file = folder.join("receiver.mjs");
    std::fs::write(&file, documented_program("publish/webhooks.md", "js")?)?;
    Ok(file)
}

async fn create(account: &TestAccount, url: &str) -> Result<(String, String)> {
    let created = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": url })).await?.json()?;
    let text = |value: &Value| value.as_str().map(str::to_owned).context("not created");
    Ok((text(&created["webhook"]["webhook_uuid"])?, text(&created["secret"])?))
}

async fn test(account: &TestAccount, uuid: &str) -> Result<Value> {
    account.post_json(paths::TEST_WEBHOOK, &json!({ "webhook_uuid": uuid })).await?.json()
}

/// Starts a receiver, which gets its secret, and waits until it listens.
async fn start(mut command: Command, port: u16, secret: &str) -> Result<Child> {
    command.env("PORT", port.to_string()).env("WEBHOOK_SECRET", secret);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let look = async || Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.ok());
    until(STARTED, look, || "the receiver does not listen".to_owned()).await?;
    Ok(child)
}

/// Publishes a video, and expects that the receiver accepts and prints the event, also after a rotation, and refuses a
/// forged one.
async fn receives_a_life(stack: &Arc<TestStack>, command: Command) -> Result<()> {
    let port = dev::free_port()?;
    let url = format!("http://127.0.0.1:{port}/");
    let content = TestContent::upload(stack, |form| form).await?;
    let account = &content.job.channel.account;
    let (uuid, secret) = create(account, &url).await?;
    let mut receiver = start(command, port, &secret).await?;
    // The receiver still has the first secret.
    account.post_json(paths::ROTATE_WEBHOOK_SECRET, &json!({ "webhook_uuid": uuid })).await?;
    content.finish(&[Recommendation::Pass]).await?;
    let mut lines = BufReader::new(receiver.stdout.take().context("no output")?).lines();
    let line = tokio::time::timeout(STARTED, lines.next_line()).await??.context("it has ended")?;
    ensure!(line == format!("content.published {}", content.job.content_uuid), "{line}");
    let tested = test(account, &uuid).await?;
    ensure!(tested["is_delivered"] == true && tested["response"]["status"] == 204, "{tested}");
    // Another webhook at the same address has another secret, and a request without a signature is forged.
    let (other, _) = create(account, &url).await?;
    let refused = test(account, &other).await?;
    ensure!(refused["is_delivered"] == false && refused["response"]["status"] == 400, "{refused}");
    let forged = send(stack.client.request(Method::POST, &url).body("{}")).await?;
    ensure!(forged.status == 400, "{forged:?}");
    Ok(())
}

#[e2e]
async fn the_documented_python_receiver_verifies_what_is_sent(stack: Arc<TestStack>) -> Result<()> {
    let python = project().join(".dev/python/bin/python");
    if !python.exists() {
        println!("documented_receivers: the Python programs are not installed and are not tested");
        return Ok(());
    }
    let mut command = Command::new(python);
    command.args(["-c", &documented_program("publish/webhooks.md", "python")?]).stderr(Stdio::null());
    receives_a_life(&stack, command).await
}

#[e2e]
async fn the_documented_node_receiver_verifies_what_is_sent(stack: Arc<TestStack>) -> Result<()> {
    let mut command = Command::new(project().join("node_modules/.bin/node"));
    command.arg(node_program()?);
    receives_a_life(&stack, command).await
}
