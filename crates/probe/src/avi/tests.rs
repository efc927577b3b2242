//! Tests of the AVI reader: lists, chunks and the index.

use super::*;
use crate::driver::tests::step_text;

#[test]
fn chunks_are_padded_to_an_even_length() {
    assert!(matches!(skip_chunk(10), WalkStep::Skip(18)));
    assert!(matches!(skip_chunk(11), WalkStep::Skip(20)));
}

/// Returns a walk at a chunk of the media, in a file with one picture.
fn media() -> Avi {
    let mut avi = Avi { in_media: true, ..Avi::default() };
    avi.streams.read_header(&[&b"vidsXVID"[..], &[0; 48]].concat()).expect("a header");
    avi.streams.read_format(&[0; 40], 40).expect("a format");
    avi
}

fn step(avi: &mut Avi, window: &[u8]) -> String {
    step_text(avi.step(0, window)).expect("a step")
}

#[test]
fn chunks_of_the_media_are_searched_for() {
    let frame = b"00dc\x0A\0\0\0.";
    assert_eq!(step(&mut media(), frame), "Skip(18)");
    assert_eq!(step(&mut media(), &frame[..7]), "Need(8)");
    assert_eq!(step(&mut media(), &[&b"..."[..], frame].concat()), "Skip(3)");
    assert_eq!([step(&mut media(), &[9; 7]), step(&mut media(), &[9; 8])], ["Need(8)", "Skip(1)"]);
    assert_eq!(step(&mut media(), &[9; 20]), "Skip(13)");
    let padded = [&b"0"[..], frame].concat();
    let after = |position| step_text(media().step(position, &padded)).expect("a step");
    assert_eq!([after(0), after(1)], [format!("Skip({})", 8 + 0x0A63), "Skip(1)".into()], "padding after odd lengths");
    let mut avi = media();
    step(&mut avi, frame);
    assert_eq!(avi.expected_at, 18);
}

#[test]
fn lists_are_entered_indexes_are_read_and_other_chunks_are_skipped() {
    let list = b"LIST\x64\0\0\0movi";
    assert_eq!([step(&mut media(), &list[..11]), step(&mut media(), list)], ["Need(12)", "Skip(12)"]);
    let mut avi = media();
    step(&mut avi, list);
    assert_eq!((avi.declared_end, avi.expected_at), (108, 12));
    for unknown in [b"LIST\0\0\0\0movi", b"LIST\xFF\xFF\xFF\xFFmovi", b"LIST\x64\0\0\0rec "] {
        let mut avi = media();
        step(&mut avi, unknown);
        assert_eq!(avi.declared_end, 0);
    }
    let mut avi = media();
    assert_eq!(step(&mut avi, b"idx1\x20\0\0\0."), "Skip(8)");
    assert_eq!((avi.index.map(|index| (index.left, index.entries)), avi.expected_at), (Some((32, 2)), 40));
    let mut avi = media();
    assert_eq!(step(&mut avi, b"JUNK\x20\0\0\0."), "Skip(40)");
}

#[test]
fn only_the_last_byte_of_padding_may_be_missing() {
    let ended = |declared_end, missing| {
        let mut avi = Avi { declared_end, ..media() };
        avi.finish(FileEnd { length: 100, missing, tail: &[] }).map(drop).map_err(|refusal| refusal.kind().name())
    };
    assert_eq!(ended(101, 1), Err("duration_unknown"), "whole");
    assert_eq!([ended(102, 0), ended(100, 2)], [Err("truncated"); 2]);
}

#[test]
fn chunks_before_the_media_are_read_in_their_lists() {
    let step = |window: &[u8]| step_text(Avi::default().step(0, window));
    assert_eq!(step(b"LIST\x64\0\0\0IN").as_deref(), Ok("Need(12)"));
    assert_eq!(step(b"LIST\x64\0\0\0INFO").as_deref(), Ok("Skip(12)"));
    assert_eq!(step(b"LIST\x64\0\0\0hdrl").as_deref(), Ok("Skip(12)"));
    assert_eq!(step(b"avih\xFF\0\0\0").as_deref(), Ok("Need(136)"));
    assert_eq!(step(b"avih\x28\0\0\0").as_deref(), Ok("Need(48)"));
    assert_eq!(step(b"avih\x27\0\0\0"), Err("ambiguous"), "players read more");
    assert_eq!(step(b"LIST\x03\0\0\0INFO"), Err("ambiguous"));
    for kind in [b' ', 0x19] {
        let header = [&b"RIFF\x64\0\0\0AVI"[..], &[kind]].concat();
        assert_eq!(step(&header).as_deref(), Ok("Skip(12)"), "{kind:#x}");
    }
    assert_eq!(step(b"RIFF\x64\0\0\0AVIy"), Err("ambiguous"));
    assert_eq!(step(b"JUNK\x40\x42\x0F\0").as_deref(), Ok("Skip(1000008)"));
    assert_eq!(step(b"JUNK\x41\x42\x0F\0"), Err("ambiguous"));
}

#[test]
fn the_header_of_a_stream_is_in_its_list_if_the_list_has_a_size() {
    for (size, until) in [(100, 150), (0, u64::MAX), (u32::MAX, u64::MAX)] {
        let mut avi = Avi::default();
        avi.step_list(size, 50, b"LIST....strl").expect("a list");
        assert_eq!(avi.header_until, until, "{size}");
    }
}

#[test]
fn the_index_is_read_in_whole_entries_and_the_rest_of_a_broken_one_is_skipped() {
    for (size, window, step, left) in [
        (40, 15, "Need(16)", Some((40, 2))),
        (40, 16, "Skip(16)", Some((24, 1))),
        (40, 39, "Skip(32)", Some((8, 0))),
        (32, 99, "Skip(32)", Some((0, 0))),
        (8, 7, "Skip(8)", None),
    ] {
        let mut avi = Avi { index: Some(IndexReader::of_old(size)), ..Avi::default() };
        let taken = step_text(avi.step_index(&vec![0; window]));
        let index = avi.index.map(|index| (index.left, index.entries));
        assert_eq!((taken.as_deref(), index), (Ok(step), left), "{window} bytes of {size}");
    }
}

/// Returns an index of `OpenDML` with this type, number of entries and stream, whose entries count from position 5.
fn open_index(kind: u8, entries: u8, stream: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, kind, entries, 0, 0, 0][..], stream, &[5, 0, 0, 0, 0, 0, 0, 0], &[0; 4]].concat()
}

#[test]
fn an_index_that_a_header_names_is_read_where_it_is_and_no_other() {
    let named = |positions: &[u8]| {
        let mut avi = media();
        let entries = positions.iter().flat_map(|at| [&[*at][..], &[0; 15]].concat()).collect::<Vec<_>>();
        let count = u8::try_from(positions.len()).expect("few");
        let list = [&[4, 0, 0, 0, count, 0, 0, 0][..], &[0; 16], &entries].concat();
        let size = u8::try_from(list.len()).expect("short");
        let chunk = [&b"indx"[..], &[size, 0, 0, 0], &list].concat();
        let mut header = Avi::default();
        let need = format!("Need({})", chunk.len());
        assert_eq!(
            step(&mut header, &chunk[..chunk.len() - 1]),
            if positions.is_empty() { "Need(32)".into() } else { need }
        );
        step(&mut header, &chunk);
        avi.named_indexes = header.named_indexes;
        avi
    };
    let chunk = |index: Vec<u8>| [&b"ix00\x28\0\0\0"[..], &index, &[9; 16]].concat();
    let standard = || chunk(open_index(1, 2, b"00dc"));
    let read = |avi: &mut Avi, chunk: &[u8]| {
        (step_text(avi.step(0, chunk)), avi.index.map(|index| (index.left, index.entries)))
    };
    assert_eq!(read(&mut named(&[0, 7]), &standard()), (Ok("Skip(48)".into()), None), "another position");
    assert!(
        !named(&[7]).named_indexes.are_read()
            && named(&[0]).named_indexes.are_read()
            && named(&[]).named_indexes.are_read()
    );
    let all_read = |positions: &[u8]| {
        let mut indexes = named(positions).named_indexes;
        indexes.take(7) && indexes.are_read()
    };
    assert!(all_read(&[7, 0]) && !all_read(&[0, 7]), "players read no further than a position of zero");
    let mut avi = named(&[7]);
    let found = step_text(avi.step(7, &standard()));
    assert_eq!(
        (found, avi.index.map(|index| (index.left, index.entries, index.open))),
        (Ok("Skip(32)".into()), Some((16, 2, Some((0, 5)))))
    );
    assert!(avi.named_indexes.are_read());
    assert_eq!(step_text(named(&[7]).step(7, &standard()[..31])), Ok("Need(32)".into()));
    let mut of_fields = open_index(1, 2, b"00dc");
    of_fields[2] = 1;
    let other_stream = open_index(1, 2, b"01dc");
    for broken in
        [open_index(0, 2, b"00dc"), open_index(1, 3, b"00dc"), open_index(1, 2, b"dc00"), of_fields, other_stream]
    {
        assert_eq!(step_text(named(&[7]).step(7, &chunk(broken))), Err("ambiguous"));
    }
}

#[test]
fn only_the_file_and_its_media_declare_an_end() {
    let end_after = |list: &[u8; 12]| {
        let mut avi = Avi { in_media: false, ..media() };
        step(&mut avi, list);
        avi.declared_end
    };
    assert_eq!(end_after(b"LIST\x64\0\0\0movi"), 108);
    assert_eq!([end_after(b"LIST\x64\0\0\0hdrl"), end_after(b"LIST\0\0\0\0movi")], [0, 0]);
}

#[test]
fn media_behind_the_end_of_the_file_declares_no_end() {
    let end_after = |at| {
        let mut avi = Avi { declared_end: 1_000, ..media() };
        avi.step(at, b"LIST\x64\0\0\0movi").expect("a list");
        avi.declared_end
    };
    assert_eq!([end_after(999), end_after(1_000)], [1_107, 1_000]);
}

#[test]
fn a_second_file_begins_with_a_riff_chunk() {
    let headers_after = |list: &[u8; 12]| {
        let mut avi = media();
        step(&mut avi, list);
        avi.headers
    };
    assert_eq!(headers_after(b"RIFF\x64\0\0\0AVI "), 1);
    assert_eq!(headers_after(b"RIFF\x64\0\0\0AVIX"), 0);
}

#[test]
fn only_steps_over_bytes_count_as_structures() {
    let counted = |window: &[u8]| {
        let mut avi = Avi::default();
        step(&mut avi, window);
        avi.structures
    };
    assert_eq!(counted(b"JUNK\x20\0\0\0"), StructureCount::of(1));
    assert_eq!(counted(b"JUNK\x20\0\0"), StructureCount::of(0));
}

#[test]
fn a_file_without_frames_has_no_duration_whatever_it_declares() {
    let mut avi = Avi { in_media: true, ..Avi::default() };
    let mut header = [&b"vidsXVID"[..], &[0; 48]].concat();
    // Ten frames at 25 frames per second.
    (header[20], header[24], header[32]) = (1, 25, 10);
    avi.streams.read_header(&header).expect("a header");
    assert_eq!(avi.streams.declared(), Some(400_000_000));
    let refusal = avi.finish(FileEnd { length: 100, missing: 0, tail: &[] }).expect_err("no frames");
    assert_eq!(refusal, FileRefusal::DurationUnknown { container: CONTAINER });
}
