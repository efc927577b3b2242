//! Matroska and `WebM`.
//!
//! Of the elements that lead to tracks and times, only the headers are consumed and their ends remembered; all others
//! are skipped. Every element is read only where it belongs (`scope`). Only the first bytes of each block are read.
//! `Duration` gives a provisional verdict; the timestamps of all blocks decide. This module must not depend on other
//! containers.

mod blocks;
mod element;
mod ids;
mod lacing;
mod resync;
mod scope;
mod seek;
mod tracks;

use crate::bytes::{head, narrow, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::names;
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration, least_within};
use crate::structures::StructureCount;
use crate::time::{NANOS_PER_SECOND, millis, nanos_from_seconds, scaled};
use crate::{Container, DurationSource, FileRefusal, Media, TrackKind};
use blocks::Blocks;
use element::{ElementHeader, ElementId, HeaderParse};
use scope::{Place, Scopes};
use seek::SeekTargets;
use tracks::MatroskaTracks;

/// The longest value that is read. All values are numbers or short names.
const LEAF: u64 = 64;
/// The bytes of a block that are read: its track number, timestamp and flags, and after them the number of its frames
/// or the beginning of its only frame.
const BLOCK_START: u64 = 16;
/// The same values for a laced block, and the lengths of its frames.
const LACED_START: u64 = 4096;
/// Sound is stored in the order in which it is played. Chromium drops what goes back by more than a little.
const SOUND_BACK_NANOS: u64 = NANOS_PER_SECOND / 2;
/// Encoders delay sound by a few frames at most. Durations are measured without the delay.
const LONGEST_CODEC_DELAY: u64 = NANOS_PER_SECOND / 4;
/// A smaller difference cannot be rounding.
const MISSING_END: u64 = NANOS_PER_SECOND;
/// The longest duration assumed for a last frame without a declared duration, in nanoseconds.
const MAX_LAST_FRAME: u64 = 50_000_000;
const DEFAULT_SCALE: u64 = 1_000_000;

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
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
    /// Whether an index says where the tracks are.
    announces_tracks: bool,
    targets: SeekTargets,
    segments: u32,
    scopes: Scopes,
    structures: StructureCount,
    /// Up to this position, clusters are searched for among bytes that are no known element.
    search_until: Option<u64>,
    /// Whether those bytes are padding, in which no cluster may be.
    in_filling: bool,
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
            announces_tracks: false,
            targets: SeekTargets::default(),
            segments: 0,
            scopes: Scopes::default(),
            structures: StructureCount::default(),
            search_until: None,
            in_filling: false,
        }
    }
}

impl Matroska {
    fn scale(&self) -> u64 {
        self.scale.unwrap_or(DEFAULT_SCALE)
    }

    fn malformed(&self, what: &'static str) -> FileRefusal {
        FileRefusal::Malformed { container: self.container, what }
    }

    fn ambiguous(&self, what: &'static str) -> FileRefusal {
        FileRefusal::Ambiguous { container: self.container, what }
    }

    fn step_element(&mut self, header: ElementHeader, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        self.scopes.close_before(at, header.id);
        if self.scopes.is_at_top() {
            self.targets.note(header.id, at);
        }
        match self.scopes.place(&header, at) {
            Place::Known => {}
            Place::Skipped if self.segments == 0 && self.scopes.is_at_root() => {
                return Err(self.ambiguous("an element is in front of the segment, where only some players expect one"));
            }
            Place::Skipped => return Ok(self.skip_element(header, at)),
            Place::Unknown { end } => return self.pass_unknown(header, end),
            Place::Foreign => return Err(self.ambiguous("an element is in a place where only some players read it")),
            Place::Impossible => return Err(self.malformed("an element has a length that it cannot have")),
            Place::TooLong => return Err(self.malformed("an element ends after the one that holds it")),
        }
        match header.id {
            ids::SIMPLE_BLOCK | ids::BLOCK => self.read_block(header, window),
            id if ids::is_container(id) => self.enter(header, at),
            _ => self.read_leaf(header, window),
        }
    }

    /// Skips an element without media. Players that cannot read it, or what follows it, search it for clusters.
    fn skip_element(&mut self, header: ElementHeader, at: u64) -> WalkStep {
        self.in_filling = ids::is_filling(header.id) && header.size.is_some();
        let end = header.size.map(|size| at.saturating_add(length_with_header(header, size)));
        self.search(header, end.unwrap_or(u64::MAX))
    }

    /// Skips an unknown element. Some players search it for clusters.
    fn pass_unknown(&mut self, header: ElementHeader, end: Option<u64>) -> Result<WalkStep, FileRefusal> {
        if self.segments == 0 && self.scopes.is_at_root() {
            return Err(self.malformed("it contains bytes that are not an element"));
        }
        Ok(self.search(header, end.unwrap_or(u64::MAX)))
    }

    fn search(&mut self, header: ElementHeader, until: u64) -> WalkStep {
        self.search_until = Some(until);
        WalkStep::Skip(wide(header.length))
    }

    fn enter(&mut self, header: ElementHeader, at: u64) -> Result<WalkStep, FileRefusal> {
        self.check_single(header.id)?;
        match header.id {
            ids::EBML | ids::SEGMENT if self.segments > 0 => {
                return Err(self.ambiguous("it is several files copied into one; join them with an editor"));
            }
            ids::SEGMENT => {
                self.segments = self.segments.saturating_add(1);
                self.targets.begin_segment(at.saturating_add(wide(header.length)));
            }
            ids::SEEK => self.targets.begin_entry(),
            ids::TRACK_ENTRY => self.tracks.begin()?,
            ids::CONTENT_ENCODING => self.tracks.begin_encoding(),
            ids::CLUSTER => self.begin_cluster()?,
            ids::BLOCK_GROUP => self.blocks.begin_group(),
            _ => {}
        }
        if self.scopes.open(&header, at) {
            return Err(self.malformed("its elements are nested too deep"));
        }
        if let (ids::SEGMENT | ids::CLUSTER, Some(size)) = (header.id, header.size) {
            let end = at.saturating_add(length_with_header(header, size));
            self.declared_end = self.declared_end.max(end);
        }
        Ok(WalkStep::Skip(wide(header.length)))
    }

    /// Refuses a duplicate, because players differ in which one they use.
    fn check_single(&mut self, id: ElementId) -> Result<(), FileRefusal> {
        if self.scopes.is_repeated(id) {
            return Err(self.ambiguous("an element that may come once comes twice"));
        }
        Ok(())
    }

    /// Usually all tracks are described before the first cluster, so a file without video is refused here.
    fn begin_cluster(&mut self) -> Result<(), FileRefusal> {
        if !self.has_clusters && self.tracks.are_described() {
            self.tracks.require_video(self.container)?;
        }
        self.has_clusters = true;
        self.blocks.begin_cluster();
        Ok(())
    }

    fn read_block(&mut self, header: ElementHeader, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let size = header.size.unwrap_or(0);
        // What follows the block must not count as its flags.
        let start = head(window.get(header.length..).unwrap_or_default(), narrow(size));
        let is_laced = lacing::is_laced(start) && wide(start.len()) >= size.min(BLOCK_START);
        let wanted = header.length.saturating_add(narrow(size.min(if is_laced { LACED_START } else { BLOCK_START })));
        let Some(block) = window.get(header.length..wanted) else {
            return Ok(WalkStep::Need(wanted));
        };
        self.check_single(header.id)?;
        if !self.blocks.is_timed() {
            return Err(self.ambiguous("a frame precedes the time of its cluster"));
        }
        if is_laced && !lacing::is_valid(block, size) {
            return Err(self.ambiguous("the lengths of the frames in a block are contradictory"));
        }
        if let Some(what) = self.blocks.absorb(block, size, self.scale(), &mut self.tracks) {
            return Err(self.ambiguous(what));
        }
        Ok(WalkStep::Skip(length_with_header(header, size)))
    }

    fn read_leaf(&mut self, header: ElementHeader, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let size = header.size.unwrap_or(0);
        let wanted = header.length.saturating_add(narrow(size.min(LEAF)));
        let Some(value) = window.get(header.length..wanted) else {
            return Ok(WalkStep::Need(wanted));
        };
        self.check_single(header.id)?;
        match header.id {
            ids::CODEC_DELAY if element::unsigned(value) > LONGEST_CODEC_DELAY => {
                return Err(self.ambiguous("the delay of a codec is so long that it moves the whole track"));
            }
            ids::DOC_TYPE if value.starts_with(b"webm") => self.container = Container::Webm,
            ids::SEEK_ID => {
                self.announces_tracks |= element::unsigned(value) == u64::from(ids::TRACKS);
                self.targets.set_id(element::unsigned(value));
            }
            ids::SEEK_POSITION => self.targets.set_position(element::unsigned(value)),
            ids::TIMESTAMP_SCALE if self.has_clusters && element::unsigned(value) != self.scale() => {
                return Err(self.ambiguous("it declares the unit of its times behind them"));
            }
            ids::TIMESTAMP_SCALE => self.read_scale(element::unsigned(value)),
            ids::DURATION if self.declared.is_none() => self.declared = element::float(value),
            ids::TIMESTAMP => self.blocks.set_time(element::unsigned(value)),
            ids::BLOCK_DURATION => self.blocks.set_duration(element::unsigned(value), &mut self.tracks),
            id => self.tracks.absorb(id, value),
        }
        if header.id == ids::TRACK_TIMESTAMP_SCALE && self.tracks.are_stretched() {
            let what = "the times of a track are stretched";
            return Err(FileRefusal::Unsupported { container: self.container, what });
        }
        Ok(WalkStep::Skip(length_with_header(header, size)))
    }

    /// Uses the largest scale if there are several: a second one must not shorten the video.
    fn read_scale(&mut self, scale: u64) {
        if scale > 0 {
            self.scale = Some(self.scale.map_or(scale, |known| known.max(scale)));
        }
    }

    /// Searches for the next top element among bytes that are no known element, as players do.
    fn resynchronise(&mut self, until: u64, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let left = narrow(until.saturating_sub(at));
        if left == 0 {
            (self.search_until, self.in_filling) = (None, false);
            return Ok(WalkStep::Skip(0));
        }
        let found = if self.in_filling { resync::find_cluster } else { resync::find };
        match found(head(window, left)) {
            resync::TopSearch::At(_) if self.scopes.is_at_root() => {
                Err(self.ambiguous("media follows the end of the segment"))
            }
            // The bytes behind the identifier tell whether it is one.
            resync::TopSearch::At(offset @ 1..) if until < u64::MAX => Ok(WalkStep::Skip(wide(offset))),
            resync::TopSearch::At(_) if until < u64::MAX => self.pass_identifier(left.min(resync::TOP_START), window),
            resync::TopSearch::At(offset) => {
                self.search_until = None;
                self.scopes.leave_to_segment();
                Ok(WalkStep::Skip(wide(offset)))
            }
            resync::TopSearch::NotWithin(0) if left > window.len() => Ok(WalkStep::Need(names::NAME)),
            resync::TopSearch::NotWithin(passed) => Ok(WalkStep::Skip(wide(passed.max(1)))),
        }
    }

    /// Passes over the identifier of a top element in an element of known length, if it is there by chance. This many
    /// bytes tell whether it is.
    fn pass_identifier(&mut self, wanted: usize, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        let Some(start) = window.get(..wanted) else { return Ok(WalkStep::Need(wanted)) };
        self.structures.add()?;
        let is_media = if self.in_filling { !resync::is_named(start) } else { resync::is_top(start) };
        if is_media {
            return Err(self.ambiguous("media is in an element in which only some players look for it"));
        }
        Ok(WalkStep::Skip(1))
    }

    /// Whether the declared duration includes subtitles that last longer than the film.
    fn declares_subtitles(&self, declared: u64, observed: Option<ObservedSpan>) -> bool {
        let others = self.tracks.observed_with_others(MAX_LAST_FRAME / self.scale(), |ticks| self.in_nanos(ticks));
        let end = |span: ObservedSpan| span.end.max(span.length());
        observed.zip(others).is_some_and(|(played, all)| {
            end(all) > end(played) && declared > end(played) && declared <= end(all).saturating_add(MISSING_END)
        })
    }

    /// Refuses blocks of undescribed tracks if they would last longer than the film.
    fn check_strays(&self, observed: Option<ObservedSpan>) -> Result<(), FileRefusal> {
        let strays = self.tracks.observed_strays(MAX_LAST_FRAME / self.scale(), |ticks| self.in_nanos(ticks));
        let played = observed.map_or(0, |span| span.length());
        let are_long = strays.is_some_and(|span| span.length() > played.saturating_add(MISSING_END));
        if are_long || self.tracks.has_too_many_strays() {
            return Err(self.ambiguous("it holds media of a track that is not described"));
        }
        Ok(())
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
            least_ms: millis(length),
            longest_track: None,
            shortest_video_ms: None,
            tracks: self.tracks.describe(length),
            metadata_first: self.declared.is_some() && self.tracks.precede_blocks(),
        }
    }
}

impl Walk for Matroska {
    fn step(&mut self, at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if let Some(until) = self.search_until {
            return self.resynchronise(until, at, window);
        }
        match element::parse(window) {
            HeaderParse::Need(count) => Ok(WalkStep::Need(count)),
            HeaderParse::Header(header) => {
                let step = self.step_element(header, at, window)?;
                if !matches!(step, WalkStep::Need(_)) {
                    self.structures.add()?;
                }
                Ok(step)
            }
            HeaderParse::Invalid if self.segments == 0 => {
                Err(self.malformed("it contains bytes that are not an element"))
            }
            HeaderParse::Invalid => {
                self.search_until = Some(u64::MAX);
                Ok(WalkStep::Skip(1))
            }
        }
    }

    fn is_known(&self) -> bool {
        // A declared duration includes subtitles, which may last longer than the film.
        self.has_clusters
            && self.declared_nanos().is_some()
            && self.tracks.has(TrackKind::Video)
            && !self.tracks.has(TrackKind::Other)
    }

    fn provisional(&self) -> Option<Media> {
        Some(self.media(self.declared_nanos()?, DurationSource::Declared))
    }

    fn proven(&self) -> u64 {
        self.tracks.proven(|ticks| self.in_nanos(ticks))
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        let container = self.container;
        let unfinished = self.search_until.is_none() && !end.tail.is_empty();
        let is_cut = end.missing > 0 || unfinished || self.declared_end > end.length;
        // A live recording declares no end: what is there is the video.
        let is_live = self.declared.is_none() && self.has_clusters && self.scopes.is_segment_endless();
        if is_cut && !is_live {
            return Err(FileRefusal::Truncated { container, what: "an element ends beyond the end of the file" });
        }
        self.tracks.require_video(container)?;
        // Without an announcement, players stop searching for tracks at the first block.
        if self.tracks.are_late() && !self.announces_tracks {
            return Err(self.ambiguous("its tracks follow its media, and nothing announces them"));
        }
        if !self.targets.are_found(end.length) {
            return Err(self.ambiguous("its index names elements that are not there"));
        }
        self.tracks.finish(self.scale());
        if self.tracks.go_back() {
            return Err(self.ambiguous("its times go back"));
        }
        if self.tracks.sound_goes_back() > SOUND_BACK_NANOS / self.scale().max(1) {
            return Err(self.ambiguous("its sound goes back in time"));
        }
        if self.tracks.have_hidden_sound(MAX_LAST_FRAME / self.scale(), |ticks| self.in_nanos(ticks)) {
            return Err(self.ambiguous("its sound plays for longer than its times say"));
        }
        if self.in_nanos(self.tracks.empty_span()) > NANOS_PER_SECOND {
            return Err(self.ambiguous("some of its frames hold no picture"));
        }
        let observed = self.observed();
        self.check_strays(observed)?;
        let declared = self.declared_nanos().filter(|declared| !self.declares_subtitles(*declared, observed));
        let declared = declared.map(DeclaredLength::from_zero);
        let (length, source) = final_duration(declared, observed, container, DurationSource::Timestamps)?;
        let least = self.tracks.least(MAX_LAST_FRAME / self.scale(), |ticks| self.in_nanos(ticks));
        Ok(self.media(length, source).with_least(least_within(least, length, observed)))
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

#[cfg(test)]
mod tests;
