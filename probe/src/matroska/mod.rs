//! Matroska and `WebM`.
//!
//! A flat scan without a stack: of the elements that lead to tracks and times, only the headers are consumed, so
//! unknown sizes need no special treatment and nesting cannot become deep. Only the first bytes of each block are read.
//! `Duration` gives a provisional verdict; the timestamps of all blocks decide. This module must not depend on other
//! containers.

mod blocks;
mod element;
mod ids;
mod resync;
mod tracks;

use crate::bytes::{head, narrow, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::time::{millis, nanos_from_seconds, scaled};
use crate::{Container, DurationSource, FileRefusal, Media, TrackKind};
use blocks::Blocks;
use element::{ElementHeader, HeaderParse};
use tracks::MatroskaTracks;

/// The longest value that is read. All values are numbers or short names.
const LEAF: u64 = 64;
/// A block's track number, timestamp and flags.
const BLOCK_START: u64 = 11;
/// The longest duration assumed for a last frame without a declared duration, in nanoseconds.
const MAX_LAST_FRAME: u64 = 50_000_000;
const DEFAULT_SCALE: u64 = 1_000_000;

#[derive(Debug)]
pub(crate) struct Matroska {
    container: Container,
    /// Nanoseconds per tick.
    scale: Option<u64>,
    /// In ticks, as stored in the file.
    declared: Option<f64>,
    tracks: MatroskaTracks,
    blocks: Blocks,
    /// The farthest end that a segment or cluster declares.
    declared_end: u64,
    has_clusters: bool,
    segments: u32,
    is_lost: bool,
}

impl Default for Matroska {
    fn default() -> Self {
        Self {
            container: Container::Matroska,
            scale: None,
            declared: None,
            tracks: MatroskaTracks::default(),
            blocks: Blocks::default(),
            declared_end: 0,
            has_clusters: false,
            segments: 0,
            is_lost: false,
        }
    }
}

impl Matroska {
    fn scale(&self) -> u64 {
        self.scale.unwrap_or(DEFAULT_SCALE)
    }

    fn step_element(&mut self, header: ElementHeader, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        match header.id {
            ids::SIMPLE_BLOCK | ids::BLOCK => Ok(self.read_block(header, window)),
            id if ids::is_container(id) => self.enter(header, at),
            id if ids::has_value(id) => Ok(self.read_leaf(header, window)),
            _ => Ok(WalkStep::Skip(header.size.map_or(wide(header.length), |size| length_with_header(header, size)))),
        }
    }

    fn enter(&mut self, header: ElementHeader, at: u64) -> Result<WalkStep, FileRefusal> {
        match header.id {
            ids::SEGMENT => self.segments = self.segments.saturating_add(1),
            ids::EBML if self.has_clusters => self.blocks.start_over(),
            ids::TRACK_ENTRY => self.tracks.begin()?,
            ids::CLUSTER => self.begin_cluster()?,
            ids::BLOCK_GROUP => self.blocks.begin_group(),
            _ => {}
        }
        if let (ids::SEGMENT | ids::CLUSTER, Some(size)) = (header.id, header.size) {
            let end = at.saturating_add(length_with_header(header, size));
            self.declared_end = self.declared_end.max(end);
        }
        Ok(WalkStep::Skip(wide(header.length)))
    }

    /// All tracks are described before the first cluster, so a file without video is refused here.
    fn begin_cluster(&mut self) -> Result<(), FileRefusal> {
        if !self.has_clusters && self.tracks.are_described() {
            self.tracks.require_video(self.container)?;
        }
        self.has_clusters = true;
        Ok(())
    }

    fn read_block(&mut self, header: ElementHeader, window: &[u8]) -> WalkStep {
        let size = header.size.unwrap_or(0);
        let wanted = header.length.saturating_add(narrow(size.min(BLOCK_START)));
        let Some(block) = window.get(header.length..wanted) else {
            return WalkStep::Need(wanted);
        };
        self.blocks.absorb(block, self.scale(), &mut self.tracks);
        WalkStep::Skip(length_with_header(header, size))
    }

    fn read_leaf(&mut self, header: ElementHeader, window: &[u8]) -> WalkStep {
        let size = header.size.unwrap_or(0);
        let wanted = header.length.saturating_add(narrow(size.min(LEAF)));
        let Some(value) = window.get(header.length..wanted) else {
            return WalkStep::Need(wanted);
        };
        match header.id {
            ids::DOC_TYPE if value.starts_with(b"webm") => self.container = Container::Webm,
            ids::TIMESTAMP_SCALE => self.read_scale(element::unsigned(value)),
            ids::DURATION if self.declared.is_none() => self.declared = element::float(value),
            ids::TIMESTAMP => self.blocks.begin_cluster(element::unsigned(value)),
            ids::BLOCK_DURATION => self.blocks.set_duration(element::unsigned(value), &mut self.tracks),
            id => self.tracks.absorb(id, value),
        }
        WalkStep::Skip(length_with_header(header, size))
    }

    /// Uses the largest scale if there are several: a second one must not shorten the video.
    fn read_scale(&mut self, scale: u64) {
        if scale > 0 {
            self.scale = Some(self.scale.map_or(scale, |known| known.max(scale)));
        }
    }

    /// Searches for the next cluster after bytes that are not an element, as players do.
    fn resynchronise(&mut self, window: &[u8]) -> WalkStep {
        let search = resync::find(window);
        self.is_lost = !matches!(search, resync::ClusterSearch::At(_));
        match search {
            resync::ClusterSearch::At(offset) => WalkStep::Skip(wide(offset)),
            resync::ClusterSearch::NotWithin(0) => WalkStep::Need(resync::CLUSTER.len()),
            resync::ClusterSearch::NotWithin(passed) => WalkStep::Skip(wide(passed)),
        }
    }

    fn observed(&self) -> Option<ObservedSpan> {
        self.tracks.observed(MAX_LAST_FRAME / self.scale(), |ticks| self.in_nanos(ticks))
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
            metadata_first: self.declared.is_some() && self.tracks.precede_blocks(),
        }
    }
}

impl Walk for Matroska {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if self.is_lost {
            return Ok(self.resynchronise(window));
        }
        match element::parse(window) {
            HeaderParse::Need(count) => Ok(WalkStep::Need(count)),
            HeaderParse::Header(header) => self.step_element(header, at, window),
            HeaderParse::Invalid if self.segments == 0 => Err(FileRefusal::Malformed {
                container: self.container,
                what: "it contains bytes that are not an element",
            }),
            HeaderParse::Invalid => {
                self.is_lost = true;
                Ok(WalkStep::Skip(1))
            }
        }
    }

    fn is_known(&self) -> bool {
        self.has_clusters && self.declared_nanos().is_some() && self.tracks.has(TrackKind::Video)
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared_nanos()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.tracks.proven(|ticks| self.in_nanos(ticks))
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let container = self.container;
        let unfinished = !self.is_lost && !end.tail.is_empty();
        if end.missing > 0 || unfinished || self.declared_end > end.length {
            return Err(FileRefusal::Truncated { container, what: "an element ends beyond the end of the file" });
        }
        self.tracks.require_video(container)?;
        let declared = self.declared_nanos().map(DeclaredLength::from_zero);
        let observed = self.observed();
        let (length, source) = final_duration(declared, observed, container, DurationSource::Timestamps)?;
        Ok(self.media(length, source))
    }
}

/// Returns the length of an element's header and content.
fn length_with_header(header: ElementHeader, size: u64) -> u64 {
    wide(header.length).saturating_add(size)
}

/// Returns a text value without its padding.
fn text(value: &[u8]) -> &[u8] {
    let end = value.iter().position(|byte| *byte == 0).unwrap_or(value.len());
    head(value, end)
}
