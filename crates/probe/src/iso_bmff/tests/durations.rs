//! The durations that follow from a movie's tables, edits, fragments and index.

use super::{MP4, add_fragment, completed, movie, track};
use crate::iso_bmff::boxes::BoxEnd;
use crate::iso_bmff::duration::{declared, final_media, media, proven};
use crate::iso_bmff::edit_list;
use crate::iso_bmff::fragments::Fragment;
use crate::iso_bmff::movie::{Fragmentation, Movie};
use crate::iso_bmff::table::TableKind;
use crate::iso_bmff::track::IsoTrack;
use crate::time::NANOS_PER_SECOND;
use crate::{Codec, DurationSource, FileRefusal, TrackKind};
use fixtures::boxes::words;

const FILE: u64 = 100_000;

fn milliseconds(movie: &Movie) -> Result<(u64, DurationSource), FileRefusal> {
    final_media(movie, MP4, FILE).map(|media| (media.duration_ms, media.duration_source))
}

#[test]
fn the_longest_played_track_decides() {
    let subtitles = track(*b"text", 3, 900);
    let movie = movie(vec![track(*b"vide", 1, 50), track(*b"soun", 2, 75), subtitles]);
    assert_eq!(milliseconds(&movie), Ok((3_000, DurationSource::SampleTable)));
    assert_eq!(declared(&movie), Some((3 * NANOS_PER_SECOND, DurationSource::SampleTable)));
    assert_eq!(proven(&movie), 3 * NANOS_PER_SECOND);
}

#[test]
fn an_edited_track_plays_its_edits_but_its_frame_rate_is_that_of_its_media() {
    let mut video = track(*b"vide", 1, 50);
    video.edits = vec![edit_list::read(&words(&[1_000, 0, 0]), false)];
    let movie = movie(vec![video]);
    let media = final_media(&movie, MP4, FILE).expect("a video");
    assert_eq!((media.duration_ms, media.duration_source), (1_000, DurationSource::EditList));
    assert_eq!(media.tracks[0].frame_rate, Some(25.0));
}

#[test]
fn the_frame_rate_of_a_fragmented_track_is_over_its_whole_length() {
    let mut movie = movie(vec![track(*b"vide", 1, 0)]);
    for second in 0..4 {
        add_fragment(&mut movie, second * 1_000);
    }
    let media = final_media(&movie, MP4, FILE).expect("a video");
    assert_eq!((media.duration_ms, media.tracks[0].frame_rate), (4_000, Some(25.0)));
}

#[test]
fn chapter_pictures_and_cover_art_are_not_video() {
    let mut video = track(*b"vide", 1, 50);
    video.chapters = Some(2);
    let mut cover = track(*b"vide", 3, 1);
    cover.entry.codec = Codec::Mjpeg;
    let roles = |tracks| movie(tracks).tracks.iter().map(|track| track.role).collect::<Vec<_>>();
    let expected = [TrackKind::Video, TrackKind::Other, TrackKind::Other];
    assert_eq!(roles(vec![video, track(*b"vide", 2, 50), cover]), expected);
    let mut slides = track(*b"vide", 1, 2);
    slides.entry.codec = Codec::Mjpeg;
    assert_eq!(roles(vec![slides]), [TrackKind::Video], "two pictures are a video");
    let mut video = track(*b"vide", 1, 50);
    video.chapters = Some(2);
    let longer = completed(vec![video, track(*b"vide", 2, 900)]).1;
    assert!(matches!(longer, Err(FileRefusal::Ambiguous { .. })), "some players play chapters");
}

#[test]
fn a_movie_needs_video_that_is_in_this_file() {
    let complete = |tracks| completed(tracks).1;
    let elsewhere = |mut track: IsoTrack| {
        (track.references, track.external) = (1, 1);
        track
    };
    assert_eq!(complete(vec![track(*b"soun", 1, 9)]), Err(FileRefusal::AudioOnly { container: MP4 }));
    assert_eq!(complete(vec![track(*b"text", 1, 9)]), Err(FileRefusal::NoTracks { container: MP4 }));
    let video = elsewhere(track(*b"vide", 1, 9));
    assert!(matches!(complete(vec![video]), Err(FileRefusal::Unsupported { container: MP4, .. })));
    let sound = complete(vec![track(*b"vide", 1, 9), elsewhere(track(*b"soun", 2, 9))]);
    assert!(matches!(sound, Err(FileRefusal::Unsupported { container: MP4, .. })));
}

#[test]
fn fragments_count_by_their_span_unless_they_overlap() {
    let mut movie = movie(vec![track(*b"vide", 1, 0)]);
    add_fragment(&mut movie, 5_000);
    assert_eq!(milliseconds(&movie), Ok((1_000, DurationSource::Fragments)), "a late start");
    add_fragment(&mut movie, 9_000);
    assert_eq!(milliseconds(&movie), Ok((5_000, DurationSource::Fragments)), "a gap");
    for _ in 0..6 {
        add_fragment(&mut movie, 9_000);
    }
    assert!(matches!(milliseconds(&movie), Err(FileRefusal::Ambiguous { .. })), "overlaps");
    assert_eq!(proven(&movie), 8 * NANOS_PER_SECOND);
}

/// Returns a movie with a fragment of a second in each of two tracks, the second of which has these edits.
fn shifted(start: u64, edits: &[[u32; 2]]) -> Movie {
    let mut movie = movie(vec![track(*b"vide", 1, 0), track(*b"soun", 2, 0)]);
    let read = |[duration, time]: &[u32; 2]| edit_list::read(&words(&[*duration, *time, 0]), false);
    movie.tracks[1].edits = edits.iter().map(read).collect();
    add_fragment(&mut movie, 0);
    let mut fragment = Fragment::default();
    (fragment.track_id, fragment.starts_at, fragment.samples) = (2, Some(start), 25);
    fragment.add(1_000);
    movie.tracks[1].absorb_fragment(&fragment);
    movie
}

#[test]
fn edits_shift_the_fragments_of_their_track() {
    let plays = |start, edits: &[[u32; 2]]| milliseconds(&shifted(start, edits)).map(|(length, _)| length);
    let pause = u32::MAX;
    assert_eq!(plays(0, &[]), Ok(1_000));
    assert_eq!([plays(0, &[[500, pause], [0, 0]]), plays(0, &[[9_000, pause]])], [Ok(1_500), Ok(10_000)], "a pause");
    assert_eq!([plays(500, &[[0, 500]]), plays(0, &[[0, 250]])], [Ok(1_000), Ok(1_250)], "a beginning in the media");
    for (start, edits) in [
        (0, &[[0, 251]][..]),
        (1_001, &[[0, 1_001]]),
        (0, &[[0, 0], [0, 0]]),
        (0, &[[500, pause], [0, 0], [500, pause]]),
        (0, &[[0, 0], [500, pause]]),
    ] {
        assert!(matches!(plays(start, edits), Err(FileRefusal::Ambiguous { .. })), "{edits:?}");
    }
    assert_eq!(proven(&shifted(0, &[[9_000, pause]])), NANOS_PER_SECOND, "what all players play");
}

#[test]
fn samples_in_the_header_precede_the_fragments() {
    let mut movie = movie(vec![track(*b"vide", 1, 50)]);
    add_fragment(&mut movie, 2_000);
    assert_eq!(milliseconds(&movie), Ok((3_000, DurationSource::Fragments)));
}

#[test]
fn declared_fragments_are_a_provisional_verdict_and_must_arrive() {
    let mut movie = movie(vec![track(*b"vide", 1, 0)]);
    assert_eq!(declared(&movie), None);
    for (by_header, by_index, expected) in [
        (Some(9_000), None, Some(9)),
        (None, Some(7 * NANOS_PER_SECOND), Some(7)),
        (Some(9_000), Some(7 * NANOS_PER_SECOND), Some(9)),
        (Some(0), None, None),
        (None, Some(0), None),
    ] {
        (movie.fragments_declared, movie.index_declared) = (by_header, by_index);
        let expected = expected.map(|seconds| (seconds * NANOS_PER_SECOND, DurationSource::Declared));
        assert_eq!(declared(&movie), expected, "{by_header:?}, {by_index:?}");
    }
    movie.fragments_declared = Some(2_000);
    add_fragment(&mut movie, 0);
    assert!(milliseconds(&movie).is_ok(), "a second may be missing");
    movie.fragments_declared = Some(2_001);
    assert!(matches!(milliseconds(&movie), Err(FileRefusal::Truncated { .. })));
}

#[test]
fn samples_and_fragments_beyond_the_end_mean_that_the_file_is_truncated() {
    let chunk_at = |offset| {
        let mut video = track(*b"vide", 1, 50);
        video.samples.absorb_chunk(&words(&[offset]), |_| false);
        milliseconds(&movie(vec![video])).is_ok()
    };
    assert!(chunk_at(99_999) && !chunk_at(100_000));
    let index_until = |index_end, is_fragmented| {
        let mut movie = movie(vec![track(*b"vide", 1, 50)]);
        if is_fragmented {
            add_fragment(&mut movie, 2_000);
        }
        movie.index_end = index_end;
        milliseconds(&movie).is_ok()
    };
    assert!(index_until(FILE, true) && !index_until(FILE + 1, true) && index_until(FILE + 1, false));
    let mut unfinished = movie(vec![track(*b"vide", 1, 50)]);
    unfinished.open(*b"moof").expect("a fragment");
    assert_eq!(unfinished.fragmentation, Fragmentation::AwaitingMedia);
    assert!(milliseconds(&unfinished).is_err());
}

#[test]
fn the_media_must_hold_what_its_samples_need() {
    let with_bytes = |bytes: u64, end: BoxEnd| {
        let mut video = track(*b"vide", 1, 50);
        video.samples.bytes = bytes;
        let mut movie = movie(vec![video]);
        movie.media_begins(true, end, 8);
        milliseconds(&movie).is_ok()
    };
    let endless = BoxEnd::OfFile(1_000);
    assert!(with_bytes(98_992, endless) && !with_bytes(98_993, endless));
    assert!(with_bytes(FILE, BoxEnd::At(9)) && !with_bytes(FILE + 1, BoxEnd::At(9)), "more than the whole file");
}

#[test]
fn the_metadata_is_first_unless_media_came_before_the_end_of_the_header() {
    let first = |complete| {
        let mut movie = movie(vec![track(*b"vide", 1, 50)]);
        movie.complete = complete;
        movie.media_begins(false, BoxEnd::At(9), 8);
        assert!(!movie.media_first, "a box inside another one is not media");
        movie.media_begins(true, BoxEnd::At(9), 8);
        movie.complete = true;
        movie.media_begins(true, BoxEnd::At(9), 8);
        media(&movie, MP4, (1, DurationSource::SampleTable)).metadata_first
    };
    assert!(first(true) && !first(false));
}

#[test]
fn a_segment_index_declares_duration_and_end_once() {
    for (version, long) in [(0, false), (1, true)] {
        let mut body = words(&[version << 24, 1, 1_000]);
        body.extend(if long { words(&[0, 0, 0, 50]) } else { words(&[0, 50]) });
        body.extend([0, 0, 0, 2]);
        let mut movie = Movie::default();
        let layout = movie.open_table(*b"sidx", &body, 500).expect("references");
        assert_eq!((layout.count, layout.entry_length), (2, 12));
        assert_eq!(layout.preamble, if long { 32 } else { 24 });
        movie.absorb_entries(layout.kind, 12, &words(&[0x8000_0064, 3_000, 0, 200, 1_500, 0]));
        assert_eq!((movie.index_end, movie.index_declared), (500 + 50 + 300, Some(4_500_000_000)));
        assert!(movie.open_table(*b"sidx", &body, 900).is_none(), "only the first index counts");
        assert_eq!(movie.index_end, 850);
    }
}

#[test]
fn run_durations_add_up() {
    let mut movie = movie(vec![track(*b"vide", 1, 0)]);
    movie.open(*b"traf").expect("a fragment");
    movie.absorb_leaf(*b"tfhd", &words(&[0, 1]));
    movie.absorb_leaf(*b"tfdt", &words(&[0, 500]));
    let layout = movie.open_table(*b"trun", &words(&[0x300, 2]), 100).expect("entries");
    movie.absorb_entries(layout.kind, layout.entry_length, &words(&[700, 9, 300, 9]));
    movie.close_fragment();
    let span = movie.tracks[0].fragments.expect("a span");
    assert_eq!((span.start, span.end, span.sum), (500, 1_500, 1_000));
}

#[test]
fn a_track_is_encrypted_if_its_description_is() {
    for encrypted in [false, true] {
        let mut track = track(*b"vide", 1, 25);
        track.entry.encrypted = encrypted;
        assert_eq!(track.describe().encrypted, encrypted);
    }
}

#[test]
fn a_tracks_boxes_fill_its_values() {
    let mut movie = Movie::default();
    movie.open(*b"trak").expect("a track");
    for (kind, body) in [
        (*b"mdhd", words(&[0, 0, 0, 90_000, 0])),
        (*b"hdlr", words(&[0, 0, u32::from_be_bytes(*b"vide")])),
        (*b"dref", words(&[0, 1, 12, 0, 0])),
        (*b"chap", words(&[9])),
    ] {
        movie.absorb_leaf(kind, &body);
    }
    let track = &movie.tracks[0];
    assert_eq!((track.timescale, track.kind(), track.external, track.chapters), (90_000, TrackKind::Video, 1, Some(9)));
    movie.absorb_leaf(*b"mdhd", &words(&[1 << 24, 0, 0, 0, 0, 48_000]));
    movie.absorb_leaf(*b"mvhd", &words(&[1 << 24, 0, 0, 0, 0, 600]));
    assert_eq!((movie.tracks[0].timescale, movie.timescale), (48_000, 600));
    for (words_of_box, expected) in [
        (vec![0, 5_000], Some(5_000)),
        (vec![0, u32::MAX], None),
        (vec![1 << 24, 1, 0], Some(1 << 32)),
        (vec![1 << 24, u32::MAX, u32::MAX], None),
    ] {
        movie.absorb_leaf(*b"mehd", &words(&words_of_box));
        assert_eq!(movie.fragments_declared, expected, "{words_of_box:?}");
    }
}

/// Adds a fragment with samples of these ticks to the first track.
fn add_samples(movie: &mut Movie, start: u64, samples: &[u64]) {
    movie.open(*b"moof").expect("a fragment");
    let mut fragment = Fragment::default();
    (fragment.track_id, fragment.starts_at, fragment.samples) = (1, Some(start), samples.len() as u64);
    for ticks in samples {
        fragment.add(*ticks);
    }
    movie.tracks[0].absorb_fragment(&fragment);
    movie.media_begins(true, BoxEnd::At(10), 8);
}

#[test]
fn of_tables_and_declared_fragments_the_longer_counts_and_of_equal_ones_the_tables() {
    let mut movie = movie(vec![track(*b"vide", 1, 50)]);
    for (fragments, seconds, source) in [
        (1_000, 2, DurationSource::SampleTable),
        (2_000, 2, DurationSource::SampleTable),
        (3_000, 3, DurationSource::Declared),
    ] {
        movie.fragments_declared = Some(fragments);
        assert_eq!(declared(&movie), Some((seconds * NANOS_PER_SECOND, source)), "{fragments}");
    }
}

#[test]
fn fragments_that_end_with_another_tracks_table_add_nothing() {
    let mut movie = movie(vec![track(*b"vide", 1, 50), track(*b"soun", 2, 75)]);
    add_fragment(&mut movie, 2_000);
    assert_eq!(milliseconds(&movie), Ok((3_000, DurationSource::SampleTable)));
}

#[test]
fn a_gap_between_the_header_and_its_fragments_counts() {
    let mut movie = movie(vec![track(*b"vide", 1, 50)]);
    add_fragment(&mut movie, 4_000);
    assert_eq!(milliseconds(&movie), Ok((5_000, DurationSource::Fragments)));
}

#[test]
fn fragments_without_duration_say_nothing() {
    let mut movie = movie(vec![track(*b"vide", 1, 0)]);
    add_samples(&mut movie, 0, &[0]);
    assert_eq!(milliseconds(&movie), Err(FileRefusal::DurationUnknown { container: MP4 }));
}

#[test]
fn fragments_may_overlap_by_a_quarter_of_a_second() {
    let overlapping = |start| {
        let mut movie = movie(vec![track(*b"vide", 1, 0)]);
        add_fragment(&mut movie, 0);
        add_fragment(&mut movie, start);
        milliseconds(&movie)
    };
    assert_eq!(overlapping(750), Ok((2_000, DurationSource::Fragments)));
    assert!(matches!(overlapping(749), Err(FileRefusal::Ambiguous { what, .. }) if what.contains("overlap")));
}

#[test]
fn the_last_mpeg4_picture_of_fragments_lasts_for_a_second_at_most() {
    let ending = |codec, others, last| {
        let mut movie = movie(vec![track(*b"vide", 1, 0)]);
        movie.tracks[0].entry.codec = codec;
        add_samples(&mut movie, 0, &[others, others, last]);
        milliseconds(&movie)
    };
    assert_eq!(ending(Codec::Mpeg4, 40, 1_000), Ok((1_080, DurationSource::Fragments)));
    for others in [40, 1_001] {
        let refused = ending(Codec::Mpeg4, others, 1_001);
        assert!(matches!(refused, Err(FileRefusal::Ambiguous { what, .. }) if what.contains("last picture")));
    }
    assert_eq!(ending(Codec::H264, 40, 1_001), Ok((1_081, DurationSource::Fragments)));
}

#[test]
fn a_sample_of_a_fragment_is_not_larger_than_the_file() {
    let with_sample = |largest| {
        let mut movie = movie(vec![track(*b"vide", 1, 0)]);
        add_fragment(&mut movie, 0);
        movie.tracks[0].largest_in_fragments = largest;
        milliseconds(&movie).map_err(|refusal| refusal.kind().name())
    };
    assert_eq!(with_sample(100_000), Ok((1_000, DurationSource::Fragments)));
    assert_eq!(with_sample(100_001), Err("truncated"));
}

#[test]
fn a_chunk_beyond_the_end_of_the_file_matters_only_if_it_has_samples() {
    let mut sound = track(*b"soun", 2, 0);
    sound.samples.absorb_chunk(&words(&[u32::MAX]), |_| false);
    assert!(milliseconds(&movie(vec![track(*b"vide", 1, 50), sound])).is_ok());
}

#[test]
fn of_two_tracks_that_end_together_the_first_decides_the_source() {
    let mut edited = track(*b"vide", 1, 75);
    edited.edits = vec![edit_list::read(&words(&[2_000, 0, 0]), false)];
    let source = |sound_samples| {
        let mut video = track(*b"vide", 1, 75);
        video.edits = edited.edits.clone();
        movie(vec![video, track(*b"soun", 2, sound_samples)]).tables
    };
    assert_eq!(source(25), Some((2 * NANOS_PER_SECOND, DurationSource::EditList)));
    assert_eq!(source(50), Some((2 * NANOS_PER_SECOND, DurationSource::EditList)));
    assert_eq!(source(51), Some((2_040_000_000, DurationSource::SampleTable)));
}

#[test]
fn a_track_whose_samples_have_no_duration_covers_no_time() {
    let mut video = track(*b"vide", 1, 50);
    video.samples.absorb(TableKind::CompositionOffsets, &words(&[50, 80]));
    let with_sound = movie(vec![video, super::track_of(*b"soun", 2, 9, 0)]);
    assert_eq!(milliseconds(&with_sound), Ok((2_000, DurationSource::SampleTable)));
    let other = movie(vec![track(*b"vide", 1, 50), super::track_of(*b"vide", 2, 25, 0)]);
    assert_eq!(final_media(&other, MP4, FILE).expect("a video").tracks[1].frame_rate, Some(12.5));
}

#[test]
fn samples_that_end_when_the_first_one_begins_cover_no_time() {
    let mut video = super::track_of(*b"vide", 1, 1, 0);
    for (kind, body) in [(*b"stsz", [0, 1, 2]), (*b"stco", [0, 2, 0])] {
        crate::iso_bmff::sample_table::open(&mut video.samples, kind, &words(&body));
    }
    for (kind, entry) in [(TableKind::TimeToSample, [1, 40]), (TableKind::CompositionOffsets, [1, 100])] {
        video.samples.absorb(kind, &words(&entry));
    }
    assert_eq!(movie(vec![video]).tables, None);
}

#[test]
fn the_frame_rate_of_a_track_with_samples_in_header_and_fragments_is_over_its_whole_length() {
    let mut movie = movie(vec![track(*b"vide", 1, 50)]);
    add_fragment(&mut movie, 2_000);
    assert_eq!(final_media(&movie, MP4, FILE).expect("a video").tracks[0].frame_rate, Some(25.0));
}
