//! The daily limit is exact however many uploads race for it, and an upload that fails gives its slot back.

use anyhow::{Result, ensure};
use fixtures::Form;
use futures_util::future::{join, join_all};
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ChannelRows, HttpAnswer, RawUpload, TestStack, e2e, ensure_refused};

const LIMIT: u32 = 5;

#[e2e]
async fn exactly_the_daily_limit_succeeds_when_ten_times_as_many_uploads_race(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(LIMIT)).await?;
    let uploads = join_all((0..LIMIT * 10).map(async |number| -> Result<Option<HttpAnswer>> {
        let form = match number % 5 {
            3 => Form::new().file("file", "a.mp4", b"a text that is not a video, whatever its name"),
            4 => return abort_half_way(&channel).await.map(|()| None),
            _ => Form::new().file("file", "a.mp4", &stack.small_video()),
        };
        channel.upload(form).await.map(Some)
    }));
    let (mut successes, mut limited, mut invalid, mut aborted) = (0, 0, 0, 0);
    for outcome in uploads.await {
        match outcome? {
            None => aborted += 1,
            Some(answer) if answer.status == 200 => successes += 1,
            Some(answer) if answer.status == 429 => {
                ensure_refused(&answer, 429, "content_upload_limit_failure")?;
                limited += 1;
            }
            Some(answer) => {
                ensure_refused(&answer, 415, "content_file_invalid_format")?;
                invalid += 1;
            }
        }
    }
    let expected = ChannelRows::after(u64::from(successes));
    let waited = channel.until_rows(&expected, Duration::from_secs(20)).await?;
    println!(
        "daily limit {LIMIT}, {} concurrent uploads: {successes} succeed, {limited} over the limit, {invalid} invalid, \
         {aborted} aborted; all slots back within {waited:?}",
        LIMIT * 10
    );
    ensure!(successes <= LIMIT);
    // Exactly the released slots can be used again.
    for _ in successes..LIMIT {
        channel.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    }
    let over = channel.upload(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    ensure_refused(&over, 429, "content_upload_limit_failure")?;
    channel.ensure_rows(&ChannelRows::after(u64::from(LIMIT)))
}

async fn abort_half_way(channel: &Channel) -> Result<()> {
    let body = Form::new().file("file", "a.mp4", &channel.stack.small_video()).body();
    let mut upload = RawUpload::start(channel, Some(body.len())).await?;
    upload.send(&body[..body.len() / 2]).await?;
    upload.reset()
}

#[e2e]
async fn the_limit_refusal_comes_before_the_body_with_the_reset_time(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(0)).await?;
    let mut upload = RawUpload::start(&channel, Some(50_000_000)).await?;
    let answer = tokio::time::timeout(Duration::from_secs(20), upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    ensure!(answer.to_lowercase().contains("\r\nretry-after: "), "{answer}");
    for field in [
        "content_upload_limit_failure",
        "\"limit_amount\":0",
        "\"is_limit_activated\":true",
        "\"limit_reset_time_unix\":",
    ] {
        ensure!(answer.contains(field), "{field} is missing: {answer}");
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_client_that_disconnects_gives_its_slot_back(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (first, second) = join(abort_half_way(&channel), abort_half_way(&channel)).await;
    first.and(second)?;
    let waited = channel.until_rows(&ChannelRows::default(), Duration::from_secs(20)).await?;
    println!("a client that disconnects is noticed within {waited:?}");
    Ok(())
}
