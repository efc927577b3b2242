//! The client never holds a whole file.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::sync::Arc;
use tests::{Channel, ClientProgram, TestStack, e2e};
use tokio::io::{AsyncBufReadExt, BufReader};

const FILE_BYTES: usize = 64_000_000;
/// Less than the file, and more than an unoptimised program with its libraries takes.
const MAX_BYTES: usize = 48_000_000;

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
