//! The body of an upload, which ends with a refusal when its client is too slow.

use super::{Pace, PaceRules};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use contract::ErrorCode;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::stream::Stream;
use futures_util::{FutureExt, StreamExt};
use std::pin::Pin;
use std::time::Duration;

/// The interval at which the pace of a silent upload is checked.
const TICK: Duration = Duration::from_secs(1);

pub(crate) struct PacedBody<'a, P, Body> {
    platform: &'a P,
    body: Pin<&'a mut Body>,
    rules: PaceRules,
    pace: Pace,
    ends_at: UnixSeconds,
    tick: LocalBoxFuture<'a, ()>,
}

/// A chunk, or `None` at the end of the body, or neither for a while.
pub(crate) enum Arrived<Chunk> {
    Chunk(Option<Chunk>),
    Silence,
}

impl<'a, P: Platform, Body, Chunk> PacedBody<'a, P, Body>
where
    Body: Stream<Item = Result<Chunk, PlatformError>>,
{
    pub(crate) fn new(platform: &'a P, body: Pin<&'a mut Body>, length: Option<u64>, rules: PaceRules) -> Self {
        let ends_at = platform.now() + rules.longest_seconds(length);
        let tick = platform.sleep(TICK).boxed_local();
        Self { platform, body, rules, pace: Pace::new(rules), ends_at, tick }
    }

    /// Returns the next chunk, or `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Chunk>, Refusal> {
        loop {
            if let Arrived::Chunk(chunk) = self.next_or_silence().await? {
                return Ok(chunk);
            }
        }
    }

    /// Returns the next chunk, or that about a second has passed without one.
    pub(crate) async fn next_or_silence(&mut self) -> Result<Arrived<Chunk>, Refusal> {
        let since_ms = self.platform.now_ms();
        let arrived = match select(self.body.next(), &mut self.tick).await {
            Either::Left((chunk, _)) => Some(chunk),
            Either::Right(_) => None,
        };
        self.pace.wait(Duration::from_millis(self.platform.now_ms().saturating_sub(since_ms)));
        if self.pace.is_too_slow() {
            return Err(self.too_slow());
        }
        if self.platform.now() >= self.ends_at {
            return Err(Refusal::new(ErrorCode::UploadTooSlow));
        }
        let Some(chunk) = arrived else {
            self.tick = self.platform.sleep(TICK).boxed_local();
            return Ok(Arrived::Silence);
        };
        let chunk = chunk.transpose().map_err(|error| incomplete(&error.to_string()))?;
        Ok(Arrived::Chunk(chunk))
    }

    /// Records bytes of known fields. Only these keep the upload open.
    pub(crate) fn progress(&mut self, bytes: usize) {
        self.pace.progress(bytes as u64);
    }

    fn too_slow(&self) -> Refusal {
        let PaceRules { min_bytes_per_second, window_seconds, .. } = self.rules;
        let detail = format!(
            "The upload was slower than {min_bytes_per_second} bytes per second over the last {window_seconds} seconds. \
             Send it again over a faster connection."
        );
        Refusal::new(ErrorCode::UploadTooSlow).with_detail(detail)
    }
}

pub(crate) fn incomplete(cause: &impl std::fmt::Display) -> Refusal {
    Refusal::malformed(format!("The request body is incomplete: {cause}. Send the upload again."))
}
