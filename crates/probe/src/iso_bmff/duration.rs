//! Computes how long a movie plays from its tables and fragments.
//!
//! The headers `mvhd`, `tkhd` and `mdhd` are not used, so forging them changes nothing. This module must not read
//! boxes: `movie` does.

use super::contradiction::Contradiction;
use super::edit_list::{self, Edit, Span};
use super::movie::{FASTEST_CLOCK, Fragmentation, MAX_REORDERING, Movie, SourcedDuration};
use super::track::IsoTrack;
use crate::ends::{LeastTime, TrackEnds, least_time};
use crate::reconcile::{DeclaredLength, ObservedSpan, final_duration};
use crate::sound_bytes::outlasts;
use crate::time::{NANOS_PER_SECOND, millis, nanos, rate};
use crate::{Codec, Container, DurationSource, FileRefusal, Media, MediaTrack, TrackKind};

/// The longest time by which fragments of a track may overlap: live encoders round their starts.
const MAX_OVERLAP: u64 = NANOS_PER_SECOND / 4;
/// The longest last picture of a fragmented track, if players show it for the time that its codec says.
const LONGEST_LAST: u64 = NANOS_PER_SECOND;
/// The longest duration of samples without bytes, and the farthest that edits may move tracks if only some players do.
const UNCERTAIN: u64 = NANOS_PER_SECOND;
/// The longest plausible sample of sound.
const LONGEST_SOUND: u64 = 10 * NANOS_PER_SECOND;

/// Derives the track roles and the table duration once the movie header is complete, so that they are not computed
/// again for every later box and fragment. Refuses a movie without video.
pub(super) fn complete_header(movie: &mut Movie, container: Container) -> Result<(), FileRefusal> {
    let roles: Vec<_> = movie.tracks.iter().map(|track| role(movie, track)).collect();
    for (track, role) in movie.tracks.iter_mut().zip(roles) {
        track.role = role;
    }
    movie.tables = by_tables(movie);
    require_playable_video(movie, container)?;
    check_tracks(movie);
    let may_have_samples = |track: &IsoTrack| track.samples.samples() > 0 || !movie.defaults.is_empty();
    if played_tracks(movie).any(|track| track.timescale == 0 && may_have_samples(track)) {
        return Err(FileRefusal::DurationUnknown { container });
    }
    match movie.contradiction {
        Some(contradiction) => Err(FileRefusal::Ambiguous { container, what: contradiction.text() }),
        None => Ok(()),
    }
}

/// Notes contradictions between and within the tracks.
fn check_tracks(movie: &mut Movie) {
    let longest_played = movie.tables.map_or(0, |(length, _)| length);
    let is_short = |track: &IsoTrack| possible_length(movie, track) <= longest_played.saturating_add(NANOS_PER_SECOND);
    let played_alike = movie.tracks.iter().filter(|track| track.may_be_media()).all(is_short);
    let tables = played_tracks(movie).find_map(IsoTrack::contradiction);
    // Edits do not apply to fragments.
    let surplus_edits = played_tracks(movie).any(|track| track.has_surplus_edits && track.samples.samples() > 0);
    let only_pauses = |track: &IsoTrack| track.samples.samples() > 0 && edit_list::are_pauses(&track.edits);
    let plays_something = !played_tracks(movie).any(only_pauses);
    let endless = played_tracks(movie).any(|track| edit_list::are_endless(&track.edits));
    let begins_early = played_tracks(movie).any(|track| edit_list::begin_early(&track.edits));
    let edits_fit = !played_tracks(movie).any(|track| edits_overrun(movie, track));
    let pauses_in_time = !played_tracks(movie).any(|track| pauses_differently(movie, track));
    let kinds_agree = !movie.tracks.iter().any(IsoTrack::is_contradictory);
    let close = |track: &IsoTrack| {
        let shift = track.samples.earliest_shift().max(track.samples.earliest());
        nanos(shift, u64::from(track.timescale)).is_none_or(|shift| shift <= MAX_REORDERING)
    };
    let shown_in_order = played_tracks(movie).all(close);
    // Players cut sound only between samples, so an edit that plays a part of such a sample is no limit.
    let is_slow = |track: &IsoTrack| {
        let average = media_length(track).and_then(|length| length.checked_div(track.samples.samples()));
        track.role == TrackKind::Audio && average > Some(LONGEST_SOUND)
    };
    let sound_is_fast = !played_tracks(movie).any(is_slow);
    let is_long = |track: &IsoTrack| media_length(track) > Some(longest_played.saturating_add(NANOS_PER_SECOND));
    let edits_apply = !played_tracks(movie).any(|track| track.samples.has_surplus_in_chunks() && is_long(track));
    let versions_are_known = !played_tracks(movie).any(|track| track.has_unknown_version);
    let clocks_are_plain = played_tracks(movie).all(|track| track.timescale <= FASTEST_CLOCK);
    let same_id =
        |(index, track): (usize, &IsoTrack)| movie.tracks.iter().skip(index + 1).any(|other| other.id == track.id);
    let ids_differ = movie.defaults.is_empty() || !movie.tracks.iter().enumerate().any(same_id);
    movie.require(!surplus_edits, Contradiction::SurplusEdits);
    movie.require(plays_something, Contradiction::OnlyPauses);
    movie.require(!endless, Contradiction::EndlessEdit);
    movie.require(!begins_early, Contradiction::EarlyEdit);
    movie.require(edits_fit, Contradiction::LongEdit);
    movie.require(edits_apply, Contradiction::SurplusInChunks);
    movie.require(pauses_in_time, Contradiction::LatePause);
    movie.require(played_alike, Contradiction::LongestTrackForSome);
    if let Some(tables) = tables {
        movie.require(false, tables);
    }
    movie.require(kinds_agree, Contradiction::PictureAndSound);
    movie.require(shown_in_order, Contradiction::ShownLongBefore);
    movie.require(sound_is_fast, Contradiction::SlowSound);
    movie.require(versions_are_known, Contradiction::UnknownVersion);
    movie.require(clocks_are_plain, Contradiction::FastTrackClock);
    movie.require(ids_differ, Contradiction::SameNumber);
}

fn require_playable_video(movie: &Movie, container: Container) -> Result<(), FileRefusal> {
    let has = |kind| movie.tracks.iter().any(|track| track.role == kind);
    if !has(TrackKind::Video) {
        return Err(if has(TrackKind::Audio) {
            FileRefusal::AudioOnly { container }
        } else {
            FileRefusal::NoTracks { container }
        });
    }
    if played_tracks(movie).any(IsoTrack::is_external) {
        return Err(FileRefusal::Unsupported { container, what: "its media is stored in another file" });
    }
    Ok(())
}

/// Returns the duration before any fragment was seen: the longer of the tables' and the declared fragments' duration.
pub(super) fn declared(movie: &Movie) -> Option<SourcedDuration> {
    let fragments = declared_fragments(movie).map(|length| (length, DurationSource::Declared));
    match (movie.tables, fragments) {
        (Some(tables), Some(fragments)) => Some(if tables.0 >= fragments.0 { tables } else { fragments }),
        (tables, fragments) => tables.or(fragments),
    }
}

/// Returns the duration that the tables and the fragments seen so far prove.
pub(super) fn proven(movie: &Movie) -> u64 {
    let tables = movie.tables.map_or(0, |(length, _)| length);
    let spans = by_fragments(movie, movie.is_awaiting_media());
    spans.map_or(tables, |spans| tables.max(spans.stored.length().min(spans.edited.length())))
}

/// Returns the final verdict.
pub(super) fn final_media(movie: &Movie, container: Container, length: u64) -> Result<Media, FileRefusal> {
    let has_index_alone = movie.index_declared.is_some() && !movie.is_fragmented();
    let contradiction = movie.contradiction.or(has_index_alone.then_some(Contradiction::IndexOfNoFragments));
    if let Some(contradiction) = contradiction {
        return Err(FileRefusal::Ambiguous { container, what: contradiction.text() });
    }
    if played_tracks(movie).any(|track| track.timescale == 0 && track.fragments.is_some()) {
        return Err(FileRefusal::DurationUnknown { container });
    }
    check_reach(movie, container, length)?;
    if played_tracks(movie).any(ends_with_a_long_picture) {
        let what = "players differ in how long they show its last picture";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    if played_tracks(movie).any(has_overlapping_fragments) {
        let what = "its fragments overlap, and players differ in how long they play";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    let spans = by_fragments(movie, false);
    let has_unknown_edits =
        played_tracks(movie).any(|track| track.fragments.is_some() && shift(movie, track).is_none());
    if has_unknown_edits || spans.is_some_and(FragmentSpans::are_uncertain) {
        let what = "its fragments have edits that players treat differently";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    if played_tracks(movie).any(has_hidden_sound) {
        let what = "its sound plays for longer than its times say";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    if played_tracks(movie).any(has_empty_samples) {
        return Err(FileRefusal::Ambiguous { container, what: "it has samples without bytes" });
    }
    if movie.index_declared.is_some() && played_tracks(movie).any(|track| track.has_untimed_fragment) {
        let what = "only its index says when its fragments begin";
        return Err(FileRefusal::Ambiguous { container, what });
    }
    let tables = movie.tables;
    let duration = match spans.map(|spans| spans.edited) {
        Some(span) if tables.is_none_or(|(length, _)| length < span.length()) => {
            check_declared_fragments(movie, container, span)?;
            (span.length(), DurationSource::Fragments)
        }
        _ => tables.ok_or(FileRefusal::DurationUnknown { container })?,
    };
    let most = duration.0.saturating_add(NANOS_PER_SECOND);
    // Tracks of unknown formats hold measurements.
    let may_be_played = |track: &&IsoTrack| track.may_be_media() && track.entry.codec != Codec::Unknown;
    if movie.tracks.iter().filter(may_be_played).any(|track| fragments_length(track) > Some(most)) {
        return Err(FileRefusal::Ambiguous { container, what: Contradiction::LongestTrackForSome.text() });
    }
    Ok(media(movie, container, duration))
}

pub(super) fn media(movie: &Movie, container: Container, (length, source): SourcedDuration) -> Media {
    let describe = |track| describe(track, length);
    let media = Media {
        container,
        duration_ms: millis(length),
        duration_source: source,
        least_ms: millis(length),
        longest_track: None,
        shortest_video_ms: None,
        tracks: movie.tracks.iter().map(describe).collect(),
        metadata_first: !movie.media_first && declared(movie).is_some(),
    };
    media.with_least(least(movie))
}

fn describe(track: &IsoTrack, length: u64) -> MediaTrack {
    let mut description = track.describe();
    if description.kind == TrackKind::Video {
        let media = media_length(track).filter(|media| *media > 0 && track.fragments.is_none());
        description.frame_rate = rate(track.samples(), media.unwrap_or(length));
    }
    description
}

/// Returns the role of a track for the viewer. Chapter pictures and cover art are not video.
fn role(movie: &Movie, track: &IsoTrack) -> TrackKind {
    let kind = track.kind();
    let is_chapters = movie.tracks.iter().any(|other| other.chapters == Some(track.id));
    let is_cover = track.entry.codec.is_still_picture() && track.samples() == 1;
    if kind == TrackKind::Video && (is_chapters || is_cover) { TrackKind::Other } else { kind }
}

fn played_tracks(movie: &Movie) -> impl Iterator<Item = &IsoTrack> {
    movie.tracks.iter().filter(|track| track.role != TrackKind::Other)
}

fn fragments_length(track: &IsoTrack) -> Option<u64> {
    let span = track.fragments?;
    nanos(span.end.saturating_sub(span.start), u64::from(track.timescale))
}

fn media_length(track: &IsoTrack) -> Option<u64> {
    nanos(track.samples.duration(), u64::from(track.timescale))
}

/// Whether the track ends with a fragment whose last picture is declared to last long. Players show an MPEG-4 picture
/// for the time that its codec says.
fn ends_with_a_long_picture(track: &IsoTrack) -> bool {
    let last = nanos(track.last_sample(), u64::from(track.timescale));
    track.entry.codec == Codec::Mpeg4 && last > Some(LONGEST_LAST)
}

/// Returns the time in which the tracks play, and how the end was obtained. A track plays by its edit list, or by its
/// sample table if it has no edit list.
fn by_tables(movie: &Movie) -> Option<SourcedDuration> {
    let spans = played_tracks(movie).filter_map(|track| played_span(movie, track));
    let whole = spans.reduce(|(span, source), (next, other)| {
        (span.joined(next), if next.end > span.end { other } else { source })
    })?;
    Some((whole.0.length(), whole.1)).filter(|(length, _)| *length > 0)
}

/// Returns the playing time without the last frame of each track.
fn least(movie: &Movie) -> Option<LeastTime> {
    let ends: Vec<_> = played_tracks(movie).filter_map(|track| ends(movie, track)).collect();
    least_time(ends.into_iter())
}

fn ends(movie: &Movie, track: &IsoTrack) -> Option<TrackEnds> {
    let in_nanos = |ticks: u64| nanos(ticks, u64::from(track.timescale)).unwrap_or(0);
    let (span, last, usual) = match (track.fragments, played_span(movie, track)) {
        (Some(fragments), table) => {
            let by = shift(movie, track).unwrap_or(0);
            let (first, sum) = (in_nanos(fragments.start), in_nanos(fragments.sum));
            let at = |nanos: u64| edit_list::signed(nanos).saturating_add(by);
            let covered = Span { start: at(first), end: at(in_nanos(fragments.end).max(first.saturating_add(sum))) };
            let whole = table.map_or(covered, |(table, _)| table.joined(covered));
            (whole, track.last_sample(), track.usual_sample())
        }
        (None, Some((span, _))) => (span, track.samples.last_duration(), track.samples.usual_duration()),
        (None, None) => return None,
    };
    let span = (span.start, span.end);
    let (last, usual) = (in_nanos(last), in_nanos(usual));
    Some(match track.role {
        TrackKind::Video => TrackEnds::of_pictures(track.entry.codec, span, last, usual),
        TrackKind::Audio => TrackEnds::of_sound(span, Some(last), &track.describe()),
        TrackKind::Other => TrackEnds::of_other(span),
    })
}

/// Returns the longest time for which any player might play a track. Edits that play nothing are ignored.
fn possible_length(movie: &Movie, track: &IsoTrack) -> u64 {
    if track.kind() == TrackKind::Video && track.entry.codec.is_still_picture() && track.samples() == 1 {
        return 0;
    }
    match played_span(movie, track) {
        Some((span, _)) => span.length(),
        None => media_length(track).unwrap_or(0),
    }
}

fn played_span(movie: &Movie, track: &IsoTrack) -> Option<(Span, DurationSource)> {
    span_by_edits(movie, track, &track.edits)
}

/// Whether players that show the beginning of the media instead of later pauses would play the track for longer or
/// shorter.
fn pauses_differently(movie: &Movie, track: &IsoTrack) -> bool {
    let others = edit_list::without_later_pauses(&track.edits).and_then(|edits| span_by_edits(movie, track, &edits));
    let span = played_span(movie, track).zip(others);
    span.is_some_and(|((span, _), (other, _))| span.length().abs_diff(other.length()) > MAX_OVERLAP)
}

/// Whether an edit of samples in the movie header ends after its media, so that players differ in what follows.
fn edits_overrun(movie: &Movie, track: &IsoTrack) -> bool {
    let overrun = |media| edit_list::overrun(&track.edits, movie.timescale, media, track.timescale);
    media_span(track).is_some_and(overrun)
}

/// Returns the time that the samples in the movie header cover, if they have any.
fn media_span(track: &IsoTrack) -> Option<Span> {
    media_length(track).filter(|media| *media > 0)?;
    let (start, end) = track.samples.presentation();
    let in_nanos = |ticks: i64| {
        let distance = edit_list::signed(nanos(ticks.unsigned_abs(), u64::from(track.timescale)).unwrap_or(0));
        distance.saturating_mul(ticks.signum())
    };
    Some(Span { start: in_nanos(start), end: in_nanos(end) })
}

fn span_by_edits(movie: &Movie, track: &IsoTrack, edits: &[Edit]) -> Option<(Span, DurationSource)> {
    let media = media_span(track)?;
    if edits.is_empty() {
        return Some((media, DurationSource::SampleTable));
    }
    let edited = edit_list::played(edits, movie.timescale, media, track.timescale)?;
    Some((edited, DurationSource::EditList))
}

/// Whether the samples of a track's fragments last clearly longer than the time that they cover.
fn has_overlapping_fragments(track: &IsoTrack) -> bool {
    let before = track.samples.duration();
    track.fragments.is_some_and(|span| {
        let covered = span.end.saturating_sub(if before > 0 { 0 } else { span.start });
        let surplus = span.sum.saturating_add(before).saturating_sub(covered);
        nanos(surplus, u64::from(track.timescale)).is_none_or(|surplus| surplus > MAX_OVERLAP)
    })
}

/// Whether a track has samples without bytes, which show nothing, for a noticeable time.
fn has_empty_samples(track: &IsoTrack) -> bool {
    let empty = track.samples.empty_ticks().saturating_add(track.empty_in_fragments);
    nanos(empty, u64::from(track.timescale)).is_none_or(|empty| empty > UNCERTAIN)
}

/// Whether the samples of sound must play for longer than they are declared to last.
fn has_hidden_sound(track: &IsoTrack) -> bool {
    let in_nanos = |ticks| nanos(ticks, u64::from(track.timescale)).unwrap_or(u64::MAX);
    // Some writers give fragments of one sample no duration. The beginning of the next fragment says how long it lasts.
    let in_fragments = track.fragments.map_or(0, |span| span.sum.max(span.end.saturating_sub(span.start)));
    let declared = in_nanos(track.samples.duration().saturating_add(in_fragments));
    let ticking = in_nanos(track.samples.ticking_samples().unwrap_or(0));
    track.role == TrackKind::Audio && outlasts(track.entry.pace.least(track.sound()).max(ticking), declared)
}

/// Returns by how much the edits of a track shift its fragments, in nanoseconds. `None` if players differ in it.
fn shift(movie: &Movie, track: &IsoTrack) -> Option<i64> {
    if track.edits.is_empty() { Some(0) } else { edit_list::shift(&track.edits, movie.timescale, track.timescale) }
}

/// The time that all fragments cover.
#[derive(Clone, Copy)]
struct FragmentSpans {
    stored: ObservedSpan,
    /// With the shifts of their edits.
    edited: ObservedSpan,
    /// Without the part that the edits shift before the beginning.
    cut: ObservedSpan,
}

impl FragmentSpans {
    /// Whether the fragments play longer for players that ignore the edits, or shorter for players that cut what lies
    /// before the beginning.
    fn are_uncertain(self) -> bool {
        let edited = self.edited.length();
        self.stored.length() > edited.saturating_add(UNCERTAIN) || self.cut.length().abs_diff(edited) > MAX_OVERLAP
    }
}

fn by_fragments(movie: &Movie, without_last: bool) -> Option<FragmentSpans> {
    let span = |place: fn(Span, i64) -> Span| span_of_fragments(movie, without_last, place);
    let shifted = |span: Span, by: i64| Span { start: span.start.saturating_add(by), end: span.end.saturating_add(by) };
    let cut = |span: Span, by: i64| Span {
        start: span.start.saturating_add(by).max(0),
        end: span.end.saturating_add(by).max(0),
    };
    Some(FragmentSpans { stored: span(|span, _| span)?, edited: span(shifted)?, cut: span(cut)? })
}

/// Returns the span from the earliest start to the latest end of all fragments, but at least the sum of one track's
/// samples, so that overlapping fragments cannot hide duration. `place` gets the span of a track and its shift.
fn span_of_fragments(movie: &Movie, without_last: bool, place: impl Fn(Span, i64) -> Span) -> Option<ObservedSpan> {
    let spans = played_tracks(movie).filter_map(|track| {
        let span = if without_last { track.earlier_fragments? } else { track.fragments? };
        let in_nanos = |ticks: u64| nanos(ticks, u64::from(track.timescale));
        // Samples in the movie header precede all fragments.
        let before = track.samples.duration();
        let start = edit_list::signed(in_nanos(if before > 0 { 0 } else { span.start })?);
        let stored = Span { start, end: edit_list::signed(in_nanos(span.end)?) };
        Some((place(stored, shift(movie, track).unwrap_or(0)), in_nanos(span.sum.saturating_add(before))?))
    });
    let (whole, sum) = spans.reduce(|(span, sum), (next, other)| (span.joined(next), sum.max(other)))?;
    let start = u64::try_from(whole.start).unwrap_or(0);
    let end = start.saturating_add(whole.length().max(sum));
    Some(ObservedSpan { start, last: end, end, known: end, latest: end })
}

fn declared_fragments(movie: &Movie) -> Option<u64> {
    let by_header = movie.fragments_declared.and_then(|ticks| nanos(ticks, u64::from(movie.timescale)));
    by_header.or(movie.index_declared).filter(|length| *length > 0)
}

/// Refuses fragments that stop long before the end that `mehd` or `sidx` declares: the file is truncated.
fn check_declared_fragments(movie: &Movie, container: Container, span: ObservedSpan) -> Result<(), FileRefusal> {
    let declared = declared_fragments(movie).map(DeclaredLength::from_zero);
    final_duration(declared, Some(span), container, DurationSource::Fragments).map(|_| ())
}

/// Returns how many bytes the samples of a track take in the file. QuickTime gives compressed sound the size that it
/// has when it is not compressed.
fn stored_bytes(track: &IsoTrack) -> u64 {
    let is_nominal = track.role == TrackKind::Audio && track.samples.have_one_size();
    if is_nominal { 0 } else { track.samples.bytes }
}

/// Refuses truncated files whose box sizes do not show it: samples that lie past the end of the file.
fn check_reach(movie: &Movie, container: Container, length: u64) -> Result<(), FileRefusal> {
    let truncated = |what| Err(FileRefusal::Truncated { container, what });
    if played_tracks(movie).any(|track| track.samples.farthest_chunk() >= length && track.samples.samples() > 0) {
        return truncated("its samples lie beyond the end of the file");
    }
    let wanted = played_tracks(movie).fold(0, |sum: u64, track| sum.saturating_add(stored_bytes(track)));
    // Players lose their place after a sample that cannot be there.
    let largest = played_tracks(movie).map(|track| u64::from(track.largest_in_fragments)).max();
    if wanted > length || largest > Some(length) {
        return truncated("it is shorter than its samples");
    }
    if movie.farthest_media() >= length {
        return truncated("the samples of a fragment lie beyond the end of the file");
    }
    if let Some(start) = movie.unsized_media_from
        && !movie.is_fragmented()
        && wanted > length.saturating_sub(start)
    {
        return truncated("it holds less media data than its samples need");
    }
    if movie.fragmentation == Fragmentation::AwaitingMedia {
        return truncated("its last fragment has no media data");
    }
    if movie.is_fragmented() && movie.index_end > length {
        return truncated("it ends before the end declared by its segment index");
    }
    Ok(())
}
