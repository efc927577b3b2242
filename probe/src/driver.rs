//! The driver: carries chunks of any size to a walk, which sees only as much as it asked for.
//!
//! A walk answers every window with how far to go: `Need` more bytes at the same place, `Skip` ahead,
//! `Become` another walk, or `Done`. Skipping is a subtraction; only what a walk needs in one piece is ever copied.
//! Splits cannot change a verdict as long as a walk looks at no byte beyond what it would ask for.
//! Knows no container.

use std::fmt;

use crate::bytes::{head, narrow, tail, wide};
use crate::{Media, Refusal};

/// No walk needs more than this in one piece. Beyond it lies a forged length, not a bigger video.
const CAPTURE_LIMIT: usize = 256 * 1024;

/// After so many steps without progress a byte is skipped, so that no walk can hang on one spot.
const IDLE_LIMIT: u32 = 16;

/// A walk's answer to a window.
pub(crate) enum Step {
    /// Call again with at least so many bytes at the same place.
    Need(usize),
    /// Go on so many bytes further, which need not exist.
    Skip(u64),
    /// Hand the same place to another walk.
    Become(Box<dyn Walk>),
    /// Nothing that follows can change the verdict.
    Done,
}

/// How the file ended, for a walk's last word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End<'a> {
    /// The length of the whole file.
    pub(crate) length: u64,
    /// How many bytes of the last `Skip` the file did not have.
    pub(crate) missing: u64,
    /// What was left when a `Need` could not be met.
    pub(crate) tail: &'a [u8],
}

/// One container's way through its bytes.
pub(crate) trait Walk: Send + Sync {
    /// Looks at the bytes at `at`. The window is never empty.
    fn step(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal>;

    /// Whether [`Walk::provisional`] has an answer. Called after every step, so it must cost nothing.
    fn is_known(&self) -> bool {
        false
    }

    /// The verdict before the end, from what the file declares of itself.
    fn provisional(&self) -> Option<Media> {
        None
    }

    /// What the timestamps seen so far prove of the duration, in nanoseconds. Only grows.
    fn proven(&self) -> u64 {
        0
    }

    /// The last word, after the last byte.
    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal>;

    /// The walk that this one becomes when the file is over before it could tell; only the sniffer has any.
    fn successor(&self, _tail: &[u8]) -> Result<Option<Box<dyn Walk>>, Refusal> {
        Ok(None)
    }
}

pub(crate) struct Driver {
    walk: Box<dyn Walk>,
    /// The absolute position of the next byte that a walk will see.
    at: u64,
    skip: u64,
    captured: Vec<u8>,
    /// How much of `captured` has been consumed.
    start: usize,
    wanted: usize,
    idle: u32,
    done: bool,
    known_at: Option<u64>,
}

/// Walks are not printed: their inner state says nothing to a caller, and printing it would cost the Worker
/// as much code as walking.
impl fmt::Debug for Driver {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Driver")
            .field("at", &self.at)
            .finish_non_exhaustive()
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
            done: false,
            known_at: None,
        }
    }

    pub(crate) fn walk(&self) -> &dyn Walk {
        self.walk.as_ref()
    }

    /// How many of the following bytes may be left out of `feed`, by calling `pass` instead.
    pub(crate) fn skippable(&self) -> u64 {
        if self.done { u64::MAX } else { self.skip }
    }

    /// The position that the walk had reached when it first knew its verdict.
    pub(crate) fn known_at(&self) -> Option<u64> {
        self.known_at
    }

    /// Goes on without the bytes; no more of them than `skippable` says.
    pub(crate) fn pass(&mut self, count: u64) {
        let passed = if self.done {
            count
        } else {
            count.min(self.skip)
        };
        self.skip = self.skip.saturating_sub(passed);
        self.at = self.at.saturating_add(passed);
    }

    pub(crate) fn feed(&mut self, mut chunk: &[u8]) -> Result<(), Refusal> {
        while !self.done {
            chunk = self.spend_skip(chunk);
            if self.buffered() == 0 {
                if chunk.is_empty() {
                    break;
                }
                let step = self.walk.step(self.at, chunk)?;
                chunk = self.obey_on_chunk(step, chunk)?;
                continue;
            }
            chunk = self.top_up(chunk);
            if self.buffered() < self.wanted {
                break;
            }
            self.step_on_capture()?;
        }
        if self.done {
            self.pass(wide(chunk.len()));
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<Media, Refusal> {
        if let Some(next) = self.walk.successor(self.left())? {
            self.walk = next;
            self.wanted = 1;
            self.feed(&[])?;
        }
        let left = self.captured.get(self.start..).unwrap_or_default();
        let length = self.at.saturating_add(wide(left.len()));
        let missing = if self.done { 0 } else { self.skip };
        self.walk.finish(End {
            length,
            missing,
            tail: left,
        })
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

    /// Moves from the chunk what the walk wants in one piece.
    fn top_up<'a>(&mut self, chunk: &'a [u8]) -> &'a [u8] {
        let lacking = self.wanted.saturating_sub(self.buffered());
        if lacking > 0 && self.start > 0 {
            self.captured.drain(..self.start);
            self.start = 0;
        }
        let taken = head(chunk, lacking);
        self.captured.extend_from_slice(taken);
        tail(chunk, taken.len())
    }

    fn obey_on_chunk<'a>(&mut self, step: Step, chunk: &'a [u8]) -> Result<&'a [u8], Refusal> {
        match step {
            Step::Need(count) => {
                self.want(count, chunk.len())?;
                self.captured.extend_from_slice(chunk);
                Ok(&[])
            }
            Step::Skip(count) => {
                let count = self.advancing(count);
                self.note_verdict();
                self.skip = count;
                Ok(chunk)
            }
            other => {
                self.turn(other);
                Ok(chunk)
            }
        }
    }

    fn step_on_capture(&mut self) -> Result<(), Refusal> {
        let window = self.captured.get(self.start..).unwrap_or_default();
        let seen = window.len();
        match self.walk.step(self.at, window)? {
            Step::Need(count) => self.want(count, seen)?,
            Step::Skip(count) => {
                let count = self.advancing(count);
                self.note_verdict();
                self.consume_capture(count);
            }
            other => self.turn(other),
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

    fn want(&mut self, count: usize, seen: usize) -> Result<(), Refusal> {
        if count > CAPTURE_LIMIT {
            return Err(Refusal::MetadataTooLarge {
                what: "one structure exceeds 256 KiB",
            });
        }
        // Asking for what is already there would never end.
        self.wanted = count.max(seen.saturating_add(1));
        Ok(())
    }

    fn turn(&mut self, step: Step) {
        if let Step::Become(walk) = step {
            self.walk = walk;
            self.wanted = 1;
        } else {
            self.note_verdict();
            self.done = true;
            // What was asked for in vain is not left over: the walk wants nothing more.
            self.consume_capture(wide(self.buffered()));
        }
    }

    fn advancing(&mut self, count: u64) -> u64 {
        self.idle = if count == 0 {
            self.idle.saturating_add(1)
        } else {
            0
        };
        if self.idle > IDLE_LIMIT { 1 } else { count }
    }

    /// Where the structure begins that settled the verdict: the same for every split.
    fn note_verdict(&mut self) {
        if self.known_at.is_none() && self.walk.is_known() {
            self.known_at = Some(self.at);
        }
    }
}
