//! Regression tests for findings of the mutants: structures that made the prober accept a file with a wrong duration.

mod support;

use support::clips::{ClipSpec, encode, recipe_of};
use support::{probe_in_chunks, probe_whole, summary};

const LIMITS: std::ops::RangeInclusive<u64> = 1_900..=120_250;

/// Returns a clip of four seconds.
fn clip(name: &str) -> Option<Vec<u8>> {
    encode(recipe_of(name), ClipSpec { frames: 20, rate: 5, sound: true })
}

fn position(file: &[u8], pattern: &[u8]) -> usize {
    memchr::memmem::find(file, pattern).expect("the clip contains the pattern")
}

fn last_position(file: &[u8], pattern: &[u8]) -> usize {
    memchr::memmem::rfind(file, pattern).expect("the clip contains the pattern")
}

fn assert_not_accepted(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let accepted = verdict.as_ref().is_ok_and(|media| LIMITS.contains(&media.duration_ms));
    assert!(!accepted, "{what}: {}", summary(&verdict));
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[100, 1, 3000])), "{what} in chunks");
}

/// Players read the clock of other Theora versions at another position of the header.
#[test]
fn theora_of_an_unknown_version_is_refused() {
    let Some(clip) = clip("ogg") else { return };
    for version in [[3, 1, 0], [3, 4, 0], [2, 2, 1], [4, 2, 1]] {
        let mut file = clip.clone();
        let at = position(&file, b"\x80theora") + 7;
        file[at..at + 3].copy_from_slice(&version);
        assert_not_accepted(&format!("version {version:?}"), &file);
    }
}

/// Only a duration of all ones is unknown. A fragment with such a time begins at that time.
#[test]
fn a_fragment_whose_time_is_all_ones_begins_at_that_time() {
    let Some(clip) = clip("mp4-fragmented") else { return };
    for version in [0, 1] {
        let mut file = clip.clone();
        let at = last_position(&file, b"tfdt") + 4;
        file[at] = version;
        file[at + 4..at + 12].fill(0xFF);
        assert_not_accepted(&format!("version {version}"), &file);
    }
}

/// Players treat a clock of more than two billion ticks per second as one tick per second.
#[test]
fn a_clock_that_is_too_fast_is_refused() {
    for (name, kinds) in [("mp4-fragmented", &[b"mdhd"][..]), ("mp4", &[b"mdhd", b"mvhd"])] {
        let Some(clip) = clip(name) else { return };
        for kind in kinds {
            let mut file = clip.clone();
            let at = last_position(&file, *kind) + 16;
            file[at] = 0xFF;
            assert_not_accepted(&format!("{name}, {}", String::from_utf8_lossy(*kind)), &file);
        }
    }
}

#[test]
fn fragments_of_a_track_whose_clock_stands_still_are_refused() {
    let Some(mut file) = clip("mp4-fragmented") else { return };
    let at = last_position(&file, b"mdhd") + 16;
    file[at..at + 4].fill(0);
    assert_not_accepted("a clock of zero", &file);
}

/// Sound that nobody can decode must not make a clip of one second longer.
#[test]
fn long_sound_of_an_unknown_format_is_refused() {
    let Some(mut file) = encode(recipe_of("avi"), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
    let header = position(&file, b"auds");
    file[header + 20..header + 28].copy_from_slice(&[9, 0, 0, 0, 1, 0, 0, 0]);
    let format = header + memchr::memmem::find(&file[header..], b"strf").expect("a format") + 8;
    file[format..format + 2].copy_from_slice(b"id");
    let verdict = probe_whole(&file);
    assert!(verdict.is_err(), "{}", summary(&verdict));
}

/// Players add 2^32 ms to times far before the first one.
#[test]
fn flv_whose_times_go_back_before_its_beginning_is_refused() {
    let Some(clip) = clip("flv-h264") else { return };
    // The first picture after the configuration, and a later one.
    let mut pictures = Vec::new();
    let mut at = 13;
    while at + 12 < clip.len() {
        if clip[at] == 9 && clip[at + 12] == 1 {
            pictures.push(at);
        }
        at += 11 + u32::from_be_bytes([0, clip[at + 1], clip[at + 2], clip[at + 3]]) as usize + 4;
    }
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = clip.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let negative = changed(pictures[10] + 4, &[0xFF; 4]);
    assert!(probe_whole(&negative).is_err(), "a tag at -1 ms");
    let early = changed(pictures[10] + 13, &[0xFE, 0, 0]);
    assert!(probe_whole(&early).is_err(), "a picture that is shown two minutes before its tag");
    let file = changed(pictures[0] + 4, &200_000_u32.to_be_bytes()[1..]);
    assert_not_accepted("a first tag at 200 s", &file);
}

#[test]
fn matroska_whose_times_go_back_before_its_beginning_is_refused() {
    let Some(mut file) = clip("webm-live") else { return };
    let cluster = position(&file, &[0x1F, 0x43, 0xB6, 0x75]);
    let time = cluster + memchr::memmem::find(&file[cluster..], &[0xE7, 0x81]).expect("a time");
    // The first cluster is at 2,625,699 s.
    file.splice(time..time + 3, [0xE7, 0x84, 0x9C, 0x81, 0, 0]);
    let size = u16::from_be_bytes([file[cluster + 4], file[cluster + 5]]);
    assert_eq!(size >> 14, 1, "a size of two bytes");
    file[cluster + 4..cluster + 6].copy_from_slice(&(size + 3).to_be_bytes());
    assert_not_accepted("a first cluster in the future", &file);
}

/// Players that cannot read a block search it for clusters.
#[test]
fn clusters_inside_of_blocks_that_cannot_be_read_are_refused() {
    let (Some(file), Some(long)) =
        (clip("webm-live"), encode(recipe_of("webm-live"), ClipSpec { frames: 1500, rate: 5, sound: false }))
    else {
        return;
    };
    let cluster = last_position(&long, &[0x1F, 0x43, 0xB6, 0x75]);
    let hidden = &long[cluster..];
    // A block of an undescribed track, and blocks with contradictory lengths in fixed, Xiph and EBML lacing.
    for start in [&[0x8F, 0, 0, 0x80][..], &[0x81, 0, 0, 0x84, 6], &[0x81, 0, 0, 0x82, 200], &[0x81, 0, 0, 0x86, 200]] {
        let mut content = [start, hidden].concat();
        while (content.len() - 5) % 7 == 0 {
            content.push(0);
        }
        let size = u32::try_from(content.len()).expect("a small block") | 0x1000_0000;
        // In a cluster of unknown size at 3.9 s.
        let cluster = [0x1F, 0x43, 0xB6, 0x75, 0xFF, 0xE7, 0x82, 0x0F, 0x3C];
        let verdict = probe_whole(&[&file[..], &cluster, &[0xA3], &size.to_be_bytes(), &content].concat());
        assert!(verdict.is_err(), "{start:?}: {}", summary(&verdict));
    }
}

#[test]
fn avi_whose_clock_is_too_fast_is_refused() {
    let Some(clip) = clip("avi") else { return };
    for field in [20, 24] {
        let mut file = clip.clone();
        let at = position(&file, b"auds") + field;
        file[at + 3] = 0xFF;
        assert!(probe_whole(&file).is_err(), "field {field}");
    }
}

/// Some players stop at the end of the first file, others go on.
#[test]
fn several_avi_files_in_one_are_refused() {
    let Some(clip) = clip("avi") else { return };
    assert!(probe_whole(&[&clip[..], &clip].concat()).is_err(), "one behind the other");
    let mut nested = clip.clone();
    let at = position(&clip, b"LIST");
    nested.splice(at..at, clip.iter().copied());
    assert!(probe_whole(&nested).is_err(), "one in the other");
}

/// Players do not treat the time of a header page as a time of sound.
#[test]
fn a_page_of_headers_that_has_a_time_is_refused() {
    let Some(mut file) = clip("ogg") else { return };
    let at = position(&file, b"\x03vorbis");
    let page = memchr::memmem::rfind(&file[..at], b"OggS").expect("a page");
    file[page + 8] = 1;
    assert!(probe_whole(&file).is_err());
}

#[test]
fn asf_whose_times_go_back_before_its_beginning_is_refused() {
    let Some(mut file) = clip("asf") else { return };
    // The time follows the size of the first frame in eight bytes of replicated data.
    let data = position(&file, b"\x36\x26\xB2\x75\x8E\x66\xCF\x11") + 50;
    let time = 3_100_u32.to_le_bytes();
    let at = data + memchr::memmem::find(&file[data..], &time).expect("the time of the first frame");
    file[at..at + 4].copy_from_slice(&250_000_u32.to_le_bytes());
    assert_not_accepted("a first frame at 247 s", &file);
}

/// Players play everything behind an edit list that is only a pause.
#[test]
fn sound_after_a_long_pause_is_refused() {
    let Some(mut file) = clip("mp4") else { return };
    let edit = last_position(&file, b"elst") + 12;
    file[edit..edit + 8].fill(0xFF);
    assert_not_accepted("a pause of 49 days", &file);
}

/// Players stop at such a sample, because what follows it cannot be found.
#[test]
fn a_fragment_with_a_sample_that_is_larger_than_the_file_is_refused() {
    let Some(clip) = clip("mp4-fragmented") else { return };
    let first_size = last_position(&clip, b"trun") + 16;
    let default_size = position(&clip, b"trex") + 20;
    for at in [first_size, default_size] {
        let mut file = clip.clone();
        file[at] = 0xFF;
        // The samples of the first fragment have no sizes of their own then.
        if at == default_size {
            let header = position(&file, b"tfhd");
            assert_eq!(file[header + 7], 0x38);
            file[header + 7] = 0x08;
            let run = position(&file, b"trun");
            assert_eq!(file[run + 6], 0x03);
            file[run + 6] = 0;
        }
        assert_not_accepted(&format!("a size at {at}"), &file);
    }
}

/// Some players count the samples of sound by the header, others by the format.
#[test]
fn avi_sound_whose_header_contradicts_its_format_is_refused() {
    let Some(mut file) = encode(recipe_of("avi"), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
    let sample_size = position(&file, b"auds") + 44;
    file[sample_size] = 1;
    assert_not_accepted("samples of one byte in blocks of 576", &file);
}

/// Players that find an index unlikely play what it names, and nothing else.
#[test]
fn avi_whose_index_misleads_players_is_refused() {
    let Some(clip) = clip("avi") else { return };
    let index = last_position(&clip, b"idx1");
    let mut file = clip.clone();
    file[index + 8 + 16 + 8..index + 8 + 16 + 12].fill(0x99);
    assert_not_accepted("a position beyond the end", &file);
    let mut file = clip.clone();
    file[index + 4..index + 8].copy_from_slice(&48_u32.to_le_bytes());
    assert_not_accepted("only three frames", &file);
    let mut file = clip;
    file[index..index + 4].copy_from_slice(b"JUNK");
    assert_eq!(probe_whole(&file).map(|media| media.duration_ms), Ok(4_200), "no index at all");
}

#[test]
fn avi_whose_sound_begins_long_after_the_pictures_is_refused() {
    let Some(mut file) = clip("avi") else { return };
    let start = position(&file, b"auds") + 28;
    file[start + 1] = 0xFF;
    assert_not_accepted("sound after 39 minutes", &file);
}

/// Players cut sound only between its samples, so they play all of such a sample.
#[test]
fn sound_in_samples_of_many_seconds_is_refused() {
    let Some(mut file) = clip("quicktime") else { return };
    let clock = last_position(&file, b"mdhd") + 16;
    file[clock..clock + 4].copy_from_slice(&2_u32.to_be_bytes());
    assert_not_accepted("samples of 512 s", &file);
}

#[test]
fn asf_with_several_data_objects_is_refused() {
    let short = ClipSpec { frames: 5, rate: 5, sound: true };
    let (Some(mut file), Some(longer)) = (encode(recipe_of("asf"), short), clip("asf")) else { return };
    let data = |file: &[u8]| position(file, b"\x36\x26\xB2\x75\x8E\x66\xCF\x11");
    let start = data(&file);
    let size = u64::from_le_bytes(file[start + 16..start + 24].try_into().expect("eight bytes"));
    file.truncate(start + usize::try_from(size).expect("a small object"));
    file.extend_from_slice(&longer[data(&longer)..]);
    assert_not_accepted("four seconds behind one", &file);
}

/// Players do not begin a new clock in FLV: sound at 16,777 s plays then.
#[test]
fn flv_whose_times_jump_far_ahead_and_back_is_refused() {
    let Some(mut file) = clip("flv-h264") else { return };
    let sound = position(&file, b"\x2A\xFF\xF3") - 11;
    assert_eq!(file[sound], 8);
    file[sound + 7] = 1;
    assert_not_accepted("sound at 16,777 s", &file);
}
