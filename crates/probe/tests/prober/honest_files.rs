//! Files of careless writers that players still play are accepted with the length that they play.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::clips::{ClipRecipe, ClipSpec, encode, recipe_of};
use crate::support::ebml::{self, element};
use crate::support::{probe_in_chunks, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, fragment, words};
use fixtures::decoded::decode;
use probe::{FileRefusal, ForeignClass};

const CLIP: ClipSpec = ClipSpec { frames: 50, rate: 5, sound: true };

fn assert_plays(what: &str, file: &[u8], milliseconds: u64) {
    let verdict = probe_whole(file);
    let plays = verdict.as_ref().is_ok_and(|media| media.duration_ms.abs_diff(milliseconds) <= 100);
    assert!(plays, "{what}, expected {milliseconds} ms: {}", summary(&verdict));
    assert_eq!(verdict, probe_in_chunks(file, &[1000, 1, 77]), "{what} in chunks");
}

/// Data that programs append to videos: an ID3 tag, text, zeros, and a list of junk.
fn tails() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("an ID3 tag", [&b"TAGA title"[..], &[0; 118]].concat()),
        ("a line of text", b"Recorded with a camera at 00:12, thank you for watching!\n".to_vec()),
        ("a short text", b"Hello".to_vec()),
        ("zeros", vec![0; 5000]),
    ]
}

/// QuickTime movies with the codecs of cameras and editors. Each has a data handler besides its media handler.
const MOVIES: [(&str, &[&str]); 9] = [
    ("svq1", &["-c:v", "svq1"]),
    ("qtrle", &["-c:v", "qtrle"]),
    ("v210", &["-c:v", "v210"]),
    ("raw", &["-c:v", "rawvideo"]),
    ("jpeg2000", &["-c:v", "jpeg2000"]),
    ("prores", &["-c:v", "prores_ks"]),
    ("dv", &["-c:v", "dvvideo", "-s", "720x576", "-pix_fmt", "yuv420p"]),
    ("adpcm", &["-c:v", "mjpeg", "-c:a", "adpcm_ms"]),
    ("timecode", &["-c:v", "mjpeg", "-timecode", "01:00:00:00"]),
];

#[test]
fn quicktime_movies_of_every_codec_have_pictures() {
    for (name, arguments) in MOVIES {
        let recipe = ClipRecipe { name, extension: "mov", arguments };
        let Some(clip) = encode(recipe, ClipSpec { frames: 75, rate: 25, sound: true }) else { return };
        assert_plays(name, &clip, 3_000);
    }
}

#[test]
fn flac_in_avi_plays_as_long_as_its_frames() {
    let recipe = ClipRecipe { name: "avi-flac", extension: "avi", arguments: &["-c:v", "mpeg4", "-c:a", "flac"] };
    let Some(clip) = encode(recipe, ClipSpec { frames: 75, rate: 25, sound: true }) else { return };
    let media = probe_whole(&clip).expect("a video");
    // Its last frame of 4,608 samples is filled up.
    assert!((3_000..=3_300).contains(&media.duration_ms), "{} ms", media.duration_ms);
}

/// Extensions, codecs of sound, and sample rates.
const SOUNDS: [(&str, &[&str], &[&str]); 21] = [
    ("avi", &["libmp3lame", "-q:a", "2"], &["16000", "44100"]),
    ("avi", &["libmp3lame", "-b:a", "320k"], &["44100", "48000"]),
    ("avi", &["mp2"], &["24000", "48000"]),
    ("avi", &["ac3", "-b:a", "640k"], &["32000", "48000"]),
    ("avi", &["aac"], &["16000", "48000"]),
    ("avi", &["wmav2"], &["22050", "44100"]),
    ("avi", &["adpcm_ms"], &["8000", "44100"]),
    ("avi", &["adpcm_ima_wav"], &["8000", "44100"]),
    ("avi", &["pcm_s16le"], &["8000", "48000"]),
    ("avi", &["pcm_mulaw"], &["8000", "44100"]),
    ("flv", &["libmp3lame", "-q:a", "2"], &["11025", "22050", "44100"]),
    ("flv", &["aac"], &["8000", "48000"]),
    ("flv", &["adpcm_swf"], &["11025", "44100"]),
    ("flv", &["nellymoser"], &["8000", "44100"]),
    ("flv", &["pcm_s16le"], &["11025", "44100"]),
    ("flv", &["pcm_alaw"], &["8000"]),
    ("mkv", &["libvorbis", "-q:a", "10"], &["16000", "48000"]),
    ("mkv", &["truehd", "-strict", "-2", "-ac", "2"], &["44100", "48000"]),
    ("mkv", &["aac"], &["8000", "96000"]),
    ("asf", &["wmav1"], &["16000", "32000", "44100"]),
    ("asf", &["wmav2", "-b:a", "320k"], &["16000", "22050", "48000"]),
];

#[test]
fn sound_of_each_codec_and_rate_lasts_as_long_as_the_pictures() {
    for (extension, codec, rates) in SOUNDS {
        for rate in rates {
            let name: &'static str = format!("{extension}-{}-{rate}", codec.concat()).leak();
            let pictures: &[&str] = if extension == "flv" { &["-c:v", "flv1"] } else { &["-c:v", "mpeg4"] };
            let arguments = [pictures, &["-ar", *rate, "-c:a"], codec].concat().leak();
            let recipe = ClipRecipe { name, extension, arguments };
            let Some(clip) = encode(recipe, ClipSpec { frames: 75, rate: 25, sound: true }) else { return };
            let verdict = probe_whole(&clip);
            // The last frame is filled up.
            let fits = verdict.as_ref().is_ok_and(|media| (3_000..=3_400).contains(&media.duration_ms));
            assert!(fits, "{name}: {}", summary(&verdict));
        }
    }
}

/// ffmpeg declares the blocks of some sound as shorter than its frames. Players, ffmpeg among them, place each frame by
/// the blocks before it, so this sound plays with gaps.
#[test]
fn frames_of_several_blocks_last_as_long_as_players_show_them() {
    for (name, codec) in [
        ("avi-eac3", &["eac3"][..]),
        ("avi-dts", &["dca", "-strict", "-2"]),
        ("avi-mp3-320k", &["libmp3lame", "-ar", "32000", "-b:a", "320k"]),
    ] {
        let arguments = [&["-c:v", "mpeg4", "-ar", "48000", "-c:a"][..], codec].concat().leak();
        let recipe = ClipRecipe { name, extension: "avi", arguments };
        let Some(clip) = encode(recipe, ClipSpec { frames: 75, rate: 25, sound: true }) else { return };
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-played.avi"));
        std::fs::write(&path, &clip).expect("the clip can be written");
        let plays = decode(&path).expect("ffprobe is installed with ffmpeg").span_ms;
        let judged = probe_whole(&clip).expect("a video").duration_ms;
        assert!(plays > 5_000 && judged.abs_diff(plays) <= plays / 50, "{name}: {judged} ms, plays {plays} ms");
        std::fs::remove_file(&path).expect("the clip can be removed");
    }
}

#[test]
fn pictures_of_several_units_are_pictures() {
    let x264 = ["slices=4:bframes=2", "nal-hrd=cbr:aud=1:vbv-maxrate=400:vbv-bufsize=100:bitrate=400", "interlaced=1"];
    for (number, parameters) in x264.into_iter().enumerate() {
        for extension in ["ts", "mpg", "flv", "mkv"] {
            let arguments = vec!["-c:v", "libx264", "-x264-params", parameters].leak();
            let name = ["slices", "filling", "fields"][number];
            let Some(clip) = encode(ClipRecipe { name, extension, arguments }, CLIP) else { return };
            let verdict = probe_whole(&clip);
            // A program stream has a time only for some of its pictures.
            let fits = verdict.as_ref().is_ok_and(|media| (9_900..=11_400).contains(&media.duration_ms));
            assert!(fits, "{name}, {extension}: {}", summary(&verdict));
        }
    }
}

#[test]
fn packets_of_a_receiver_have_checksums_behind_them() {
    let Some(clip) = encode(recipe_of("mpeg-ts"), CLIP) else { return };
    let expected = probe_whole(&clip).expect("a video").duration_ms;
    for checksum in [[0xFF; 16], [0x47; 16]] {
        let received: Vec<u8> = clip.chunks_exact(188).flat_map(|packet| [packet, &checksum].concat()).collect();
        assert_plays("204 bytes", &received, expected);
        assert_plays("without the last checksum", &received[..received.len() - 16], expected);
    }
}

#[test]
fn a_page_of_pictures_without_a_time_counts() {
    let Some(mut clip) = encode(recipe_of("ogg"), ClipSpec { sound: false, ..CLIP }) else { return };
    let expected = probe_whole(&clip).expect("a video").duration_ms;
    let pages: Vec<usize> = memchr::memmem::find_iter(&clip, b"OggS\0").collect();
    assert!(pages.len() > 4, "the first three pages hold headers");
    let untimed = pages[pages.len() / 2];
    clip[untimed + 6..untimed + 14].fill(0xFF);
    assert_plays("a page without a time", &clip, expected);
}

#[test]
fn a_list_of_media_behind_the_end_of_an_avi_is_nothing() {
    let Some(clip) = encode(recipe_of("avi"), CLIP) else { return };
    let expected = probe_whole(&clip).expect("a video").duration_ms;
    let junk = b"\0\0\0\0LIST\x0C\x5B\x04\0movi";
    assert_plays("a remainder of another file", &[&clip[..], junk].concat(), expected);
}

/// Players read the index behind the list of media, wherever the last frame ends.
#[test]
fn a_frame_that_ends_after_its_list_is_refused() {
    let Some(clip) = encode(recipe_of("avi"), CLIP) else { return };
    let index = memchr::memmem::rfind(&clip, b"idx1").expect("an index");
    let last = [b"00dc", b"01wb"].map(|name| memchr::memmem::rfind(&clip[..index], name)).into_iter().max();
    let size = last.flatten().expect("a frame") + 4;
    let mut file = clip.clone();
    file[size] = file[size].wrapping_add(100);
    file[size + 1] += u8::from(file[size] < 100);
    let text = probe_whole(&file).err().map(|refusal| refusal.to_string());
    assert!(
        text.as_ref().is_some_and(|text| text.contains("hides the place where players look for the index")),
        "{text:?}"
    );
}

/// Returns a RIFF chunk.
fn chunk(name: &[u8], body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len()).expect("short").to_le_bytes();
    [name, &size, body, &vec![0; body.len() % 2]].concat()
}

/// Returns a film of five seconds as cameras write it: each stream's header names an index of all its chunks, and the
/// index at the end lists only the first chunks.
fn camera_avi(shift: u32) -> Vec<u8> {
    let numbers = |values: &[u32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let header = |at: u64| {
        let picture = [&b"vidsmjpg"[..], &numbers(&[0, 0, 0, 1, 5, 0, 25, 0, 0, 0, 0, 0])].concat();
        let format = [&numbers(&[40, 64, 48])[..], &[1, 0, 24, 0], b"mjpg", &[0; 20]].concat();
        let named = [&[4, 0, 0, 0, 1, 0, 0, 0][..], b"00dc", &[0; 12], &at.to_le_bytes(), &numbers(&[0, 25])].concat();
        let stream = [b"strl".to_vec(), chunk(b"strh", &picture), chunk(b"strf", &format), chunk(b"indx", &named)];
        let list = [b"hdrl".to_vec(), chunk(b"avih", &[0; 56]), chunk(b"LIST", &stream.concat())].concat();
        chunk(b"LIST", &list)
    };
    let first = 12 + u32::try_from(header(0).len()).expect("short") + 12;
    let frames = chunk(b"00dc", &[7; 20]).repeat(25);
    let entries: Vec<u8> = (0..25).flat_map(|frame| numbers(&[frame * 28 + 8 + shift, 20])).collect();
    let base = u64::from(first).to_le_bytes();
    let index = [&[2, 0, 0, 1, 25, 0, 0, 0][..], b"00dc", &base, &[0; 4], &entries].concat();
    let media = chunk(b"LIST", &[b"movi".to_vec(), frames.clone(), chunk(b"ix00", &index)].concat());
    let old = [&b"00dc"[..], &numbers(&[16, 4, 20])].concat().repeat(2);
    let at = u64::from(first) + u64::try_from(frames.len()).expect("short");
    chunk(b"RIFF", &[b"AVI ".to_vec(), header(at), media, chunk(b"idx1", &old)].concat())
}

#[test]
fn an_index_of_a_part_is_ignored_if_players_have_a_whole_one() {
    assert_plays("a camera's film", &camera_avi(0), 5_000);
    let other = probe_whole(&camera_avi(2));
    assert!(other.is_err(), "an index of something else: {}", summary(&other));
}

#[test]
fn tails_that_players_ignore_change_nothing() {
    for name in ["mp4", "mp4-moov-first", "mp4-fragmented", "quicktime", "matroska", "webm", "flv", "avi"] {
        let Some(clip) = encode(recipe_of(name), CLIP) else { return };
        let expected = probe_whole(&clip).expect("a video").duration_ms;
        for (tail, bytes) in tails() {
            assert_plays(&format!("{name} and {tail}"), &[&clip[..], &bytes].concat(), expected);
        }
    }
    let Some(clip) = encode(recipe_of("avi"), CLIP) else { return };
    let junk = b"junkLIST\xF0\xFF\xFF\x7Fjunk, and nothing else";
    let expected = probe_whole(&clip).expect("a video").duration_ms;
    assert_plays("avi and a list of junk", &[&clip[..], junk].concat(), expected);
}

#[test]
fn subtitles_that_outlast_the_film_do_not_count() {
    let Some(film) = encode(recipe_of("matroska"), CLIP) else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("subtitles-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = |name: &str| folder.join(name);
    std::fs::write(path("film.mkv"), film).expect("the film");
    std::fs::write(path("subs.srt"), "1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:14,000 --> 00:00:18,000\nb\n")
        .expect("the subtitles");
    let mut command = Command::new("ffmpeg");
    command.args(["-v", "error", "-y", "-i"]).arg(path("film.mkv")).arg("-i").arg(path("subs.srt"));
    let status = command.args(["-c", "copy"]).arg(path("both.mkv")).status().expect("ffmpeg runs");
    assert!(status.success());
    let both = std::fs::read(path("both.mkv")).expect("the film with subtitles");
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
    assert_plays("a film with long subtitles", &both, 10_000);
}

/// Runs ffmpeg with these arguments and a file of this name, and returns the file. `None` without ffmpeg.
fn made_by_ffmpeg(arguments: &[&str], name: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let status = Command::new("ffmpeg").args(["-v", "error", "-y"]).args(arguments).arg(&path).status().ok()?;
    assert!(status.success(), "{name}");
    let film = std::fs::read(&path).expect("the film");
    Some((path, film))
}

fn pictures_and_sound<'a>(pictures: &'a str, sound: &'a str) -> [&'a str; 12] {
    ["-f", "lavfi", "-i", pictures, "-f", "lavfi", "-i", sound, "-c:v", "libx264", "-bf", "0"]
}

/// The encoder holds slow pictures back while ffmpeg writes the sound.
#[test]
fn sound_may_be_stored_long_before_slow_pictures() {
    let slow = pictures_and_sound("testsrc2=s=64x48:r=1:d=40", "sine=d=40");
    let Some((path, film)) = made_by_ffmpeg(&slow, "slow.flv") else { return };
    std::fs::remove_file(path).expect("the film can be removed");
    let verdict = probe_whole(&film);
    let agrees = verdict.as_ref().is_ok_and(|media| media.duration_ms.abs_diff(40_000) <= 100);
    assert!(agrees, "{}", summary(&verdict));
}

#[test]
fn fragments_may_hold_one_sample_without_a_duration() {
    let usual = pictures_and_sound("testsrc2=s=64x48:r=10:d=5", "sine=d=5");
    let Some((whole, _)) = made_by_ffmpeg(&usual, "whole.mp4") else { return };
    let input = whole.to_str().expect("a plain path");
    let copied = made_by_ffmpeg(&["-i", input, "-c", "copy", "-movflags", "frag_every_frame"], "each.mp4");
    let (path, film) = copied.expect("ffmpeg ran before");
    for file in [path, whole] {
        std::fs::remove_file(file).expect("the film can be removed");
    }
    let verdict = probe_whole(&film);
    let agrees = verdict.as_ref().is_ok_and(|media| media.duration_ms.abs_diff(5_000) <= 100);
    assert!(agrees, "{}", summary(&verdict));
}

#[test]
fn a_live_recording_that_is_cut_anywhere_is_as_long_as_what_is_there() {
    let file = [ebml::live_start(None), ebml::live_cluster(&ebml::cluster_body(0, 100, 100))].concat();
    for cut in [1, 2, 5, 8, 12] {
        assert_plays("a recording", &file[..file.len() - cut], 9_950);
    }
}

/// The cut may be inside a packet or inside a frame.
#[test]
fn a_live_asf_recording_that_is_cut_anywhere_is_as_long_as_what_is_there() {
    let Some(mut clip) = encode(recipe_of("asf"), CLIP) else { return };
    let properties = memchr::memmem::find(&clip, b"\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11").expect("file properties");
    // A broadcast, whose end is not declared.
    clip[properties + 88] |= 1;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("live-{}.wmv", std::process::id()));
    for length in (40_000..190_000).step_by(13_331) {
        let file = &clip[..length];
        std::fs::write(&path, file).expect("the recording");
        let plays = decode(&path).expect("ffprobe is installed with ffmpeg").span_ms;
        let verdict = probe_whole(file);
        let agrees = verdict.as_ref().is_ok_and(|media| media.duration_ms.abs_diff(plays) <= 250);
        assert!(agrees, "{length} bytes, {plays} ms: {}", summary(&verdict));
    }
    std::fs::remove_file(&path).expect("the recording can be removed");
}

#[test]
fn tracks_behind_the_clusters_are_found_if_the_index_announces_them() {
    let cluster = |start| element(ebml::CLUSTER, &ebml::cluster_body(start, 10, 100));
    let clusters: Vec<u8> = (0..5).flat_map(|second| cluster(second * 1000)).collect();
    let seek = element(&[0x4D, 0xBB], &element(&[0x53, 0xAB], &[0x16, 0x54, 0xAE, 0x6B]));
    let announced = element(&[0x11, 0x4D, 0x9B, 0x74], &seek);
    let file = |index: &[u8]| {
        let body = [index, &ebml::information(None), &clusters, &ebml::tracks(1)].concat();
        [ebml::header(), element(ebml::SEGMENT, &body)].concat()
    };
    assert_plays("announced tracks", &file(&announced), 4_950);
    assert!(probe_whole(&file(&[])).is_err(), "no player finds these tracks");
}

#[test]
fn frames_of_flv_count_by_their_presentation_times() {
    let Some(file) = encode(recipe_of("flv-h264"), ClipSpec { frames: 50, rate: 5, sound: false }) else { return };
    // Three frames are reordered, so the first one is shown 400 ms after it is decoded.
    assert_plays("reordered frames", &file, 10_000);
}

#[test]
fn sound_before_the_first_program_table_counts() {
    let Some(file) = encode(recipe_of("mpeg-ts"), CLIP) else { return };
    let expected = probe_whole(&file).expect("a video").duration_ms;
    let pid = |packet: &[u8]| u16::from_be_bytes([packet[1] & 0x1F, packet[2]]);
    let is_table = |packet: &&[u8]| matches!(pid(packet), 0 | 0x1000);
    let (tables, rest): (Vec<_>, Vec<_>) = file.chunks_exact(188).partition(is_table);
    let (before, after) = rest.split_at(rest.len() / 4);
    let late = [before.concat(), tables.concat(), after.concat()].concat();
    assert_plays("late tables", &late, expected);
}

#[test]
fn a_movie_whose_media_is_in_other_files_is_refused() {
    let file = Video::default().file();
    let at = memchr::memmem::find(&file, b"stbl").expect("tables") - 4;
    let entry = [words(&[12]), b"alis".to_vec(), words(&[0])].concat();
    let references = atom(*b"dinf", &atom(*b"dref", &[words(&[0, 3]), entry.repeat(3)].concat()));
    let mut external = file.clone();
    external.splice(at..at, references.iter().copied());
    for kind in [b"moov", b"trak", b"mdia", b"minf"] {
        let at = memchr::memmem::find(&external, kind).expect("the box") - 4;
        let size = u32::from_be_bytes(external[at..at + 4].try_into().expect("four bytes"));
        let size = size + u32::try_from(references.len()).expect("small");
        external[at..at + 4].copy_from_slice(&size.to_be_bytes());
    }
    assert!(matches!(probe_whole(&external), Err(FileRefusal::Unsupported { .. })));
}

#[test]
fn a_fragment_whose_media_is_missing_at_the_end_does_not_count() {
    let video = Video { times: vec![], fragmented: true, ..Video::default() };
    let whole = [file_type(), video.movie(0), fragment(Some(0), 25, 200), fragment(Some(5_000), 25, 200)].concat();
    assert_plays("both fragments", &whole, 10_000);
    assert_plays("one fragment", &whole[..whole.len() - 24], 5_000);
}

#[test]
fn raw_mpeg4_video_is_no_icon() {
    let file = [&[0, 0, 1, 0, 0, 0, 1, 0x20, 0, 0xC8][..], &[0x40; 40]].concat();
    let Err(FileRefusal::NotAVideo { what }) = probe_whole(&file) else { panic!("not refused as foreign") };
    assert_eq!((what.class, what.name), (ForeignClass::Video, "raw MPEG-4 video"));
}

#[test]
fn a_refusal_comes_at_the_same_byte_for_every_split() {
    let video = Video { times: vec![[10, 100]], edits: vec![[1, 0]; 5000], ..Video::default() };
    for file in [video.file(), b"GIF89a\x01\0\x01\0 and some more bytes than needed".to_vec(), vec![b'x'; 5000]] {
        let at = |size: usize| {
            let mut prober = probe::Prober::new();
            file.chunks(size).for_each(|chunk| {
                prober.feed(chunk);
            });
            assert!(prober.refusal().is_some());
            prober.bytes_until_verdict()
        };
        let expected = at(1);
        for size in [7, 100, 4096, file.len()] {
            assert_eq!(at(size), expected, "in chunks of {size}");
        }
    }
}
