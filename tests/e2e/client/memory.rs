//! The client and the documented programs never hold a whole file.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ClientProgram, DocumentedClient, TestStack, e2e, until};
use tokio::io::{AsyncBufReadExt, BufReader};

const FILE_BYTES: usize = 64_000_000;
/// Less than the file, and more than an unoptimised program with its libraries takes.
const MAX_BYTES: usize = 48_000_000;
/// The most memory that a documented program may take for the large file beyond what it takes for a small one.
const MAX_GROWTH: usize = FILE_BYTES / 2;
const UPLOADED: Duration = Duration::from_mins(3);

/// Returns the most memory that a process has had so far.
fn peak_bytes(process: u32) -> Result<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    let kilobytes: usize = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

#[e2e]
async fn the_client_uploads_a_large_file_in_little_memory(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &fixtures::mp4(5_000, FILE_BYTES, 77))?;
    // It stays alive after the upload, because nothing processes the video.
    let mut child = program.command(&["upload", "clip.mp4", "--wait", "--json"]).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let line = lines.next_line().await?.context("the client has ended")?;
    ensure!(serde_json::from_str::<Value>(&line)?["event"] == "uploaded", "{line}");
    let peak = peak_bytes(child.id().context("the client has ended")?)?;
    ensure!(peak < MAX_BYTES, "{peak} bytes for a file of {FILE_BYTES}");
    child.kill().await?;
    Ok(())
}

/// Returns the most memory that a program has had when it had uploaded a file of this size. Returns `None` if its
/// language is not installed.
async fn memory_of_an_upload(
    stack: &Arc<TestStack>,
    client: DocumentedClient,
    folder: &Path,
    bytes: usize,
) -> Result<Option<usize>> {
    let channel = Channel::new(stack).await?;
    let clip = folder.join(format!("{client:?}-{bytes}.mp4"));
    std::fs::write(&clip, fixtures::mp4(5_000, bytes, 33))?;
    let Some(mut program) = client.post(&channel, &clip)? else { return Ok(None) };
    // It stays alive after the upload, because nothing processes the video.
    let mut child = program.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let is_uploaded = async || Ok((channel.rows()?.contents == 1).then_some(()));
    until(UPLOADED, is_uploaded, || format!("{client:?} uploaded nothing")).await?;
    let peak = peak_bytes(child.id().context("the program has ended")?)?;
    child.kill().await?;
    Ok(Some(peak))
}

#[e2e]
async fn the_documented_clients_stream_the_file(stack: Arc<TestStack>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    for client in DocumentedClient::ALL {
        let small = memory_of_an_upload(&stack, client, folder.path(), 100_000).await?;
        let large = memory_of_an_upload(&stack, client, folder.path(), FILE_BYTES).await?;
        let (Some(small), Some(large)) = (small, large) else { continue };
        println!("{client:?}: {small} bytes for a small file, {large} for one of {FILE_BYTES}");
        ensure!(large < small + MAX_GROWTH, "{client:?}: {small} bytes for a small file, {large} for a large one");
    }
    Ok(())
}
