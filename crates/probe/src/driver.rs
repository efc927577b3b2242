//! Feeds chunks of any size to a walk, which only sees as many bytes as it asked for.
//!
//! For every window of bytes, a walk says how to continue: `Need` more bytes at the same position, `Skip` ahead,
//! `Become` another walk, or `Done`. Skipping costs one subtraction. Bytes are copied only if a walk needs them in one
//! piece. The way a file is split cannot change the verdict as long as no walk looks beyond the bytes that it would ask
//! for. The driver must not depend on any container.

use std::any::Any;
use std::fmt;

use crate::bytes::{head, narrow, tail, wide};
use crate::{FileRefusal, Media};

/// The maximum number of bytes that a walk may need in one piece. A longer structure has a forged length; no real video
/// has one.
const CAPTURE_LIMIT: usize = 256 * 1024;

/// After this many steps without progress one byte is skipped, so that no walk can loop at one position.
const IDLE_LIMIT: u32 = 16;

/// A walk's answer to a window of bytes.
pub(crate) enum WalkStep {
    /// Call again at the same position with at least this many bytes.
    Need(usize),
    /// Continue this many bytes further on. These bytes need not exist.
    Skip(u64),
    /// Let another walk continue at the same position.
    Become(Box<dyn Walk>),
    /// No later byte can change the verdict.
    Done,
}

/// The end of the file, for [`Walk::finish`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileEnd<'a> {
    /// The length of the whole file.
    pub(crate) length: u64,
    /// The number of bytes of the last `Skip` that are missing from the file.
    pub(crate) missing: u64,
    /// The remaining bytes, if the last `Need` could not be satisfied.
    pub(crate) tail: &'a [u8],
}

/// Walks through the structures of one container.
pub(crate) trait Walk: Any + Send + Sync {
    /// Looks at the bytes at position `at`. The window is never empty.
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal>;

    /// Whether [`Walk::provisional`] returns a verdict. Called after every step, so it must be cheap.
    fn is_known(&self) -> bool {
        false
    }

    /// Returns the verdict before the end of the file, based on what the file declares.
    fn provisional(&self) -> Option<Media> {
        None
    }

    /// Returns the duration proven by the timestamps seen so far, in nanoseconds. Never decreases.
    fn proven(&self) -> u64 {
        0
    }

    /// Returns the final verdict after the last byte.
    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal>;

    /// Returns the walk to continue with if the file ended before this walk could identify it. Only the sniffer
    /// implements this.
    fn successor(&self, _tail: &[u8]) -> Result<Option<Box<dyn Walk>>, FileRefusal> {
        Ok(None)
    }
}

pub(crate) struct Driver {
    walk: Box<dyn Walk>,
    /// The absolute position of the next byte that a walk sees.
    at: u64,
    skip: u64,
    captured: Vec<u8>,
    /// The number of consumed bytes of `captured`.
    start: usize,
    wanted: usize,
    idle: u32,
    /// The number of times that a walk looked at bytes.
    steps: u64,
    done: bool,
    known_at: Option<u64>,
}

/// The saved fields of a driver: everything except its walk.
#[cfg(feature = "state")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct DriverPosition {
    at: u64,
    skip: u64,
    captured: Vec<u8>,
    wanted: usize,
    idle: u32,
    steps: u64,
    done: bool,
    known_at: Option<u64>,
}

/// Does not print the walk: its state is of no use to a caller, and formatting it would add as much code to the Worker
/// as walking does.
impl fmt::Debug for Driver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Driver").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Driver {
    pub(crate) fn new(walk: Box<dyn Walk>) -> Self {
        Self {
            walk,
            at: 0,
            skip: 0,
            captured: Vec::new(),
            start: 0,
            wanted: 1,
            idle: 0,
            steps: 0,
            done: false,
            known_at: None,
        }
    }

    #[cfg(feature = "state")]
    pub(crate) fn position(&self) -> DriverPosition {
        let Self { at, skip, wanted, idle, steps, done, known_at, .. } = *self;
        DriverPosition { at, skip, captured: self.left().to_vec(), wanted, idle, steps, done, known_at }
    }

    #[cfg(feature = "state")]
    pub(crate) fn restored(walk: Box<dyn Walk>, position: DriverPosition) -> Self {
        let DriverPosition { at, skip, captured, wanted, idle, steps, done, known_at } = position;
        Self { walk, at, skip, captured, start: 0, wanted, idle, steps, done, known_at }
    }

    pub(crate) fn walk(&self) -> &dyn Walk {
        self.walk.as_ref()
    }

    /// Returns how many of the next bytes may be passed to `pass` instead of `feed`.
    pub(crate) fn skippable(&self) -> u64 {
        if self.done { u64::MAX } else { self.skip }
    }

    /// Returns the position of the structure that the walk looks at.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the number of times that a walk looked at bytes.
    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    /// Returns the position of the walk when it first had a verdict.
    pub(crate) fn known_at(&self) -> Option<u64> {
        self.known_at
    }

    /// Skips `count` bytes without seeing them; at most as many as `skippable` returns.
    pub(crate) fn pass(&mut self, count: u64) {
        let passed = if self.done { count } else { count.min(self.skip) };
        self.skip = self.skip.saturating_sub(passed);
        self.at = self.at.saturating_add(passed);
    }

    pub(crate) fn feed(&mut self, whole: &[u8]) -> Result<(), FileRefusal> {
        let mut chunk = whole;
        while !self.done {
            chunk = self.spend_skip(chunk);
            if self.buffered() == 0 {
                if chunk.is_empty() {
                    break;
                }
                self.steps = self.steps.saturating_add(1);
                let step = self.walk.step(self.at, chunk)?;
                chunk = self.apply_to_chunk(step, chunk)?;
                continue;
            }
            chunk = self.top_up(chunk);
            if self.buffered() < self.wanted {
                break;
            }
            self.step_on_capture()?;
            chunk = self.hand_back(whole, chunk);
        }
        if self.done {
            self.pass(wide(chunk.len()));
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Media, FileRefusal> {
        if let Some(next) = self.walk.successor(self.left())? {
            self.walk = next;
            self.wanted = 1;
            self.feed(&[])?;
        }
        let left = self.captured.get(self.start..).unwrap_or_default();
        let length = self.at.saturating_add(wide(left.len()));
        let missing = if self.done { 0 } else { self.skip };
        self.walk.finish(FileEnd { length, missing, tail: left })
    }

    fn left(&self) -> &[u8] {
        tail(&self.captured, self.start)
    }

    fn buffered(&self) -> usize {
        self.captured.len().saturating_sub(self.start)
    }

    fn spend_skip<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let spent = narrow(self.skip).min(chunk.len());
        self.pass(wide(spent));
        tail(chunk, spent)
    }

    /// Moves bytes from the chunk to the capture buffer until the walk has as many as it needs.
    fn top_up<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let taken = head(chunk, self.wanted.saturating_sub(self.buffered()));
        // Bytes are moved only if others follow, so that many small structures in the buffer cost little.
        if !taken.is_empty() {
            self.captured.drain(..self.start);
            self.start = 0;
            self.captured.extend_from_slice(taken);
        }
        tail(chunk, taken.len())
    }

    /// Hands captured bytes back to the chunk they came from, so that a walk sees them with everything after them
    /// instead of a few bytes at a time.
    fn hand_back<'a>(&mut self, whole: &'a [u8], rest: &'a [u8]) -> &'a [u8] {
        let (left, taken) = (self.buffered(), whole.len().saturating_sub(rest.len()));
        if self.wanted > 1 || left > taken {
            return rest;
        }
        self.captured.clear();
        self.start = 0;
        tail(whole, taken.saturating_sub(left))
    }

    fn apply_to_chunk<'a>(&mut self, step: WalkStep, chunk: &'a [u8]) -> Result<&'a [u8], FileRefusal> {
        match step {
            WalkStep::Need(count) => {
                self.request(count, chunk.len())?;
                self.captured.extend_from_slice(chunk);
                Ok(&[])
            }
            WalkStep::Skip(count) => {
                let count = self.ensure_progress(count);
                self.record_verdict();
                self.skip = count;
                Ok(chunk)
            }
            other => {
                self.change_walk_or_stop(other);
                Ok(chunk)
            }
        }
    }

    fn step_on_capture(&mut self) -> Result<(), FileRefusal> {
        let window = self.captured.get(self.start..).unwrap_or_default();
        let available = window.len();
        self.steps = self.steps.saturating_add(1);
        match self.walk.step(self.at, window)? {
            WalkStep::Need(count) => self.request(count, available)?,
            WalkStep::Skip(count) => {
                let count = self.ensure_progress(count);
                self.record_verdict();
                self.consume_capture(count);
            }
            other => self.change_walk_or_stop(other),
        }
        Ok(())
    }

    fn consume_capture(&mut self, count: u64) {
        let consumed = narrow(count).min(self.buffered());
        self.start = self.start.saturating_add(consumed);
        self.at = self.at.saturating_add(wide(consumed));
        self.skip = count.saturating_sub(wide(consumed));
        self.wanted = 1;
        if self.buffered() == 0 {
            self.captured.clear();
            self.start = 0;
        }
    }

    fn request(&mut self, count: usize, available: usize) -> Result<(), FileRefusal> {
        if count > CAPTURE_LIMIT {
            return Err(FileRefusal::MetadataTooLarge { what: "one structure is larger than 256 KiB" });
        }
        // A request for bytes that are already there would loop forever.
        self.wanted = count.max(available.saturating_add(1));
        Ok(())
    }

    fn change_walk_or_stop(&mut self, step: WalkStep) {
        if let WalkStep::Become(walk) = step {
            self.walk = walk;
            self.wanted = 1;
        } else {
            self.record_verdict();
            self.done = true;
            // The walk needs nothing more, so the bytes it had asked for are not an unfinished structure.
            self.consume_capture(wide(self.buffered()));
        }
    }

    fn ensure_progress(&mut self, count: u64) -> u64 {
        self.idle = if count == 0 { self.idle.saturating_add(1) } else { 0 };
        if self.idle > IDLE_LIMIT { 1 } else { count }
    }

    /// Records where the structure that decided the verdict begins. The position is the same for every split.
    fn record_verdict(&mut self) {
        if self.known_at.is_none() && self.walk.is_known() {
            self.known_at = Some(self.at);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
