//! Produces the renditions in a second codec, with an ffmpeg process of its own.
//!
//! It decodes and scales the source once more, which costs little beside the encoders. The encoders of both codecs in
//! one process would come close to the sandbox's limits on memory and threads.

use super::arguments::{BARE, COLOURS, forced_keyframes, log_options, source_input, words};
use super::filters::{directly_scaled, scaling, split};
use crate::media::encoders::SecondCodec;
use crate::media::plan::{Plan, Rung, SecondLadder};
use crate::media::process::run_ffmpeg;
use crate::media::{MediaContext, MediaError, files};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The presets and qualities by which both codecs look like the H.264 of the ladder, for the least bytes that two
/// to three times its processor time can buy (docs/media.md).
const AV1_PRESET: &str = "8";
const AV1_QUALITY: &str = "38";
const HEVC_PRESET: &str = "fast";
const HEVC_QUALITY: &str = "27";

/// Returns the arguments that encode the renditions in the second codec, or `None` without one.
pub fn second_codec_argv(plan: &Plan, source: &Path, threads: usize) -> Option<Vec<OsString>> {
    let second = plan.second_ladder()?;
    let mut argv = source_input(plan, source, threads);
    let mut rest = vec!["-filter_complex".to_owned(), graph(plan, second)];
    let groups = PictureGroups { longest: plan.segments.gop, are_regular: !plan.copy_video };
    for (index, rung) in second.rungs.iter().enumerate() {
        rest.extend(["-map".to_owned(), format!("[v{index}]")]);
        rest.extend(encoder(second.codec, rung, groups, threads));
        rest.extend(forced_keyframes(plan));
        rest.extend(words(&format!(
            "-pix_fmt yuv420p {COLOURS} {BARE} -f mp4 {}/{}.mp4",
            files::RUNGS,
            second.name(rung)
        )));
    }
    argv.extend(rest.into_iter().map(OsString::from));
    Some(argv)
}

/// Scales each rung from the one above it, as in H.264.
fn graph(plan: &Plan, second: &SecondLadder) -> String {
    let rung = |(index, rung): (usize, &Rung)| {
        let is_last = index + 1 == second.rungs.len();
        let next = (!is_last).then(|| format!("[down{}]", index + 1));
        let labels: Vec<String> = [format!("[v{index}]")].into_iter().chain(next).collect();
        split(if index == 0 { directly_scaled(plan, rung) } else { scaling(index, rung) }, &labels)
    };
    second.rungs.iter().enumerate().map(rung).collect::<Vec<_>>().join(";")
}

/// The distances between keyframes.
#[derive(Clone, Copy)]
struct PictureGroups {
    longest: u64,
    /// Whether all are that long. Otherwise some keyframes are forced between them.
    are_regular: bool,
}

fn encoder(codec: SecondCodec, rung: &Rung, groups: PictureGroups, threads: usize) -> Vec<String> {
    match codec {
        SecondCodec::Av1 => av1(rung, groups),
        SecondCodec::Hevc => hevc(rung, groups, threads),
    }
}

/// With `lp=1`, the encoders of all rungs run side by side in 90 threads and 2.7 GB of address space. With `lp=2` they
/// start 440 threads, which is more than the sandbox allows.
fn av1(rung: &Rung, PictureGroups { longest, are_regular }: PictureGroups) -> Vec<String> {
    let max = rung.max_kbps;
    let forces = if are_regular { "" } else { ":enable-force-key-frames=1" };
    words(&format!(
        "-c:v libsvtav1 -preset {AV1_PRESET} -crf {AV1_QUALITY} -g {longest} -maxrate {max}k \
         -svtav1-params lp=1{forces}"
    ))
}

/// Without `info=0`, the encoder writes its settings into the stream.
fn hevc(rung: &Rung, PictureGroups { longest, are_regular }: PictureGroups, threads: usize) -> Vec<String> {
    let (max, buffer) = (rung.max_kbps, rung.buffer_kbits());
    let shortest = if are_regular { longest } else { 1 };
    words(&format!(
        "-c:v libx265 -preset {HEVC_PRESET} -crf {HEVC_QUALITY} -tag:v hvc1 -forced-idr 1 -x265-params \
         info=0:keyint={longest}:min-keyint={shortest}:scenecut=0:open-gop=0:\
         vbv-maxrate={max}:vbv-bufsize={buffer}:pools={threads}"
    ))
}

/// Encodes a few frames with the encoder of the second codec, in the sandbox, as a job would.
pub fn try_second_codec(context: &MediaContext<'_>) -> Result<(), MediaError> {
    let Some(codec) = context.tools.encoders.second_codec else {
        return Ok(());
    };
    let rung = Rung::new(128, 128, 128, 500);
    let groups = PictureGroups { longest: 4, are_regular: true };
    let mut argv = log_options();
    argv.extend(words("-nostdin -hide_banner -f lavfi -i testsrc2=s=128x128:r=30:d=0.3").iter().map(OsString::from));
    argv.extend(encoder(codec, &rung, groups, context.tools.threads).iter().map(OsString::from));
    argv.extend(words(&format!("-pix_fmt yuv420p {COLOURS} -f null -")).iter().map(OsString::from));
    run_ffmpeg(context, &argv, TRIAL_TIME, |_| {})
        .map_err(|error| MediaError::Permanent(format!("{} does not work here: {error}", codec.encoder())))
}

/// Ten frames take a fraction of a second.
const TRIAL_TIME: Duration = Duration::from_secs(20);
