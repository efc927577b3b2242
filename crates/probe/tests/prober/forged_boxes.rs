//! MP4 boxes that are too short, have an unknown version, or describe tracks and fragments that do not exist. Players
//! read the missing fields from the next box, or apply the box to another track.

use crate::forged_structures::{append_to, assert_measured, find_box, kind, replace_box, short};
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::FileRefusalKind;

const TABLE: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
const AMBIGUOUS: Option<FileRefusalKind> = Some(FileRefusalKind::Ambiguous);

fn fragmented() -> Video {
    Video { times: vec![], fragmented: true, ..Video::default() }
}

fn start() -> Vec<u8> {
    [file_type(), fragmented().movie(0)].concat()
}

/// Returns a file with ten seconds in a fragment with these parts.
fn file_of(parts: &[Vec<u8>]) -> Vec<u8> {
    let moof = list(*b"moof", &[list(*b"traf", parts)]);
    [start(), moof, atom(*b"mdat", &[0; 16])].concat()
}

fn header(track: u32) -> Vec<u8> {
    atom(*b"tfhd", &words(&[0x8, track, 200]))
}

fn time() -> Vec<u8> {
    atom(*b"tfdt", &words(&[0, 0]))
}

fn run() -> Vec<u8> {
    atom(*b"trun", &words(&[0, 50]))
}

#[test]
fn boxes_that_are_too_short() {
    assert_measured("a usual fragment", &file_of(&[header(1), time(), run()]), 10_000);
    for (what, parts) in [
        ("a start", [header(1), atom(*b"tfdt", &[0; 4]), run()]),
        ("a long start", [header(1), atom(*b"tfdt", &words(&[1 << 24, 0])), run()]),
        ("a run", [header(1), time(), atom(*b"trun", &[0; 7])]),
    ] {
        assert_eq!(kind(&file_of(&parts)), AMBIGUOUS, "{what}");
    }
    let defaults = |length: usize| list(*b"mvex", &[atom(*b"trex", &words(&[0, 1, 1, 200, 4, 0])[..length])]);
    let with = |length| [replace_box(&start(), &[b"moov", b"mvex"], &defaults(length)), fragment(Some(0), 50, 200)];
    assert_measured("defaults", &with(24).concat(), 10_000);
    assert_eq!(kind(&with(20).concat()), AMBIGUOUS, "short defaults");
    for (name, length) in [(b"stts", 7), (b"stsc", 7), (b"stsz", 11), (b"stco", 7)] {
        let path = [&TABLE[..], &[name]].concat();
        assert_eq!(kind(&replace_box(&short().file(), &path, &atom(*name, &[0; 11][..length]))), AMBIGUOUS, "{name:?}");
    }
    assert_eq!(kind(&append_to(&short().file(), &TABLE, &atom(*b"ctts", &[0; 7]))), AMBIGUOUS);
}

#[test]
fn a_description_that_is_longer_than_its_table() {
    let mut table = find_box(&short().file(), b"stsd");
    assert_eq!(kind(&replace_box(&short().file(), &[&TABLE[..], &[b"stsd"]].concat(), &table)), None);
    table[19] += 16;
    assert_eq!(kind(&replace_box(&short().file(), &[&TABLE[..], &[b"stsd"]].concat(), &table)), AMBIGUOUS);
}

#[test]
fn versions_that_nobody_knows() {
    let start = atom(*b"tfdt", &words(&[2 << 24, 0]));
    assert_eq!(kind(&file_of(&[header(1), start, run()])), AMBIGUOUS);
}

/// Players add the samples of such a fragment to the track of the previous fragment.
#[test]
fn fragments_of_tracks_that_do_not_exist() {
    let usual = [start(), fragment(Some(0), 50, 200)].concat();
    let stray = [&usual[..], &file_of(&[header(9), time(), run()])[start().len()..]].concat();
    assert_eq!(kind(&stray), AMBIGUOUS, "no track");
    let empty = list(*b"moof", &[list(*b"traf", &[header(9), time()])]);
    assert_eq!(kind(&[&usual[..], &empty].concat()), None, "no samples either");
    let defaults = list(*b"mvex", &[atom(*b"trex", &words(&[0, 2, 1, 200, 4, 0]))]);
    let without = [replace_box(&start(), &[b"moov", b"mvex"], &defaults), fragment(Some(0), 50, 200)].concat();
    assert_eq!(kind(&without), AMBIGUOUS, "no defaults");
}

#[test]
fn an_index_of_fragments_that_do_not_exist() {
    let index = atom(*b"sidx", &words(&[0, 1, 1_000, 0, 0, 1, 0, 300_000, 0]));
    assert_eq!(kind(&[&short().file()[..], &index].concat()), AMBIGUOUS);
}

#[test]
fn chunks_without_samples() {
    let table = |runs: &[u32]| atom(*b"stsc", &[&words(&[0, 2])[..], &words(runs)].concat());
    let path = [&TABLE[..], &[b"stsc"]].concat();
    let chunks = [&TABLE[..], &[b"stco"]].concat();
    let file = replace_box(&short().file(), &chunks, &atom(*b"stco", &words(&[0, 2, 2_000, 2_000])));
    let with = |runs: &[u32]| kind(&[replace_box(&file, &path, &table(runs)), vec![0; 2_000]].concat());
    assert_eq!(with(&[1, 25, 1, 2, 25, 1]), None);
    assert_eq!(with(&[1, 0, 1, 2, 50, 1]), AMBIGUOUS);
    assert_eq!([with(&[1, 50, 1, 2, 0, 1]), with(&[1, 25, 1, 3, 0, 1])], [AMBIGUOUS, None], "in the last run");
}

/// Players then ignore the edits.
#[test]
fn edits_of_a_track_whose_chunks_hold_more_samples_than_it_lists() {
    let film = |edits: &[[u32; 2]]| Video { times: vec![[200, 200]], edits: edits.to_vec(), ..Video::default() }.file();
    let with = |edits: &[[u32; 2]], samples: u32| {
        let chunks = atom(*b"stsc", &words(&[0, 1, 1, samples, 1]));
        kind(&replace_box(&film(edits), &[&TABLE[..], &[b"stsc"]].concat(), &chunks))
    };
    let cut = [[10_000, 0]];
    assert_eq!([with(&cut, 200), with(&[], 201)], [None; 2]);
    assert_eq!(with(&cut, 201), AMBIGUOUS);
}

/// Players then decrypt the samples.
#[test]
fn schemes_of_encryption_outside_of_the_description() {
    let scheme = atom(*b"schm", &words(&[0, u32::from_be_bytes(*b"cenc"), 0x1_0000]));
    let with =
        |path: &[&[u8; 4]], part: &[u8]| kind(&[append_to(&start(), path, part), fragment(Some(0), 50, 200)].concat());
    for length in 2..=TABLE.len() {
        assert_eq!(with(&TABLE[..length], &scheme), Some(FileRefusalKind::Unsupported), "{length}");
    }
    assert_eq!(with(&TABLE[..2], &atom(*b"uuid", &[7; 16])), None);
    assert_eq!(with(&TABLE[..2], &atom(*b"adrm", &[0; 120])), AMBIGUOUS);
}

/// Players delay all other samples by as much.
#[test]
fn samples_that_are_shown_long_before_they_are_decoded() {
    let run = |offset: i32| {
        let entries: Vec<u32> = (0..50).flat_map(|_| [200, 0]).chain([200, offset.cast_unsigned()]).collect();
        let run = atom(*b"trun", &[words(&[0x0100_0900, 51]), words(&entries)].concat());
        kind(&file_of(&[header(1), time(), run]))
    };
    assert_eq!([run(-10_000), run(-10_001)], [None, AMBIGUOUS]);
    let table = |offset: i32| {
        let table = atom(*b"ctts", &words(&[1 << 24, 2, 49, 0, 1, offset.cast_unsigned()]));
        kind(&append_to(&short().file(), &TABLE, &table))
    };
    assert_eq!([table(-10_000), table(-10_001)], [None, AMBIGUOUS]);
}

/// Some players play tracks with an unknown handler by their description.
#[test]
fn fragments_of_tracks_that_only_some_players_play() {
    let movie = fragmented().movie(0);
    let mut track = find_box(&movie, b"trak");
    for (name, at, value) in [(b"tkhd", 16, &[0, 0, 0, 2]), (b"hdlr", 12, b"abcd"), (b"stsd", 16, b"raw ")] {
        let at = memchr::memmem::find(&track, name).expect("the box") + at;
        track[at..at + 4].copy_from_slice(value);
    }
    let defaults = list(*b"mvex", &[1, 2].map(|id| atom(*b"trex", &words(&[0, id, 1, 200, 4, 0]))));
    let movie = append_to(&replace_box(&movie, &[b"moov", b"mvex"], &defaults), &[b"moov"], &track);
    let played = |count: u32| {
        let run = atom(*b"trun", &words(&[0, count]));
        let parts = [list(*b"traf", &[header(1), time(), self::run()]), list(*b"traf", &[header(2), time(), run])];
        kind(&[&file_type()[..], &movie, &list(*b"moof", &parts), &atom(*b"mdat", &[0; 16])].concat())
    };
    assert_eq!([played(55), played(56)], [None, AMBIGUOUS], "a second longer");
}

/// Players look for another format in such a file.
#[test]
fn boxes_with_which_no_movie_begins() {
    for name in [b"moof", b"prft", b"emsg"] {
        let file = [atom(*name, &[0; 8]), short().file()].concat();
        assert_eq!(kind(&file), Some(FileRefusalKind::NotAVideo), "{name:?}");
    }
}
