//! Text tracks become WebVTT in HLS, in their language and without anything but their text; pictures are named.

use crate::clips::{Clip, ffmpeg, moving, tone};
use crate::processed_clip::{ProcessedClip, process};
use contract::subtitles::{DropReason, SubtitleTrack};
use origin::media::plan::ThumbnailChoice;
use std::path::Path;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The first cue is markup, the second has a control character, the third outlasts the video.
const ENGLISH: &str = "1\n00:00:00,500 --> 00:00:01,000\n<font color=red><i>Hello</i></font>\n<script>1 < 2 & 3</script>\n\n\
2\n00:00:01,200 --> 00:00:01,800\na\u{7}b\u{202e}c\n\n3\n00:00:02,000 --> 00:01:00,000\nlate\n\n\
4\n00:00:30,000 --> 00:00:31,000\nafter the end\n";
const GERMAN: &str = "WEBVTT\n\n00:00:00.700 --> 00:00:01.500 line:0 align:left\n<v Jane Doe>Grüße</v>\n";
const FRENCH: &str = "[Script Info]\nTitle: +48.8577+002.2950_Jane-Doe\nScriptType: v4.00+\n\n[Events]\n\
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n\
Dialogue: 0,0:00:00.50,0:00:01.50,Default,Jane-Doe,0,0,0,,{\\pos(10,10)\\b1}Ça va\\Nbien{\\b0}\n\
Dialogue: 0,0:00:01.60,0:00:02.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100 0 100{\\p0}\n";

/// One empty display set of a Blu-ray subtitle track, as a SUP file holds it.
const PICTURES: &[u8] = b"PG\0\0\0\0\0\0\0\0\x80\0\0";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("en.srt", ENGLISH),
        ("de.vtt", GERMAN),
        ("fr.ass", FRENCH),
        ("outside.srt", "1\n00:00:30,000 --> 00:00:31,000\nafter the end\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::write(folder.path().join("pictures.sup"), PICTURES).unwrap();
    std::fs::copy(plain_clip().path(), folder.path().join("video.mp4")).unwrap();
    folder
}

/// Returns a clip without subtitles, shared by the tests that add tracks to it.
fn plain_clip() -> &'static Clip {
    static CLIP: OnceLock<Clip> = OnceLock::new();
    CLIP.get_or_init(|| Clip::with_sound("plain.mp4", "-crf 35"))
}

fn with_tracks(folder: &Path, name: &str, arguments: &str) -> ProcessedClip {
    ffmpeg(folder, &format!("{arguments} -map_metadata -1 {name}"));
    process(&folder.join(name), &ThumbnailChoice::Best).unwrap_or_else(|error| panic!("{error:?}"))
}

fn text(outputs: &ProcessedClip, number: u32) -> String {
    std::fs::read_to_string(outputs.out(&format!("hls/subtitles-{number}.vtt"))).unwrap()
}

fn languages(tracks: &[SubtitleTrack]) -> Vec<(&str, &str)> {
    tracks.iter().map(|track| (track.language.as_deref().unwrap_or_default(), track.label.as_str())).collect()
}

#[test]
fn every_text_track_becomes_webvtt_without_styles() {
    let folder = folder();
    let outputs = with_tracks(
        folder.path(),
        "source.mkv",
        "-i video.mp4 -i en.srt -i de.vtt -i fr.ass -map 0 -map 1 -map 2 -map 3 -c copy -metadata:s:s:0 language=eng \
         -metadata:s:s:1 language=ger -metadata:s:s:2 language=fra -metadata:s:s:0 title=Jane-Doe -disposition:s:0 0 \
         -disposition:s:1 default -disposition:s:2 hearing_impaired",
    );
    let tracks = &outputs.report.subtitles.tracks;
    assert_eq!(languages(tracks), [("en", "English"), ("de", "Deutsch"), ("fr", "Français (CC)")]);
    assert_eq!(tracks.iter().map(|track| track.is_default).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(outputs.report.subtitles.dropped, []);
    let header = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n";
    let english = text(&outputs, 1);
    let cues: Vec<_> = english.strip_prefix(header).unwrap().split("\n\n").collect();
    assert!(cues[0].starts_with("00:00:00.500 --> 00:00:01.000\nHello\n"), "{english}");
    assert!(cues[0].contains("1 &lt; 2 &amp; 3") && !english.contains("<script"), "{english}");
    assert_eq!(cues[1], "00:00:01.200 --> 00:00:01.800\nabc");
    assert!(cues[2].starts_with("00:00:02.000 --> 00:00:02.5") && cues[2].ends_with("\nlate\n"), "{english}");
    assert_eq!(cues.len(), 3);
    assert_eq!(text(&outputs, 2), format!("{header}00:00:00.700 --> 00:00:01.500\nGrüße\n"));
    assert_eq!(text(&outputs, 3), format!("{header}00:00:00.500 --> 00:00:01.500\nÇa va\nbien\n"));
    let master = std::fs::read_to_string(outputs.out("hls/master.m3u8")).unwrap();
    assert_eq!(master.matches("TYPE=SUBTITLES").count(), 3);
    assert!(master.contains("NAME=\"Deutsch\",LANGUAGE=\"de\",DEFAULT=YES"), "{master}");
    for secret in ["Jane", "48.8577"] {
        assert!((1..=3).all(|number| !text(&outputs, number).contains(secret)) && !master.contains(secret));
    }
    for name in ["hls/subtitles-1.vtt", "hls/subtitles-3.m3u8"] {
        assert!(outputs.files.iter().any(|(file, size)| file.to_string() == name && *size > 0), "{name}");
    }
}

#[test]
fn pictures_and_empty_tracks_are_named() {
    let folder = folder();
    let outputs = with_tracks(
        folder.path(),
        "source.mkv",
        "-i video.mp4 -f sup -i pictures.sup -i outside.srt -i en.srt -map 0 -map 1 -map 2 -map 3 -c copy \
         -metadata:s:s:0 language=spa -disposition:s:2 forced",
    );
    let subtitles = &outputs.report.subtitles;
    assert_eq!(languages(&subtitles.tracks), [("", "Subtitles (forced)")]);
    assert!(subtitles.tracks[0].is_forced && subtitles.tracks[0].number == 1);
    let dropped: Vec<_> = subtitles.dropped.iter().map(|track| (track.format.as_str(), track.reason)).collect();
    assert_eq!(dropped, [("hdmv_pgs_subtitle", DropReason::Pictures), ("subrip", DropReason::Empty)]);
    assert_eq!(subtitles.dropped[0].language.as_deref(), Some("es"));
}

#[test]
fn the_text_of_a_phone_s_mp4_keeps_its_times() {
    let folder = folder();
    let outputs = with_tracks(
        folder.path(),
        "source.mp4",
        "-i video.mp4 -i de.vtt -map 0 -map 1 -c copy -c:s mov_text -metadata:s:s:0 language=deu",
    );
    assert_eq!(languages(&outputs.report.subtitles.tracks), [("de", "Deutsch")]);
    assert!(text(&outputs, 1).ends_with("\n\n00:00:00.700 --> 00:00:01.500\nGrüße\n"), "{}", text(&outputs, 1));
}

#[test]
fn the_text_of_a_file_that_begins_late_moves_with_its_pictures() {
    let folder = folder();
    let arguments = "-i video.mp4 -i de.vtt -map 0 -map 1 -c copy -output_ts_offset 5 -metadata:s:s:0 language=deu";
    let outputs = with_tracks(folder.path(), "source.mkv", arguments);
    assert!(text(&outputs, 1).contains("\n00:00:00.700 --> 00:00:01.500\n"), "{}", text(&outputs, 1));
}

#[test]
fn a_track_of_far_too_much_text_is_not_published() {
    let folder = folder();
    let cue =
        |number: u32| format!("{number}\n00:00:00,{:03} --> 00:00:02,000\n{}\n\n", number % 1000, "word ".repeat(60));
    let long: String = (1..5_000).map(cue).collect();
    std::fs::write(folder.path().join("long.srt"), long).unwrap();
    let outputs = with_tracks(folder.path(), "source.mkv", "-i video.mp4 -i long.srt -map 0 -map 1 -c copy");
    assert_eq!(outputs.report.subtitles.tracks, []);
    assert_eq!(outputs.report.subtitles.dropped[0].reason, DropReason::TooLarge);
}

/// Returns an H.264 stream whose first frames carry a closed caption: pop-on, shown from the 30th to the 60th frame.
fn with_closed_captions(plain: &[u8]) -> Vec<u8> {
    let control = |code: u8| [[0x14, code]; 2];
    let mut pairs: Vec<[u8; 2]> = [control(0x20), control(0x2e), control(0x70)].concat();
    pairs.extend("HELLO WORLD ".as_bytes().chunks(2).map(|pair| [pair[0], pair[1]]));
    pairs.resize(30, [0; 2]);
    pairs.extend(control(0x2f));
    pairs.resize(60, [0; 2]);
    pairs.extend(control(0x2c));
    let mut pairs = pairs.into_iter().chain(std::iter::repeat([0; 2]));
    let mut stream = Vec::new();
    for unit in units(plain) {
        if matches!(unit[0] & 31, 1 | 5) {
            let [first, second] = pairs.next().unwrap().map(|byte| byte | (u8::from(byte.count_ones() % 2 == 0) << 7));
            stream.extend([0, 0, 0, 1, 6, 4, 14, 0xb5, 0, 0x31]);
            stream.extend(b"GA94\x03");
            stream.extend([0xc1, 0xff, 0xfc, first, second, 0xff, 0x80]);
        }
        stream.extend([0, 0, 0, 1]);
        stream.extend(unit);
    }
    stream
}

/// Returns the units of a stream with start codes.
fn units(stream: &[u8]) -> Vec<&[u8]> {
    let starts: Vec<usize> = (3..stream.len()).filter(|end| stream[end - 3..*end] == [0, 0, 1]).collect();
    let ends = starts.iter().skip(1).map(|next| next - 3).chain([stream.len()]);
    starts.iter().zip(ends).map(|(start, end)| &stream[*start..end]).collect()
}

#[test]
fn closed_captions_inside_the_pictures_become_a_track() {
    let folder = folder();
    let encoding = "-c:v libx264 -preset ultrafast -x264-params sliced-threads=0 -bf 0 -g 30 -pix_fmt yuv420p";
    ffmpeg(folder.path(), &format!("{} {encoding} plain.h264", moving("160x90", "30", 2.5)));
    let plain = std::fs::read(folder.path().join("plain.h264")).unwrap();
    std::fs::write(folder.path().join("captions.h264"), with_closed_captions(&plain)).unwrap();
    for name in ["source.mp4", "source.ts"] {
        let arguments = format!("-r 30 -i captions.h264 {} -c:v copy -c:a aac -ac 2 -shortest", tone(2.5));
        let outputs = with_tracks(folder.path(), name, &arguments);
        let tracks = &outputs.report.subtitles.tracks;
        assert_eq!(languages(tracks), [("", "Subtitles (CC)")], "{name}");
        assert!(tracks[0].is_for_hearing_impaired);
        let text = text(&outputs, 1);
        assert!(text.contains("\n\n00:00:01.0") && text.ends_with("\nHELLO WORLD\n"), "{name}: {text}");
    }
}
