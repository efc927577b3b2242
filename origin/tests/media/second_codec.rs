//! Renditions in a second codec show the same frames at the same times, begin their segments with keyframes at the same
//! frames, are named as players expect, and say nothing about the source or the encoder.

use crate::clips::{AAC, Clip, moving, tone};
use crate::hls::{packets, segment_lengths, times};
use crate::keyframes::check_keyframes;
use crate::metadata::{PLANTED, SECRET, contains, files};
use crate::opened::opened;
use crate::processed_clip::{ProcessedClip, processed_in, script, tools};
use origin::media::encode::try_second_codec;
use origin::media::encoders::{Encoders, SecondCodec};
use origin::media::verify::check_outputs;
use origin::media::{CancelFlag, MediaContext, MediaError, Tools};
use std::path::PathBuf;
use std::sync::OnceLock;

/// With keyframes at other frames than an encode would choose.
const COPIED: &str = "-c:v libx264 -preset ultrafast -b:v 400k -maxrate 400k -bufsize 400k -bf 0 -pix_fmt yuv420p -g 9 \
-keyint_min 9";
const ENCODED: &str = "-c:v libx264 -preset veryfast -crf 35 -bf 2 -pix_fmt yuv420p -g 10";

/// The codec, the end of its file names, ffprobe's name for it, and the beginning of its name by RFC 6381.
type Kind = (SecondCodec, &'static str, &'static str, &'static str);
const KINDS: [Kind; 2] =
    [(SecondCodec::Av1, "av1", "av1", "av01.0.0"), (SecondCodec::Hevc, "hevc", "hevc", "hvc1.1.6.L")];

/// The names of the clips, their encoding, and whether their pictures are copied. A copy is harder, because it keeps
/// the keyframe times of the source.
const SOURCES: [(&str, &str, bool); 2] = [("source.mp4", COPIED, true), ("source.flv", ENCODED, false)];

/// Returns the outputs of a copied clip with renditions in HEVC, shared by the tests that only look at them.
fn copied_in_hevc() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| outputs(SecondCodec::Hevc, SOURCES[0].0, COPIED))
}

/// Returns the outputs of an encoded clip with renditions in AV1, shared in the same way.
fn encoded_in_av1() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| outputs(SecondCodec::Av1, SOURCES[1].0, ENCODED))
}

/// Returns the outputs of a clip of 6 s in two rungs. It begins with noise, which is hard to compress.
fn outputs(codec: SecondCodec, name: &str, encoding: &str) -> ProcessedClip {
    let noise = "-vf noise=alls=60:allf=t:enable='lt(t,2)'";
    let inputs = format!("{} {} {noise}", moving("532x300", "5", 6.0), tone(6.0));
    processed_in(codec, &Clip::new(name, &format!("{inputs} {encoding} {AAC} {PLANTED}")))
}

fn master(outputs: &ProcessedClip) -> String {
    std::fs::read_to_string(outputs.out("hls/master.m3u8")).unwrap()
}

#[test]
fn all_renditions_show_the_same_frames_and_begin_their_segments_together() {
    let [av1, hevc] = KINDS;
    let [copied, encoded] = SOURCES;
    check(copied_in_hevc(), hevc, copied);
    check(encoded_in_av1(), av1, encoded);
    // Chromium plays AV1 of a copied clip (`tests/browser/second_codec.rs`).
    for (kind, source) in fixtures::cases(&[][..], &[(av1, copied), (hevc, encoded)]) {
        check(&outputs(kind.0, source.0, source.1), *kind, *source);
    }
}

fn check(
    outputs: &ProcessedClip,
    (_, suffix, name, codec_name): Kind,
    (file, _, is_copied): (&'static str, &'static str, bool),
) {
    assert_eq!((outputs.plan.copy_video, outputs.rungs()), (is_copied, vec![300, 240]), "{file}");
    check_frames(outputs, suffix);
    check_playlists(outputs, suffix, codec_name);
    for file in opened(&[300, 240].map(|rung| outputs.out(&format!("hls/{rung}p-{suffix}.mp4")))) {
        assert!(file.has_streams(&[&["Video:", name, "yuv420p", "bt709"]]), "{file:?}");
    }
    check_keyframes(outputs, &format!("240p-{suffix}"));
    check_secrets(outputs);
}

/// Checks that every frame is at the time at which H.264 has it, and that the first of each segment is a keyframe.
fn check_frames(outputs: &ProcessedClip, suffix: &str) {
    let expected = packets(&outputs.out("hls/240p.mp4"));
    let lengths = segment_lengths(outputs, "240p");
    assert!(lengths.len() > 1, "{lengths:?}");
    for rung in outputs.rungs() {
        let packets = packets(&outputs.out(&format!("hls/{rung}p-{suffix}.mp4")));
        assert_eq!(times(&packets), times(&expected), "{rung}p-{suffix}");
        assert_eq!(segment_lengths(outputs, &format!("{rung}p-{suffix}")), lengths);
        let seconds = |time: i64| f64::from(i32::try_from(time).unwrap()) / 1000.0;
        let boundary = packets.iter().find(|(time, _)| (seconds(*time) - lengths[0]).abs() < 0.002).unwrap();
        assert!(packets[0].1 && boundary.1, "{rung}p-{suffix}: {packets:?}");
    }
}

fn check_playlists(outputs: &ProcessedClip, suffix: &str, codec_name: &str) {
    let master = master(outputs);
    let names: Vec<_> = master.lines().filter(|line| !line.starts_with('#')).collect();
    let second = [300, 240].map(|rung| format!("{rung}p-{suffix}.m3u8"));
    assert_eq!(names, ["240p.m3u8", "300p.m3u8", &second[0], &second[1]]);
    // With and without the name of the sound, for two rungs.
    assert_eq!(master.matches(&format!("CODECS=\"{codec_name}")).count(), 4, "{master}");
    assert_eq!(master.matches(",AUDIO=\"sound-low\"").count(), 2, "{master}");
    let manifest = std::fs::read_to_string(outputs.out("manifest.mpd")).unwrap();
    assert_eq!(manifest.matches(&format!(" codecs=\"{codec_name}")).count(), 2, "{manifest}");
    assert_eq!(manifest.matches("urn:mpeg:dash:adaptation-set-switching:2016").count(), 2, "{manifest}");
    for kind in ["mp4", "m3u8"] {
        let name = format!("hls/240p-{suffix}.{kind}");
        assert!(outputs.files.iter().any(|(file, _)| file.to_string() == name), "{name}");
    }
}

fn check_secrets(outputs: &ProcessedClip) {
    for file in files(&outputs.folder.path().join("out")) {
        let bytes = std::fs::read(&file).unwrap();
        for secret in [SECRET, "Jane", "x265 (build", "SVT-AV1"] {
            assert!(!contains(&bytes, secret), "{secret} in {}", file.display());
        }
    }
}

#[test]
fn the_rendition_for_poor_connections_needs_at_most_250_kbit_s_in_every_codec() {
    for (outputs, suffix) in [(copied_in_hevc(), "hevc"), (encoded_in_av1(), "av1")] {
        let peak = outputs.stated_peak(&format!("240p-{suffix}.m3u8"));
        assert!((80_000..=250_000).contains(&peak), "{suffix}: {peak}");
    }
}

#[test]
fn the_encoders_are_tried_before_a_job_needs_them() {
    let folder = tempfile::tempdir().unwrap();
    let result = |encoders, ffmpeg: PathBuf| {
        let tools = Tools { encoders, ffmpeg, ..tools() };
        let (source, cancel) = (folder.path().join("source"), CancelFlag::default());
        try_second_codec(&MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &cancel })
    };
    for (codec, ..) in KINDS {
        let encoders = Encoders { second_codec: Some(codec), ..Encoders::default() };
        assert!(result(encoders, "ffmpeg".into()).is_ok(), "{codec:?}");
        let without_encoder = script(folder.path(), "echo \"[fatal] Unknown encoder 'x'\" >&2; exit 1");
        let broken = result(encoders, without_encoder);
        assert!(
            matches!(&broken, Err(MediaError::Permanent(detail)) if detail.contains(codec.encoder())),
            "{broken:?}"
        );
    }
    assert!(result(Encoders::default(), "/nowhere".into()).is_ok());
}

#[test]
fn a_rendition_in_another_codec_than_planned_is_refused() {
    let outputs = copied_in_hevc();
    let (folder, mut plan) = (outputs.copied_folder(), outputs.plan.clone());
    let out = |name: &str| folder.path().join("out").join(name);
    std::fs::copy(out("hls/240p.mp4"), out("hls/240p-hevc.mp4")).unwrap();
    let (tools, cancel, source) = (tools(), CancelFlag::default(), out("video.mp4"));
    let context = MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &cancel };
    let refused = check_outputs(&context, &plan, &outputs.report.subtitles);
    assert!(matches!(&refused, Err(MediaError::Permanent(detail)) if detail.contains("240p-hevc.mp4")), "{refused:?}");
    plan.second = None;
    assert!(check_outputs(&context, &plan, &outputs.report.subtitles).is_ok());
}
