//! Files that attack the prober itself get a verdict in linear time and without a panic.

use crate::support::clips::{ClipSpec, RECIPES, encode};
use crate::support::{ebml, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::{FileRefusalKind, Prober};
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Much longer than linear time needs for the sizes below, even unoptimised on a slow machine.
const TIME_LIMIT: Duration = Duration::from_secs(8);

fn assert_quick(what: &str, file: &[u8]) {
    let start = Instant::now();
    let verdict = probe_whole(file);
    let took = start.elapsed();
    assert!(took < TIME_LIMIT, "{what} took {took:?}: {}", summary(&verdict));
}

fn repeated(unit: &[u8], times: usize) -> Vec<u8> {
    unit.repeat(times)
}

#[test]
fn two_million_minimal_structures_are_walked_in_linear_time() {
    let count = 2_000_000;
    let boxes = [file_type(), repeated(&atom(*b"free", b""), count)].concat();
    assert_quick("boxes", &boxes);
    let tracks = [file_type(), list(*b"moov", &[repeated(&atom(*b"free", b""), count)])].concat();
    assert_quick("boxes in a movie", &tracks);
    let elements = [ebml::header(), ebml::endless(ebml::SEGMENT), repeated(&[0xEC, 0x80], count)];
    assert_quick("elements", &elements.concat());
    let unknown = [ebml::header(), ebml::endless(ebml::SEGMENT), vec![0; count]];
    assert_quick("bytes that are not elements", &unknown.concat());
    let clusters = [ebml::header(), ebml::endless(ebml::SEGMENT), repeated(&ebml::endless(ebml::CLUSTER), count)];
    assert_quick("clusters", &clusters.concat());
    let pages = repeated(b"OggS\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", count / 8);
    assert_quick("pages", &pages);
    let packs = repeated(&[0, 0, 1, 0xBA, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0], count / 8);
    assert_quick("packs", &packs);
    let chunks = [&b"RIFF\xFF\xFF\xFF\xFFAVI LIST\xFF\xFF\xFF\xFFhdrl"[..], &repeated(b"JUNK\0\0\0\0", count)];
    assert_quick("chunks", &chunks.concat());
    let packets = repeated(&[&[0x47, 0x40, 0, 0x10, 0][..], &[0xFF; 183]].concat(), count / 100);
    assert_quick("packets", &packets);
}

#[test]
fn a_header_with_many_tracks_does_not_slow_down_later_boxes() {
    let video = Video { fragmented: true, times: vec![], edits: vec![[1, 0]; 60], ..Video::default() };
    let mut header = video.movie(0);
    let at = memchr::memmem::find(&header, b"trak").expect("a track") - 4;
    let size = u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes")) as usize;
    let track = header[at..at + size].to_vec();
    header.splice(at..at, track.repeat(63));
    let grown = u32::try_from(header.len()).expect("a small header");
    header[..4].copy_from_slice(&grown.to_be_bytes());
    let boxes = [file_type(), header, repeated(&atom(*b"free", b""), 2_000_000)];
    assert_quick("boxes after 64 tracks", &boxes.concat());
}

#[test]
fn samples_in_the_header_and_in_fragments_add_up() {
    let video = Video { times: vec![[10, 200]], fragmented: true, ..Video::default() };
    let file = [video.file(), fragment(Some(2000), 20, 200), fragment(None, 20, 200)];
    assert_eq!(probe_whole(&file.concat()).map(|media| media.duration_ms), Ok(10_000));
}

#[test]
fn a_transport_stream_that_lost_its_packets_is_searched_in_linear_time() {
    let good = repeated(&[&[0x47, 0x1F, 0xFF, 0x10][..], &[0xFF; 184]].concat(), 20);
    assert_quick("sync bytes", &[good, vec![0x47; 3_000_000], vec![0; 3_000_000]].concat());
}

#[test]
fn nesting_is_no_deeper_than_the_grammar() {
    let mut nested = Vec::new();
    for _ in 0..10_000 {
        nested = list(*b"moov", &[list(*b"trak", &[nested])]);
    }
    assert!(probe_whole(&[file_type(), nested].concat()).is_err());
    let mut elements = ebml::header();
    for _ in 0..100_000 {
        elements.extend(ebml::endless(ebml::SEGMENT));
    }
    assert!(probe_whole(&elements).is_err());
}

#[test]
fn forged_box_sizes_never_panic_and_an_endless_box_is_truncated() {
    let forged_sizes = [[0, 0, 0, 2], [0, 0, 0, 7], [0, 0, 0, 9], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF; 4], [0, 0, 0, 1]];
    let file = Video::default().file();
    for kind in [b"ftyp", b"moov", b"trak", b"mdia", b"stbl", b"stts", b"mdat"] {
        let at = memchr::memmem::find(&file, kind).expect("a box") - 4;
        for size in forged_sizes {
            let mut file = file.clone();
            file[at..at + 4].copy_from_slice(&size);
            let _ = probe_whole(&file);
        }
    }
    let huge = [file_type(), words(&[1]), b"mdat".to_vec(), vec![0xFF; 8]].concat();
    assert_eq!(probe_whole(&huge).map_err(|refusal| refusal.kind()), Err(FileRefusalKind::Truncated));
}

#[test]
fn a_declared_count_of_missing_entries_is_ambiguous() {
    let mut file = Video { times: vec![[50, 200]], ..Video::default() }.file();
    let at = memchr::memmem::find(&file, b"stts").expect("a table") + 8;
    file[at..at + 4].copy_from_slice(&[0xFF; 4]);
    assert_eq!(probe_whole(&file).map_err(|refusal| refusal.kind()), Err(FileRefusalKind::Ambiguous));
}

#[test]
fn enormous_times_saturate_and_never_wrap() {
    let endless = Video { times: vec![[1, u32::MAX], [1, u32::MAX]], timescale: 1, ..Video::default() };
    let duration = probe_whole(&endless.file()).map(|media| media.duration_ms);
    assert!(duration.is_ok_and(|duration| duration > 1 << 40));
    let apart = Video { times: vec![], fragmented: true, timescale: 1, ..Video::default() };
    let file = [file_type(), apart.movie(0), fragment(Some(0), 1, 1), fragment(Some(50_000_000), 1, 1)];
    assert_eq!(probe_whole(&file.concat()).map(|media| media.duration_ms), Ok(50_000_001_000));
}

/// Found by fuzzing: a start near the largest time hid the duration after it.
#[test]
fn the_final_duration_of_enormous_cluster_times_is_at_least_the_proven_one() {
    for start in [0, 1_000_000] {
        let clusters = [start, 1 << 42].map(|start| ebml::live_cluster(&ebml::cluster_body(start, 2, 100)));
        let file = [ebml::live_start(None), clusters.concat()];
        let mut prober = Prober::new();
        prober.feed(&file.concat());
        let proven = prober.proven_ms();
        assert!(proven > 50_000_000_000);
        let duration = prober.finish().map(|media| media.duration_ms);
        assert!(duration.as_ref().is_ok_and(|duration| *duration >= proven), "{duration:?}");
    }
}

#[test]
fn clocks_that_stand_still_give_no_duration() {
    for timescale in [0, 1] {
        let video = Video { timescale, times: vec![[50, 0]], ..Video::default() };
        let kind = probe_whole(&video.file()).map_err(|refusal| refusal.kind());
        assert_eq!(kind, Err(FileRefusalKind::DurationUnknown), "timescale {timescale}");
    }
    let edited = Video { movie_timescale: 0, edits: vec![[10_000, 0]], ..Video::default() };
    let kind = probe_whole(&edited.file()).map_err(|refusal| refusal.kind());
    assert_eq!(kind, Err(FileRefusalKind::Ambiguous), "players use another clock");
    let file = [ebml::live_start(None), ebml::live_cluster(&ebml::cluster_body(0, 100, 0))];
    let kind = probe_whole(&file.concat()).map_err(|refusal| refusal.kind());
    assert_eq!(kind, Err(FileRefusalKind::DurationUnknown));
}

#[test]
fn too_many_tracks_or_edits_are_refused_as_too_much_metadata() {
    let tracks = vec![list(*b"trak", &[]); 65];
    let kind = probe_whole(&[file_type(), list(*b"moov", &tracks)].concat()).map_err(|refusal| refusal.kind());
    assert_eq!(kind, Err(FileRefusalKind::MetadataTooLarge));
    let edits = Video { edits: vec![[1, 0]; 5000], ..Video::default() };
    let kind = probe_whole(&edits.file()).map_err(|refusal| refusal.kind());
    assert_eq!(kind, Err(FileRefusalKind::MetadataTooLarge));
}

#[test]
fn a_second_movie_header_is_ambiguous() {
    let first = Video { times: vec![[1000, 200]], ..Video::default() };
    let second = Video { times: vec![[10, 200]], ..Video::default() };
    let file = [first.file(), second.movie(0)].concat();
    assert_eq!(probe_whole(&file).map_err(|refusal| refusal.kind()), Err(FileRefusalKind::Ambiguous));
}

#[test]
fn files_with_one_changed_byte_get_a_verdict_in_every_container() {
    let clip = ClipSpec { frames: 20, rate: 5, sound: true };
    for recipe in RECIPES {
        let Some(file) = encode(*recipe, clip) else {
            return;
        };
        let step = file.len().min(3000) / 300 + 1;
        for at in (0..file.len().min(3000)).step_by(step) {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                let mut mutant = file.clone();
                mutant[at] = value;
                let mut prober = Prober::new();
                prober.feed(&mutant);
                let proven = prober.proven_ms();
                if let Ok(media) = prober.finish() {
                    assert!(media.duration_ms >= proven, "{} with {value} at {at}", recipe.name);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: fixtures::cases(250, 1000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_after_any_magic_number_get_a_verdict(
        magic in prop::sample::select(vec![
            &b"\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\x10\0moov"[..],
            b"\x1A\x45\xDF\xA3\x80\x18\x53\x80\x67\xFF",
            b"RIFF\0\0\0\0AVI LIST",
            b"FLV\x01\x05\0\0\0\x09\0\0\0\0",
            b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\0\xAA\0\x62\xCE\x6C",
            b"OggS\0\x02",
            b"\0\0\x01\xBA",
        ]),
        noise in prop::collection::vec(any::<u8>(), 0..4000),
    ) {
        let _ = probe_whole(&[magic, &noise].concat());
    }
}
