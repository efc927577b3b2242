//! A client whose connection broke sends its upload again with the same token. The new upload takes the place of the
//! old one as soon as that one has been silent for long enough.

use anyhow::{Result, ensure};
use fixtures::Form;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ChannelRows, HttpAnswer, RawUpload, TestStack, e2e, ensure_refused, send};

/// The longest time from the last byte of an upload until another may take its token.
const LONGEST: Duration = Duration::from_secs(15);
/// The answer may take this much longer on a busy machine.
const SLACK: Duration = Duration::from_secs(5);

/// An upload whose client has sent all but its end. Its channel has no other slot on this day.
struct HalfSent {
    upload: RawUpload,
    rest: Vec<u8>,
    retry: Retry,
}

/// The same upload, sent again.
struct Retry {
    channel: Channel,
    token: String,
    body: Vec<u8>,
    last_byte: Instant,
}

impl HalfSent {
    async fn new(stack: &Arc<TestStack>) -> Result<Self> {
        let channel = Channel::with_limit(stack, Some(1)).await?;
        let token = stack.token();
        let body = Form::new().text("upload_token", &token).file("file", "a.mp4", &stack.small_video()).body();
        let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
        let (start, rest) = body.split_at(body.len() - 1_000);
        upload.send(start).await?;
        let last_byte = Instant::now();
        channel.until_rows(&ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() }, SLACK).await?;
        Ok(Self { upload, rest: rest.to_vec(), retry: Retry { channel, token, body, last_byte } })
    }
}

impl Retry {
    async fn send(&self) -> Result<HttpAnswer> {
        let request = self.channel.upload_request().header("Idempotency-Key", &self.token);
        send(request.header("Content-Type", Form::content_type()).body(self.body.clone())).await
    }

    /// Sends the upload every second until it is accepted. Returns the time since the last byte of the first one.
    async fn until_accepted(&self) -> Result<Duration> {
        loop {
            let answer = self.send().await?;
            let waited = self.last_byte.elapsed();
            if answer.status == 200 {
                ensure!(answer.header("idempotency-replayed").is_empty(), "{answer:?}");
                return Ok(waited);
            }
            ensure_refused(&answer, 409, "upload_in_progress")?;
            ensure!(waited < LONGEST + SLACK, "after {waited:?}: {answer:?}");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

#[e2e]
async fn a_retry_takes_the_place_of_an_upload_whose_connection_was_cut(stack: Arc<TestStack>) -> Result<()> {
    let HalfSent { upload, retry, .. } = HalfSent::new(&stack).await?;
    drop(upload);
    println!("a cut upload was replaced {:?} after its last byte", retry.until_accepted().await?);
    retry.channel.until_rows(&ChannelRows::after(1), SLACK).await?;
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn a_retry_takes_the_place_of_an_upload_whose_connection_is_silent(stack: Arc<TestStack>) -> Result<()> {
    let HalfSent { mut upload, rest, retry } = HalfSent::new(&stack).await?;
    println!("a silent upload was replaced {:?} after its last byte", retry.until_accepted().await?);
    let late = upload.finish(&rest).await?;
    ensure!(late.starts_with("HTTP/1.1 408") && late.contains("upload_too_slow"), "{late}");
    retry.channel.until_rows(&ChannelRows::after(1), SLACK).await?;
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn an_upload_that_was_silent_goes_on_if_nobody_took_its_place(stack: Arc<TestStack>) -> Result<()> {
    let HalfSent { mut upload, rest, retry } = HalfSent::new(&stack).await?;
    tokio::time::sleep(LONGEST).await;
    let (next, last) = rest.split_at(10);
    upload.send(next).await?;
    // From its next byte on, its place is taken again.
    tokio::time::sleep(Duration::from_secs(2)).await;
    ensure_refused(&retry.send().await?, 409, "upload_in_progress")?;
    let answer = upload.finish(last).await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    retry.channel.ensure_rows(&ChannelRows::after(1))
}
