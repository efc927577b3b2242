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
