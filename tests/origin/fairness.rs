//! Many uploads of one channel do not hold back another's.

use anyhow::{Result, ensure};
use fixtures::Form;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{AcceptedUpload, Channel, Clip, OriginFleet, TestQueue, TestStack, e2e};

/// Two jobs of the busy channel, and one of the other channel. All other jobs are held.
const QUEUED: u64 = 3;

#[e2e(Own)]
async fn one_channels_many_uploads_do_not_hold_back_anothers_first(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (160, 90), milliseconds: 2_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let many = fixtures::cases(8, 40);
    for _ in 0..many {
        fleet.upload(&clip).await?;
    }
    let stranger = Channel::new(&stack).await?;
    let result = stranger.upload_accepted(Form::new().file("file", "clip", &clip)).await?;
    let upload: AcceptedUpload = serde_json::from_value(result.into())?;
    // Otherwise, the origin may be done with the others before the stranger's job has reached the queue.
    let queue = TestQueue::of_jobs(&stack)?;
    let all_arrived = async || Ok((queue.depth().await? == QUEUED).then_some(()));
    tests::until(Duration::from_secs(30), all_arrived, || "the queue has other jobs than expected".to_owned()).await?;
    fleet.start("fair", &[]).await?;
    let started = Instant::now();
    fleet.until_row(&upload, Duration::from_mins(5), |row| row["state"] == "published").await?;
    let waited = started.elapsed();
    // Counts only the busy channel's contents, because earlier tests have published others on this stack.
    let busy = fleet.channel.account.channel_id;
    let earlier = format!(
        "SELECT count(*) FROM events WHERE type = 'content.published' AND channel_id = {busy}
         AND id < (SELECT id FROM events WHERE type = 'content.published' AND content_id = ?1)"
    );
    let earlier = stack.count(&earlier, upload.content_id)?;
    println!("{many} uploads of another channel before it: {earlier} were published first, in {waited:?}");
    ensure!(earlier <= 4, "{earlier} of {many} uploads of another channel were published first");
    // The origin continues with the held jobs.
    let published = "SELECT count(*) FROM contents WHERE state = 'published' AND channel_id = ?1";
    let look = async || Ok((stack.count(published, busy)? == many).then_some(()));
    tests::until(Duration::from_mins(5), look, || "the held jobs were not all done".to_owned()).await?;
    println!("all were published in {:?}", started.elapsed());
    Ok(())
}
