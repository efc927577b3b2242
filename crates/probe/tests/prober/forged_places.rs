//! Structures in the wrong place, or where players skip or search, are refused or counted. Filling and texts are not
//! mistaken for structures.

use crate::forged_structures::{
    append_to, assert_measured, assert_not_accepted, cluster, find_box, kind, long, matroska, replace_box, short,
};
use crate::support::ebml::{self, element};
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::FileRefusalKind;

const TRACK: [&[u8; 4]; 2] = [b"moov", b"trak"];
const TABLES: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];

/// Returns the content inside a box of this kind. Metadata begins with its own handler.
fn inside(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let start = if kind == *b"meta" {
        [words(&[0]), atom(*b"hdlr", b"\0\0\0\0\0\0\0\0mdirappl\0\0\0\0\0\0\0\0\0")].concat()
    } else {
        Vec::new()
    };
    atom(kind, &[&start[..], content].concat())
}

/// Boxes that players enter anywhere, and unknown boxes.
const AROUND: [&[u8; 4]; 14] = [
    b"dinf", b"sinf", b"schi", b"tref", b"wave", b"udta", b"meta", b"ilst", b"gmhd", b"wide", b"uuid", b"abcd",
    b"tapt", b"mfra",
];

#[test]
fn mp4_structure_inside_of_boxes_that_players_enter_or_skip() {
    let edited = Video { edits: vec![[300_000, 0]], ..long() }.file();
    let hidden =
        [b"stts", b"stsz", b"stco", b"elst", b"mdhd", b"tkhd", b"mvhd", b"hdlr", b"trak", b"mdia", b"stbl", b"edts"];
    let mut tried = 0;
    for (structure, around) in hidden.iter().flat_map(|structure| AROUND.map(|around| (*structure, around))) {
        let hiding = inside(*around, &find_box(&edited, structure));
        let twice = inside(*b"abcd", &hiding);
        for path in [&TABLES[..1], &TRACK, &TABLES[..3], &TABLES[..4], &TABLES] {
            for box_of in [&hiding, &twice] {
                let forged = append_to(&short().file(), path, box_of);
                let names = [*structure, *around].map(|name| String::from_utf8_lossy(&name).into_owned());
                assert_eq!(kind(&forged), Some(FileRefusalKind::Ambiguous), "{names:?} in {path:?}");
                tried += 1;
            }
        }
        assert_eq!(kind(&[short().file(), hiding].concat()), Some(FileRefusalKind::Ambiguous), "at the end");
    }
    assert_eq!(tried, 12 * 14 * 10);
}

#[test]
fn mp4_structure_that_is_cut_by_the_box_around_it() {
    let mut table = find_box(&long().file(), b"stts");
    table[..4].copy_from_slice(&9_999_u32.to_be_bytes());
    for around in [b"dinf", b"sinf", b"schi", b"wave", b"udta", b"meta", b"ilst"] {
        let forged = append_to(&short().file(), &TABLES, &inside(*around, &table));
        assert_eq!(kind(&forged), Some(FileRefusalKind::Ambiguous), "{}", String::from_utf8_lossy(around));
    }
}

#[test]
fn mp4_structure_in_filling_and_names_in_texts_are_nothing() {
    let stale = find_box(&long().file(), b"moov");
    let text = b"Every moov has a trak, and every trak a stbl with stts, stsz and stco: so says the hdlr.";
    for around in [b"free", b"skip"] {
        let filling = atom(*around, &stale[8..]);
        assert_measured("filling", &append_to(&short().file(), &TRACK, &filling), 10_000);
        assert_measured("filling at the end", &[short().file(), filling].concat(), 10_000);
    }
    for around in [b"udta", b"meta", b"ilst", b"uuid", b"abcd"] {
        let title = atom(*b"\xA9cmt", text);
        for path in [&TABLES[..1], &TRACK, &TABLES] {
            let file = append_to(&short().file(), path, &inside(*around, &title));
            assert_measured(&String::from_utf8_lossy(around), &file, 10_000);
        }
    }
}

/// A handler of this kind.
fn handler(of: &[u8], kind: &[u8]) -> Vec<u8> {
    atom(*b"hdlr", &[&[0; 4][..], of, kind, &[0; 13]].concat())
}

#[test]
fn mp4_handlers_of_data_and_metadata_change_no_track_but_those_of_media_do() {
    let media = &TABLES[..4];
    for data in [b"alis", b"url ", b"rsrc"] {
        let file = append_to(&short().file(), media, &handler(b"dhlr", data));
        assert_measured(&String::from_utf8_lossy(data), &file, 10_000);
    }
    for other in [b"vide", b"soun", b"m1a ", b"subp"] {
        let file = append_to(&short().file(), media, &handler(b"dhlr", other));
        assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous), "{}", String::from_utf8_lossy(other));
    }
}

#[test]
fn mp4_references_of_metadata_change_no_track_unless_they_name_another_file() {
    let references = |flags: u32| atom(*b"dref", &words(&[0, 1, 12, u32::from_be_bytes(*b"url "), flags]));
    let with = |flags| {
        let metadata = inside(*b"meta", &atom(*b"dinf", &references(flags)));
        append_to(&short().file(), &TRACK, &metadata)
    };
    assert_measured("in the same file", &with(1), 10_000);
    assert_eq!(kind(&with(0)), Some(FileRefusalKind::Ambiguous));
}

#[test]
fn mp4_edits_before_the_media_and_later_pauses() {
    let edited = |edits| Video { edits, ..long() }.file();
    let pause = u32::MAX;
    assert_not_accepted("before the media", &edited(vec![[4_000, pause - 1]]));
    assert_not_accepted("far before the media", &edited(vec![[4_000, 0], [4_000, 1 << 31]]));
    assert_not_accepted("a pause behind an edit", &edited(vec![[4_000, 0], [300_000, pause]]));
    assert_measured("a pause between edits", &edited(vec![[4_000, 0], [2_000, pause], [4_000, 4_000]]), 10_000);
}

#[test]
fn mp4_samples_without_bytes_are_no_pictures() {
    let sizes = |full: u32| {
        let each: Vec<u32> = (0..50).map(|sample| u32::from(sample < full)).collect();
        let path: Vec<_> = TABLES.into_iter().chain([b"stsz"]).collect();
        let table = atom(*b"stsz", &[words(&[0, 0, 50]), words(&each)].concat());
        replace_box(&short().file(), &path, &table)
    };
    assert_measured("a second without pictures", &sizes(45), 10_000);
    assert_not_accepted("more", &sizes(44));
    for (bits, full, empty) in [
        (4, [0x11; 25].to_vec(), &[0x11, 0, 0, 0][..]),
        (8, [1; 50].to_vec(), &[1, 0, 0, 0, 0, 0, 0]),
        (16, [0, 1].repeat(50), &[0; 12]),
    ] {
        let path: Vec<_> = TABLES.into_iter().chain([b"stsz"]).collect();
        let file = |sizes: &[u8]| {
            let entries = [sizes, &full[sizes.len()..]].concat();
            replace_box(&short().file(), &path, &atom(*b"stz2", &[words(&[0, bits, 50]), entries].concat()))
        };
        assert_measured("short sizes", &file(&full), 10_000);
        assert_not_accepted("short sizes of nothing", &file(empty));
    }
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0), fragment(Some(0), 50, 200)].concat();
    let run = |sizes: [u32; 2]| {
        let parts = [
            atom(*b"tfhd", &words(&[0x8, 1, 2_000])),
            atom(*b"tfdt", &words(&[0, 10_000])),
            atom(*b"trun", &words(&[0x200, 2, sizes[0], sizes[1]])),
        ];
        [&start[..], &list(*b"moof", &[list(*b"traf", &parts)]), &atom(*b"mdat", &[0; 16])].concat()
    };
    assert_measured("a fragment", &run([1, 1]), 14_000);
    assert_not_accepted("a fragment of nothing", &run([1, 0]));
}

#[test]
fn mp4_fragments_whose_times_only_the_index_has() {
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0)].concat();
    let fragments = |times: [Option<u32>; 2]| times.map(|start| fragment(start, 25, 200)).concat();
    let index = atom(*b"sidx", &words(&[0, 1, 1000, 0, 0, 0]));
    let file = |times| [&start[..], &index, &fragments(times)].concat();
    assert_measured("times", &file([Some(0), Some(5_000)]), 10_000);
    assert_measured("no times and no index", &[&start[..], &fragments([None, None])].concat(), 10_000);
    assert_not_accepted("times in the index", &file([None, None]));
}

/// Returns a file of ten seconds with these elements before its clusters.
fn with_elements(extra: &[Vec<u8>]) -> Vec<u8> {
    matroska(&[extra.concat(), cluster(0, &[]), cluster(9_000, &[])])
}

#[test]
fn matroska_values_of_a_length_that_they_cannot_have() {
    let file = |value: Vec<u8>| {
        let entry = [element(&[0xD7], &[1]), element(&[0x83], &[1]), value].concat();
        let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &element(&[0xAE], &entry));
        let body = [ebml::information(None), tracks, cluster(0, &[]), cluster(9_000, &[])].concat();
        [ebml::header(), element(ebml::SEGMENT, &body)].concat()
    };
    for (id, length) in
        [(&[0x73, 0xC5][..], 9), (&[0x9C], 300), (&[0x88], 9), (&[0x23, 0xE3, 0x83], 9), (&[0x23, 0x31, 0x4F], 5)]
    {
        assert_eq!(kind(&file(element(id, &vec![0; length]))), Some(FileRefusalKind::Malformed), "{id:?}");
    }
    assert_measured("a number of eight bytes", &file(element(&[0x73, 0xC5], &[1; 8])), 9_950);
    assert_not_accepted("a number without a length", &file([&[0x73, 0xC5, 0xFF][..], &[0; 8]].concat()));
    let previous = element(&[0xAB], &[0; 12]);
    assert_not_accepted("in a cluster", &matroska(&[cluster(0, &[previous]), cluster(9_000, &[])]));
}

#[test]
fn matroska_indexes_name_elements_that_are_there() {
    let entry = |id: &[u8], position: usize| {
        let position = u64::try_from(position).expect("small").to_be_bytes();
        element(&[0x4D, 0xBB], &[element(&[0x53, 0xAB], id), element(&[0x53, 0xAC], &position)].concat())
    };
    let index = |id: &[u8], position| element(&[0x11, 0x4D, 0x9B, 0x74], &entry(id, position));
    let tags = [0x12, 0x54, 0xC3, 0x67];
    let stretched = element(&[0x15, 0x49, 0xA9, 0x66], &element(&[0x2A, 0xD7, 0xB1], &30_000_000_u32.to_be_bytes()));
    let front = ebml::information(None).len() + ebml::tracks(1).len() + index(&tags, 0).len();
    // Filling that hides information with another clock, which players read if the index names it.
    let file = |position| with_elements(&[index(&tags, position), element(&[0xEC], &stretched), element(&tags, &[])]);
    let behind = front + 9 + stretched.len();
    assert_measured("tags where they are", &file(behind), 9_950);
    assert_measured("behind the end of the file", &file(1 << 40), 9_950);
    assert_not_accepted("inside of filling", &file(front + 9));
    assert_not_accepted("between elements", &file(front + 1));
    let clusters = with_elements(&[index(ebml::CLUSTER, 5)]);
    assert_measured("clusters, which players find themselves", &clusters, 9_950);
}

#[test]
fn matroska_elements_that_players_find_when_they_search() {
    let stretched = element(&[0x15, 0x49, 0xA9, 0x66], &element(&[0x2A, 0xD7, 0xB1], &30_000_000_u32.to_be_bytes()));
    let unknown = element(&[0x42, 0xFF], &stretched);
    assert_not_accepted("information in an unknown element", &with_elements(&[unknown]));
    let tracks = element(&[0x42, 0xFF], &ebml::tracks(1));
    assert_not_accepted("tracks in an unknown element", &with_elements(&[tracks]));
}
