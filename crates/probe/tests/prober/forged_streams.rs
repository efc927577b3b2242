//! Structures of AVI, FLV, MPEG and Ogg that players read differently, forged in real clips. A file that plays for
//! 300 s is refused or measured, never accepted with another length.

use crate::forged_structures::{assert_measured, kind};
use crate::support::clips::{ClipSpec, encode, recipe_of};
use crate::support::{probe_in_chunks, probe_whole, summary};
use probe::FileRefusalKind;

const LONG: ClipSpec = ClipSpec { frames: 1500, rate: 5, sound: false };
const LONG_MS: u64 = 300_000;
const LIMITS: std::ops::RangeInclusive<u64> = 1_900..=120_250;

fn long(name: &str) -> Option<Vec<u8>> {
    encode(recipe_of(name), LONG)
}

fn assert_not_accepted(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let accepted = verdict.as_ref().is_ok_and(|media| LIMITS.contains(&media.duration_ms));
    assert!(!accepted, "{what}: {}", summary(&verdict));
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[100, 1, 3000])), "{what} in chunks");
}

fn assert_long(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let is_long = verdict.as_ref().is_ok_and(|media| media.duration_ms.abs_diff(LONG_MS) <= 500);
    assert!(is_long, "{what}: {}", summary(&verdict));
    assert_not_accepted(what, file);
}

/// Calls `change` with the number and the bytes of every chunk named like a frame.
fn change_frames(file: &mut [u8], mut change: impl FnMut(usize, &mut [u8])) {
    let mut at = memchr::memmem::find(file, b"movi").expect("a media list") + 4;
    let mut frames = 0;
    while file.get(at..at + 2) == Some(b"00") {
        let size = u32::from_le_bytes(file[at + 4..at + 8].try_into().expect("four bytes")) as usize;
        change(frames, &mut file[at..at + 8]);
        frames += 1;
        at += 8 + size + size % 2;
    }
    assert!(frames > 1000, "{frames} frames");
}

#[test]
fn avi_frames_under_odd_names_or_in_unknown_chunks_and_lists() {
    let Some(clip) = long("avi") else { return };
    for name in [b"00xx", b"00~~", b"00__"] {
        let mut file = clip.clone();
        change_frames(&mut file, |index, header| {
            if index >= 100 {
                header[..4].copy_from_slice(name);
            }
        });
        assert_long("an odd name", &file);
    }
    let list = memchr::memmem::find(&clip, b"movi").expect("a media list") + 4;
    for header in [&b"abcd\0\0\x10\0"[..], b"LIST\0\0\x10\0abcd", b"LIST\0\0\x10\0INFO", b"LIST\0\x10\0\0movi"] {
        let mut file = clip.clone();
        // The media list must still end where the index begins.
        let more = u8::try_from(header.len()).expect("a short header");
        file[list - 8] = file[list - 8].checked_add(more).expect("one byte is enough");
        file.splice(list..list, header.iter().copied());
        assert_long("frames in a chunk or a second list", &file);
    }
    let mut file = clip.clone();
    let header = memchr::memmem::find(&clip, b"movi").expect("a media list") - 8;
    file.splice(header..header, *b"abcd\xFF\xFF\xFF\x0F");
    assert_not_accepted("all media in a chunk of the header", &file);
}

/// Calls `change` with every tag of an FLV file: its header and body.
fn change_tags(file: &mut [u8], mut change: impl FnMut(usize, &mut [u8])) {
    let (mut at, mut tags) = (13, 0);
    while at + 11 < file.len() {
        let size = u32::from_be_bytes([0, file[at + 1], file[at + 2], file[at + 3]]) as usize;
        change(tags, &mut file[at..at + 11 + size]);
        tags += 1;
        at += 11 + size + 4;
    }
}

/// Returns an FLV file of H.264 tags: type, decoding time and composition time in milliseconds.
fn flv(tags: &[(u8, u32, u32)]) -> Vec<u8> {
    let mut file = b"FLV\x01\x01\0\0\0\x09\0\0\0\0".to_vec();
    for (kind, time, composition) in tags {
        let ([_, t2, t1, t0], [_, c2, c1, c0]) = (time.to_be_bytes(), composition.to_be_bytes());
        file.extend([9, 0, 0, 6, t2, t1, t0, 0, 0, 0, 0, 0x17, *kind, c2, c1, c0, 0x65, 0, 0, 0, 17]);
    }
    file
}

#[test]
fn flv_composition_times_and_packet_types() {
    let shown: Vec<_> = (0..60).map(|index| (1, index * 40, index * 5_000)).collect();
    assert_not_accepted("composition times", &flv(&shown));
    for kind in [2, 3, 255] {
        let mut tags: Vec<_> = (0..60).map(|index| (1, index * 40, 0)).collect();
        tags.extend((0..60).map(|index| (kind, 2_400 + index * 5_000, 0)));
        assert_not_accepted("packet types", &flv(&tags));
    }
}

/// Players have one clock for a file of these containers, so they show frames at the same time, or drop them.
#[test]
fn a_track_whose_times_jump_back_is_refused() {
    let flv_back_by = |back| {
        let tags: Vec<_> = (0..200).map(|index| (1, index * 40 - if index < 100 { 0 } else { back }, 0)).collect();
        probe_whole(&flv(&tags))
    };
    assert!(flv_back_by(900).is_ok(), "{}", summary(&flv_back_by(900)));
    let refused = |what: &str, verdict: Result<probe::Media, probe::FileRefusal>| {
        assert!(verdict.is_err_and(|refusal| refusal.to_string().contains("its times go back")), "{what}");
    };
    refused("FLV", flv_back_by(1_100));
    let twenty_seconds = |name| encode(recipe_of(name), ClipSpec { frames: 100, rate: 5, sound: false });
    let (Some(mut asf), Some(mut webm)) = (twenty_seconds("asf"), twenty_seconds("webm-live")) else { return };
    let last_frame = memchr::memmem::rfind(&asf, &22_900_u32.to_le_bytes()).expect("its time");
    asf[last_frame..last_frame + 4].copy_from_slice(&3_100_u32.to_le_bytes());
    refused("ASF", probe_whole(&asf));
    let last_cluster = memchr::memmem::rfind(&webm, &[0x1F, 0x43, 0xB6, 0x75]).expect("a cluster");
    let time = last_cluster + memchr::memmem::find(&webm[last_cluster..], &[0xE7, 0x82]).expect("its time") + 2;
    webm[time..time + 2].fill(0);
    refused("WebM", probe_whole(&webm));
}

#[test]
fn flv_tags_whose_length_is_contradicted_and_tags_of_unknown_types() {
    let Some(clip) = long("flv") else { return };
    let mut file = clip.clone();
    let at = file.len() / 2;
    // A tag that claims the next hundred kilobytes, whose trailer is not there.
    let tag = [9, 1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x12];
    let mut boundary = 13;
    while boundary < at {
        let size = u32::from_be_bytes([0, file[boundary + 1], file[boundary + 2], file[boundary + 3]]) as usize;
        boundary += 11 + size + 4;
    }
    file.splice(boundary..boundary, tag);
    assert_not_accepted("a tag over other tags", &file);
    let mut file = clip;
    change_tags(&mut file, |index, tag| {
        if index == 200 {
            tag[0] = 12;
        }
    });
    assert_not_accepted("a tag of an unknown type", &file);
}

/// Removes the presentation and decoding times of a PES packet.
fn remove_times(packet: &mut [u8]) {
    let length = usize::from(packet[8]);
    packet[7] &= 0x3F;
    packet[9..9 + length].fill(0xFF);
}

#[test]
fn transport_streams_with_marked_packets_unknown_types_and_false_tables() {
    let Some(clip) = long("mpeg-ts") else { return };
    let mut file = clip.clone();
    file.chunks_exact_mut(188).skip(300).for_each(|packet| packet[1] |= 0x80);
    assert_long("packets that are marked as damaged", &file);
    let pid = |packet: &[u8]| u16::from_be_bytes([packet[1] & 0x1F, packet[2]]);
    for kind in [0x05, 0x06, 0x99] {
        let mut file = clip.clone();
        for packet in file.chunks_exact_mut(188).filter(|packet| pid(packet) == 0x1000) {
            let at = packet.windows(3).position(|bytes| bytes == [0x1B, 0xE1, 0x00]).expect("the stream");
            packet[at] = kind;
        }
        assert_not_accepted("a stream of an unknown type", &file);
    }
    for kind in [0x1B, 0x99] {
        let mut file = clip.clone();
        for packet in file.chunks_exact_mut(188).filter(|packet| pid(packet) == 0x1000) {
            let at = packet.windows(3).position(|bytes| bytes == [0x1B, 0xE1, 0x00]).expect("the stream");
            packet[at] = kind;
            let section = 5 + usize::from(packet[4]);
            let length = usize::from(u16::from_be_bytes([packet[section + 1] & 0x0F, packet[section + 2]]));
            packet[section + 2 + length] ^= 0xFF;
        }
        assert_not_accepted("tables with a wrong checksum", &file);
    }
    let tables = |packet: &&[u8]| matches!(pid(packet), 0 | 0x1000);
    let mut late: Vec<u8> = clip.chunks_exact(188).filter(|packet| !tables(packet)).flatten().copied().collect();
    late.extend(clip.chunks_exact(188).filter(tables).take(4).flatten());
    assert_long("tables at the end", &late);
    let mut file = clip.clone();
    let mut starts = 0;
    for packet in file.chunks_exact_mut(188).filter(|packet| pid(packet) == 0x100 && packet[1] & 0x40 != 0) {
        let at = packet.windows(4).position(|bytes| bytes == [0, 0, 1, 0xE0]).expect("a PES packet");
        starts += 1;
        if starts > 100 {
            remove_times(&mut packet[at..]);
        }
    }
    assert_eq!(probe_whole(&file).err().map(|refusal| refusal.kind()), Some(FileRefusalKind::Ambiguous));
}

/// Replaces the slices of all pictures but the first `kept` and the last `last` ones by filling.
fn without_slices(clip: &[u8], kept: usize, last: usize) -> Vec<u8> {
    let mut file = clip.to_vec();
    let units = memchr::memmem::find_iter(clip, &[0, 0, 1]).map(|at| at + 3);
    let slices: Vec<_> = units.filter(|at| matches!(clip[*at] & 0x9F, 1 | 5)).collect();
    for at in &slices[kept..slices.len() - last] {
        file[*at] = 0x0C;
    }
    file
}

#[test]
fn packets_of_delimiters_and_filling_are_no_pictures() {
    let spec = ClipSpec { frames: 20, rate: 5, sound: true };
    let Some(clip) = encode(recipe_of("mpeg-ts"), spec) else { return };
    let expected = probe_whole(&clip).expect("a video").duration_ms;
    for (kept, last) in [(0, 0), (1, 0), (5, 0), (5, 5)] {
        assert_eq!(kind(&without_slices(&clip, kept, last)), Some(FileRefusalKind::Ambiguous), "{kept}, {last}");
    }
    assert_measured("0.8 s of filling", &without_slices(&clip, 10, 6), expected);
}

#[test]
fn frames_of_delimiters_and_filling_are_no_pictures() {
    let spec = ClipSpec { frames: 50, rate: 5, sound: false };
    for name in ["flv-h264", "matroska"] {
        let Some(clip) = encode(recipe_of(name), spec) else { return };
        let expected = probe_whole(&clip).expect("a video").duration_ms;
        // Each frame is one slice, and begins with the length of the slice in four bytes.
        let is_slice = |at: &usize| clip[*at] == 0 && clip[*at + 1] == 0 && matches!(clip[*at + 4], 0x41 | 0x61);
        let slices: Vec<_> = (0..clip.len() - 40).filter(is_slice).collect();
        assert!((12..80).contains(&slices.len()), "{name}: {} slices", slices.len());
        let emptied = |frames: &[usize]| {
            let mut file = clip.clone();
            for at in frames {
                file[at + 4] = 0x0C;
            }
            file
        };
        assert_eq!(kind(&emptied(&slices)), Some(FileRefusalKind::Ambiguous), "{name}");
        assert_measured(name, &emptied(&slices[..4]), expected);
    }
}

#[test]
fn program_streams_without_timestamps() {
    let Some(mut file) = long("mpeg-ps") else { return };
    let mut starts = 0;
    let positions: Vec<_> = memchr::memmem::find_iter(&file, &[0, 0, 1, 0xE0]).collect();
    for at in positions {
        starts += 1;
        if starts > 40 && file[at + 7] & 0xC0 != 0 {
            remove_times(&mut file[at..]);
        }
    }
    assert_not_accepted("no times after the first ones", &file);
}

#[test]
fn ogg_pages_of_sound_without_a_position() {
    let Some(mut file) = encode(recipe_of("ogg"), ClipSpec { frames: 50, rate: 5, sound: true }) else { return };
    let vorbis = memchr::memmem::find(&file, b"\x01vorbis").expect("sound");
    let start = memchr::memmem::rfind(&file[..vorbis], b"OggS").expect("its page");
    let serial = file[start + 14..start + 18].to_vec();
    let (mut at, mut pages) = (0, 0);
    while at + 27 < file.len() {
        let segments = usize::from(file[at + 26]);
        let body: usize = file[at + 27..at + 27 + segments].iter().map(|length| usize::from(*length)).sum();
        if file[at + 14..at + 18] == serial {
            pages += 1;
            if pages > 3 {
                file[at + 6..at + 14].fill(0xFF);
            }
        }
        at += 27 + segments + body;
    }
    let duration = |file: &[u8]| probe_whole(file).map(|media| media.duration_ms).ok();
    assert!(duration(&file).is_some_and(|length| length.abs_diff(10_000) <= 40), "{:?}", duration(&file));
}

/// Players look for pages inside a page whose checksum is wrong.
#[test]
fn ogg_pages_inside_of_other_pages() {
    let Some(file) = long("ogg") else { return };
    let starts: Vec<_> = memchr::memmem::find_iter(&file, b"OggS").collect();
    let media = starts.iter().position(|at| file[at + 6..at + 14] != [0; 8]).expect("a page with a time");
    let mut forged = file[..starts[media]].to_vec();
    let mut pages = 0;
    for group in file[starts[media]..].chunks(60_000) {
        pages += 1;
        let mut page = file[starts[media]..starts[media] + 26].to_vec();
        let granule: u64 = (pages * 20) << 6;
        page[6..14].copy_from_slice(&granule.to_le_bytes());
        let segments = group.len() / 255;
        page.push(u8::try_from(segments + 1).expect("a short page"));
        page.extend(std::iter::repeat_n(255, segments));
        page.push(u8::try_from(group.len() % 255).expect("a rest"));
        forged.extend(page.iter().chain(group));
    }
    assert!(pages > 2, "{pages} pages");
    assert_not_accepted("pages inside of pages", &forged);
    // A page without content, whose checksum is the beginning of another page.
    let mut empty = file[starts[media]..starts[media] + 27].to_vec();
    empty[6..14].fill(0xFF);
    empty[22..27].copy_from_slice(b"OggS\0");
    let mut within = file.clone();
    within.splice(starts[media]..starts[media], empty);
    assert!(probe_whole(&within).is_err(), "a page inside of a header");
}
