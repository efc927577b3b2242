//! The arguments of the one ffmpeg process, as data. The only user input in them is numbers.
//!
//! All renditions are one output of the `tee` muxer: each rendition is encoded once for the progressive file and for
//! HLS, and the sound once for all of them.

use super::filters;
use crate::media::files;
use crate::media::plan::{Plan, SoundPlan, SoundTreatment};
use crate::media::process::ffmpeg_input;
use contract::MediaFile;
use std::ffi::OsString;
use std::path::Path;

/// Seconds between keyframes. A seek or a change of rendition waits half of this on average.
const GOP_SECONDS: f64 = 2.0;

/// Two groups of pictures per segment: half the requests, and players can still change the rendition within seconds.
const SEGMENT_SECONDS: u32 = 4;

/// The first timestamp in HLS. If it were 0, a stream with reordered frames would have negative timestamps, and the
/// muxer would shift it. The shift would differ between copied and encoded rungs, so the picture would jump when a
/// player changes the rendition.
const TIMELINE_START: u32 = 1;

/// On two cores, `veryfast` encodes a ladder in about real time; `fast` takes twice as long and saves a tenth of the
/// bytes.
const PRESET: &str = "veryfast";

/// The quality at which differences from the source stop being visible on a phone. The rungs' peak bit rates bound its
/// cost.
const QUALITY: &str = "23";

/// With ffmpeg's own AAC encoder, stereo sounds like the source at this rate.
const AUDIO_BIT_RATE: &str = "160k";

/// Returns the arguments that carry out a plan on this source.
pub fn argv(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    // Logs warnings and progress, but not the description of the input, which contains the source's titles.
    let mut argv: Vec<OsString> =
        ["-loglevel", "level+warning", "-stats", "-stats_period", "0.5"].map(OsString::from).to_vec();
    if plan.tolerates_size_changes {
        // By default, ffmpeg inserts filters that are not in the plan for frames that carry their own rotation.
        let options = ["-reinit_filter:v", "0", "-noautorotate"];
        argv.extend(options.map(OsString::from));
    }
    if plan.lead_in_seconds > 0.0 {
        argv.extend(["-itsoffset".into(), format!("-{:.6}", plan.lead_in_seconds).into()]);
    }
    argv.extend(ffmpeg_input(source, plan.demuxer, threads));
    let mut rest = vec!["-filter_complex".to_owned(), filters::video_graph(plan)];
    if let Some(sound) = &plan.sound {
        rest.extend(["-filter_complex".to_owned(), filters::sound_graph(sound)]);
    }
    rest.extend(renditions(plan, threads));
    rest.extend(pictures(plan));
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

fn renditions(plan: &Plan, threads: usize) -> Vec<String> {
    let mut list = Vec::new();
    for index in 0..plan.rungs.len() {
        let is_copied = index == 0 && plan.copy_video;
        let map = if is_copied { format!("0:{}", plan.video_stream) } else { format!("[v{index}]") };
        list.extend(["-map".to_owned(), map]);
    }
    if let Some(sound) = &plan.sound {
        list.extend(sound_output(sound));
    }
    for index in 0..plan.rungs.len() {
        list.extend(video_encoder(plan, index, threads));
    }
    list.extend(words("-map_metadata -1 -map_metadata:s -1 -map_chapters -1 -fps_mode passthrough"));
    list.extend(words("-bitexact -flags +global_header -f tee"));
    list.push(tee_outputs(plan));
    list
}

fn sound_output(sound: &SoundPlan) -> Vec<String> {
    match sound.treatment {
        SoundTreatment::Copy => words(&format!("-map 0:{} -c:a copy", sound.stream)),
        SoundTreatment::Encode(_) => words(&format!("-map [a] -c:a aac -ar 48000 -ac 2 -b:a {AUDIO_BIT_RATE}")),
    }
}

fn video_encoder(plan: &Plan, index: usize, threads: usize) -> Vec<String> {
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
    // Keyframes are at the same times in every rung: those of the copied rung, or fixed intervals.
    let gop = plan.rate.frames_in(GOP_SECONDS).max(1);
    list.extend(words(&if plan.copy_video {
        format!("-force_key_frames:v:{index} source -g:v:{index} {}", gop * 10)
    } else {
        format!("-g:v:{index} {gop} -keyint_min:v:{index} {gop}")
    }));
    list
}

/// Returns the outputs of the `tee` muxer. The first rendition goes into two containers.
fn tee_outputs(plan: &Plan) -> String {
    let sound = if plan.sound.is_some() { ",a" } else { "" };
    let mut outputs =
        vec![format!("[select=\\'v:0{sound}\\':f=mp4:movflags=+faststart]{}/{}", files::OUT, MediaFile::Video)];
    for (index, rung) in plan.rungs.iter().enumerate() {
        outputs.push(format!(
            "[select=\\'v:{index}{sound}\\':f=hls:output_ts_offset={TIMELINE_START}:hls_time={SEGMENT_SECONDS}:hls_playlist_type=vod:\
             hls_segment_type=fmp4:hls_flags=single_file+independent_segments:hls_segment_filename={out}/{}]{out}/{}",
            MediaFile::Segments(rung.name),
            MediaFile::Playlist(rung.name),
            out = files::OUT,
        ));
    }
    outputs.join("|")
}

fn pictures(plan: &Plan) -> Vec<String> {
    let bare = "-map_metadata -1 -map_chapters -1 -bitexact -fps_mode passthrough";
    let mut list = Vec::new();
    if !plan.stills.poster.is_empty() {
        let candidates = files::CANDIDATES;
        list.extend(words(&format!("-map [candidates] {bare} -c:v mjpeg -q:v 3 -f image2 {candidates}/%04d.jpg")));
    }
    list.extend(words(&format!("-map [samples] {bare} -c:v mjpeg -q:v 3 -f image2 {}/%04d.jpg", files::FRAMES)));
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
