//! A refusal is sent while the client is still sending. The client gets all of it at once, and may continue to send for
//! a limited time.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, RawUpload, TestStack, e2e, upload_head};
use tokio::process::Command;

/// Much shorter than the five seconds for which the Worker waits for a silent client.
const AT_ONCE: Duration = Duration::from_secs(1);
/// The declared length of an upload over a bare socket: more than is sent, and small, so that it takes little memory.
const DECLARED_BYTES: usize = 200_000;
/// The number of transfers. The fastest one counts, because a busy machine may delay any of them.
const TRANSFERS: usize = 3;
/// The pause between two pieces of a client that sends slowly.
const PAUSE: Duration = Duration::from_millis(300);

/// Returns the start of a form whose file is no video.
fn start_of_junk() -> Vec<u8> {
    let mut start = Form::new().file("file", "a.mp4", &[b'-'; 4_000]).body();
    start.truncate(3_000);
    start
}

/// Begins a refused upload and sends small pieces of it until the connection is closed. Returns how long that took.
async fn send_until_closed(channel: &Channel) -> Result<Duration> {
    // The server that wrangler puts in front of the Worker closes the connection after an answer of known length. If it
    // compresses the answer, the Worker decides when the answer ends.
    let head = upload_head(channel, Some(DECLARED_BYTES)).replace("Connection: close", "Accept-Encoding: gzip");
    let mut upload = RawUpload::connect(channel.stack.address(), &head).await?;
    upload.send(&start_of_junk()).await?;
    let started = Instant::now();
    while upload.send(&[b'-'; 1_000]).await.is_ok() && started.elapsed() < Duration::from_secs(30) {
        // This pause is the slowness that is tested.
        tokio::time::sleep(PAUSE).await;
    }
    Ok(started.elapsed())
}

/// Returns how long the Worker takes from the first bytes of a refused upload to the last byte of its answer.
async fn time_to_answer(channel: &Channel) -> Result<Duration> {
    let mut upload = RawUpload::start(channel, Some(DECLARED_BYTES)).await?;
    upload.send(&start_of_junk()).await?;
    let started = Instant::now();
    let answer = upload.answer_by_length().await?;
    ensure!(answer.starts_with("HTTP/1.1 415") && answer.contains("content_file_invalid_format"), "{answer}");
    Ok(started.elapsed())
}

#[e2e]
async fn a_refusal_arrives_whole_while_the_client_is_silent(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut fastest = Duration::MAX;
    for _ in 0..TRANSFERS {
        fastest = fastest.min(time_to_answer(&channel).await?);
    }
    ensure!(fastest < AT_ONCE, "the answer took {fastest:?}");
    Ok(())
}

#[e2e]
async fn a_refused_client_may_send_for_ten_seconds_more(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let lasted = send_until_closed(&channel).await?;
    println!("a refused client could send for {lasted:?} more");
    ensure!((9.0..20.0).contains(&lasted.as_secs_f64()), "the connection lasted {lasted:?}");
    Ok(())
}

#[e2e]
async fn a_client_without_a_valid_key_may_send_for_three_seconds_more(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    channel.account.post(paths::DELETE_API_KEY).await?;
    let lasted = send_until_closed(&channel).await?;
    println!("a client without a key could send for {lasted:?} more");
    ensure!((2.0..9.0).contains(&lasted.as_secs_f64()), "the connection lasted {lasted:?}");
    Ok(())
}

/// Returns how long curl takes from the first byte of a refusal to the end of the transfer.
async fn time_of_curl_after_the_first_byte(channel: &Channel, file: &Path) -> Result<Duration> {
    let script = r#"curl -sS "$UPLOAD" -H "Authorization: Bearer $KEY" -F "file=@$FILE" -w '\n%{time_starttransfer} %{time_total}'"#;
    let mut command = Command::new("sh");
    command.args(["-c", script]).env("UPLOAD", channel.stack.url(paths::UPLOAD_VIDEO)).env("KEY", &channel.key);
    let output = command.env("FILE", file).stdin(Stdio::null()).output().await?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success() && printed.contains("content_file_invalid_format"), "{output:?}");
    let (first_byte, total) = printed.lines().last().and_then(|line| line.split_once(' ')).context("no times")?;
    Ok(Duration::from_secs_f64(total.parse::<f64>()? - first_byte.parse::<f64>()?))
}

#[e2e]
async fn curl_is_done_when_it_has_read_a_refusal(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let junk = stack.folder().join("early-refusal.bin");
    std::fs::write(&junk, vec![b'-'; 30_000_000])?;
    let mut fastest = Duration::MAX;
    for _ in 0..TRANSFERS {
        fastest = fastest.min(time_of_curl_after_the_first_byte(&channel, &junk).await?);
    }
    println!("curl ends {fastest:?} after the first byte of a refusal of 30 MB");
    ensure!(fastest < AT_ONCE, "curl waited {fastest:?} after the refusal");
    Ok(())
}
