//! Regression tests for findings of the mutants: structures that made the prober accept a file with a wrong duration.

use crate::support::clips::{ClipSpec, encode, recipe_of};
use crate::support::{probe_in_chunks, probe_whole, summary};

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

/// Undecodable sound must not lengthen a clip of one second.
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

/// Some players stop at the end of the first file, others continue.
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

/// Some players play no sound if its edit list is only a pause, others play it after the pause.
#[test]
fn sound_after_a_pause_alone_is_refused() {
    let Some(mut file) = clip("mp4") else { return };
    let edit = last_position(&file, b"elst") + 12;
    file[edit..edit + 8].fill(0xFF);
    assert_not_accepted("a pause of 49 days", &file);
    file[edit..edit + 2].fill(0);
    assert_not_accepted("a pause of 65 s", &file);
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
        // In that case, the samples of the first fragment have no sizes of their own.
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

/// If an index looks unlikely, players play only what it names.
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

/// Players continue the clock where pages before it have ended.
#[test]
fn ogg_whose_positions_go_back_is_refused() {
    let Some(mut file) = encode(recipe_of("ogg"), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
    let headers = position(&file, b"\x81theora");
    let page = headers + memchr::memmem::find(&file[headers..], &[0, 0x40, 0, 0, 0, 0, 0, 0, 0]).expect("a picture");
    // 63 pictures since the last key frame instead of none since the first one.
    file[page + 1] = 0x3F;
    let verdict = probe_whole(&file);
    assert!(verdict.is_err(), "{}", summary(&verdict));
}

/// The position of the first packet.
fn asf_packets(file: &[u8]) -> usize {
    position(file, b"\x36\x26\xB2\x75\x8E\x66\xCF\x11") + 50
}

/// Players drop a frame that is not complete when the next one begins.
#[test]
fn asf_with_an_incomplete_frame_is_refused() {
    let Some(clip) = encode(recipe_of("asf"), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
    let sound = [512_u32.to_le_bytes(), 3_676_u32.to_le_bytes()].concat();
    let at = position(&clip, &sound);
    let mut file = clip.clone();
    file[at..at + 8].copy_from_slice(&[15_360_u32.to_le_bytes(), 110_280_u32.to_le_bytes()].concat());
    assert_not_accepted("a frame at 107 s that is never completed", &file);
    let last = [368_u32.to_le_bytes(), 3_932_u32.to_le_bytes()].concat();
    let at = last_position(&clip, &last);
    let mut file = clip;
    file[at..at + 8].copy_from_slice(&[369_u32.to_le_bytes(), 8_932_u32.to_le_bytes()].concat());
    assert_not_accepted("a last frame without its last byte", &file);
}

/// Players search for the next packet. A packet in the middle of another one is not played.
#[test]
fn asf_whose_packets_begin_elsewhere_is_refused() {
    const PACKET: usize = 3_200;
    let short = ClipSpec { frames: 5, rate: 5, sound: true };
    let (Some(file), Some(longer)) = (encode(recipe_of("asf"), short), clip("asf")) else { return };
    let (first, fourth) = (asf_packets(&file), asf_packets(&file) + 3 * PACKET);
    let inserted = [&b"\x90\x08\0\x33\xB1\xE5\xCF\x11\x89\xF4\0\xA0\xC9\x03\x49\xCB"[..], &[0; 70]].concat();
    let late = asf_packets(&longer) + 18 * PACKET;
    let packets = [&inserted[..], &file[fourth..fourth + PACKET - 86], &longer[late..late + PACKET]].concat();
    let mut mutant = file[..fourth].to_vec();
    mutant.extend_from_slice(&packets);
    mutant.extend_from_slice(&file[fourth + PACKET..]);
    let size = u64::try_from(50 + 6 * PACKET).expect("a small object");
    mutant[first - 34..first - 26].copy_from_slice(&size.to_le_bytes());
    assert_not_accepted("a packet at 3.1 s within another one", &mutant);
}

/// Players read the properties of a stream inside its extended properties.
#[test]
fn asf_streams_that_are_described_in_extended_properties_count() {
    let (Some(long), Some(short)) = (
        encode(recipe_of("asf"), ClipSpec { frames: 1500, rate: 5, sound: false }),
        encode(recipe_of("asf"), ClipSpec { frames: 20, rate: 5, sound: false }),
    ) else {
        return;
    };
    let properties = |file: &[u8]| {
        let at = position(file, b"\x91\x07\xDC\xB7\xB7\xA9\xCF\x11");
        at..at + usize::from(u16::from_le_bytes([file[at + 16], file[at + 17]]))
    };
    for (file, is_short) in [(long, false), (short, true)] {
        let stream = properties(&file);
        let mut body = [&[0; 64][..], &file[stream.clone()]].concat();
        body[48] = 1;
        let id = b"\xCB\xA5\xE6\x14\x72\xC6\x32\x43\x83\x99\xA9\x69\x52\x06\x5B\x5A";
        let size = u64::try_from(body.len() + 24).expect("a small object");
        let mut hidden = file.clone();
        hidden.splice(stream, [&id[..], &size.to_le_bytes(), &body].concat());
        assert_eq!(summary(&probe_whole(&hidden)), summary(&probe_whole(&file)), "{is_short}");
    }
}

/// Players show the last picture only for as long as the codec says.
#[test]
fn fragments_that_end_with_a_long_mpeg4_picture_are_refused() {
    let short = ClipSpec { frames: 5, rate: 5, sound: true };
    let Some(mut file) = encode(recipe_of("mp4-fragmented"), short) else { return };
    // The duration of the last of five samples, each with a duration and a size.
    let last = position(&file, b"trun") + 20 + 4 * 8;
    assert_eq!(file[last..last + 4], 2_048_u32.to_be_bytes());
    file[last + 2] = 0xF0;
    assert_not_accepted("a last picture of 6 s", &file);
}

/// Players subtract the codec's delay from the timestamps of the track.
#[test]
fn sound_whose_codec_has_a_long_delay_is_refused() {
    let Some(clip) = clip("webm-live") else { return };
    // The delay and the preroll after it become a longer delay and filling.
    let at = position(&clip, b"\x56\xAA\x83");
    for (delay, is_plausible) in [(250_000_000_u32, true), (250_000_001, false), (u32::MAX, false)] {
        let mut file = clip.clone();
        let delay = [&b"\x56\xAA\x84"[..], &delay.to_be_bytes(), b"\xEC\x84\0\0\0\0"].concat();
        file[at..at + delay.len()].copy_from_slice(&delay);
        let is_accepted = summary(&probe_whole(&file)) == summary(&probe_whole(&clip));
        assert_eq!(is_accepted, is_plausible, "{delay:?}: {}", summary(&probe_whole(&file)));
    }
}

/// Players count each stream header as a stream, so the frames that follow belong to others.
#[test]
fn avi_stream_headers_outside_of_their_lists_are_refused() {
    let Some(clip) = clip("avi") else { return };
    let at = position(&clip, b"strh");
    let (header, list) = (clip[at..at + 64].to_vec(), at - 12);
    let second = last_position(&clip, b"strl") - 8;
    for (place, bytes) in [("before the lists", list), ("between the lists", second), ("twice in a list", at)] {
        let mut file = clip.clone();
        file.splice(bytes..bytes, header.clone());
        let size = u32::from_le_bytes([file[16], file[17], file[18], file[19]]) + 64;
        file[16..20].copy_from_slice(&size.to_le_bytes());
        if bytes == at {
            let size = u32::from_le_bytes([file[list + 4], file[list + 5], file[list + 6], file[list + 7]]) + 64;
            file[list + 4..list + 8].copy_from_slice(&size.to_le_bytes());
        }
        assert_not_accepted(place, &file);
    }
}

/// The bytes after a short block must not count as its flags.
#[test]
fn the_reason_for_refusing_a_short_block_does_not_depend_on_the_chunks() {
    let Some(clip) = clip("matroska") else { return };
    let at = position(&clip, b"\x1F\x43\xB6\x75");
    let time = at + memchr::memmem::find(&clip[at..], b"\xE7\x81\0").expect("the time of the first cluster") + 3;
    let mut file = clip[..time].to_vec();
    file.extend_from_slice(b"\xA3\x81\0\x10\x81\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    file.extend_from_slice(&clip[time..]);
    assert_not_accepted("a block of one byte", &file);
    assert_eq!(summary(&probe_whole(&file)), summary(&probe_in_chunks(&file, &[1])));
}

/// Players that cannot read such an element search it for clusters.
#[test]
fn clusters_inside_of_the_cues_count() {
    let Some(clip) = clip("matroska") else { return };
    let (cluster, cues) = (position(&clip, b"\x1F\x43\xB6\x75"), last_position(&clip, b"\x1C\x53\xBB\x6B"));
    // The same cluster again, at 186 s.
    let mut late = clip[cluster..cues].to_vec();
    let time = position(&late, b"\xE7\x81\0");
    late.splice(time..time + 3, *b"\xE7\x83\x02\xD8\x20");
    late[6] += 2;
    for filling in [&b""[..], b"\0", b"no element"] {
        let file = [&clip[..cues + 5], filling, &late].concat();
        assert_not_accepted("the end of three minutes in the cues", &file);
    }
}

/// Players read the missing fields from the next box.
#[test]
fn a_fragment_header_that_is_shorter_than_its_flags_say_is_refused() {
    let Some(mut file) = clip("mp4-fragmented") else { return };
    let flags = position(&file, b"tfhd") + 7;
    assert_eq!(file[flags], 0x38);
    file[flags] = 0xFF;
    assert_not_accepted("a header without room for its fields", &file);
}

/// Players ignore the length of a packet whose header is invalid.
#[test]
fn packets_behind_an_invalid_header_count() {
    let Some(clip) = clip("mpeg-ps") else { return };
    let honest = summary(&probe_whole(&clip));
    for invalid in [0x00, 0x0E, 0x10] {
        let mut file = clip.clone();
        file.splice(14..14, [0, 0, 1, 0xC3, 0x40, 0, invalid, 0]);
        assert_eq!(summary(&probe_whole(&file)), honest, "{invalid:#04x}");
    }
}

/// Returns the bytes of the first page of an Ogg file for which this is true.
fn ogg_page(file: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> std::ops::Range<usize> {
    let mut starts: Vec<_> = memchr::memmem::find_iter(file, b"OggS").collect();
    starts.push(file.len());
    let mut pages = starts.windows(2).map(|pair| pair[0]..pair[1]);
    pages.find(|page| is_wanted(&file[page.clone()])).expect("the page")
}

/// Players time frames by the positions, so the frames of a doubled page do not play twice.
#[test]
fn ogg_with_more_frames_than_its_positions_account_for_is_refused() {
    let Some(clip) = clip("ogg") else { return };
    // Five frames. The same page of headers twice adds two packets, but no frame and no position.
    for position in [74, 0] {
        let page = ogg_page(&clip, |page| page[5] == 0 && page[6] == position);
        let mut file = clip.clone();
        file.splice(page.start..page.start, clip[page].to_vec());
        assert_not_accepted(&format!("doubled page at {position}"), &file);
    }
}

#[test]
fn ogg_whose_positions_stand_still_is_refused() {
    let Some(clip) = clip("ogg") else { return };
    let vorbis = ogg_page(&clip, |page| memchr::memmem::find(page, b"\x01vorbis").is_some());
    let serial = clip[vorbis.start + 14..vorbis.start + 18].to_vec();
    let page = ogg_page(&clip, |page| page[14..18] == serial && page[6..14] != [0; 8]);
    let mut file = clip.clone();
    file.splice(page.start..page.start, clip[page].to_vec());
    assert_not_accepted("a page of sound twice", &file);
}

/// Players skip samples whose description does not exist, so they play for a shorter time.
/// Sound is stored in the order in which it is played. Chromium drops what is out of order, and ffmpeg does not.
#[test]
fn matroska_whose_sound_goes_back_is_refused() {
    for name in ["webm", "matroska"] {
        let Some(clip) = encode(recipe_of(name), ClipSpec { frames: 5, rate: 5, sound: true }) else { return };
        // A block of the second track, after one or two bytes of its length, with a small time.
        let block =
            |at: usize| clip[at + 1..].iter().take(3).position(|byte| *byte == 0x82).map(|offset| at + offset + 2);
        let is_early = |at: &usize| clip[*at] == 0 && clip[*at + 2] == 0x80;
        let mut times = memchr::memchr_iter(0xA3, &clip).filter_map(block).filter(is_early);
        let at = times.nth(3).expect("the clip has sound");
        let with_time = |milliseconds: i16| {
            let mut file = clip.clone();
            file[at..at + 2].copy_from_slice(&milliseconds.to_be_bytes());
            file
        };
        assert_not_accepted(name, &with_time(2_800));
        // Players repair less than half a second.
        assert!(probe_whole(&with_time(400)).is_ok(), "{name}");
    }
}

#[test]
fn samples_without_a_description_are_refused() {
    for (name, index_at) in [("mp4-fragmented", (&b"trex"[..], 12)), ("mp4", (b"stsc", 20))] {
        let Some(clip) = clip(name) else { return };
        let at = position(&clip, index_at.0) + index_at.1;
        for index in [0, 2, 0x00FF_0001_u32] {
            let mut file = clip.clone();
            assert_eq!(file[at..at + 4], [0, 0, 0, 1]);
            file[at..at + 4].copy_from_slice(&index.to_be_bytes());
            assert_not_accepted(&format!("{name}, description {index}"), &file);
        }
    }
}

/// Players read a box to its own end, although the box that holds it ends earlier.
#[test]
fn a_box_that_ends_after_its_parent_is_refused() {
    let Some(clip) = clip("mp4-fragmented") else { return };
    let mut file = clip.clone();
    let length = |at: usize| u32::from_be_bytes(clip[at..at + 4].try_into().expect("four bytes"));
    let run = last_position(&clip, b"trun") - 4;
    let run_end = run + usize::try_from(length(run)).expect("a small box");
    for parent in [b"moof", b"traf"] {
        let at = last_position(&clip, parent) - 4;
        file[at..at + 4].copy_from_slice(&(length(at) + 8).to_be_bytes());
    }
    file.splice(run_end..run_end, clip[run..run_end].iter().copied());
    assert!(probe_whole(&file).is_err(), "{}", summary(&probe_whole(&file)));
}

/// Players read samples at their positions, in a box of any name.
#[test]
fn a_last_fragment_whose_media_has_another_name_counts() {
    let Some(clip) = clip("mp4-fragmented") else { return };
    let whole = probe_whole(&clip).expect("a video").duration_ms;
    let mut file = clip.clone();
    let at = last_position(&file, b"mdat");
    file.truncate(memchr::memmem::rfind(&file, b"mfra").map_or(file.len(), |index| index - 4));
    file[at..at + 4].copy_from_slice(b"\0\x01\0\x02");
    assert_eq!(probe_whole(&file).map(|media| media.duration_ms), Ok(whole));
}

/// Some players then read the time that follows, others the time of the previous packet.
#[test]
fn packets_whose_header_ends_before_its_time_are_refused() {
    let (Some(transport), Some(program)) = (clip("mpeg-ts"), clip("mpeg-ps")) else { return };
    // The last packet of pictures, and one of sound behind the others.
    let last = last_position(&transport, &[0, 0, 1, 0xE0]);
    assert_eq!(transport[last + 7] & 0x80, 0x80, "it has a time");
    let program = [&program[..], &[0, 0, 1, 0xC0, 0, 28, 0x80, 0x80, 5, 0x21, 0, 25, 21, 193], &[0; 20]].concat();
    assert!(probe_whole(&program).is_ok());
    for (file, at) in [(transport, last), (program.clone(), program.len() - 34)] {
        for fields in 0..5 {
            let mut file = file.clone();
            file[at + 8] = fields;
            assert!(probe_whole(&file).is_err(), "{fields} bytes of fields");
        }
    }
}

/// Players play by the index if the header says so. They read only the first of two that are not next to each other.
#[test]
fn an_index_by_which_players_play_lists_every_frame_once() {
    let Some(clip) = clip("avi") else { return };
    let index = last_position(&clip, b"idx1");
    let (media, entries) = (&clip[..index], &clip[index + 8..]);
    let chunk = |body: &[u8]| [b"idx1", &u32::try_from(body.len()).expect("short").to_le_bytes()[..], body].concat();
    let file = |end: &[u8]| {
        let mut file = [media, end].concat();
        let length = u32::try_from(file.len() - 8).expect("short");
        file[4..8].copy_from_slice(&length.to_le_bytes());
        let header = position(&file, b"avih");
        file[header + 20] |= 0x20;
        file
    };
    let whole = file(&chunk(entries));
    assert!(probe_whole(&whole).is_ok(), "{}", summary(&probe_whole(&whole)));
    let (first, rest) = entries.split_at(80);
    // Players calculate stream 0 from the characters before 0 and after 9.
    let mut strange = entries.to_vec();
    strange.chunks_exact_mut(16).for_each(|entry| entry[..2].copy_from_slice(b"/:"));
    for (what, end) in [
        ("a part", chunk(first)),
        ("a frame twice", chunk(&[entries, &entries[..16]].concat())),
        ("more frames under strange names", chunk(&[entries, &strange].concat())),
        ("two parts", [chunk(first), b"JUNK\0\0\0\0".to_vec(), chunk(rest)].concat()),
    ] {
        assert_not_accepted(what, &file(&end));
    }
}
