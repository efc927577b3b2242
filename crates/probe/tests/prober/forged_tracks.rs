//! Tracks that only some players play, or of which players choose one: streams of unknown types, second descriptions,
//! several parts of a fragment, short tracks, and positions where there is no media.

use crate::forged_structures::{
    append_to, assert_measured, assert_not_accepted, cluster, find_box, kind, matroska, replace_box, short,
};
use crate::support::clips::{ClipSpec, encode, recipe_of};
use crate::support::crafted::section;
use crate::support::ebml::{self, element};
use crate::support::probe_whole;
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::judge::FileJudge;
use probe::{FileRefusalKind, Prober};

const TABLES: [&[u8; 4]; 5] = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
const SECOND: u64 = 90_000;

fn clip(name: &str) -> Option<Vec<u8>> {
    encode(recipe_of(name), ClipSpec { frames: 20, rate: 5, sound: false })
}

/// Returns a packet of an elementary stream with a presentation time.
fn pes(number: u8, ticks: u64, payload: &[u8]) -> Vec<u8> {
    let byte = |shift: u32| u8::try_from(ticks >> shift & 0xFF).expect("a byte");
    let time = [0x21 | byte(29) & 0x0E, byte(22), byte(14) | 1, byte(7), byte(0) << 1 | 1];
    let length = u16::try_from(8 + payload.len()).expect("short").to_be_bytes();
    [&[0, 0, 1, number][..], &length, &[0x80, 0x80, 5], &time, payload].concat()
}

/// Returns a packet of a transport stream that begins with this payload.
fn packet(pid: u16, payload: &[u8]) -> Vec<u8> {
    let [high, low] = (0x4000 | pid).to_be_bytes();
    let mut packet = [&[0x47, high, low, 0x10], payload].concat();
    packet.resize(188, 0xFF);
    packet
}

/// Returns packets of one stream, from the time at which the clips begin on.
fn packets(pid: u16, number: u8, seconds: std::ops::Range<u64>) -> Vec<u8> {
    seconds.flat_map(|second| packet(pid, &pes(number, (second + 1) * SECOND, b"content"))).collect()
}

/// Returns a program table with another stream.
fn table(code: u8, pid: u16, descriptors: &[u8]) -> Vec<u8> {
    let [high, low] = (0xE000 | pid).to_be_bytes();
    let length = u8::try_from(descriptors.len()).expect("few descriptors");
    let entries = [&[0x1B, 0xE1, 0, 0xF0, 0, code, high, low, 0xF0, length], descriptors].concat();
    let length = u8::try_from(9 + entries.len() + 4).expect("short");
    let fixed = [2, 0xB0, length, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0];
    packet(0x1000, &section(&[&fixed[..], &entries].concat()))
}

#[test]
fn transport_streams_of_unknown_types_are_not_longer_than_the_others() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    for number in [0xBD, 0xFD, 0xFA, 0xF3] {
        let long = [&clip[..], &packets(0x1F0, number, 0..300)].concat();
        assert_eq!(kind(&long), Some(FileRefusalKind::Ambiguous), "{number:#x} in no table");
        for code in [0x06, 0x99, 0xA0] {
            let file = [&clip[..], &table(code, 0x1F0, &[]), &packets(0x1F0, number, 0..300)].concat();
            assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous), "{number:#x} of type {code:#x}");
        }
    }
    assert_measured("for as long as the pictures", &[&clip[..], &packets(0x1F0, 0xBD, 1..5)].concat(), duration);
    assert_measured("without times", &[&clip[..], &packets(0x1F0, 0xBE, 0..300)].concat(), duration);
    let same_time = packets(0x1F0, 0xBD, 40_000..40_001).repeat(300);
    assert_measured("measurements without a clock", &[&clip[..], &same_time].concat(), duration);
    // Its content is no header, and neither are those bytes.
    let navigation = packet(0x1F0, &[0, 0, 1, 0xBF, 0, 100, 0x80, 0x80, 0, 0]);
    assert_measured("navigation", &[&clip[..], &navigation].concat(), duration);
}

/// The clock has 33 bits. Each time of a stream is placed next to the one before it.
#[test]
fn times_of_unknown_streams_do_not_move_the_others() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    let third = (1 << 33) / 3;
    // Two streams, of which each has one time.
    let strays = [(0x1F0, third), (0x1F1, third * 2)].map(|(pid, ticks)| packet(pid, &pes(0xBD, ticks, b"content")));
    let middle = clip.len() / 188 / 2 * 188;
    assert_measured("a circle", &[&clip[..middle], &strays.concat(), &clip[middle..]].concat(), duration);
}

#[test]
fn transport_streams_of_sound_count_and_those_of_subtitles_do_not() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    let with = |code, descriptors: &[u8]| {
        [&clip[..], &table(code, 0x1F0, descriptors), &packets(0x1F0, 0xBD, 0..300)].concat()
    };
    for (code, descriptors) in [(0x06, &b"\x05\x04BSSD"[..]), (0x1C, b""), (0x8A, b""), (0x2A, b""), (0x21, b"")] {
        assert_not_accepted(&format!("type {code:#x}"), &with(code, descriptors));
        assert_eq!(kind(&with(code, descriptors)), None, "type {code:#x}");
    }
    for (code, descriptors) in [(0x06, &b"\x59\0"[..]), (0x06, b"\x56\0"), (0x06, b"\x05\x04KLVA"), (0x15, b"")] {
        assert_measured(&format!("data of type {code:#x}"), &with(code, descriptors), duration);
    }
    let both = [with(0x06, b"\x59\0"), table(0x06, 0x1F0, &[]), packets(0x1F0, 0xBD, 0..300)].concat();
    assert_not_accepted("subtitles by one of two tables", &both);
}

/// Players find pictures in streams of types that they do not know.
#[test]
fn transport_streams_of_data_hold_no_pictures() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let pictures = |second: u64| packet(0x1F0, &pes(0xFA, second * SECOND, b"\0\0\x01\xB3\x2D\x02\x40\x33"));
    let hidden: Vec<u8> = (0..300).flat_map(pictures).collect();
    for code in [0x05, 0x08, 0x0A, 0x0B, 0x0D, 0x13, 0x14, 0x15, 0x16, 0x90, 0x91, 0x92] {
        assert_not_accepted(&format!("type {code:#x}"), &[&clip[..], &table(code, 0x1F0, &[]), &hidden].concat());
    }
}

/// Other tables are not for players.
#[test]
fn only_an_intact_table_says_that_a_stream_is_data() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    let with = |table: &[u8]| [&clip[..], table, &packets(0x1F0, 0xBD, 0..300)].concat();
    let subtitles = table(0x06, 0x1F0, b"\x59\0");
    assert_measured("subtitles", &with(&subtitles), duration);
    let version = subtitles.windows(3).position(|bytes| bytes == [0xC1, 0, 0]).expect("a version");
    let mut damaged = subtitles.clone();
    damaged[version] = 0xC3;
    assert_eq!(kind(&with(&damaged)), Some(FileRefusalKind::Ambiguous));
}

/// Broadcasters describe a program in several sections, of which one follows the other in a packet.
#[test]
fn each_section_of_a_table_counts() {
    let Some(clip) = clip("mpeg-ts") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    let entry = |code, pid: u16, descriptors: &[u8]| {
        let [high, low] = (0xE000 | pid).to_be_bytes();
        let length = u8::try_from(descriptors.len()).expect("few descriptors");
        [&[code, high, low, 0xF0, length], descriptors].concat()
    };
    let part = |number: u8, entries: &[u8]| {
        let length = u8::try_from(9 + entries.len() + 4).expect("short");
        section(&[&[2, 0xB0, length, 0, 1, 0xC1, number, 1, 0xE1, 0, 0xF0, 0], entries].concat())[1..].to_vec()
    };
    let both = [part(0, &entry(0x1B, 0x100, b"")), part(1, &entry(0x06, 0x1F0, b"\x59\0"))].concat();
    let tables = packet(0x1000, &[&[0], &both[..]].concat());
    assert_measured("in one packet", &[&clip[..], &tables, &packets(0x1F0, 0xBD, 0..300)].concat(), duration);
}

#[test]
fn private_streams_of_program_streams() {
    let Some(clip) = clip("mpeg-ps") else { return };
    let duration = probe_whole(&clip).expect("a video").duration_ms;
    let with = |start: &[u8]| {
        let packets = (0..300).flat_map(|second| pes(0xBD, second * SECOND, &[start, &[0; 20]].concat()));
        clip.iter().copied().chain(packets).collect::<Vec<u8>>()
    };
    for start in [&[0xC0][..], &[0xCF], &[0x98], &[0xB0], &[0x0B, 0x77]] {
        assert_not_accepted(&format!("sound {start:x?}"), &with(start));
        assert_eq!(kind(&with(start)), None, "{start:x?}");
    }
    for unknown in [0x01, 0x0B, 0x40, 0xFF] {
        assert_eq!(kind(&with(&[unknown])), Some(FileRefusalKind::Ambiguous), "{unknown:#x}");
    }
    for subtitles in [0x10, 0x1F, 0x20, 0x3F] {
        assert_measured("subtitles", &with(&[subtitles]), duration);
    }
    let many = (0..80_u8).flat_map(|number| pes(0xBD, 0, &[number + 0x80]));
    let many: Vec<u8> = many.chain((0xC0..=0xDF).flat_map(|number| pes(number, 0, &[0]))).collect();
    assert_eq!(kind(&[&many[..], &clip].concat()), Some(FileRefusalKind::NotAVideo), "it must begin with a pack");
    assert_eq!(kind(&[&clip[..], &many].concat()), Some(FileRefusalKind::MetadataTooLarge), "too many streams");
}

#[test]
fn ogg_streams_that_are_not_read() {
    let Some(clip) = clip("ogg") else { return };
    let with = |magic: &[u8]| {
        let mut page = [&b"OggS\0\x02"[..], &[0; 8], b"abcd", &[0; 8], &[1, 60], magic].concat();
        page.resize(28 + 60, 0);
        kind(&[&page[..], &clip].concat())
    };
    for magic in [
        &b"\x01audio\0\0\0"[..],
        b"\x01video\0\0\0",
        b"\x01Direct Show Samples embedded in Ogg",
        b"BBCD\0",
        b"KW-DIRAC\0",
    ] {
        assert_eq!(with(magic), Some(FileRefusalKind::Unsupported), "{}", String::from_utf8_lossy(magic));
    }
    for magic in [&b"\x01text\0\0\0\0"[..], b"fishead\0", b"\x80kate\0\0\0"] {
        assert_eq!(with(magic), None, "{}", String::from_utf8_lossy(magic));
    }
}

#[test]
fn mp4_indexes_of_fragments_are_at_the_end() {
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0), fragment(Some(0), 25, 200)].concat();
    let rest = fragment(Some(5_000), 25, 200);
    let index = list(*b"mfra", &[atom(*b"mfro", &words(&[0, 24]))]);
    assert_measured("at the end", &[&start[..], &rest, &index].concat(), 10_000);
    assert_measured("before filling", &[&start[..], &rest, &index, &atom(*b"free", &[0; 8])].concat(), 10_000);
    for (what, file) in [
        ("in the middle", [&start[..], &index, &rest].concat()),
        ("twice", [&start[..], &rest, &index, &index].concat()),
        ("in another box", [&start[..], &rest, &atom(*b"abcd", &index)].concat()),
        ("in a fragment", append_to(&[&start[..], &rest].concat(), &[b"moof"], &index)),
    ] {
        assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous), "{what}");
    }
}

/// Returns a movie of two chunks, whose samples have one description each, at these positions.
fn two_descriptions(second: impl FnOnce(&mut [u8]), chunks: [u32; 2]) -> Vec<u8> {
    let table = |kind: &'static [u8; 4]| TABLES.into_iter().chain([kind]).collect::<Vec<_>>();
    let file = short().file();
    let first = find_box(&file, b"stsd")[16..].to_vec();
    let mut other = first.clone();
    second(&mut other);
    let descriptions = atom(*b"stsd", &[words(&[0, 2]), first, other].concat());
    let file = replace_box(&file, &table(b"stsd"), &descriptions);
    let file = replace_box(&file, &table(b"stsc"), &atom(*b"stsc", &words(&[0, 2, 1, 25, 1, 2, 25, 2])));
    replace_box(&file, &table(b"stco"), &atom(*b"stco", &words(&[0, 2, chunks[0], chunks[1]])))
}

/// The media begins behind a header of a kilobyte at most.
fn with_media(file: &[u8]) -> Vec<u8> {
    [file, &atom(*b"mdat", &[0; 2_000])].concat()
}

#[test]
fn mp4_descriptions_that_differ_in_what_players_keep() {
    let file = |second: fn(&mut [u8])| with_media(&two_descriptions(second, [1_500, 1_600]));
    assert_measured("the same", &file(|_| {}), 10_000);
    assert_measured("another version of the encoder", &file(|entry| entry[20] = 9), 10_000);
    assert_eq!(kind(&file(|entry| entry[33] = 128)), Some(FileRefusalKind::Ambiguous), "a width");
    assert_eq!(kind(&file(|entry| entry[35] = 90)), Some(FileRefusalKind::Ambiguous), "a height");
    assert_eq!(kind(&file(|entry| entry[7] = b'3')), Some(FileRefusalKind::Ambiguous), "a format");
}

#[test]
fn mp4_samples_where_the_header_is() {
    let chunks = |chunks| kind(&with_media(&two_descriptions(|_| {}, chunks)));
    assert_eq!(chunks([1_500, 1_600]), None);
    for position in [0, 12, 40, 300] {
        assert_eq!(chunks([1_500, position]), Some(FileRefusalKind::Ambiguous), "{position}");
        assert_eq!(chunks([position, 1_500]), Some(FileRefusalKind::Ambiguous), "{position}");
    }
    assert_eq!(chunks([1_500, 100_000]), Some(FileRefusalKind::Truncated));

    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0)].concat();
    let fragment_at = |offset: i32, samples: u32| {
        let parts = [
            atom(*b"tfhd", &words(&[0x8, 1, 200])),
            atom(*b"tfdt", &words(&[0, 0])),
            atom(*b"trun", &words(&[0x1, samples, offset.cast_unsigned()])),
        ];
        let moof = list(*b"moof", &[list(*b"traf", &parts)]);
        [&start[..], &moof, &atom(*b"mdat", &[0; 64]), &fragment(Some(10_000), 5, 200)].concat()
    };
    let size = |length: usize| i32::try_from(length).expect("small");
    let length = size(fragment_at(0, 50).len() - start.len());
    assert_measured("in its media", &fragment_at(100, 50), 11_000);
    for (offset, expected) in [
        (-size(start.len()), FileRefusalKind::Ambiguous),
        (-size(start.len()) + 12, FileRefusalKind::Ambiguous),
        (-20, FileRefusalKind::Ambiguous),
        (length, FileRefusalKind::Truncated),
        (i32::MAX, FileRefusalKind::Truncated),
    ] {
        assert_eq!(kind(&fragment_at(offset, 50)), Some(expected), "{offset}");
    }
    assert_measured("no samples at the end of the file", &fragment_at(length, 0), 1_000);
}

#[test]
fn mp4_parts_of_a_fragment_are_in_order() {
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0)].concat();
    let part = |time: u32| {
        let header = atom(*b"tfhd", &words(&[0x8, 1, 200]));
        list(*b"traf", &[header, atom(*b"tfdt", &words(&[0, time])), atom(*b"trun", &words(&[0, 25]))])
    };
    let file = |times: [u32; 2]| {
        let moof = list(*b"moof", &times.map(part));
        [&start[..], &moof, &atom(*b"mdat", &[0; 64])].concat()
    };
    assert_measured("in order", &file([0, 5_000]), 10_000);
    assert_measured("with a time that is rounded", &file([0, 4_900]), 10_000);
    assert_eq!(kind(&file([5_000, 0])), Some(FileRefusalKind::Ambiguous));
    assert_eq!(kind(&file([0, 4_000])), Some(FileRefusalKind::Ambiguous));
    let each = [0, 5_000].map(|time| fragment(Some(time), 25, 200)).concat();
    assert_measured("in two fragments", &[&start[..], &each].concat(), 10_000);
}

fn judged(file: &[u8]) -> Result<u64, String> {
    let mut judge = FileJudge::default();
    judge.feed(file).map_err(|refused| refused.detail)?;
    judge.finish().map(|media| media.duration_ms).map_err(|refused| refused.detail)
}

#[test]
fn each_video_track_is_long_enough() {
    let with = |samples: u32| {
        let mut track = find_box(&Video { times: vec![[samples, 200]], ..Video::default() }.file(), b"trak");
        let at = memchr::memmem::find(&track, b"tkhd").expect("a header");
        track[at + 19] = 2;
        let moved = [append_to(&short().file(), &[b"moov"], &track), vec![0; 2_000]].concat();
        let mut file = moved.clone();
        // The samples of both tracks are among the zeros at the end of the file.
        for at in memchr::memmem::find_iter(&moved, b"stco") {
            file[at + 12..at + 16].copy_from_slice(&u32::try_from(moved.len() - 1_500).expect("small").to_be_bytes());
        }
        file
    };
    assert_eq!(judged(&with(10)), Ok(10_000));
    assert_eq!(judged(&with(50)), Ok(10_000));
    let refused = judged(&with(9)).expect_err("a track of 1.8 s");
    assert!(refused.contains("1.800 seconds"), "{refused}");
    let tracks = ebml::tracks_of(&[1, 1]);
    let body = |last: i16| {
        let second: Vec<u8> = (0..10)
            .flat_map(|index| {
                let [high, low] = (index * last / 9).to_be_bytes();
                element(&[0xA3], &[0x82, high, low, 0x80, 0, 0])
            })
            .collect();
        let clusters = [cluster(0, &[second]), cluster(9_000, &[])].concat();
        [ebml::header(), element(ebml::SEGMENT, &[ebml::information(None), tracks.clone(), clusters].concat())].concat()
    };
    assert_eq!(judged(&body(1_980)), Ok(9_950));
    assert!(judged(&body(900)).is_err());
    let cover = [element(&[0xD7], &[2]), element(&[0x83], &[1]), element(&[0x86], b"V_MJPEG")].concat();
    let pictures = [element(&[0xD7], &[1]), element(&[0x83], &[1]), element(&[0x86], b"V_VP8")].concat();
    let both = [element(&[0xAE], &pictures), element(&[0xAE], &cover)].concat();
    let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &both);
    let picture = element(&[0xA3], &[0x82, 0, 0, 0x80, 0, 0]);
    let clusters = [cluster(0, &[picture]), cluster(9_000, &[])].concat();
    let file = [ebml::header(), element(ebml::SEGMENT, &[ebml::information(None), tracks, clusters].concat())].concat();
    assert_eq!(judged(&file), Ok(9_950), "a cover");
    let third = [element(&[0xD7], &[3]), element(&[0x83], &[1]), element(&[0x86], b"V_VP8")].concat();
    let tracks = [&pictures, &cover, &third].map(|track| element(&[0xAE], track)).concat();
    let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &tracks);
    let others = |last: u8| [0, last].map(|high| element(&[0xA3], &[0x83, high, 0, 0x80, 0, 0])).concat();
    let file = |last: u8| {
        let cover = element(&[0xA3], &[0x82, 0, 0, 0x80, 0, 0]);
        let clusters = [cluster(0, &[cover, others(last)]), cluster(9_000, &[])].concat();
        [ebml::header(), element(ebml::SEGMENT, &[ebml::information(None), tracks.clone(), clusters].concat())].concat()
    };
    assert_eq!(judged(&file(20)), Ok(9_950), "a cover beside two tracks");
    assert!(judged(&file(3)).is_err(), "a short track beside them");
    assert_eq!(judged(&matroska(&[cluster(0, &[]), cluster(9_000, &[])])), Ok(9_950), "one track");
}

#[test]
fn matroska_frames_that_are_longer_than_players_accept() {
    let file = |size: u64| {
        let size = (size | 1 << 56).to_be_bytes();
        let start = [ebml::live_start(None), ebml::live_cluster(&ebml::cluster_body(0, 10, 500))].concat();
        let mut prober = Prober::new();
        prober.feed(&[&start[..], &[0xA3], &size, &[0x81, 0, 0, 0x80], &[0; 20]].concat());
        prober.finish().map(|media| media.duration_ms).map_err(|refusal| refusal.kind())
    };
    assert_eq!(file(256 << 20), Ok(4_550));
    assert_eq!(file((256 << 20) + 1), Err(FileRefusalKind::Malformed));
}

/// ffmpeg does not look there, but it would after a length that it does not accept.
#[test]
fn matroska_clusters_in_attachments_tags_and_chapters_count() {
    let hidden = cluster(299_000, &[]);
    for path in [
        &[&[0x19, 0x41, 0xA4, 0x69][..], &[0x61, 0xA7], &[0x46, 0x5C]][..],
        &[&[0x12, 0x54, 0xC3, 0x67], &[0x73, 0x73], &[0x67, 0xC8], &[0x44, 0x85]],
        &[&[0x10, 0x43, 0xA7, 0x70], &[0x45, 0xB9], &[0xB6], &[0x69, 0x44], &[0x69, 0x33]],
        &[&[0x1C, 0x53, 0xBB, 0x6B], &[0xBB], &[0xB7], &[0xDB]],
    ] {
        let inside = path.iter().rev().fold(hidden.clone(), |content, id| element(id, &content));
        assert_not_accepted("a cluster", &matroska(&[cluster(0, &[]), cluster(9_000, &[]), inside]));
        let inside = path.iter().rev().fold(b"a file".to_vec(), |content, id| element(id, &content));
        assert_measured("something", &matroska(&[cluster(0, &[]), cluster(9_000, &[]), inside]), 9_950);
    }
}
