//! Movies of which players show one second and then a frozen picture, because only the tables say that there is more.

use crate::support::{probe_whole, summary};
use fixtures::boxes::{Video, words};
use probe::FileRefusalKind;

/// Replaces the content of the first box at this path, and corrects the sizes of the boxes that hold it.
fn change_box(file: &mut Vec<u8>, path: &[[u8; 4]], change: impl FnOnce(&[u8]) -> Vec<u8>) {
    let size_at = |file: &[u8], at: usize| u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut boxes) = (0, Vec::new());
    for kind in path {
        while file[at + 4..at + 8] != kind[..] {
            at += size_at(file, at) as usize;
        }
        boxes.push(at);
        at += 8;
    }
    let end = at - 8 + size_at(file, at - 8) as usize;
    let content = change(&file[at..end]);
    let grown = u32::try_from(content.len()).expect("short").wrapping_sub(u32::try_from(end - at).expect("short"));
    file.splice(at..end, content);
    for at in boxes {
        let size = size_at(file, at).wrapping_add(grown);
        file[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
}

fn table(name: [u8; 4]) -> [[u8; 4]; 6] {
    [*b"moov", *b"trak", *b"mdia", *b"minf", *b"stbl", name]
}

/// Returns a movie of ten seconds in two descriptions, the second of which has this format and the last nine seconds.
fn with_second_description(format: [u8; 4]) -> Vec<u8> {
    let mut file = Video { times: vec![[10, 1000]], ..Video::default() }.file();
    change_box(&mut file, &table(*b"stsd"), |content| {
        let mut other = content[8..].to_vec();
        other[4..8].copy_from_slice(&format);
        [&content[..4], &words(&[2]), &content[8..], &other].concat()
    });
    change_box(&mut file, &table(*b"stsc"), |_| words(&[0, 2, 1, 1, 1, 2, 9, 2]));
    // Two chunks, in the media that follows.
    change_box(&mut file, &table(*b"stco"), |_| words(&[0, 2, 0, 0]));
    let media = u32::try_from(file.windows(4).position(|name| name == b"mdat").expect("media") + 4).expect("short");
    change_box(&mut file, &table(*b"stco"), |_| words(&[0, 2, media, media + 1]));
    file
}

#[test]
fn samples_in_another_format_than_the_first_are_rejected() {
    let same = probe_whole(&with_second_description(*b"avc1"));
    assert_eq!(same.as_ref().map(|media| media.duration_ms).ok(), Some(10_000), "{}", summary(&same));
    for format in [*b"mp4v", *b"hvc1", *b"zzzz"] {
        let verdict = probe_whole(&with_second_description(format));
        let kind = verdict.as_ref().err().map(probe::FileRefusal::kind);
        assert_eq!(kind, Some(FileRefusalKind::Ambiguous), "{}", summary(&verdict));
    }
}

#[test]
fn a_duration_that_players_take_for_negative_is_rejected() {
    let timescale = 238_609_294;
    let ending_with = |ticks: u32| {
        let times = vec![[24, timescale / 25], [1, ticks]];
        probe_whole(&Video { timescale, times, ..Video::default() }.file())
    };
    let long = ending_with((1 << 31) - 1);
    assert!(long.is_ok(), "{}", summary(&long));
    let negative = ending_with(1 << 31);
    let kind = negative.as_ref().err().map(probe::FileRefusal::kind);
    assert_eq!(kind, Some(FileRefusalKind::Ambiguous), "{}", summary(&negative));
}
