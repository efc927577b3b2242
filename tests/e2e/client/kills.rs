//! The client is killed at random while a network between it and the service cuts, stalls and lies. In the end, each
//! file is posted once.

use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tests::{
    Channel, ChannelRows, ClientProgram, ConnectionFaults, FaultyNetwork, NetworkFault, TestStack, e2e, sha256,
};
use tokio::time::{sleep, timeout};

/// The time limit of the last run. A token that a broken connection still holds is free after 120 seconds.
const PATIENCE: Duration = Duration::from_mins(4);

/// A sequence of numbers that is the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }

    fn place(&mut self, below: u64) -> usize {
        usize::try_from(self.next(below)).unwrap_or_default()
    }

    /// Returns the faults of a connection. A third of the connections have none.
    fn faults(&mut self) -> ConnectionFaults {
        const LIES: [&[u8]; 3] = [
            b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>",
            b"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{\"success\":true",
            b"\x15\x03\x01garbage",
        ];
        let fault = |fault| vec![fault];
        let mut faults = ConnectionFaults::default();
        match self.next(9) {
            0 => faults.request = fault((self.place(300_000), NetworkFault::Cut)),
            1 => faults.request = fault((self.place(300_000), NetworkFault::Reset)),
            2 => faults.answer = fault((self.place(2_000), NetworkFault::Cut)),
            3 => faults.answer = fault((self.place(2_000), NetworkFault::Reset)),
            4 => faults.answer = fault((self.place(2_000), NetworkFault::StallAndCut(Duration::from_secs(3)))),
            5 => faults.answer = fault((self.place(2_000), NetworkFault::Lie(LIES[self.place(3)]))),
            _ => {}
        }
        faults
    }
}

/// The videos of a user, and their hashes.
struct Videos<'a> {
    program: &'a ClientProgram,
    numbers: &'a mut Numbers,
    hashes: BTreeSet<String>,
}

impl Videos<'_> {
    /// Adds this many videos that no other test has.
    fn add(&mut self, count: u64) -> Result<()> {
        for number in (self.count()..).take(usize::try_from(count)?) {
            let size = 100_000 + self.numbers.place(900_000);
            let video = fixtures::mp4(5_000, size, number.to_le_bytes()[0]);
            self.hashes.insert(sha256(&video));
            self.program.write(format!("videos/{number}.mp4"), &video)?;
        }
        Ok(())
    }

    fn count(&self) -> u64 {
        self.hashes.len() as u64
    }
}

#[e2e]
async fn a_client_that_is_killed_at_random_posts_each_file_once(stack: Arc<TestStack>) -> Result<()> {
    let (files, kills) = (fixtures::cases(5, 20), fixtures::cases(6, 50));
    let channel = Channel::with_limit(&stack, Some(1_000)).await?;
    let channel_id = channel.account.channel_id;
    let (mut numbers, mut chosen) = (Numbers(stack.unique()), Numbers(stack.unique() + 1_000_000));
    let network = FaultyNetwork::to_each(stack.address(), move || chosen.faults()).await?;
    let program = ClientProgram::at(&format!("http://{}", network.address), &channel.key)?;
    let mut pauses = Numbers(stack.unique());
    let mut videos = Videos { program: &program, numbers: &mut numbers, hashes: BTreeSet::new() };
    videos.add(files)?;
    let arguments = ["upload", "videos", "--jobs", "3", "--timeout", "2", "--json"];
    let mut killed = 0;
    while killed < kills {
        let mut child = program.command(&arguments).spawn()?;
        sleep(Duration::from_millis(pauses.next(700))).await;
        killed += u32::from(child.try_wait()?.is_none());
        child.kill().await?;
        if stack.count("SELECT count(*) FROM contents WHERE channel_id = ?1", channel_id)? == videos.count() {
            videos.add(files)?;
        }
    }
    let last = timeout(PATIENCE, program.run(&arguments)).await.context("the client is still trying")??;
    ensure!(last.code == 0, "{last:?}");
    // The service may need a lease to notice a connection that broke.
    channel.until_rows(&ChannelRows::after(videos.count()), PATIENCE).await?;
    let posted = stack.texts(&format!("SELECT file_sha256 FROM contents WHERE channel_id = {channel_id}"))?;
    ensure!(posted.into_iter().collect::<BTreeSet<_>>() == videos.hashes, "other files were posted");
    println!("kills: killed {killed} times, {} files were posted once each", videos.count());
    Ok(())
}
