//! Matroska and `WebM`.
//!
//! A flat scan without a stack: the elements that lead to tracks and times are entered by consuming their
//! headers alone, so unknown sizes cost nothing and nesting cannot go deep. Of each block the first bytes are
//! read. `Duration` makes a provisional verdict; the blocks' timestamps, watched to the end, decide.

mod blocks;
mod element;
mod ids;
mod resync;
mod tracks;

use crate::bytes::{head, narrow, wide};
use crate::driver::{End, Step, Walk};
use crate::reconcile::{Declared, Observed, reconcile};
use crate::time::{millis, nanos_from_seconds, scaled};
use crate::{Container, DurationSource, Media, Refusal, TrackKind};
use blocks::Blocks;
use element::{Header, Parsed};
use tracks::Tracks;

/// The longest value that is read; all are numbers or short names.
const LEAF: u64 = 64;
/// A block's track number, time and flags.
const BLOCK_START: u64 = 11;
/// How many nanoseconds the last frame is taken to stay at most where nothing tells.
const GUESS: u64 = 50_000_000;
const DEFAULT_SCALE: u64 = 1_000_000;

#[derive(Debug)]
pub(crate) struct Matroska {
    container: Container,
    /// Nanoseconds in one tick.
    scale: Option<u64>,
    /// In ticks, as the file says it.
    declared: Option<f64>,
    tracks: Tracks,
    blocks: Blocks,
    /// The farthest end that a segment or cluster declares.
    declared_end: u64,
    clusters: bool,
    segments: u32,
    lost: bool,
}

impl Default for Matroska {
    fn default() -> Self {
        Self {
            container: Container::Matroska,
            scale: None,
            declared: None,
            tracks: Tracks::default(),
            blocks: Blocks::default(),
            declared_end: 0,
            clusters: false,
            segments: 0,
            lost: false,
        }
    }
}

impl Matroska {
    fn scale(&self) -> u64 {
        self.scale.unwrap_or(DEFAULT_SCALE)
    }

    fn step_element(&mut self, header: Header, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        match header.id {
            ids::SIMPLE_BLOCK | ids::BLOCK => Ok(self.read_block(header, window)),
            id if ids::is_entered(id) => self.enter(header, at),
            id if ids::is_read(id) => Ok(self.read_leaf(header, window)),
            _ => Ok(Step::Skip(
                header
                    .size
                    .map_or(wide(header.length), |size| whole(header, size)),
            )),
        }
    }

    fn enter(&mut self, header: Header, at: u64) -> Result<Step, Refusal> {
        match header.id {
            ids::SEGMENT => self.segments = self.segments.saturating_add(1),
            ids::EBML if self.clusters => self.blocks.start_over(),
            ids::TRACK_ENTRY => self.tracks.begin()?,
            ids::CLUSTER => self.begin_cluster()?,
            ids::BLOCK_GROUP => self.blocks.begin_group(),
            _ => {}
        }
        if let (ids::SEGMENT | ids::CLUSTER, Some(size)) = (header.id, header.size) {
            let end = at.saturating_add(whole(header, size));
            self.declared_end = self.declared_end.max(end);
        }
        Ok(Step::Skip(wide(header.length)))
    }

    /// Every track has been described by now; a file without pictures need not be read on.
    fn begin_cluster(&mut self) -> Result<(), Refusal> {
        if !self.clusters && self.tracks.complete() {
            self.tracks.judge(self.container)?;
        }
        self.clusters = true;
        Ok(())
    }

    fn read_block(&mut self, header: Header, window: &[u8]) -> Step {
        let size = header.size.unwrap_or(0);
        let wanted = header.length.saturating_add(narrow(size.min(BLOCK_START)));
        let Some(block) = window.get(header.length..wanted) else {
            return Step::Need(wanted);
        };
        self.blocks.absorb(block, self.scale(), &mut self.tracks);
        Step::Skip(whole(header, size))
    }

    fn read_leaf(&mut self, header: Header, window: &[u8]) -> Step {
        let size = header.size.unwrap_or(0);
        let wanted = header.length.saturating_add(narrow(size.min(LEAF)));
        let Some(value) = window.get(header.length..wanted) else {
            return Step::Need(wanted);
        };
        match header.id {
            ids::DOC_TYPE if value.starts_with(b"webm") => self.container = Container::Webm,
            ids::TIMESTAMP_SCALE => self.read_scale(element::unsigned(value)),
            ids::DURATION if self.declared.is_none() => self.declared = element::float(value),
            ids::TIMESTAMP => self.blocks.begin_cluster(element::unsigned(value)),
            ids::BLOCK_DURATION => self
                .blocks
                .lasts(element::unsigned(value), &mut self.tracks),
            id => self.tracks.absorb(id, value),
        }
        Step::Skip(whole(header, size))
    }

    /// Of several scales the coarsest counts: a second one must not shorten what the first one said.
    fn read_scale(&mut self, scale: u64) {
        if scale > 0 {
            self.scale = Some(self.scale.map_or(scale, |known| known.max(scale)));
        }
    }

    /// Looks for the next cluster behind bytes that are no element, as players do.
    fn resynchronise(&mut self, window: &[u8]) -> Step {
        let found = resync::find(window);
        self.lost = !matches!(found, resync::Found::At(_));
        match found {
            resync::Found::At(offset) => Step::Skip(wide(offset)),
            resync::Found::NotWithin(0) => Step::Need(resync::CLUSTER.len()),
            resync::Found::NotWithin(passed) => Step::Skip(wide(passed)),
        }
    }

    fn observed(&self) -> Option<Observed> {
        self.tracks
            .observed(GUESS / self.scale(), |ticks| self.in_nanos(ticks))
    }

    fn declared_nanos(&self) -> Option<u64> {
        #[expect(clippy::cast_precision_loss, reason = "a scale is a small number")]
        let scale = self.scale() as f64;
        nanos_from_seconds(self.declared? * scale / 1e9)
    }

    fn in_nanos(&self, ticks: u64) -> u64 {
        scaled(ticks, self.scale(), 1).unwrap_or(u64::MAX)
    }

    fn media(&self, length: u64, source: DurationSource) -> Media {
        Media {
            container: self.container,
            duration_ms: millis(length),
            duration_source: source,
            tracks: self.tracks.describe(length),
            metadata_first: self.declared.is_some() && self.tracks.came_first(),
        }
    }
}

impl Walk for Matroska {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<Step, Refusal> {
        if self.lost {
            return Ok(self.resynchronise(window));
        }
        match element::parse(window) {
            Parsed::Need(count) => Ok(Step::Need(count)),
            Parsed::Header(header) => self.step_element(header, at, window),
            Parsed::Invalid if self.segments == 0 => Err(Refusal::Malformed {
                container: self.container,
                what: "bytes that are no element",
            }),
            Parsed::Invalid => {
                self.lost = true;
                Ok(Step::Skip(1))
            }
        }
    }

    fn is_known(&self) -> bool {
        self.clusters && self.declared_nanos().is_some() && self.tracks.has(TrackKind::Video)
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared_nanos()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.tracks.proven(|ticks| self.in_nanos(ticks))
    }

    fn finish(&mut self, end: End<'_>) -> Result<Media, Refusal> {
        let container = self.container;
        let unfinished = !self.lost && !end.tail.is_empty();
        if end.missing > 0 || unfinished || self.declared_end > end.length {
            return Err(Refusal::Truncated {
                container,
                what: "an element ends beyond the end of the file",
            });
        }
        self.tracks.judge(container)?;
        let declared = self.declared_nanos().map(Declared::from_zero);
        let seen = self.observed();
        let (length, source) = reconcile(declared, seen, container, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

/// Header and content together.
fn whole(header: Header, size: u64) -> u64 {
    wide(header.length).saturating_add(size)
}

/// A text value up to its padding.
fn text(value: &[u8]) -> &[u8] {
    let end = value
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(value.len());
    head(value, end)
}
