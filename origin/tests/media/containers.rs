//! Sources in every kind of container.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::processed_clip::{ProcessedClip, ffprobe, plain_outputs, processed, processed_and_checked, rejection_code};
use std::sync::OnceLock;

#[test]
fn mp4_is_accepted_with_its_header_at_either_end_or_in_fragments() {
    plain_outputs();
    processed_and_checked(&Clip::with_sound("source.mp4", "-movflags +faststart"));
    let fragmented = "-movflags frag_keyframe+empty_moov+default_base_moof";
    processed_and_checked(&Clip::with_sound("source.mp4", fragmented));
}

/// Returns the outputs of a Matroska file with a title, shared by the tests that only look at them.
fn titled_outputs() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    // Lines that look like ffmpeg's stream list and like the loudness meter's output.
    let title = "-metadata title=Stream~#0:0:~Video:~h264 -metadata comment=I:~-3.0~LUFS";
    OUTPUTS.get_or_init(|| processed_and_checked(&Clip::with_sound("source.mkv", title)))
}

#[test]
fn matroska_avi_flv_and_transport_streams_are_accepted() {
    titled_outputs();
    for name in ["source.flv", "source.ts"] {
        processed_and_checked(&Clip::with_sound(name, ""));
    }
    let inputs = format!("{} {}", moving("160x90", "30", 2.5), tone(2.5));
    let encode = "-c:v mpeg4 -q:v 3 -c:a mp3 -ac 2";
    processed_and_checked(&Clip::new("source.avi", &format!("{inputs} {encode}")));
}

/// Every track of such a movie has a data handler besides its media handler.
#[test]
fn quicktime_movies_with_the_codecs_of_editors_are_accepted() {
    let inputs = format!("{} {}", moving("160x90", "30", 2.5), tone(2.5));
    for codec in ["svq1", "qtrle", "v210", "rawvideo -pix_fmt uyvy422", "jpeg2000"] {
        let clip = Clip::new("source.mov", &format!("{inputs} -c:v {codec} -c:a pcm_s16be"));
        processed(&clip).check(160, 90, 2.5, true);
    }
}

#[test]
fn webm_without_a_duration_is_accepted() {
    let inputs = format!("{} {}", moving("160x90", "30", 2.5), tone(2.5));
    let encode = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 500k -c:a libopus -f webm -live 1";
    processed(&Clip::new("source.webm", &format!("{inputs} {encode}"))).check(160, 90, 2.5, true);
}

/// ffprobe prints the duration of the last packet of such sound as 74 hours.
#[test]
fn ogg_whose_sound_fits_on_one_page_is_accepted() {
    let inputs = format!("{} {}", moving("160x90", "30", 2.5), tone(0.8));
    let clip = Clip::new("source.ogv", &format!("{inputs} -ar 16000 -c:v libtheora -c:a libvorbis"));
    processed(&clip).check(160, 90, 2.5, true);
}

#[test]
fn a_closed_captions_track_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let captions = folder.path().join("captions.srt");
    std::fs::write(&captions, "1\n00:00:00,000 --> 00:00:02,000\nhello\n").unwrap();
    let inputs = format!("{} -i {}", moving("160x90", "30", 2.0), captions.display());
    let clip = Clip::new("source.mp4", &format!("{inputs} {H264} -c:s mov_text"));
    // ffmpeg cannot write such a track, but the names are all that distinguishes it from the one ffmpeg writes.
    clip.edit(|bytes| {
        for (from, to) in [(b"tx3g", b"c608"), (b"sbtl", b"clcp")] {
            for at in 0..bytes.len() - 4 {
                if bytes[at..at + 4] == from[..] {
                    bytes[at..at + 4].copy_from_slice(to);
                }
            }
        }
    });
    assert_eq!(ffprobe(&clip.path())["streams"][1]["codec_name"], "eia_608");
    processed(&clip).check(160, 90, 2.0, false);
}

#[test]
fn a_title_neither_confuses_the_log_parser_nor_survives() {
    let description = ffprobe(&titled_outputs().out("video.mp4"));
    assert_eq!(description["format"]["tags"].get("title"), None);
    assert_eq!(description["format"]["tags"].get("comment"), None);
}

#[test]
fn files_that_are_too_short_too_long_or_not_a_video_are_rejected_with_the_contract_s_codes() {
    let silent = |seconds: f64, size: &str| Clip::new("source.mp4", &format!("{} {H264}", moving(size, "25", seconds)));
    assert_eq!(rejection_code(&silent(1.96, "64x64").path()), "content_video_duration_invalid");
    assert_eq!(rejection_code(&silent(121.0, "32x32").path()), "content_video_duration_invalid");
    let sound = Clip::new("source.m4a", &format!("{} {AAC}", tone(3.0)));
    assert_eq!(rejection_code(&sound.path()), "content_file_invalid_format");
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "#EXTM3U\n#EXTINF:5,\nfile:///etc/passwd\n").unwrap();
    assert_eq!(rejection_code(text.path()), "content_file_invalid_format");
}
