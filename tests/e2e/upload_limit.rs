//! The daily limit is exact, whoever races for it, and what did not succeed gives its slot back.

use crate::channel::{Channel, Rows};
use crate::harness::{Answer, Harness, Suite, ensure_refused};
use crate::raw::RawUpload;
use anyhow::{Result, ensure};
use fixtures::Form;
use futures_util::future::{join, join_all};
use std::sync::Arc;
use std::time::Duration;

const LIMIT: u32 = 5;

pub fn register(suite: &mut Suite) {
    suite.add(
        "upload_limit::of_ten_times_the_limit_exactly_the_limit_succeeds",
        race,
    );
    suite.add(
        "upload_limit::the_refusal_comes_before_the_body_and_says_until_when",
        before_the_body,
    );
    suite.add(
        "upload_limit::a_client_that_goes_away_gives_its_slot_back",
        gone,
    );
}

async fn race(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(LIMIT)).await?;
    let uploads = join_all(
        (0..LIMIT * 10).map(async |number| -> Result<Option<Answer>> {
            let form = match number % 5 {
                3 => Form::new().file(
                    "file",
                    "a.mp4",
                    b"a text that is no video, whatever its name",
                ),
                4 => return abort_half_way(&channel).await.map(|()| None),
                _ => Form::new().file("file", "a.mp4", &harness.small_video()),
            };
            channel.upload(form).await.map(Some)
        }),
    );
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
    let rest = Rows::after(u64::from(successes));
    let waited = channel.until_rows(&rest, Duration::from_secs(20)).await?;
    println!(
        "limit {LIMIT}, {} at once: {successes} succeed, {limited} limited, {invalid} invalid, {aborted} aborted; \
         all slots back within {waited:?}",
        LIMIT * 10
    );
    ensure!(successes <= LIMIT);
    // What the others gave back is there for the next ones, and not one more.
    for _ in successes..LIMIT {
        channel
            .publish(Form::new().file("file", "a.mp4", &harness.small_video()))
            .await?;
    }
    let over = channel
        .upload(Form::new().file("file", "a.mp4", &harness.small_video()))
        .await?;
    ensure_refused(&over, 429, "content_upload_limit_failure")?;
    channel.ensure_rows(&Rows::after(u64::from(LIMIT)))
}

async fn abort_half_way(channel: &Channel) -> Result<()> {
    let body = Form::new()
        .file("file", "a.mp4", &channel.harness.small_video())
        .body();
    let mut upload = RawUpload::start(channel, Some(body.len())).await?;
    upload.send(&body[..body.len() / 2]).await?;
    upload.reset()
}

async fn before_the_body(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(0)).await?;
    let mut upload = RawUpload::start(&channel, Some(50_000_000)).await?;
    let answer = tokio::time::timeout(Duration::from_secs(20), upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 429"), "{answer}");
    ensure!(
        answer.to_lowercase().contains("\r\nretry-after: "),
        "{answer}"
    );
    for field in [
        "content_upload_limit_failure",
        "\"limit_amount\":0",
        "\"is_limit_activated\":true",
        "\"limit_reset_time_unix\":",
    ] {
        ensure!(answer.contains(field), "{field} is missing: {answer}");
    }
    channel.ensure_rows(&Rows::default())
}

async fn gone(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let (first, second) = join(abort_half_way(&channel), abort_half_way(&channel)).await;
    first.and(second)?;
    let waited = channel
        .until_rows(&Rows::default(), Duration::from_secs(20))
        .await?;
    println!("a client that goes away is noticed within {waited:?}");
    Ok(())
}
