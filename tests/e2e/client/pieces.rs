//! A large file is sent in pieces, and continues after a broken connection, and after the program was killed.

use anyhow::{Result, ensure};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::{
    Channel, ChannelRows, ClientProgram, ConnectionFaults, FaultyNetwork, NetworkFault, TestStack, e2e, sha256, until,
};

const FILE_BYTES: usize = 60_000_000;
/// The bytes after which a connection breaks: more than a few parts, and less than a piece.
const CUT_AFTER: usize = 25_000_000;
const STORED: Duration = Duration::from_mins(1);

/// A connection that breaks, if it brings so much.
fn breaking() -> ConnectionFaults {
    ConnectionFaults { request: vec![(CUT_AFTER, NetworkFault::Reset)], ..ConnectionFaults::default() }
}

/// Fails unless the channel has one video, which has these bytes.
fn ensure_posted_once(channel: &Channel, file: &[u8]) -> Result<()> {
    channel.ensure_rows(&ChannelRows::after(1))?;
    let row =
        channel.stack.row("SELECT file_sha256 FROM contents WHERE channel_id = ?1", channel.account.channel_id)?;
    ensure!(row["file_sha256"] == sha256(file), "{row:?}");
    Ok(())
}

#[e2e]
async fn a_large_file_survives_connections_that_break(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let network = FaultyNetwork::to_each(stack.address(), breaking).await?;
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    let file = fixtures::mp4(5_000, FILE_BYTES, 31);
    program.write("clip.mp4", &file)?;
    let run = program.run(&["upload", "clip.mp4", "--caption", "In pieces"]).await?;
    ensure!(run.code == 0, "{run:?}");
    ensure_posted_once(&channel, &file)
}

/// Records are kept for the address of the service, so both runs go through one network: its first connections stall.
#[e2e]
async fn a_large_file_continues_after_the_program_was_killed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let is_stalling = Arc::new(AtomicBool::new(true));
    let stalls = Arc::clone(&is_stalling);
    let faults = move || {
        let fault = if stalls.load(Ordering::Relaxed) { NetworkFault::Stall } else { NetworkFault::Reset };
        ConnectionFaults { request: vec![(CUT_AFTER, fault)], ..ConnectionFaults::default() }
    };
    let network = FaultyNetwork::to_each(stack.address(), faults).await?;
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    let file = fixtures::mp4(5_000, FILE_BYTES, 32);
    program.write("clip.mp4", &file)?;
    let mut child = program.command(&["upload", "clip.mp4"]).spawn()?;
    let select = "SELECT received FROM resumable_uploads WHERE channel_id = ?1";
    let look = async || {
        let received = stack.row(select, channel.account.channel_id).ok().and_then(|row| row["received"].as_u64());
        Ok(received.filter(|received| *received >= 20_000_000))
    };
    until(STORED, look, || "nothing is stored".to_owned()).await?;
    child.kill().await?;
    is_stalling.store(false, Ordering::Relaxed);
    let run = program.run(&["upload", "clip.mp4"]).await?;
    ensure!(run.code == 0, "{run:?}");
    ensure_posted_once(&channel, &file)?;
    let uploads =
        stack.count("SELECT count(*) FROM resumable_uploads WHERE channel_id = ?1", channel.account.channel_id)?;
    ensure!(uploads == 1, "the second run began again: {uploads} uploads");
    Ok(())
}
