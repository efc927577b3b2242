//! When what is known: before the body, while it streams, and at the end.

mod support;

use fixtures::boxes::{Video, file_type, fragment};
use probe::{DurationSource, Prober, RefusalKind, Verdict};
use support::clips::{Clip, make, recipe_of};
use support::{ebml, judge, summary};

#[test]
fn a_film_of_121_seconds_is_known_before_its_body_has_arrived() {
    let clip = Clip {
        frames: 605,
        rate: 5,
        sound: true,
    };
    for name in ["mp4-moov-first", "matroska", "webm", "avi", "flv", "asf"] {
        let Some(file) = make(recipe_of(name), clip) else {
            return;
        };
        let mut prober = Prober::new();
        prober.feed(&file[..32 * 1024]);
        let declared = prober.declared_ms().unwrap_or(0);
        assert!(
            declared.abs_diff(121_000) < 300,
            "{name} declares {declared}"
        );
        assert!(
            prober
                .bytes_until_verdict()
                .is_some_and(|bytes| bytes < 32 * 1024),
            "{name}"
        );
    }
}

#[test]
fn a_stream_without_a_declared_length_is_over_the_limit_as_soon_as_its_times_are() {
    let clip = Clip {
        frames: 1500,
        rate: 5,
        sound: false,
    };
    for name in ["webm-live", "mpeg-ts", "mpeg-ps", "ogg", "mp4-fragmented"] {
        let Some(file) = make(recipe_of(name), clip) else {
            return;
        };
        let mut prober = Prober::new();
        let chunks = file.chunks(1024);
        let over = chunks.take_while(|chunk| {
            prober.feed(chunk);
            prober.proven_ms() <= 120_000
        });
        let fed = over.count() * 1024;
        let share = fed * 100 / file.len();
        assert!(
            (30..60).contains(&share),
            "{name} was over the limit after {share} % of its bytes"
        );
    }
}

#[test]
fn what_is_proven_never_shrinks_and_never_exceeds_the_last_word() {
    let clip = Clip {
        frames: 50,
        rate: 5,
        sound: true,
    };
    for recipe in support::clips::RECIPES {
        let Some(file) = make(*recipe, clip) else {
            return;
        };
        let mut prober = Prober::new();
        let mut proven = 0;
        for chunk in file.chunks(100) {
            prober.feed(chunk);
            assert!(prober.proven_ms() >= proven, "{}", recipe.name);
            proven = prober.proven_ms();
        }
        // A header at the very end is complete only when the file is: then nothing is proven before.
        let last = prober.finish().expect("a video").duration_ms;
        assert!(proven <= last, "{}: {proven} of {last}", recipe.name);
        assert!(
            proven == 0 || proven + 250 >= last,
            "{}: {proven} of {last}",
            recipe.name
        );
    }
}

#[test]
fn a_declared_duration_is_confirmed_or_overturned_by_the_end() {
    let honest = judge(&ebml::film(Some(10_000.0), 10_000)).expect("a video");
    assert_eq!(
        (honest.duration_ms, honest.duration_source),
        (10_000, DurationSource::Confirmed)
    );
    let forged = ebml::film(Some(3000.0), 10_000);
    let mut prober = Prober::new();
    prober.feed(&forged);
    assert!(matches!(prober.verdict(), Verdict::Provisional(media) if media.duration_ms == 3000));
    let told = prober.finish().expect("a video");
    assert_eq!(
        (told.duration_ms, told.duration_source),
        (9950, DurationSource::Timestamps)
    );
}

#[test]
fn media_behind_the_header_is_skippable_as_a_whole() {
    let video = Video::default();
    let file = [
        file_type(),
        video.movie(4096),
        vec![0x00, 0x50, 0, 0],
        b"mdat".to_vec(),
    ]
    .concat();
    let mut prober = Prober::new();
    prober.feed(&file);
    assert_eq!(prober.skippable(), 0x50_0000 - 8);
    prober.skip(0x50_0000 - 8);
    assert_eq!(prober.finish().map(|media| media.duration_ms), Ok(10_000));
}

#[test]
fn only_the_span_of_a_lone_fragment_is_played() {
    let video = Video {
        times: vec![],
        fragmented: true,
        ..Video::default()
    };
    let file = [
        file_type(),
        video.movie(0),
        fragment(Some(3_892_000), 40, 200),
    ]
    .concat();
    assert_eq!(judge(&file).map(|media| media.duration_ms), Ok(8000));
}

#[test]
fn fragments_without_a_time_of_their_own_follow_one_another() {
    let video = Video {
        times: vec![],
        fragmented: true,
        ..Video::default()
    };
    let parts = [
        file_type(),
        video.movie(0),
        fragment(None, 10, 200),
        fragment(None, 10, 200),
    ];
    assert_eq!(
        judge(&parts.concat()).map(|media| media.duration_ms),
        Ok(4000)
    );
}

#[test]
fn fragments_upon_one_another_hide_nothing() {
    let video = Video {
        times: vec![],
        fragmented: true,
        ..Video::default()
    };
    let mut file = [file_type(), video.movie(0)].concat();
    for _ in 0..75 {
        file.extend(fragment(Some(0), 20, 200));
    }
    assert_eq!(judge(&file).map(|media| media.duration_ms), Ok(300_000));
}

#[test]
fn a_fragmented_movie_without_fragments_has_no_known_length() {
    let video = Video {
        times: vec![],
        fragmented: true,
        ..Video::default()
    };
    let verdict = judge(&[file_type(), video.movie(0)].concat());
    let kind = verdict.as_ref().expect_err("no length").kind();
    assert_eq!(kind, RefusalKind::DurationUnknown, "{}", summary(&verdict));
}

#[test]
fn a_pause_in_an_edit_list_is_played_and_an_edit_shows_no_more_than_there_is() {
    let pause = Video {
        edits: vec![[2000, u32::MAX], [10_000, 0]],
        ..Video::default()
    };
    assert_eq!(
        judge(&pause.file()).map(|media| media.duration_ms),
        Ok(12_000)
    );
    let trimmed = Video {
        edits: vec![[4000, 1000]],
        ..Video::default()
    };
    assert_eq!(
        judge(&trimmed.file()).map(|media| media.duration_ms),
        Ok(4000)
    );
    let greedy = Video {
        edits: vec![[60_000, 0]],
        ..Video::default()
    };
    assert_eq!(
        judge(&greedy.file()).map(|media| media.duration_ms),
        Ok(10_000)
    );
}

/// Found by fuzzing: a declaration two milliseconds short of the last frame was confirmed as it stood.
#[test]
fn a_declaration_that_rounds_below_the_last_frame_does_not_take_back_what_is_proven() {
    let file = ebml::film(Some(1899.0), 2000);
    let mut prober = Prober::new();
    prober.feed(&file);
    assert_eq!(prober.proven_ms(), 1900);
    assert_eq!(prober.finish().map(|media| media.duration_ms), Ok(1900));
}
