//! FLV: a list of tags, each with its own time.
//!
//! `onMetaData` makes a provisional verdict; the tags' timestamps, watched to the end, decide.

mod script;
mod tags;

use crate::bytes::{array, u8_at, u24_be, u32_be, wide};
use crate::driver::{End, Step, Walk};
use crate::reconcile::{Declared, Observed, reconcile};
use crate::time::{NANOS_PER_MILLI, millis, nanos_from_seconds};
use crate::timeline::{Frame, proven, together};
use crate::{Container, DurationSource, Media, Refusal};
use script::Announced;
use tags::Tags;

const TAG_HEADER: usize = 11;
/// Each tag is followed by its own length.
const TRAILER: u64 = 4;
/// The announcement stands in the first bytes of its tag; key-frame lists behind it do not matter.
const SCRIPT: usize = 4096;
/// Enough of a tag for codec, packet type and picture size.
const TAG_START: usize = 256;
/// Frames come in decoding order and carry decoding times: going back is a clock that started anew.
const JITTER_MS: i64 = 1000;
/// FLV never tells how long its last frame stays; nobody sees a longer guess confirmed.
const GUESS_MS: u64 = 50;
const CONTAINER: Container = Container::Flv;

#[derive(Debug, Default)]
pub(crate) struct Flv {
    tags: Tags,
    announced: Announced,
    started: bool,
}

impl Flv {
    fn step_header(&mut self, window: &[u8]) -> Step {
        match u32_be(window, 5) {
            Some(length) => {
                self.started = true;
                Step::Skip(u64::from(length.max(9)).saturating_add(TRAILER))
            }
            None => Step::Need(9),
        }
    }

    fn step_tag(&mut self, window: &[u8]) -> Result<Step, Refusal> {
        let Some([kind, size @ .., t2, t1, t0, t3]) = array::<8>(window, 0) else {
            return Ok(Step::Need(TAG_HEADER));
        };
        let size = u24_be(&size, 0).unwrap_or(0);
        let wanted = wanted(kind & 0x1F, size);
        let Some(body) = window.get(TAG_HEADER..TAG_HEADER + wanted) else {
            return Ok(Step::Need(TAG_HEADER + wanted));
        };
        let time = i64::from(i32::from_be_bytes([t3, t2, t1, t0]));
        self.absorb(kind & 0x1F, time, body)?;
        Ok(Step::Skip(
            wide(TAG_HEADER)
                .saturating_add(u64::from(size))
                .saturating_add(TRAILER),
        ))
    }

    fn absorb(&mut self, kind: u8, time: i64, body: &[u8]) -> Result<(), Refusal> {
        let frame = Frame {
            at: time,
            order: time,
            stays: None,
        };
        match kind {
            tags::AUDIO => self.tags.sound(frame, JITTER_MS, body),
            tags::VIDEO => self.tags.picture(frame, JITTER_MS, body),
            tags::SCRIPT if !self.announced.heard => self.announced = script::read(body),
            tags::SCRIPT => {}
            _ => {
                return Err(Refusal::Malformed {
                    container: CONTAINER,
                    what: "a tag of a kind that does not exist",
                });
            }
        }
        Ok(())
    }

    fn declared(&self) -> Option<u64> {
        nanos_from_seconds(self.announced.seconds?)
    }

    fn observed(&self) -> Option<Observed> {
        together(self.tags.timelines(), GUESS_MS, ms_to_nanos)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: CONTAINER,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.tags.describe(&self.announced, length),
            metadata_first: self.declared().is_some(),
        }
    }
}

/// How much of a tag is looked at.
fn wanted(kind: u8, size: u32) -> usize {
    let most = if kind == tags::SCRIPT {
        SCRIPT
    } else {
        TAG_START
    };
    usize::try_from(size).unwrap_or(most).min(most)
}

impl Walk for Flv {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<Step, Refusal> {
        if !self.started {
            return Ok(self.step_header(window));
        }
        if u8_at(window, 0).is_some() && window.len() < TAG_HEADER {
            return Ok(Step::Need(TAG_HEADER));
        }
        self.step_tag(window)
    }

    fn is_known(&self) -> bool {
        self.declared().is_some() && self.tags.has_picture()
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        proven(self.tags.timelines(), ms_to_nanos)
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        // The last tag's trailing length says nothing, and some writers leave it out.
        if end.missing > TRAILER || wide(end.tail.len()) > TRAILER {
            return Err(Refusal::Truncated {
                container: CONTAINER,
                what: "a tag ends beyond the end of the file",
            });
        }
        self.tags.judge()?;
        let declared = self.declared().map(Declared::from_zero);
        let seen = self.observed();
        let (length, source) = reconcile(declared, seen, CONTAINER, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

fn ms_to_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}
