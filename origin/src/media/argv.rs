//! The argument list of the one ffmpeg process, as data. Nothing in it comes from a user but numbers.
//!
//! All renditions are one output behind the `tee` muxer: a rendition is encoded once for the progressive file and for
//! HLS, and the sound once for all of them.

use std::ffi::OsString;
use std::path::Path;

use contract::MediaFile;

use super::ffprobe::local;
use super::files;
use super::filters;
use super::limits::{DECODERS, MAX_PIXELS};
use super::plan::Plan;
use super::sound::Treatment;

/// Seconds between frames to start at; a switch of rendition and a seek wait half of it on average.
const GROUP_SECONDS: f64 = 2.0;

/// A segment has two groups: half the requests, and a switch still takes place within seconds.
const SEGMENT_SECONDS: u32 = 4;

/// The muxer moves a stream whose frames are reordered, so that no time is negative, and a copied rung and an encoded
/// one by different amounts: switching would make the picture jump. From here on nothing needs to be moved.
const TIMELINE_START: u32 = 1;

/// On two cores, `veryfast` encodes a ladder at about real time; `fast` takes twice as long for a tenth fewer bytes.
const PRESET: &str = "veryfast";

/// Where differences to the original stop being seen on a phone; the rungs' ceilings bound what it costs.
const QUALITY: &str = "23";

/// Transparent for stereo with ffmpeg's own encoder.
const AUDIO_BIT_RATE: &str = "160k";

/// Everything up to the input, with all that bounds what a file can make ffmpeg do.
pub(super) fn input(source: &Path, demuxer: &str, threads: usize) -> Vec<OsString> {
    let (pixels, threads) = (MAX_PIXELS.to_string(), threads.to_string());
    let guards = [
        "-nostdin",
        "-hide_banner",
        "-y",
        "-filter_complex_threads",
        &threads,
        "-protocol_whitelist",
        "file",
        "-format_whitelist",
        demuxer,
        "-codec_whitelist",
        DECODERS,
        "-max_pixels",
        &pixels,
        "-threads",
        &threads,
        "-i",
    ];
    let mut argv: Vec<_> = guards.iter().map(OsString::from).collect();
    argv.push(local(source));
    argv
}

/// The whole transcode of this source.
pub fn argv(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    // Warnings and progress are wanted; the description of the input would put its titles into the log.
    let mut argv: Vec<OsString> = [
        "-loglevel",
        "level+warning",
        "-stats",
        "-stats_period",
        "0.5",
    ]
    .map(OsString::from)
    .to_vec();
    if plan.steady {
        // What frames say of how they are turned would put filters in front that the plan does not know.
        let options = ["-reinit_filter:v", "0", "-noautorotate"];
        argv.extend(options.map(OsString::from));
    }
    if plan.ahead > 0.0 {
        argv.extend(["-itsoffset".into(), format!("-{:.6}", plan.ahead).into()]);
    }
    argv.extend(input(source, plan.demuxer, threads));
    let mut rest = vec!["-filter_complex".to_owned(), filters::pictures(plan)];
    if let Some(sound) = &plan.sound {
        rest.extend(["-filter_complex".to_owned(), filters::sound(sound)]);
    }
    rest.extend(renditions(plan, threads));
    rest.extend(pictures(plan));
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

fn renditions(plan: &Plan, threads: usize) -> Vec<String> {
    let mut list = Vec::new();
    for index in 0..plan.rungs.len() {
        let copied = index == 0 && plan.copy_video;
        let map = if copied {
            format!("0:{}", plan.stream)
        } else {
            format!("[v{index}]")
        };
        list.extend(["-map".to_owned(), map]);
    }
    if let Some(sound) = &plan.sound {
        let copied = sound.treatment == Treatment::Copy;
        let map = if copied {
            format!("0:{}", sound.stream)
        } else {
            "[a]".to_owned()
        };
        list.extend(["-map".to_owned(), map]);
        list.extend(words(if copied {
            "-c:a copy"
        } else {
            "-c:a aac -ar 48000 -ac 2"
        }));
        if !copied {
            list.extend(["-b:a".to_owned(), AUDIO_BIT_RATE.to_owned()]);
        }
    }
    for index in 0..plan.rungs.len() {
        list.extend(encoder(plan, index, threads));
    }
    list.extend(words(
        "-map_metadata -1 -map_metadata:s -1 -map_chapters -1 -fps_mode passthrough",
    ));
    list.extend(words("-bitexact -flags +global_header -f tee"));
    list.push(slaves(plan));
    list
}

fn encoder(plan: &Plan, index: usize, threads: usize) -> Vec<String> {
    if index == 0 && plan.copy_video {
        return words("-c:v:0 copy");
    }
    let Some(rung) = plan.rungs.get(index) else {
        return Vec::new();
    };
    let buffer = rung.max_kbps * 2;
    let mut list = words(&format!(
        "-c:v:{index} libx264 -preset:v:{index} {PRESET} -crf:v:{index} {QUALITY} -threads:v:{index} {threads} \
         -maxrate:v:{index} {}k -bufsize:v:{index} {buffer}k -profile:v:{index} high -pix_fmt:v:{index} yuv420p \
         -sc_threshold:v:{index} 0 -colorspace:v:{index} bt709 -color_primaries:v:{index} bt709 \
         -color_trc:v:{index} bt709 -color_range:v:{index} tv",
        rung.max_kbps
    ));
    // Frames to start at stand at the same times in every rung: those of the copied one, or a fixed rhythm.
    let group = plan.rate.frames_in(GROUP_SECONDS).max(1);
    list.extend(words(&if plan.copy_video {
        format!(
            "-force_key_frames:v:{index} source -g:v:{index} {}",
            group * 10
        )
    } else {
        format!("-g:v:{index} {group} -keyint_min:v:{index} {group}")
    }));
    list
}

/// Where each rendition goes: the first one into two containers.
fn slaves(plan: &Plan) -> String {
    let sound = if plan.sound.is_some() { ",a" } else { "" };
    let mut slaves = vec![format!(
        "[select=\\'v:0{sound}\\':f=mp4:movflags=+faststart]{}/{}",
        files::OUT,
        MediaFile::Video
    )];
    for (index, rung) in plan.rungs.iter().enumerate() {
        slaves.push(format!(
            "[select=\\'v:{index}{sound}\\':f=hls:output_ts_offset={TIMELINE_START}:hls_time={SEGMENT_SECONDS}:hls_playlist_type=vod:\
             hls_segment_type=fmp4:hls_flags=single_file+independent_segments:hls_segment_filename={out}/{}]{out}/{}",
            MediaFile::Segments(rung.name),
            MediaFile::Playlist(rung.name),
            out = files::OUT,
        ));
    }
    slaves.join("|")
}

fn pictures(plan: &Plan) -> Vec<String> {
    let bare = "-map_metadata -1 -map_chapters -1 -bitexact -fps_mode passthrough";
    let mut list = Vec::new();
    if !plan.stills.poster.is_empty() {
        let candidates = files::CANDIDATES;
        list.extend(words(&format!(
            "-map [candidates] {bare} -c:v mjpeg -q:v 3 -f image2 {candidates}/%04d.jpg"
        )));
    }
    list.extend(words(&format!(
        "-map [samples] {bare} -c:v mjpeg -q:v 3 -f image2 {}/%04d.jpg",
        files::FRAMES
    )));
    let (out, board, preview) = (files::OUT, MediaFile::Storyboard, MediaFile::Preview);
    list.extend(words(&format!(
        "-map [storyboard] {bare} -c:v mjpeg -q:v 5 -frames:v 1 -update 1 -f image2 {out}/{board}"
    )));
    list.extend(words(&format!(
        "-map [preview] {bare} -c:v libwebp_anim -loop 0 -q:v 55 -compression_level 2 -f webp {out}/{preview}"
    )));
    list
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
