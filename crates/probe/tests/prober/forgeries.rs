//! Forged headers cannot change the duration: a clip of 300 s never passes as 60 s or 3000 s.

use crate::support;
use crate::support::clips::{ClipSpec, encode, recipe_of};
use crate::support::{probe_whole, summary};
use probe::{FileRefusal, FileRefusalKind, Media};

const LONG: ClipSpec = ClipSpec { frames: 1500, rate: 5, sound: false };
const LONG_MS: u64 = 300_000;
/// One frame of the clip, plus the duration assumed for the last frame.
const TOLERANCE_MS: u64 = 250;
/// The forged durations, as numerator and denominator relative to the real one.
const CLAIMS: [(u64, u64); 2] = [(1, 5), (10, 1)];

fn long(name: &str) -> Option<Vec<u8>> {
    encode(recipe_of(name), LONG)
}

/// Multiplies the four-byte big-endian number at `at`.
fn scale_be(file: &mut [u8], at: usize, (times, by): (u64, u64)) {
    let value = u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let value = u32::try_from(u64::from(value) * times / by).expect("the forged value fits");
    file[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

fn scale_le(file: &mut [u8], at: usize, (times, by): (u64, u64)) {
    file[at..at + 4].reverse();
    scale_be(file, at, (times, by));
    file[at..at + 4].reverse();
}

fn scale_float(file: &mut [u8], at: usize, (times, by): (u64, u64)) {
    let value = f64::from_be_bytes(file[at..at + 8].try_into().expect("eight bytes"));
    #[expect(clippy::cast_precision_loss, reason = "small factors")]
    let value = value * times as f64 / by as f64;
    file[at..at + 8].copy_from_slice(&value.to_be_bytes());
}

fn find(file: &[u8], needle: &[u8]) -> usize {
    memchr::memmem::find(file, needle).expect("the muxer writes this structure")
}

/// The verdict must be the true duration or a refusal as truncated or ambiguous, never the forged duration.
fn assert_not_fooled(what: &str, verdict: &Result<Media, FileRefusal>) {
    let is_true = match verdict {
        Ok(media) => media.duration_ms.abs_diff(LONG_MS) <= TOLERANCE_MS,
        Err(refusal) => matches!(refusal.kind(), FileRefusalKind::Truncated | FileRefusalKind::Ambiguous),
    };
    assert!(is_true, "{what}: {}", summary(verdict));
}

fn movie_headers(file: &mut [u8], which: &str, claim: (u64, u64)) {
    let fields = [("mvhd", 20), ("tkhd", 24), ("mdhd", 20)];
    for (kind, offset) in fields.iter().filter(|(kind, _)| which.contains(kind)) {
        let at = find(file, kind.as_bytes());
        scale_be(file, at + offset, claim);
    }
}

#[test]
fn mp4_headers_alone_and_together_do_not_shorten_or_lengthen_a_movie() {
    for name in ["mp4", "mp4-moov-first", "quicktime", "3gp"] {
        let Some(clip) = long(name) else { return };
        for which in ["mvhd", "tkhd", "mdhd", "mvhd tkhd", "mvhd mdhd", "tkhd mdhd", "mvhd tkhd mdhd"] {
            for claim in CLAIMS {
                let mut file = clip.clone();
                movie_headers(&mut file, which, claim);
                let verdict = probe_whole(&file);
                assert_not_fooled(&format!("{name} {which} {claim:?}"), &verdict);
                assert!(verdict.is_ok(), "{name} {which} {claim:?}: {}", summary(&verdict));
            }
        }
    }
}

#[test]
fn mp4_headers_do_not_shorten_a_fragmented_movie() {
    for name in ["mp4-fragmented", "mp4-dash"] {
        let Some(clip) = long(name) else { return };
        for claim in [60_000_u32, 3_000_000] {
            let mut file = clip.clone();
            for (kind, offset) in [("mvhd", 20), ("tkhd", 24), ("mdhd", 20)] {
                let at = find(&file, kind.as_bytes()) + offset;
                file[at..at + 4].copy_from_slice(&claim.to_be_bytes());
            }
            assert_not_fooled(&format!("{name} {claim}"), &probe_whole(&file));
        }
    }
}

#[test]
fn a_segment_index_does_not_shorten_a_fragmented_movie() {
    let Some(mut file) = long("mp4-dash") else {
        return;
    };
    let at = find(&file, b"sidx");
    // The clock of the index runs five times as fast.
    scale_be(&mut file, at + 12, (5, 1));
    assert_not_fooled("sidx", &probe_whole(&file));
}

#[test]
fn fewer_timed_samples_than_sized_ones_do_not_shorten_a_movie() {
    let Some(mut file) = long("mp4") else { return };
    let at = find(&file, b"stts");
    scale_be(&mut file, at + 12, (1, 5));
    assert_not_fooled("stts count", &probe_whole(&file));
}

#[test]
fn matroska_duration_does_not_shorten_or_lengthen_a_film() {
    for name in ["matroska", "webm"] {
        let Some(clip) = long(name) else { return };
        for claim in CLAIMS {
            let mut file = clip.clone();
            let at = find(&file, &[0x44, 0x89, 0x88]) + 3;
            scale_float(&mut file, at, claim);
            assert_not_fooled(&format!("{name} {claim:?}"), &probe_whole(&file));
        }
    }
}

#[test]
fn a_second_timestamp_scale_does_not_shorten_a_film() {
    let by_hand = support::ebml::file_of_seconds(None, 300);
    let at = find(&by_hand, &[0x2A, 0xD7, 0xB1]);
    let mut file = by_hand[..at].to_vec();
    file.extend(support::ebml::element(&[0x2A, 0xD7, 0xB1], &200_000_u32.to_be_bytes()));
    file.extend(&by_hand[at..]);
    // The enclosing elements get unknown sizes, as live recorders write them.
    for id in [&[0x18, 0x53, 0x80, 0x67][..], &[0x15, 0x49, 0xA9, 0x66]] {
        let at = find(&file, id) + id.len();
        file[at..at + 8].copy_from_slice(&[0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
    }
    assert_not_fooled("two scales", &probe_whole(&file));
}

#[test]
fn flv_metadata_does_not_shorten_or_lengthen_a_film() {
    let Some(clip) = long("flv") else { return };
    for claim in CLAIMS {
        let mut file = clip.clone();
        let at = find(&file, b"\0\x08duration") + 11;
        scale_float(&mut file, at, claim);
        assert_not_fooled(&format!("onMetaData {claim:?}"), &probe_whole(&file));
    }
}

#[test]
fn avi_headers_alone_and_together_do_not_shorten_or_lengthen_a_film() {
    let Some(clip) = long("avi") else { return };
    let frames = |file: &[u8]| find(file, b"avih") + 8 + 16;
    let length = |file: &[u8]| find(file, b"strh") + 8 + 32;
    for claim in CLAIMS {
        for (main, stream) in [(true, false), (false, true), (true, true)] {
            let mut file = clip.clone();
            let (frames, length) = (frames(&file), length(&file));
            if main {
                scale_le(&mut file, frames, claim);
            }
            if stream {
                scale_le(&mut file, length, claim);
            }
            assert_not_fooled(&format!("avih {main} strh {stream} {claim:?}"), &probe_whole(&file));
        }
    }
}

#[test]
fn avi_frames_after_the_declared_end_of_the_lists_are_counted() {
    let Some(mut file) = long("avi") else { return };
    let list = find(&file, b"movi");
    scale_le(&mut file, list - 4, (1, 5));
    scale_le(&mut file, 4, (1, 5));
    assert_not_fooled("RIFF and movi sizes", &probe_whole(&file));
}

#[test]
fn asf_play_time_does_not_shorten_or_lengthen_a_film() {
    let Some(clip) = long("asf") else { return };
    let properties = [0xA1, 0xDC, 0xAB, 0x8C, 0x47, 0xA9, 0xCF, 0x11];
    for (times, by) in CLAIMS {
        let mut file = clip.clone();
        let at = find(&file, &properties) + 64;
        let value = u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes"));
        file[at..at + 8].copy_from_slice(&(value * times / by).to_le_bytes());
        assert_not_fooled(&format!("play time {times}/{by}"), &probe_whole(&file));
    }
}

#[test]
fn ogg_granule_positions_do_not_hide_frames() {
    const SHIFT: u32 = 6;
    let Some(mut file) = long("ogg") else { return };
    let mut at = 0;
    while at + 27 < file.len() {
        let segments = usize::from(file[at + 26]);
        let body: usize = file[at + 27..at + 27 + segments].iter().map(|length| usize::from(*length)).sum();
        let granule = u64::from_le_bytes(file[at + 6..at + 14].try_into().expect("eight bytes"));
        if granule != u64::MAX {
            // A fifth of the frames. The low bits count from the last key frame.
            let frames = (granule >> SHIFT) + (granule & ((1 << SHIFT) - 1));
            file[at + 6..at + 14].copy_from_slice(&((frames / 5) << SHIFT).to_le_bytes());
        }
        at += 27 + segments + body;
    }
    assert_not_fooled("a fifth of the positions", &probe_whole(&file));
}

/// Some players play all recordings, others only the first, or as much as the longest.
#[test]
fn recordings_that_were_copied_into_one_file_are_refused() {
    for (frames, sound) in [(500, false), (20, true)] {
        for name in ["mpeg-ts", "mpeg-ps", "matroska", "webm-live", "ogg"] {
            let Some(file) = encode(recipe_of(name), ClipSpec { frames, rate: 5, sound }) else { return };
            let verdict = probe_whole(&file.repeat(3));
            let text = verdict.as_ref().err().map(ToString::to_string);
            assert!(
                text.is_some_and(|text| text.contains("join them with an editor")),
                "{name}: {}",
                summary(&verdict)
            );
        }
    }
}
