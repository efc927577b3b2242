//! Each part of the verdict is known in time: before the body arrives, while it streams, or at the end.

use crate::support;
use crate::support::clips::{ClipSpec, encode, recipe_of};
use crate::support::crafted::CRAFTED;
use crate::support::{ebml, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::{DurationSource, FileRefusalKind, Prober, Verdict};

#[test]
fn the_declared_duration_is_known_before_the_body_has_arrived() {
    let clip = ClipSpec { frames: 605, rate: 5, sound: true };
    for name in ["mp4-moov-first", "matroska", "webm", "avi", "flv", "asf"] {
        let Some(file) = encode(recipe_of(name), clip) else {
            return;
        };
        let mut prober = Prober::new();
        prober.feed(&file[..32 * 1024]);
        let declared = prober.declared_ms().unwrap_or(0);
        assert!(declared.abs_diff(121_000) < 300, "{name} declares {declared}");
        assert!(prober.bytes_until_verdict().is_some_and(|bytes| bytes < 32 * 1024), "{name}");
    }
}

#[test]
fn a_stream_without_a_declared_duration_exceeds_the_limit_as_soon_as_its_timestamps_do() {
    let clip = ClipSpec { frames: 1500, rate: 5, sound: false };
    for name in ["webm-live", "mpeg-ts", "mpeg-ps", "ogg", "mp4-fragmented"] {
        let Some(file) = encode(recipe_of(name), clip) else {
            return;
        };
        let mut prober = Prober::new();
        let chunks = file.chunks(1024);
        let within_limit = chunks.take_while(|chunk| {
            prober.feed(chunk);
            prober.proven_ms() <= 120_000
        });
        let fed = within_limit.count() * 1024;
        let share = fed * 100 / file.len();
        assert!((30..60).contains(&share), "{name} exceeded the limit after {share} % of its bytes");
    }
}

#[test]
fn the_proven_duration_never_decreases_and_never_exceeds_the_final_one() {
    let clip = ClipSpec { frames: 50, rate: 5, sound: true };
    for recipe in support::clips::RECIPES {
        let Some(file) = encode(*recipe, clip) else {
            return;
        };
        let mut prober = Prober::new();
        let mut proven = 0;
        for chunk in file.chunks(100) {
            prober.feed(chunk);
            assert!(prober.proven_ms() >= proven, "{}", recipe.name);
            proven = prober.proven_ms();
        }
        let last = prober.finish().expect("a video").duration_ms;
        assert!(proven <= last, "{}: {proven} proven, {last} final", recipe.name);
        // If the header is at the very end, nothing is proven before the file is complete.
        let is_late = matches!(recipe.name, "mp4" | "quicktime" | "3gp") && proven == 0;
        assert!(is_late || proven + 250 >= last, "{}: {proven} proven, {last} final", recipe.name);
    }
}

#[test]
fn a_declared_duration_is_confirmed_or_corrected_at_the_end() {
    let honest = probe_whole(&ebml::file_of_ms(Some(10_000.0), 10_000)).expect("a video");
    assert_eq!((honest.duration_ms, honest.duration_source), (10_000, DurationSource::Confirmed));
    let forged = ebml::file_of_ms(Some(3000.0), 10_000);
    let mut prober = Prober::new();
    prober.feed(&forged);
    assert!(matches!(prober.verdict(), Verdict::Provisional(media) if media.duration_ms == 3000));
    let corrected = prober.finish().expect("a video");
    assert_eq!((corrected.duration_ms, corrected.duration_source), (9950, DurationSource::Timestamps));
}

/// Returns the position of the structure that decided the first verdict.
fn known_at(file: &[u8]) -> Option<u64> {
    let mut prober = Prober::new();
    prober.feed(file);
    prober.bytes_until_verdict()
}

#[test]
fn a_movie_header_decides_at_its_end() {
    let video = Video::default();
    let header = file_type().len() + video.movie(0).len();
    assert_eq!(known_at(&video.file()), u64::try_from(header).ok());
}

#[test]
fn a_matroska_file_with_video_and_without_subtitles_decides_at_its_first_cluster() {
    let cluster = || ebml::live_cluster(&ebml::cluster_body(0, 10, 100));
    let start = |tracks: Vec<u8>| [ebml::header(), ebml::endless(ebml::SEGMENT), tracks].concat();
    let informed = |tracks: Vec<u8>| [start(ebml::information(Some(1_000.0))), tracks].concat();
    for (name, before, is_known) in [
        ("video", informed(ebml::tracks_of(&[1])), true),
        ("video and sound", informed(ebml::tracks_of(&[2, 1])), true),
        ("video and subtitles", informed(ebml::tracks_of(&[1, 17])), false),
        ("no tracks", informed(Vec::new()), false),
        ("no duration", start(ebml::tracks_of(&[1])), false),
    ] {
        let known = u64::try_from(before.len()).ok().filter(|_| is_known);
        assert_eq!(known_at(&[before, cluster()].concat()), known, "{name}");
    }
}

#[test]
fn a_file_that_declares_no_duration_has_no_provisional_verdict() {
    for (name, craft) in CRAFTED.iter().filter(|(name, _)| matches!(&name[..2], "ts" | "ps" | "og")) {
        let mut prober = Prober::new();
        let verdict = prober.feed(&craft(20_000));
        assert!(!matches!(verdict, Verdict::Provisional(_)), "{name}");
        assert!(prober.bytes_until_verdict().is_none() || prober.refusal().is_some(), "{name}");
    }
}

#[test]
fn all_media_after_the_header_is_skippable() {
    let video = Video::default();
    let file = [file_type(), video.movie(4096), vec![0x00, 0x50, 0, 0], b"mdat".to_vec()].concat();
    let mut prober = Prober::new();
    prober.feed(&file);
    assert_eq!(prober.skippable(), 0x50_0000 - 8);
    prober.skip(0x50_0000 - 8);
    assert_eq!(prober.finish().map(|media| media.duration_ms), Ok(10_000));
}

#[test]
fn a_single_late_fragment_counts_with_its_span_only() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let file = [file_type(), video.movie(0), fragment(Some(3_892_000), 40, 200)].concat();
    assert_eq!(probe_whole(&file).map(|media| media.duration_ms), Ok(8000));
}

#[test]
fn fragments_without_a_start_time_follow_the_previous_one() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let parts = [file_type(), video.movie(0), fragment(None, 10, 200), fragment(None, 10, 200)];
    assert_eq!(probe_whole(&parts.concat()).map(|media| media.duration_ms), Ok(4000));
}

#[test]
fn overlapping_fragments_are_refused() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let mut file = [file_type(), video.movie(0)].concat();
    for _ in 0..75 {
        file.extend(fragment(Some(0), 20, 200));
    }
    let kind = probe_whole(&file).expect_err("players differ").kind();
    assert_eq!(kind, FileRefusalKind::Ambiguous);
}

#[test]
fn a_fragmented_movie_without_fragments_has_an_unknown_duration() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let verdict = probe_whole(&[file_type(), video.movie(0)].concat());
    let kind = verdict.as_ref().expect_err("no duration").kind();
    assert_eq!(kind, FileRefusalKind::DurationUnknown, "{}", summary(&verdict));
}

#[test]
fn pauses_between_edits_count_and_an_edit_counts_for_at_most_its_media() {
    let lead_in = Video { edits: vec![[2000, u32::MAX], [10_000, 0]], ..Video::default() };
    assert_eq!(probe_whole(&lead_in.file()).map(|media| media.duration_ms), Ok(10_000));
    let pause = Video { edits: vec![[5_000, 0], [2000, u32::MAX], [5_000, 5_000]], ..Video::default() };
    assert_eq!(probe_whole(&pause.file()).map(|media| media.duration_ms), Ok(12_000));
    let trimmed = Video { edits: vec![[4000, 1000]], ..Video::default() };
    assert_eq!(probe_whole(&trimmed.file()).map(|media| media.duration_ms), Ok(4000));
    let greedy = Video { edits: vec![[60_000, 0]], ..Video::default() };
    assert_eq!(probe_whole(&greedy.file()).map(|media| media.duration_ms), Ok(10_000));
}

/// Found by fuzzing: a declaration two milliseconds before the last frame was confirmed unchanged.
#[test]
fn a_declaration_rounded_below_the_last_frame_does_not_reduce_the_proven_duration() {
    let file = ebml::file_of_ms(Some(1899.0), 2000);
    let mut prober = Prober::new();
    prober.feed(&file);
    assert_eq!(prober.proven_ms(), 1900);
    assert_eq!(prober.finish().map(|media| media.duration_ms), Ok(1900));
}

#[test]
fn an_avi_file_that_declares_no_length_has_no_provisional_verdict() {
    let Some(mut file) = encode(recipe_of("avi"), ClipSpec { frames: 15, rate: 5, sound: false }) else { return };
    for (header, offset) in [(b"avih", 8 + 16), (b"strh", 8 + 32)] {
        let at = memchr::memmem::find(&file, header).expect("a header") + offset;
        file[at..at + 4].fill(0);
    }
    let mut prober = Prober::new();
    prober.feed(&file);
    assert_eq!((prober.declared_ms(), prober.bytes_until_verdict()), (None, None));
    assert_eq!(prober.finish().map(|media| media.duration_ms), Ok(3000));
}

#[test]
fn zero_bytes_after_an_asf_file_do_not_change_its_verdict() {
    let Some(file) = encode(recipe_of("asf"), ClipSpec { frames: 15, rate: 5, sound: false }) else { return };
    assert_eq!(probe_whole(&[&file[..], &[0; 64]].concat()), probe_whole(&file));
}

#[test]
fn fragments_may_have_64_bit_start_times() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let fragment = |start: u32| {
        let track = [
            atom(*b"tfhd", &words(&[0x8, 1, 200])),
            atom(*b"tfdt", &words(&[0x0100_0000, 0, start])),
            atom(*b"trun", &words(&[0, 10])),
        ];
        [list(*b"moof", &[list(*b"traf", &track)]), atom(*b"mdat", &[0; 16])].concat()
    };
    let file = [file_type(), video.movie(0), fragment(0), fragment(4000)].concat();
    assert_eq!(probe_whole(&file).map(|media| media.duration_ms), Ok(6000));
}
