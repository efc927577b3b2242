//! Tests of the steps over bytes that are not boxes or that are searched, and of the ends of truncated files.

use super::{MP4, track};
use crate::driver::tests::step_text;
use crate::driver::{FileEnd, Walk};
use crate::iso_bmff::boxes::{BoxEnd, header};
use crate::iso_bmff::search::Searched;
use crate::iso_bmff::table::TableKind;
use crate::iso_bmff::{IsoBmff, OpenBox};
use crate::{Container, FileRefusal};
use fixtures::boxes::words;

fn walk() -> IsoBmff {
    IsoBmff::new(Container::Mp4)
}

fn step(mut walk: IsoBmff, at: u64, window: &[u8]) -> Result<String, &'static str> {
    step_text(walk.step(at, window))
}

#[test]
fn bytes_that_are_no_boxes_must_not_be_followed_by_a_movie() {
    let in_tail = |window: &[u8]| step(IsoBmff { in_tail: true, ..walk() }, 0, window);
    assert_eq!(in_tail(&[9; 3]).as_deref(), Ok("Need(4)"));
    assert_eq!(in_tail(&[9; 4]).as_deref(), Ok("Skip(1)"));
    assert_eq!(in_tail(b"......moo").as_deref(), Ok("Skip(6)"));
    assert_eq!(in_tail(b"mmoof"), Err("ambiguous"));
    assert_eq!(in_tail(b"moov"), Err("ambiguous"));
}

/// Returns the step from position 90 of bytes that are searched up to this position.
fn searched(until: u64, by_name: bool, window: &[u8]) -> Result<String, &'static str> {
    step(IsoBmff { searched: Some(Searched { until, by_name }), ..walk() }, 90, window)
}

#[test]
fn a_long_description_is_searched_to_its_end_for_boxes_that_do_not_belong_there() {
    let searched = |window: &[u8]| searched(100, true, window);
    assert_eq!(searched(&[9; 3]).as_deref(), Ok("Need(4)"));
    assert_eq!(searched(&[9; 4]).as_deref(), Ok("Skip(1)"));
    assert_eq!([searched(&[9; 10]).as_deref(), searched(&[9; 50]).as_deref()], [Ok("Skip(10)"); 2]);
    assert_eq!(searched(b"......stts").as_deref(), Ok("Skip(6)"));
    assert_eq!(searched(b"stts"), Err("ambiguous"));
    assert_eq!(searched(b".......stts").as_deref(), Ok("Skip(10)"), "it ends behind the description");
}

#[test]
fn skipped_boxes_are_searched_for_boxes_that_fit_into_them() {
    let searched = |window: &[u8]| searched(190, false, window);
    assert_eq!(searched(&[9; 27]).as_deref(), Ok("Need(28)"));
    assert_eq!(searched(&[9; 30]).as_deref(), Ok("Skip(3)"));
    assert_eq!(searched(&[9; 200]).as_deref(), Ok("Skip(100)"));
    for (size, fits) in [(7, false), (8, true), (100, true), (101, false), (u32::MAX, false), (0, true)] {
        let box_of = |name: &[u8]| [&size.to_be_bytes()[..], name, &[0; 92]].concat();
        let expected = if fits { Err("ambiguous") } else { Ok("Skip(100)".to_owned()) };
        assert_eq!(searched(&box_of(b"stts")), expected, "{size}");
        assert_eq!(searched(&box_of(b"text")), Ok("Skip(100)".to_owned()), "no structure");
        let behind_others = searched(&[&[9; 5], &box_of(b"stts")[..28]].concat());
        assert_eq!(behind_others.as_deref(), Ok(if size < 96 && fits { "Skip(5)" } else { "Skip(6)" }), "{size}");
    }
}

#[test]
fn a_long_box_and_a_handler_are_found_in_skipped_boxes_if_they_matter() {
    let searched = |window: &[u8]| searched(190, false, &[window, &[0; 100]].concat());
    let long = |size: u64, rest: &[u8]| [&[0, 0, 0, 1], &rest[..4], &size.to_be_bytes(), &rest[4..]].concat();
    assert_eq!(searched(&long(100, b"trak")), Err("ambiguous"));
    assert_eq!(
        [searched(&long(15, b"trak")), searched(&long(101, b"trak"))],
        ["Skip(100)"; 2].map(|step| Ok(step.into()))
    );
    for (kind, matters) in [(b"vide", true), (b"soun", true), (b"mdir", false), (b"url ", false)] {
        let body = [b"hdlr".as_slice(), &[0; 8], kind].concat();
        let expected = || if matters { Err("ambiguous") } else { Ok("Skip(100)".to_owned()) };
        assert_eq!(searched(&[&[0, 0, 0, 32], &body[..]].concat()), expected(), "{kind:?}");
        assert_eq!(searched(&long(40, &body)), expected(), "{kind:?}, a long box");
    }
}

#[test]
fn a_file_is_truncated_if_bytes_of_a_box_are_missing() {
    let is_truncated =
        |walk: &IsoBmff, missing, tail: &[u8]| walk.is_truncated(&FileEnd { length: 100, missing, tail });
    let header = b"\0\0\0\x20moof";
    assert!(is_truncated(&walk(), 1, &[]) && is_truncated(&walk(), 0, header));
    assert!(!is_truncated(&walk(), 0, &[]));
    assert!(!is_truncated(&walk(), 0, &header[..7]), "too short for a header");
    assert!(!is_truncated(&walk(), 0, b"\0\0\0\x20junk"));
    for (until, expected) in [(100, false), (101, true), (u64::MAX, false)] {
        let walk = IsoBmff { searched: Some(Searched { until, by_name: false }), ..walk() };
        assert_eq!(is_truncated(&walk, 0, header), expected, "searched up to {until}");
    }
    for lenient in [IsoBmff { in_tail: true, ..walk() }, IsoBmff { in_unknown_box: true, ..walk() }] {
        assert!(!is_truncated(&lenient, 1, header));
    }
    for (end, expected) in [(BoxEnd::At(100), false), (BoxEnd::At(101), true), (BoxEnd::OfFile(50), false)] {
        let open = vec![OpenBox { kind: *b"moov", end, seen: 0 }];
        assert_eq!(is_truncated(&IsoBmff { open, ..walk() }, 0, header), expected, "{end:?}");
    }
}

#[test]
fn a_declared_length_is_a_verdict_once_the_movie_header_is_complete() {
    for (complete, index_declared, is_known) in
        [(false, Some(1_000_000_000), false), (true, None, false), (true, Some(1_000_000_000), true)]
    {
        let mut walk = walk();
        (walk.movie.complete, walk.movie.index_declared) = (complete, index_declared);
        assert_eq!(walk.is_known(), is_known, "{complete}, {index_declared:?}");
    }
}

#[test]
fn a_box_without_a_possible_size_ends_the_file_behind_the_movie_header_only() {
    let impossible = |complete| {
        let mut walk = walk();
        walk.movie.complete = complete;
        let step = step_text(walk.step(0, b"\0\0\0\x07junk"));
        (step, walk.in_tail)
    };
    assert_eq!(impossible(true), (Ok("Skip(1)".to_owned()), true));
    assert_eq!(impossible(false), (Err("malformed"), false));
}

#[test]
fn metadata_without_a_handler_is_searched_if_it_is_short() {
    let metadata = |body: u32| {
        let window = [&(body + 8).to_be_bytes()[..], b"meta", &[0; 2_000]].concat();
        step(walk(), 0, &window)
    };
    assert_eq!(metadata(1_024).as_deref(), Ok("Skip(8)"));
    assert_eq!(metadata(1_025), Err("ambiguous"));
}

#[test]
fn a_movie_header_that_was_read_to_its_end_is_judged_even_if_the_file_is_truncated() {
    let finish = |end, missing| {
        let mut walk = walk();
        walk.open = vec![OpenBox { kind: *b"moov", end, seen: 0 }];
        walk.movie.tracks = vec![track(*b"soun", 1, 50)];
        walk.finish(FileEnd { length: 100, missing, tail: &[] }).expect_err("no video")
    };
    let (audio_only, truncated) = (
        FileRefusal::AudioOnly { container: MP4 },
        FileRefusal::Truncated { container: MP4, what: "a box ends beyond the end of the file" },
    );
    assert_eq!(finish(BoxEnd::At(100), 0), audio_only);
    assert_eq!(finish(BoxEnd::OfFile(0), 0), audio_only, "it ends with the file");
    assert_eq!(finish(BoxEnd::At(100), 1), audio_only);
    assert_eq!(finish(BoxEnd::At(101), 1), truncated);
}

#[test]
fn a_track_is_complete_when_its_box_ends() {
    let mut walk = walk();
    walk.movie.open(*b"trak").expect("a track");
    walk.open = vec![OpenBox { kind: *b"trak", end: BoxEnd::At(50), seen: 0 }];
    let absorb = |walk: &mut IsoBmff| walk.movie.absorb_entries(TableKind::TimeToSample, 8, &words(&[50, 40]));
    absorb(&mut walk);
    walk.close_ended(50).expect("a track");
    absorb(&mut walk);
    assert_eq!(walk.movie.tracks[0].samples.presentation(), (0, 2_000));
}

#[test]
fn the_rest_of_a_long_description_is_searched() {
    let read = |kind: &str, body: u8| {
        let mut walk = walk();
        walk.movie.open(*b"trak").expect("a track");
        let window = [&[0, 0, 0, body + 8], kind.as_bytes(), &[0; 100]].concat();
        let header = header(&window).ok().flatten().expect("a header");
        let step = step_text(walk.read_leaf(header, header.end(0), 20, 0, &window));
        (step.expect("a step"), walk.searched.map(|searched| searched.until))
    };
    assert_eq!(read("stsd", 20), ("Skip(28)".to_owned(), None));
    assert_eq!(read("stsd", 21), ("Skip(24)".to_owned(), Some(29)));
    assert_eq!(read("tkhd", 21), ("Skip(29)".to_owned(), None));
}
