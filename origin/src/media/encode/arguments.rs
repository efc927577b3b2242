//! Builds the arguments of the ffmpeg process that reads the source. Numbers are the only user input in them.
//!
//! Each rendition is encoded once. The largest one of a step and the sound go into the progressive file; the lower
//! rungs go into files of their own, which become HLS later.

use super::{filters, rate_control};
use crate::media::plan::{Plan, Rung, SoundPlan, SoundTreatment};
use crate::media::process::ffmpeg_input;
use crate::media::source::SAMPLE_RATE;
use crate::media::{files, limits};
use contract::{MediaFile, RenditionName};
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// With ffmpeg's own AAC encoder, stereo sounds like the source at this rate.
const AUDIO_BIT_RATE: &str = "160k";

/// Speech is easily understood. More would leave too little of a poor connection for the pictures.
const LOW_AUDIO_BIT_RATE: &str = "48k";

/// Returns the arguments that carry out a plan on this source.
pub fn argv(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    argv_with(plan, source, threads, plan.encoded_rungs(), renditions(plan, threads))
}

/// Returns the arguments that write everything but the rungs that are encoded, and pass the frames of the first of
/// those to the standard output.
pub(super) fn frames_argv(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    let first = plan.encoded_rungs().start;
    let mut outputs = match (plan.copies_video(), plan.makes_progressive()) {
        (true, _) => copied_rendition(plan),
        (false, true) => separate_sound(plan),
        (false, false) => Vec::new(),
    };
    outputs.extend(words(&format!("-map [v{first}] {BARE} -f rawvideo pipe:1")));
    argv_with(plan, source, threads, first..first + 1, outputs)
}

/// Returns the arguments with these outputs for the rungs in `graph_outputs`, which leave the graph.
fn argv_with(
    plan: &Plan,
    source: &Path,
    threads: usize,
    graph_outputs: Range<usize>,
    outputs: Vec<String>,
) -> Vec<OsString> {
    let mut argv = source_input(plan, source, threads);
    let mut rest = vec!["-filter_complex".to_owned(), filters::video_graph(plan, graph_outputs)];
    if let Some(graph) = filters::sound_graph(plan) {
        rest.extend(["-filter_complex".to_owned(), graph]);
    }
    rest.extend(outputs);
    if plan.makes_low_sound() {
        rest.extend(low_sound_output());
    }
    if plan.makes_evidence() {
        rest.extend(pictures(plan));
    }
    if plan.keeps_small_pictures() {
        rest.extend(kept_pictures(threads));
    }
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

/// Returns the arguments that extract the frames with these numbers from a file with the small pictures.
pub(super) fn extraction_argv(plan: &Plan, file: &Path, threads: usize, numbers: &[u64]) -> Vec<OsString> {
    let mut argv = log_options();
    argv.extend(ffmpeg_input(file, limits::demuxer(probe::Container::Mp4), threads));
    argv.extend(["-filter_complex".into(), filters::extraction_graph(plan, numbers).into()]);
    let rest = format!("-map [distinct] {BARE} -c:v mjpeg -q:v 3 -f image2 {}/%04d.jpg", files::DISTINCT_FRAMES);
    argv.extend(words(&rest).into_iter().map(OsString::from));
    argv
}

/// The time before the wanted frame at which reading starts. A frame that is on screen for longer would be missed, but
/// no output has so few frames.
const STILL_LEAD_MS: u64 = 2_000;

/// Returns the arguments that write the frame that is on screen at this time, as the candidate with this number. Each
/// frame up to that time is written to the same file, so the last one remains.
pub(super) fn still_argv(file: &Path, threads: usize, at_ms: u64, number: usize) -> Vec<OsString> {
    let begin_ms = at_ms.saturating_sub(STILL_LEAD_MS);
    let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
    // One millisecond more, because the reading ends before its end.
    let range = ["-ss".to_owned(), seconds(begin_ms), "-t".to_owned(), seconds(at_ms - begin_ms + 1)];
    let mut argv = log_options();
    argv.extend(range.map(OsString::from));
    argv.extend(ffmpeg_input(file, limits::demuxer(probe::Container::Mp4), threads));
    let (colours, candidates) = (filters::JPEG_COLOURS, files::CANDIDATES);
    let rest = format!(
        "-map 0:v:0 -vf scale={colours} {BARE} -c:v mjpeg -q:v 3 -f image2 -update 1 {candidates}/{number:04}.jpg"
    );
    argv.extend(words(&rest).into_iter().map(OsString::from));
    argv
}

/// Returns the arguments that extract the closed captions inside the pictures, by the clock of the source. ffmpeg reads
/// them only through a filter, which gets the demuxer by its name.
pub(super) fn closed_captions_argv(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    let demuxer = plan.demuxer.split(',').next().unwrap_or_default();
    let file = escape(&escape(&source.to_string_lossy()));
    let graph = format!("movie={file}:f={demuxer}:dec_threads={threads}[out+subcc]");
    let mut argv = log_options();
    argv.extend(["-nostdin", "-hide_banner", "-y", "-f", "lavfi", "-i", &graph, "-map", "0:s"].map(OsString::from));
    argv.extend(words(&format!("-copyts {}", subtitle_output())).into_iter().map(OsString::from));
    argv
}

/// Escapes a text for one level of ffmpeg's filter syntax.
fn escape(text: &str) -> String {
    let special = |character| matches!(character, '\\' | '\'' | ':' | ',' | ';' | '[' | ']' | '=');
    text.chars().flat_map(|character| special(character).then_some('\\').into_iter().chain([character])).collect()
}

fn subtitle_output() -> String {
    format!(
        "-map_metadata -1 -map_chapters -1 -bitexact -c:s text -avoid_negative_ts disabled -fs {} -f srt {}",
        limits::MAX_SUBTITLE_BYTES,
        files::SUBTITLE_TEXT
    )
}

/// Returns the arguments that reduce one subtitle track to plain text and times, on the timeline of the outputs.
pub(super) fn subtitle_argv(plan: &Plan, source: &Path, threads: usize, stream: usize) -> Vec<OsString> {
    let mut argv = source_input(plan, source, threads);
    argv.extend(words(&format!("-map 0:{stream} {}", subtitle_output())).into_iter().map(OsString::from));
    argv
}

/// Logs warnings and progress, but not the description of the input, which contains the source's titles.
pub(super) fn log_options() -> Vec<OsString> {
    ["-loglevel", "level+warning", "-stats", "-stats_period", "0.5"].map(OsString::from).to_vec()
}

pub(super) fn source_input(plan: &Plan, source: &Path, threads: usize) -> Vec<OsString> {
    let mut argv = log_options();
    if plan.tolerates_size_changes {
        // By default, ffmpeg inserts filters that are not in the plan for frames that carry their own rotation.
        let options = ["-reinit_filter:v", "0", "-noautorotate"];
        argv.extend(options.map(OsString::from));
    }
    if plan.lead_in_seconds > 0.0 {
        argv.extend(["-itsoffset".into(), format!("-{:.6}", plan.lead_in_seconds).into()]);
    }
    let end = plan.lead_in_seconds + plan.playing_seconds;
    argv.extend(limits::decoding_bound(end).map(OsString::from));
    argv.extend(ffmpeg_input(source, plan.demuxer, threads));
    argv
}

/// Copies the pictures and the parameters that they need. Units of all other kinds can hold anything.
pub(super) const COPY: &str = "-c:v copy -bsf:v filter_units=pass_types=1-8";

/// Removes everything from the source except its pictures and its sound.
pub(super) const BARE: &str = "-map_metadata -1 -map_chapters -1 -bitexact -fps_mode passthrough";

fn renditions(plan: &Plan, threads: usize) -> Vec<String> {
    let mut list = if plan.copies_video() { copied_rendition(plan) } else { Vec::new() };
    for index in plan.encoded_rungs() {
        let rung = &plan.rungs[index];
        list.extend(["-map".to_owned(), format!("[v{index}]")]);
        list.extend(video_encoder(plan, rung, threads));
        list.extend(if index == plan.progressive_rung() { first_output(plan) } else { rung_output(rung) });
    }
    list
}

fn copied_rendition(plan: &Plan) -> Vec<String> {
    let mut list = words(&format!("-map 0:{} {COPY}", plan.video_stream));
    list.extend(first_output(plan));
    list
}

/// The largest rendition shares its file with the sound.
fn first_output(plan: &Plan) -> Vec<String> {
    let mut list = plan.sound.as_ref().map_or_else(Vec::new, sound_output);
    list.extend(words(&progressive_file()));
    list
}

pub(super) fn progressive_file() -> String {
    format!("{BARE} -f mp4 -movflags +faststart {}/{}", files::OUT, MediaFile::Video)
}

pub(super) fn rung_output(rung: &Rung) -> Vec<String> {
    words(&format!("{BARE} -f mp4 {}/{}.mp4", files::RUNGS, RenditionName::from(rung.name)))
}

/// Writes the sound to a file of its own, because the pictures are still to be encoded.
fn separate_sound(plan: &Plan) -> Vec<String> {
    let Some(sound) = &plan.sound else {
        return Vec::new();
    };
    let mut list = sound_output(sound);
    list.extend(words(&format!("{BARE} -f mp4 {}", files::SOUND)));
    list
}

fn sound_output(sound: &SoundPlan) -> Vec<String> {
    match sound.treatment {
        SoundTreatment::Copy => words(&format!("-map 0:{} -c:a copy", sound.stream)),
        SoundTreatment::Encode(_) => words(&format!("-map [a] -c:a aac -ar {SAMPLE_RATE} -ac 2 -b:a {AUDIO_BIT_RATE}")),
    }
}

fn low_sound_output() -> Vec<String> {
    words(&format!(
        "-map [low] -c:a aac -ar {SAMPLE_RATE} -ac 2 -b:a {LOW_AUDIO_BIT_RATE} {BARE} -f mp4 {}",
        files::LOW_SOUND
    ))
}

pub(super) const COLOURS: &str = "-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv";

fn video_encoder(plan: &Plan, rung: &Rung, threads: usize) -> Vec<String> {
    let gop = plan.segments.gop;
    let rate_control = rate_control::options(plan.encoder, rung);
    let mut list = words(&format!(
        "-c:v libx264 {rate_control} -threads {threads} -profile:v high -pix_fmt yuv420p -sc_threshold 0 -g {gop} \
         {COLOURS}"
    ));
    list.extend(keyframes(plan));
    list
}

/// Keyframes are at the same frames in every rung: at regular intervals, or where the segments of the copy begin.
fn keyframes(plan: &Plan) -> Vec<String> {
    if plan.copy_video { forced_keyframes(plan) } else { words(&format!("-keyint_min {}", plan.segments.gop)) }
}

/// Returns the options that force a keyframe where each segment of a copy begins. Other videos have regular keyframes.
pub(super) fn forced_keyframes(plan: &Plan) -> Vec<String> {
    if !plan.copy_video {
        return Vec::new();
    }
    let times = plan.segments.starts.iter().map(|frame| format!("{:.6}", plan.rate.seconds_at(*frame)));
    vec!["-force_key_frames".to_owned(), times.collect::<Vec<_>>().join(",")]
}

/// Keeps all small pictures for a moment, from which moderation takes the frames that it needs besides the samples.
/// That costs less than decoding the source again.
fn kept_pictures(threads: usize) -> Vec<String> {
    let file = files::KEPT_PICTURES;
    words(&format!(
        "-map [kept] -c:v libx264 -preset ultrafast -crf 18 -threads {threads} {COLOURS} {BARE} -f mp4 {file}"
    ))
}

fn pictures(plan: &Plan) -> Vec<String> {
    let mut list = Vec::new();
    if !plan.stills.poster.is_empty() {
        let candidates = files::CANDIDATES;
        list.extend(words(&format!("-map [candidates] {BARE} -c:v mjpeg -q:v 3 -f image2 {candidates}/%04d.jpg")));
    }
    list.extend(words(&format!("-map [samples] {BARE} -c:v mjpeg -q:v 3 -f image2 {}/%04d.jpg", files::FRAMES)));
    list.extend(words(&format!("-map [flashes] {BARE} -c:v rawvideo -f rawvideo {}", files::FLASH_FRAMES)));
    let (out, board, preview) = (files::OUT, MediaFile::Storyboard, MediaFile::Preview);
    list.extend(words(&format!(
        "-map [storyboard] {BARE} -c:v mjpeg -q:v 5 -frames:v 1 -update 1 -f image2 {out}/{board}"
    )));
    list.extend(words(&format!(
        "-map [preview] {BARE} -c:v libwebp_anim -loop 0 -q:v 55 -compression_level 2 -f webp {out}/{preview}"
    )));
    list
}

pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
