//! Tests of the steps over bytes that are not boxes or that are searched, and of the ends of truncated files.

use crate::Container;
use crate::driver::tests::step_text;
use crate::driver::{FileEnd, Walk};
use crate::iso_bmff::boxes::BoxEnd;
use crate::iso_bmff::{IsoBmff, OpenBox};

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

#[test]
fn a_long_description_is_searched_to_its_end_for_boxes_that_do_not_belong_there() {
    let searched = |window: &[u8]| step(IsoBmff { searched_until: Some(100), ..walk() }, 90, window);
    assert_eq!(searched(&[9; 3]).as_deref(), Ok("Need(4)"));
    assert_eq!(searched(&[9; 4]).as_deref(), Ok("Skip(1)"));
    assert_eq!(searched(&[9; 10]).as_deref(), Ok("Skip(7)"));
    assert_eq!(searched(&[9; 50]).as_deref(), Ok("Skip(7)"), "the last three bytes may begin a name");
    assert_eq!(searched(b"......stts"), Err("ambiguous"));
    assert_eq!(searched(b".......stts").as_deref(), Ok("Skip(7)"), "it ends behind the description");
    let rest = IsoBmff { searched_until: Some(93), ..walk() };
    assert_eq!(step(rest, 90, &[9; 50]).as_deref(), Ok("Skip(3)"));
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
