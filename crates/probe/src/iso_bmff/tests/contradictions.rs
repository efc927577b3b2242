//! The contradictions in the tracks of a movie header, at the limits of what is accepted.

use super::{MP4, completed, track, track_of};
use crate::iso_bmff::contradiction::Contradiction;
use crate::iso_bmff::edit_list;
use crate::iso_bmff::fragments::TrackDefaults;
use crate::iso_bmff::movie::Movie;
use crate::iso_bmff::table::TableKind;
use crate::iso_bmff::track::IsoTrack;
use crate::{Codec, FileRefusal};
use fixtures::boxes::words;

/// Returns what is ambiguous about a video of two seconds and these further tracks.
fn beside_video(tracks: Vec<IsoTrack>) -> Result<(), &'static str> {
    ambiguity([vec![track(*b"vide", 1, 50)], tracks].into_iter().flatten().collect())
}

fn ambiguity(tracks: Vec<IsoTrack>) -> Result<(), &'static str> {
    completed(tracks).1.map_err(|refusal| match refusal {
        FileRefusal::Ambiguous { container: MP4, what } => what,
        other => panic!("{other}"),
    })
}

#[test]
fn every_contradiction_has_a_text_of_its_own() {
    let all = [
        Contradiction::SurplusEdits,
        Contradiction::LongestTrackForSome,
        Contradiction::SamplesThatDoNotExist,
        Contradiction::SamplesInNoChunk,
        Contradiction::PictureAndSound,
        Contradiction::ShownLongBefore,
        Contradiction::FastClock,
        Contradiction::FastTrackClock,
        Contradiction::SameNumber,
        Contradiction::DisorderedFragments,
        Contradiction::SeveralDefaults,
        Contradiction::EditsBeforeClock,
        Contradiction::SlowSound,
        Contradiction::OnlyPauses,
        Contradiction::EarlyEdit,
        Contradiction::LatePause,
        Contradiction::LongEdit,
        Contradiction::ShortFragmentHeader,
        Contradiction::UnknownDescription,
    ];
    let texts: std::collections::HashSet<_> = all.into_iter().map(Contradiction::text).collect();
    assert_eq!(texts.len(), all.len());
    assert!(texts.iter().all(|text| text.split(' ').count() > 4), "{texts:?}");
}

#[test]
fn a_track_without_a_clock_must_not_have_samples() {
    let result = |samples, has_defaults| {
        let mut sound = track(*b"soun", 2, samples);
        sound.timescale = 0;
        let mut movie = Movie::default();
        (movie.timescale, movie.tracks) = (1_000, vec![track(*b"vide", 1, 50), sound]);
        movie.defaults = TrackDefaults::read(&words(&[0, 2, 1, 100])).into_iter().filter(|_| has_defaults).collect();
        crate::iso_bmff::duration::complete_header(&mut movie, MP4)
    };
    let unknown = Err(FileRefusal::DurationUnknown { container: MP4 });
    assert_eq!([result(9, false), result(0, true), result(0, false)], [unknown, unknown, Ok(())]);
}

#[test]
fn an_edit_list_of_pauses_matters_only_if_there_are_samples_to_play() {
    let paused = |samples| {
        let mut video = track(*b"vide", 1, samples);
        video.edits = vec![edit_list::read(&words(&[1_000, u32::MAX, 0]), false)];
        ambiguity(vec![video])
    };
    assert_eq!([paused(0), paused(1)], [Ok(()), Err("an edit list has only pauses")]);
}

/// Returns what is ambiguous about a video of two seconds with these edits: their duration and their media time.
fn edited(edits: &[[u32; 2]]) -> Result<(), &'static str> {
    let mut video = track(*b"vide", 1, 50);
    let read = |[duration, time]: &[u32; 2]| edit_list::read(&words(&[*duration, *time, 0]), false);
    video.edits = edits.iter().map(read).collect();
    ambiguity(vec![video])
}

#[test]
fn an_edit_begins_in_the_media_or_is_a_pause() {
    let early = Err("an edit begins before its media");
    assert_eq!([edited(&[[1_000, u32::MAX], [900, 0]]), edited(&[[1_000, 5]])], [Ok(()); 2]);
    assert_eq!([edited(&[[900, 0], [900, u32::MAX - 1]]), edited(&[[900, 1 << 31], [900, 0]])], [early; 2]);
}

#[test]
fn an_edit_has_a_length_and_is_no_longer_than_its_media_unless_it_is_the_last_one() {
    let long = Err("an edit has no length, or is longer than its media and not the last one");
    assert_eq!([edited(&[[2_250, 0], [500, 0]]), edited(&[[1_750, 500], [500, 0]])], [Ok(()); 2]);
    assert_eq!([edited(&[[2_251, 0], [500, 0]]), edited(&[[1_751, 500], [500, 0]])], [long; 2]);
    assert_eq!([edited(&[[9_000, 0]]), edited(&[[500, 0], [9_000, 9_000]])], [Ok(()); 2], "the last one");
    assert_eq!([edited(&[[0, 0]]), edited(&[[500, 0], [0, 0]])], [long; 2]);
}

#[test]
fn a_pause_behind_an_edit_does_not_change_how_long_players_play_that_show_the_media_instead() {
    let differ = Err("only some players keep a pause between or behind its edits");
    let pause = u32::MAX;
    assert_eq!(edited(&[[500, 0], [900, pause], [500, 500]]), Ok(()), "between edits");
    assert_eq!(edited(&[[900, pause], [900, pause], [500, 0]]), Ok(()), "before all edits");
    assert_eq!(edited(&[[500, 0], [250, pause]]), Ok(()), "a quarter of a second");
    assert_eq!(edited(&[[500, 0], [251, pause]]), differ, "behind all edits");
}

#[test]
fn a_sample_of_sound_lasts_at_most_ten_seconds() {
    let slow = Err("its sound is stored in samples of many seconds");
    assert_eq!(beside_video(vec![track_of(*b"soun", 2, 1, 10_000)]), Ok(()));
    assert_eq!(beside_video(vec![track_of(*b"soun", 2, 1, 10_001)]), slow);
    assert_eq!(beside_video(vec![track_of(*b"soun", 2, 9, 10_001)]), slow);
    assert_eq!(beside_video(vec![track_of(*b"vide", 2, 1, 10_001)]), Ok(()), "a picture may last longer");
}

#[test]
fn samples_are_shown_at_most_ten_seconds_before_earlier_ones() {
    let early_by = |ticks| {
        let mut video = track(*b"vide", 1, 500);
        for entry in [[1, ticks], [499, 0]] {
            video.samples.absorb(TableKind::CompositionOffsets, &words(&entry));
        }
        ambiguity(vec![video])
    };
    assert_eq!(early_by(10_000), Ok(()));
    assert_eq!(early_by(10_001), Err("its samples are shown long before they are stored"));
}

#[test]
fn a_picture_that_only_some_players_play_may_last_long_if_it_is_the_cover() {
    let still = |handler, samples| {
        let mut track = track_of(handler, 2, samples, 60_000);
        (track.entry.codec, track.entry.may_be_media) = (Codec::Mjpeg, true);
        track
    };
    let chapters = |still: IsoTrack| {
        let mut video = track(*b"vide", 1, 50);
        video.chapters = Some(still.id);
        ambiguity(vec![video, still])
    };
    let differ = Err("only some players would play its longest track");
    assert_eq!(beside_video(vec![still(*b"vide", 1)]), Ok(()), "a cover");
    assert_eq!(chapters(still(*b"vide", 1)), Ok(()), "a cover for chapters");
    assert_eq!(chapters(still(*b"vide", 2)), differ, "two pictures for chapters");
    assert_eq!(beside_video(vec![still(*b"zzzz", 1)]), differ, "no picture for some players");
    assert_eq!(chapters(track_of(*b"vide", 2, 1, 60_000)), differ, "a picture of a video for chapters");
}
