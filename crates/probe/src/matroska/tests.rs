//! Single steps of the walk, and the verdicts about a few blocks, at the limits of what is accepted.

use super::*;
use crate::driver::tests::step_text;
use crate::sound_bytes::SoundAmount;
use crate::timeline::TimedFrame;

/// Searches for a cluster up to position 100, inside a segment or after it. Returns the step as text, with the end of
/// the search if it continues.
fn searched(is_in_segment: bool, at: u64, window: &[u8]) -> Result<String, &'static str> {
    searched_until(100, is_in_segment, at, window)
}

fn searched_until(end: u64, is_in_segment: bool, at: u64, window: &[u8]) -> Result<String, &'static str> {
    let mut walk = Matroska { search_until: Some(end), segments: 1, ..Matroska::default() };
    if is_in_segment {
        walk.scopes.open(&ElementHeader { id: ids::SEGMENT, length: 4, size: None }, 0);
    }
    let step = step_text(walk.step(at, window))?;
    Ok(format!("{step}, {:?}", walk.search_until))
}

#[test]
fn a_cluster_is_searched_for_up_to_the_end_of_the_search() {
    let goes_on = |step: &str| Ok(format!("{step}, Some(100)"));
    let cluster = [&[9, 9, 9], &ids::CLUSTER.to_be_bytes()[..]].concat();
    assert_eq!(searched(true, 90, &[9; 5]), goes_on("Skip(2)"));
    assert_eq!(searched(true, 90, &[9; 20]), goes_on("Skip(7)"));
    assert_eq!(searched(true, 90, &[0x1F, 0x43]), goes_on("Need(4)"));
    assert_eq!(searched(true, 98, &[0x1F, 0x43]), goes_on("Skip(1)"), "no room for a cluster");
    assert_eq!(searched(true, 70, &cluster), goes_on("Skip(3)"));
    assert_eq!(searched(true, 73, &cluster[3..]), goes_on("Need(24)"));
    let whole = |first: u8| [&cluster[3..], &[0x8C, first, 0x81, 0], &[0; 16]].concat();
    assert_eq!(searched(true, 73, &whole(0xE7)), Err("ambiguous"));
    assert_eq!(searched(true, 73, &whole(0xD7)), goes_on("Skip(1)"), "by chance");
    assert_eq!(searched(true, 95, &whole(0xE7)), goes_on("Skip(1)"), "it ends too early");
    assert_eq!(searched_until(u64::MAX, true, 90, &cluster), Ok("Skip(3), None".to_owned()), "among damaged bytes");
    assert_eq!(searched(true, 100, &cluster), Ok("Skip(0), None".to_owned()));
    assert_eq!(searched(false, 90, &cluster), Err("ambiguous"));
}

#[test]
fn padding_holds_no_cluster_but_may_hold_other_old_elements() {
    let passed = |id: ElementId, rest: &[u8]| {
        let mut walk = Matroska { segments: 1, ..Matroska::default() };
        walk.scopes.open(&ElementHeader { id: ids::SEGMENT, length: 4, size: None }, 0);
        let padding = [&[0xEC, 0x94][..], &id.to_be_bytes(), rest, &[0; 16]].concat();
        assert_eq!(step_text(walk.step(10, &padding)), Ok("Skip(2)".to_owned()));
        step_text(walk.step(12, &padding[2..])).map(|step| (step, walk.in_filling))
    };
    let named = &[0x53, 0xAC, 0x81, 0x40];
    assert_eq!(passed(ids::CLUSTER, &[]), Err("ambiguous"));
    assert_eq!(passed(ids::CLUSTER, named), Ok(("Skip(1)".to_owned(), true)), "a name in an old index");
    assert_eq!(passed(ids::INFO, &[]), Ok(("Skip(17)".to_owned(), true)));
}

#[test]
fn the_segment_follows_the_header() {
    let after = |segments| {
        let mut walk = Matroska { segments, ..Matroska::default() };
        step_text(walk.step(40, &[0xEC, 0x81, 0]))
    };
    assert_eq!((after(0), after(1)), (Err("ambiguous"), Ok("Skip(2)".to_owned())));
}

#[test]
fn a_second_unit_behind_the_media_is_that_of_its_times() {
    let declared = |scale: u8| {
        let mut walk = Matroska { has_clusters: true, segments: 1, scale: Some(5), ..Matroska::default() };
        for id in [ids::SEGMENT, ids::INFO] {
            walk.scopes.open(&ElementHeader { id, length: 4, size: None }, 0);
        }
        step_text(walk.step(90, &[0x2A, 0xD7, 0xB1, 0x81, scale]))
    };
    assert_eq!((declared(5), declared(6)), (Ok("Skip(5)".to_owned()), Err("ambiguous")));
}

#[test]
fn blocks_of_too_many_undescribed_tracks_are_refused() {
    let refused = |strays: u64| {
        let mut walk = file(&[(VIDEO, &[0, 3_000])]);
        (2..2 + strays).for_each(|number| add_frames(&mut walk, number, &[0, 3_000]));
        finish(walk, 0, &[])
    };
    assert_eq!((refused(64), refused(65)), (Ok(3_050), Err("ambiguous")));
}

#[test]
fn the_largest_scale_counts_but_zero() {
    let mut walk = Matroska::default();
    assert_eq!(walk.scale(), 1_000_000);
    for (scale, expected) in [(0, 1_000_000), (5, 5), (9, 9), (7, 9), (0, 9)] {
        walk.read_scale(scale);
        assert_eq!(walk.scale(), expected);
    }
}

#[test]
fn a_text_ends_before_its_padding() {
    assert_eq!([text(b"webm\0\0"), text(b"webm"), text(b"\0webm")], [&b"webm"[..], b"webm", b""]);
}

const VIDEO: u8 = 1;
const AUDIO: u8 = 2;
const SUBTITLES: u8 = 17;

/// Returns a file of tracks, numbered from 1 on, with frames at these milliseconds.
fn file(tracks: &[(u8, &[i64])]) -> Matroska {
    let mut walk = Matroska::default();
    for (number, (kind, _)) in (1..).zip(tracks) {
        walk.tracks.begin().expect("a track");
        walk.tracks.absorb(ids::TRACK_NUMBER, &[number]);
        walk.tracks.absorb(ids::TRACK_TYPE, &[*kind]);
    }
    for (number, (_, times)) in (1..).zip(tracks) {
        add_frames(&mut walk, number, times);
    }
    walk
}

fn add_frames(walk: &mut Matroska, number: u64, times: &[i64]) {
    for at in times {
        walk.tracks.observe(
            number,
            TimedFrame { at: *at, order: *at, duration: None },
            i64::MAX,
            SoundAmount::default(),
        );
    }
}

/// Returns the duration in milliseconds, or the kind of the refusal.
fn finish(mut walk: Matroska, missing: u64, tail: &[u8]) -> Result<u64, &'static str> {
    let result = walk.finish(FileEnd { length: 100, missing, tail });
    result.map(|media| media.duration_ms).map_err(|refusal| refusal.kind().name())
}

const MILLISECOND: u64 = 1_000_000;

#[test]
fn a_last_frame_without_a_declared_duration_lasts_at_most_50_ms() {
    assert_eq!(finish(file(&[(VIDEO, &[0, 40, 80])]), 0, &[]), Ok(120));
    assert_eq!(finish(file(&[(VIDEO, &[0, 1_000])]), 0, &[]), Ok(1_050));
}

#[test]
fn a_declared_duration_may_be_that_of_subtitles_and_a_second() {
    let walk = file(&[(VIDEO, &[0, 1_000]), (SUBTITLES, &[0, 2_000, 4_000])]);
    let declares_subtitles = |declared| walk.declares_subtitles(declared * MILLISECOND, walk.observed());
    assert!(declares_subtitles(5_050) && !declares_subtitles(5_051));
    assert!(declares_subtitles(1_051) && !declares_subtitles(1_050), "the duration of the film");
    let film = file(&[(VIDEO, &[0, 1_000])]);
    assert!(!film.declares_subtitles(1_100 * MILLISECOND, film.observed()), "there are no subtitles");
}

#[test]
fn a_track_that_nobody_described_may_last_a_second_longer_than_the_film() {
    let with_stray = |last| {
        let mut walk = file(&[(VIDEO, &[0, 1_000])]);
        add_frames(&mut walk, 9, &[0, last]);
        finish(walk, 0, &[])
    };
    assert_eq!([with_stray(2_000), with_stray(2_001)], [Ok(1_050), Err("ambiguous")]);
}

#[test]
fn sound_goes_back_by_at_most_half_a_second() {
    let with_sound = |back: i64| finish(file(&[(VIDEO, &[0, 1_000]), (AUDIO, &[0, 900, 900 - back, 1_000])]), 0, &[]);
    assert_eq!([with_sound(500), with_sound(501)], [Ok(1_050), Err("ambiguous")]);
}

#[test]
fn a_file_is_truncated_if_an_element_ends_behind_it() {
    let finish = |declared_end, missing, tail: &[u8], search_until| {
        finish(Matroska { declared_end, search_until, ..file(&[(VIDEO, &[0, 40])]) }, missing, tail)
    };
    assert_eq!([finish(100, 0, &[], None), finish(101, 0, &[], None)], [Ok(80), Err("truncated")]);
    assert_eq!([finish(0, 1, &[], None), finish(0, 0, &[9], None)], [Err("truncated"); 2]);
    assert_eq!(finish(0, 0, &[9], Some(u64::MAX)), Ok(80), "these bytes are no element");
}

#[test]
fn the_metadata_is_first_if_duration_and_tracks_precede_the_blocks() {
    let metadata_first = |declared, late: bool| {
        let mut walk = Matroska { declared, ..file(&[(VIDEO, &[0, 40])]) };
        if late {
            walk.tracks.begin().expect("a track");
        }
        walk.media(1, DurationSource::Declared).metadata_first
    };
    assert!(metadata_first(Some(80.0), false));
    assert!(!metadata_first(None, false) && !metadata_first(Some(80.0), true));
}

/// Returns the step over the start of an element inside these elements, and the end of the search, if one begins.
fn step_inside(parents: &[ElementId], window: &[u8]) -> (Result<String, &'static str>, Option<u64>) {
    let mut walk = Matroska { segments: 1, ..Matroska::default() };
    for id in parents {
        walk.scopes.open(&ElementHeader { id: *id, length: 4, size: None }, 0);
    }
    let step = step_text(walk.step(50, window));
    (step, walk.search_until)
}

#[test]
fn elements_without_media_are_searched_for_clusters() {
    let skip = |step: &str| Ok(step.to_owned());
    assert_eq!(step_inside(&[ids::SEGMENT], &[0xEC, 0x94]), (skip("Skip(2)"), Some(72)), "filling");
    assert_eq!(step_inside(&[ids::SEGMENT], &[0xBF, 0x84]), (skip("Skip(2)"), Some(56)), "a checksum");
    let tags = [0x12, 0x54, 0xC3, 0x67, 0x94];
    assert_eq!(step_inside(&[ids::SEGMENT], &tags), (skip("Skip(5)"), Some(75)));
    assert_eq!(step_inside(&[ids::SEGMENT], &[0x12, 0x54, 0xC3, 0x67, 0xFF]), (skip("Skip(5)"), Some(u64::MAX)));
}

#[test]
fn unknown_elements_are_searched_for_clusters_wherever_they_are() {
    let unknown = [0x42, 0xAB, 0x94];
    let skip = |step: &str| Ok(step.to_owned());
    assert_eq!(step_inside(&[ids::SEGMENT, ids::INFO], &unknown), (skip("Skip(3)"), Some(73)));
    assert_eq!(step_inside(&[ids::SEGMENT], &unknown), (skip("Skip(3)"), Some(73)));
    assert_eq!(step_inside(&[ids::SEGMENT, ids::CLUSTER], &unknown), (skip("Skip(3)"), Some(73)));
}

/// Reads leaves that no open element holds, and returns what the walk says about the last one.
fn read(walk: &mut Matroska, leaves: &[(ElementId, &[u8])]) -> Result<String, &'static str> {
    let mut step = Ok(String::new());
    for (id, value) in leaves {
        let header = ElementHeader { id: *id, length: 2, size: Some(wide(value.len())) };
        step = step_text(walk.read_leaf(header, &[&[0, 0], *value].concat()));
    }
    step
}

#[test]
fn the_first_of_several_durations_counts() {
    let mut walk = Matroska::default();
    let duration = |seconds: f64| (seconds * 1_000.0).to_be_bytes();
    let step = read(&mut walk, &[(ids::DURATION, &duration(5.0)), (ids::DURATION, &duration(9.0))]);
    assert_eq!((step.as_deref(), walk.declared_nanos()), (Ok("Skip(10)"), Some(5 * NANOS_PER_SECOND)));
}

#[test]
fn a_track_may_declare_that_its_times_are_not_stretched() {
    let stretched =
        |scale: f64| read(&mut file(&[(VIDEO, &[])]), &[(ids::TRACK_TIMESTAMP_SCALE, &scale.to_be_bytes())]);
    assert_eq!([stretched(1.0).as_deref(), stretched(2.0).as_deref()], [Ok("Skip(10)"), Err(&"unsupported")]);
    let mut other = file(&[(VIDEO, &[])]);
    assert_eq!(read(&mut other, &[(ids::CHANNELS, &[2])]).as_deref(), Ok("Skip(3)"));
}

#[test]
fn the_roll_of_a_picture_is_in_its_projection() {
    assert!(
        ids::is_child(Some(ids::VIDEO), ids::PROJECTION) && ids::is_child(Some(ids::PROJECTION), ids::PROJECTION_ROLL)
    );
}

#[test]
fn every_cluster_has_a_time_of_its_own() {
    let mut blocks = Blocks::default();
    for _ in 0..2 {
        blocks.begin_cluster();
        assert!(!blocks.is_timed());
        blocks.set_time(9);
        assert!(blocks.is_timed());
    }
}
