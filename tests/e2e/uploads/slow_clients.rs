//! Uploads below the minimum pace are refused for that reason, and lose their slots.

use anyhow::{Result, ensure};
use contract::limits::UPLOAD_PACE_SECONDS;
use fixtures::Form;
use futures_util::future::try_join_all;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{Channel, ChannelRows, RawUpload, TestStack, e2e};

/// The pause between two bytes of a trickle.
const PAUSE: Duration = Duration::from_millis(250);
/// The delay of the answer that is tolerated on a busy machine.
const SLACK: Duration = Duration::from_secs(20);

/// The data that a client sends after the beginning of its form.
#[derive(Clone, Copy, Debug)]
enum Slowness {
    Silence,
    /// A byte of the file now and then.
    Trickle,
    /// Many bytes of a field that the API does not define. They do not count.
    UnknownField,
}

impl Slowness {
    fn piece(self) -> &'static [u8] {
        match self {
            Self::Silence => b"",
            Self::Trickle => b"x",
            Self::UnknownField => &[b'x'; 100],
        }
    }

    /// Returns the form up to somewhere in the field that the client then sends slowly.
    fn start(self, video: &[u8]) -> Vec<u8> {
        let form = match self {
            Self::UnknownField => Form::new().text("labels", "x"),
            Self::Silence | Self::Trickle => Form::new().file("file", "a.mp4", video),
        };
        let mut body = form.body();
        let headers_end = body.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_default();
        body.truncate(headers_end + 5);
        body
    }
}

/// Sends a slow upload and returns how long it took until it was refused.
async fn ensure_ended(stack: &Arc<TestStack>, slowness: Slowness) -> Result<Duration> {
    let channel = Channel::new(stack).await?;
    let mut upload = RawUpload::start(&channel, Some(5_000_000)).await?;
    let started = Instant::now();
    upload.send(&slowness.start(&stack.small_video())).await?;
    let longest = Duration::from_secs(UPLOAD_PACE_SECONDS) + SLACK;
    let answer = upload.trickle_until_answer(slowness.piece(), PAUSE, longest).await?;
    ensure!(answer.starts_with("HTTP/1.1 408"), "{slowness:?}: {answer}");
    ensure!(answer.contains("upload_too_slow") && answer.contains("bytes per second"), "{slowness:?}: {answer}");
    channel.until_rows(&ChannelRows::default(), SLACK).await?;
    Ok(started.elapsed())
}

#[e2e]
async fn a_client_that_is_too_slow_is_told_so_and_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let kinds = [Slowness::Silence, Slowness::Trickle, Slowness::UnknownField];
    let ended = try_join_all(kinds.map(|slowness| ensure_ended(&stack, slowness))).await?;
    println!("slow clients were refused after {ended:?}");
    let shortest = Duration::from_secs(UPLOAD_PACE_SECONDS - 1);
    ensure!(ended.iter().all(|after| *after >= shortest), "refused too early");
    stack.ensure_nothing_leaked().await
}
