//! A large file over a line that is cut all the time. The file arrives, and hardly any byte is sent twice.

use super::ensure_stored;
use super::stock_clients::Line;
use anyhow::{Result, ensure};
use fixtures::cases;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ChannelRows, ClientProgram, ConnectionFaults, FaultyNetwork, TestStack, e2e};

/// The bytes that may be sent, in percent of the file. In the short form the machine is busy with other tests, so up to
/// a megabyte is still on its way at each cut. A client that began again would send the file several times.
fn percent_sent() -> u64 {
    cases(130, 105)
}

fn file_bytes() -> usize {
    cases(64_000_000, 1_000_000_000)
}

/// The line is slow in the short form and fast in the long one: the service treats these clients differently. It is cut
/// several times while a file passes.
fn line() -> ConnectionFaults {
    ConnectionFaults {
        bytes_per_second: Some(cases(8_000_000, 40_000_000)),
        lifetime: Some(Duration::from_millis(cases(1_500, 3_000))),
        ..ConnectionFaults::default()
    }
}

fn fewest_cuts() -> u64 {
    cases(4, 6)
}

/// A clip and padding. No two parts of the file are equal, so that none of them can be in the wrong place.
fn file(seed: u64) -> Vec<u8> {
    let mut file = fixtures::mp4(5_000, 100_000, 1);
    let padding = file_bytes() - file.len();
    file.reserve_exact(padding);
    file.extend(u32::try_from(padding).unwrap_or(u32::MAX).to_be_bytes());
    file.extend(b"free");
    let mut number = seed;
    while file.len() < file_bytes() {
        // Xorshift.
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        file.extend(number.to_le_bytes());
    }
    file.truncate(file_bytes());
    file
}

/// Fails unless the file has arrived, and little of it was sent twice.
async fn ensure_arrived(channel: &Channel, file: &[u8], network: &FaultyNetwork, began: Instant) -> Result<()> {
    let (sent, broken) = (network.counts.sent(), network.counts.broken());
    let bytes = file.len() as u64;
    println!("long_line: {bytes} bytes in {:.1?}: {sent} were sent, over {broken} broken connections", began.elapsed());
    ensure!(broken >= fewest_cuts(), "only {broken} connections broke");
    ensure!(sent * 100 <= bytes * percent_sent(), "{sent} bytes were sent for {bytes}");
    let select = "SELECT file_sha256 FROM contents WHERE channel_id = ?1";
    let row = channel.stack.row(select, channel.account.channel_id)?;
    ensure!(row["file_sha256"] == tests::sha256(file), "{row:?}");
    ensure_stored(channel, file).await?;
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn tus_js_client_sends_hardly_a_byte_twice_over_a_line_that_is_cut(stack: Arc<TestStack>) -> Result<()> {
    let line = Line::new(Channel::new(&stack).await?, "long-line", file(3), line).await?;
    let began = Instant::now();
    line.run_tus_js_client().await?;
    ensure_arrived(&line.channel, &line.file, &line.network, began).await
}

#[e2e]
async fn clipgate_sends_hardly_a_byte_twice_over_a_line_that_is_cut(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let network = FaultyNetwork::to_each(stack.address(), line).await?;
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    let file = file(4);
    program.write("clip.mp4", &file)?;
    let began = Instant::now();
    let run = program.run(&["upload", "clip.mp4"]).await?;
    ensure!(run.code == 0, "{run:?}");
    ensure_arrived(&channel, &file, &network, began).await
}
