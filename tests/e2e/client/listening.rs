//! The client follows the event log, and passes it on with valid signatures.

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::http::HeaderMap;
use axum::routing::post;
use contract::{SigningSecret, WebhookMessage};
use serde_json::Value;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tests::{ClientProgram, TestContent, TestStack, e2e};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::net::TcpListener;
use tokio::process::ChildStdout;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

type Message = (HeaderMap, String);

/// A receiver of webhooks. It ends when the task is aborted.
async fn receiver() -> Result<(String, UnboundedReceiver<Message>, JoinHandle<std::io::Result<()>>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/hook", listener.local_addr()?);
    let (sender, messages): (UnboundedSender<Message>, _) = unbounded_channel();
    let hook = post(move |headers: HeaderMap, body: String| {
        // An error means that the test has ended.
        let _ = sender.send((headers, body));
        async {}
    });
    let server = axum::serve(listener, Router::new().route("/hook", hook));
    Ok((url, messages, tokio::spawn(async move { server.await })))
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> Result<Value> {
    let line = timeout(Duration::from_mins(1), lines.next_line()).await.context("nothing is printed")??;
    Ok(serde_json::from_str(&line.context("the client has ended")?)?)
}

#[e2e]
async fn events_are_printed_and_passed_on_with_a_valid_signature(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "Before").await?;
    let (key, uuid) = (&content.job.channel.key, &content.job.content_uuid);
    let program = ClientProgram::new(&content.job.channel)?;
    let (url, mut messages, server) = receiver().await?;
    let arguments = ["listen", "--forward-to", &url, "--interval", "1", "--json"];
    let mut child = program.command(&arguments).stdout(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let forwarding = line(&mut lines).await?;
    let secret: SigningSecret = forwarding["secret"].as_str().context("no secret")?.parse()?;
    let listening = line(&mut lines).await?;
    ensure!(listening["after"] == 1, "{listening}");
    let deleted = program.run(&["delete", uuid, "--yes"]).await?;
    ensure!(deleted.code == 0, "{deleted:?}");
    let event = line(&mut lines).await?;
    ensure!(event["logged"]["type"] == "content.deleted" && event["logged"]["sequence"] == 2, "{event}");
    let (headers, body) = messages.recv().await.context("nothing was passed on")?;
    ensure!(serde_json::from_str::<Value>(&body)? == event["logged"], "{body}");
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let timestamp: u64 = header("webhook-timestamp").parse()?;
    let message = WebhookMessage { id: header("webhook-id"), timestamp_unix: timestamp, body: &body };
    let expected = message.headers(&[secret]);
    ensure!(header("webhook-signature") == expected[2].1, "{headers:?}");
    ensure!(
        header("webhook-id") == event["logged"]["id"] && timestamp.abs_diff(tests::now_unix()) < 300,
        "{headers:?}"
    );
    let forwarded = line(&mut lines).await?;
    ensure!(forwarded["event"] == "forwarded" && forwarded["status"] == 200, "{forwarded}");
    ensure!(!body.contains(key.as_str()), "the key was passed on");
    child.kill().await?;
    server.abort();
    Ok(())
}
