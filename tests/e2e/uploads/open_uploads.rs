//! The number of uploads that a channel can have open at once is limited, so that it cannot shut out other channels.

use anyhow::{Result, ensure};
use contract::limits::DEFAULT_MAX_OPEN_UPLOADS;
use contract::paths;
use fixtures::Form;
use futures_util::future::try_join_all;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ChannelRows, RawUpload, StackLimits, TestStack, e2e, ensure_refused};

const LIMITS: StackLimits = StackLimits { open_uploads: DEFAULT_MAX_OPEN_UPLOADS, ..StackLimits::NONE };
const EXCESS: u32 = 5;
const NOTICE: Duration = Duration::from_secs(30);

/// An upload that has sent only half of its body.
struct HeldUpload {
    upload: RawUpload,
    rest: Vec<u8>,
}

impl HeldUpload {
    async fn start(channel: &Channel) -> Result<Self> {
        let mut body = form(&channel.stack).body();
        let mut upload = RawUpload::start(channel, Some(body.len())).await?;
        let rest = body.split_off(body.len() / 2);
        upload.send(&body).await?;
        Ok(Self { upload, rest })
    }

    /// Sends the rest of the body, the first byte on its own, and fails unless the upload is accepted.
    async fn finish(mut self) -> Result<()> {
        let (next, rest) = self.rest.split_at(1);
        self.upload.send(next).await?;
        self.upload.send(rest).await?;
        let answer = self.upload.answer().await?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        Ok(())
    }
}

fn form(stack: &TestStack) -> Form {
    Form::new().file("file", "a.mp4", &stack.small_video())
}

fn open(number: u32) -> ChannelRows {
    ChannelRows { used: number.into(), reserved: number.into(), ..ChannelRows::default() }
}

#[e2e(Limited(LIMITS))]
async fn an_account_with_too_many_open_uploads_waits_and_another_does_not(stack: Arc<TestStack>) -> Result<()> {
    let (greedy, other) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let mut held = try_join_all((0..DEFAULT_MAX_OPEN_UPLOADS).map(|_| HeldUpload::start(&greedy))).await?;
    greedy.until_rows(&open(DEFAULT_MAX_OPEN_UPLOADS), NOTICE).await?;
    try_join_all((0..EXCESS).map(|_| ensure_too_many(&greedy))).await?;
    let refused = greedy.upload(form(&stack)).await?;
    ensure_refused(&refused, 429, "too_many_uploads")?;
    ensure!(refused.header("retry-after") == "5" && refused.header("ratelimit").contains("r=40"), "{refused:?}");
    let logged = stack.logged(refused.header("x-request-id")).await?;
    ensure!(logged["d1_batches"] == 1 && logged["d1_statements"] == 5 && logged["r2_operations"] == 0, "{logged}");
    greedy.ensure_rows(&open(DEFAULT_MAX_OPEN_UPLOADS))?;
    let limits = stack.get_with_key(paths::UPLOAD_LIMITS, &greedy.key).await?;
    for count in ["max_open_uploads", "open_uploads"] {
        ensure!(limits.json()?[count] == DEFAULT_MAX_OPEN_UPLOADS, "{limits:?}");
    }
    other.upload_accepted(form(&stack)).await?;

    // Once an upload has ended, exactly one more is accepted.
    if let Some(last) = held.pop() {
        last.finish().await?;
    }
    held.push(HeldUpload::start(&greedy).await?);
    let held_again = ChannelRows {
        used: u64::from(DEFAULT_MAX_OPEN_UPLOADS) + 1,
        reserved: u64::from(DEFAULT_MAX_OPEN_UPLOADS),
        ..ChannelRows::after(1)
    };
    greedy.until_rows(&held_again, NOTICE).await?;
    ensure_too_many(&greedy).await?;
    try_join_all(held.into_iter().map(HeldUpload::finish)).await?;
    greedy.ensure_rows(&ChannelRows::after(u64::from(DEFAULT_MAX_OPEN_UPLOADS) + 1))?;
    stack.ensure_nothing_leaked().await
}

/// Fails unless an upload is refused before a byte of its body was sent.
async fn ensure_too_many(channel: &Channel) -> Result<()> {
    let mut upload = RawUpload::start(channel, Some(50_000)).await?;
    let answer = tokio::time::timeout(NOTICE, upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 429") && answer.contains("too_many_uploads"), "{answer}");
    Ok(())
}
