//! Channels share the queue: no kind of work of one channel keeps the others waiting.

use anyhow::{Context, Result, ensure};
use contract::job::{JobDetails, JobOutcome, JobWork, StoredPictures};
use contract::moderation::Recommendation::Pass;
use contract::{JobMessage, MediaFile, paths};
use futures_util::future::try_join_all;
use origin::clients::queue::QueueMessage;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{
    Channel, HttpAnswer, TestContent, TestJob, TestQueue, TestStack, e2e, ensure_refused, processed, send, until,
};

/// The maximum number of a channel's messages in the queue while no origin works for it.
const SHARE: usize = 2;
const VIDEOS: usize = 12;
const CHANGES: usize = 90;
const ARRIVAL: Duration = Duration::from_secs(30);
const HIDDEN: Duration = Duration::from_mins(10);

/// An origin that works on one job after the other.
struct Worker {
    queue: TestQueue,
}

impl Worker {
    fn new(stack: &Arc<TestStack>) -> Result<Self> {
        Ok(Self { queue: TestQueue::of_jobs(stack)? })
    }

    /// Waits for the next message, and takes it out of the queue.
    async fn pull(&self) -> Result<JobMessage> {
        let look = async || Ok(self.queue.client.pull(1, HIDDEN).await?.messages.pop());
        let message: QueueMessage = until(ARRIVAL, look, || "no message arrived".to_owned()).await?;
        self.queue.client.settle(&[message.lease], &[]).await?;
        Ok(message.job?)
    }

    /// Returns the job of a message, held by this origin.
    async fn claim(message: &JobMessage, channel: &Channel) -> Result<(TestJob, JobDetails)> {
        let job = TestJob {
            channel: channel.clone(),
            content_uuid: message.content_uuid.clone(),
            content_id: message.content_id,
            generation: message.generation,
            origin: "origin-a".to_owned(),
        };
        let details = job.claim_granted().await?;
        Ok((job, details))
    }

    /// Uploads a video and publishes it.
    async fn publish(&self, channel: &Channel) -> Result<TestJob> {
        let uploaded = TestJob::upload(channel.clone(), |form| form).await?;
        let message = self.pull().await?;
        ensure!(message.content_uuid == uploaded.content_uuid, "{message:?}");
        let (job, _) = Self::claim(&message, channel).await?;
        ensure!(job.report(processed(&[Pass])).await?.accepted);
        Ok(job)
    }
}

/// Returns the outcome of a job for another thumbnail.
fn pictures() -> Result<JobOutcome> {
    let JobOutcome::Processed { media, findings, frames, .. } = processed(&[Pass]) else {
        anyhow::bail!("another outcome");
    };
    let mut files = media.files;
    files.retain(|file| MediaFile::THUMBNAILS.iter().any(|picture| picture.to_string() == file.name));
    Ok(JobOutcome::Thumbnail { pictures: StoredPictures { thumbhash: "bmV3".to_owned(), files }, findings, frames })
}

/// Changes the thumbnail of a video to the frame at this second.
async fn change_thumbnail(job: &TestJob, second: usize) -> Result<HttpAnswer> {
    let body = json!({ "content_uuid": job.content_uuid, "thumbnail_time": format!("00:00:0{second}") });
    let request = job.stack().request(Method::POST, paths::UPDATE_CONTENT).bearer_auth(&job.channel.key);
    send(request.json(&body)).await
}

/// Changes the thumbnails of the videos in turn, and returns the last requested time of each.
async fn change_in_a_burst(videos: &[TestJob]) -> Result<Vec<usize>> {
    let mut last = vec![0; videos.len()];
    for round in 0..CHANGES.div_ceil(videos.len()) {
        let second = 1 + round % 4;
        let left = CHANGES - round * videos.len();
        let answers = try_join_all(videos.iter().take(left).map(|video| change_thumbnail(video, second))).await?;
        ensure!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");
        last.iter_mut().take(left).for_each(|last| *last = second);
    }
    Ok(last)
}

#[e2e(New)]
async fn a_burst_of_changes_keeps_to_the_share_of_its_channel(stack: Arc<TestStack>) -> Result<()> {
    let (worker, greedy) = (Worker::new(&stack)?, Channel::with_limit(&stack, Some(1_000)).await?);
    let mut videos = Vec::new();
    for _ in 0..VIDEOS {
        videos.push(worker.publish(&greedy).await?);
    }
    let last = change_in_a_burst(&videos).await?;
    let (stranger, uploaded_at) = (TestJob::new(&stack).await?, Instant::now());
    let mut ahead = Vec::new();
    loop {
        let message = worker.pull().await?;
        if message.content_uuid == stranger.content_uuid {
            Worker::claim(&message, &stranger.channel).await?;
            break;
        }
        ahead.push(message);
    }
    println!("{CHANGES} changes of {VIDEOS} videos: {} messages, {:?}", ahead.len(), uploaded_at.elapsed());
    ensure!(ahead.len() <= SHARE, "a stranger waits behind {} messages", ahead.len());
    // Every video gets the last requested thumbnail, with one job.
    for number in 0..VIDEOS {
        let message = if number < ahead.len() { ahead[number].clone() } else { worker.pull().await? };
        let (job, details) = Worker::claim(&message, &greedy).await?;
        let video = videos.iter().position(|video| video.content_uuid == job.content_uuid).context("another video")?;
        let wanted = details.thumbnail_time_seconds.map(usize::try_from).transpose()?;
        ensure!(details.work == JobWork::Thumbnail && wanted == Some(last[video]), "{details:?}");
        ensure!(job.report(pictures()?).await?.accepted);
        ensure!(job.status().await?["thumbnail_change"].is_null(), "the change is not made");
    }
    ensure!(worker.queue.depth().await? == 0, "a video has more than one job");
    Ok(())
}

#[e2e]
async fn a_channel_makes_a_bounded_number_of_changes_a_day(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "Changed").await?;
    let job = &content.job;
    let limits = async || stack.get_with_key(paths::UPLOAD_LIMITS, &job.channel.key).await?.json();
    let max = limits().await?["max_daily_changes"].as_u64().context("no max_daily_changes")?;
    for number in 0..usize::try_from(max)? {
        let answer = change_thumbnail(job, 1 + number % 2).await?;
        ensure!(answer.status == 200, "change {number}: {answer:?}");
    }
    let refused = change_thumbnail(job, 3).await?;
    ensure_refused(&refused, 429, "daily_change_limit_reached")?;
    let left = limits().await?;
    ensure!(left["remaining_changes"] == 0, "{left}");
    let reset = left["changes_reset_time_unix"].as_u64().context("no reset time")?;
    let seconds: u64 = refused.header("retry-after").parse()?;
    ensure!(reset % 86_400 == 0 && (1..=86_400).contains(&seconds), "{reset}, {refused:?}");
    // A replaced text counts too, because it leaves an entry in the removal log. Repeating the change does not count.
    let caption = content.owner_request(paths::UPDATE_CONTENT, json!({ "caption": "Another text" })).await?;
    ensure_refused(&caption, 429, "daily_change_limit_reached")?;
    ensure!(change_thumbnail(job, 2).await?.status == 200);
    ensure!(content.owner_request(paths::UPDATE_CONTENT, json!({ "external_id": "a" })).await?.status == 200);
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    Ok(())
}
