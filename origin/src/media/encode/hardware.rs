//! Produces the renditions with a graphics card: a process without a device reads the source and passes the frames on,
//! a process with the device encodes them, and a third one joins the first rendition with the sound.
//!
//! If the card fails, x264 encodes instead: a card is shared, and may be busy, lost, or unfit for a size of pictures.

use super::arguments::{COLOURS, forced_keyframes, frames_argv, log_options, progressive_file, rung_output, words};
use super::filters::{scaling, split};
use super::rate_control;
use crate::media::encoders::{Encoder, Preset};
use crate::media::plan::{Plan, Rung};
use crate::media::process::{FfmpegMessage, PairResult, ffmpeg_input, run_ffmpeg, run_pair, run_with_hardware};
use crate::media::{Hardware, MediaContext, MediaError, files, limits};
use contract::RenditionName;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The outcome of an encode with a graphics card.
#[derive(Debug)]
pub(super) enum HardwareEncode {
    Done,
    /// The card could not encode the frames.
    Failed(MediaError),
}

/// Carries out the plan with the graphics card. An error is about the source, or ends the job.
pub(super) fn encode(
    context: &MediaContext<'_>,
    plan: &Plan,
    hardware: Hardware,
    on_message: impl FnMut(FfmpegMessage<'_>),
) -> Result<HardwareEncode, MediaError> {
    let (decoder, encoder) = pair_argv(plan, context.source, context.tools.threads, hardware);
    let time_limit = limits::hardware_encode_time(plan.duration_ms);
    let PairResult { decoder, encoder } = run_pair(context, (&decoder, &encoder), hardware, time_limit, on_message)?;
    match (encoder, decoder) {
        (Err(error), _) if context.cancel.is_cancelled() => Err(error),
        // If the source is to blame, x264 fails too, and its error says so.
        (Err(error), _) => Ok(HardwareEncode::Failed(error)),
        (Ok(()), decoder) => {
            decoder?;
            join_sound(context, plan)?;
            Ok(HardwareEncode::Done)
        }
    }
}

/// Writes the progressive file, unless it exists already, either as a copy of the source or from an earlier step.
fn join_sound(context: &MediaContext<'_>, plan: &Plan) -> Result<(), MediaError> {
    if plan.copies_video() || !plan.makes_progressive() {
        return Ok(());
    }
    run_ffmpeg(context, &join_argv(plan, context.folder, context.tools.threads), limits::JOIN_TIME, |_| ())
}

/// `-copyts`, because otherwise ffmpeg moves each file to begin at 0.
fn join_argv(plan: &Plan, folder: &Path, threads: usize) -> Vec<OsString> {
    let demuxer = limits::demuxer(probe::Container::Mp4);
    let pictures =
        plan.rungs.get(plan.progressive_rung()).map(|rung| files::rung_file(folder, RenditionName::from(rung.name)));
    let inputs = pictures.into_iter().chain(plan.sound.is_some().then(|| folder.join(files::SOUND)));
    let mut argv = log_options();
    for file in inputs {
        argv.extend(ffmpeg_input(&file, demuxer, threads));
    }
    let maps = if plan.sound.is_some() { "-map 0:v -map 1:a" } else { "-map 0:v" };
    let rest = words(&format!("-copyts {maps} -c copy {}", progressive_file()));
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

/// Returns the arguments of the process that reads the source, and of the one that encodes its frames.
pub fn pair_argv(plan: &Plan, source: &Path, threads: usize, hardware: Hardware) -> (Vec<OsString>, Vec<OsString>) {
    (frames_argv(plan, source, threads), encoder_argv(plan, hardware))
}

/// Returns the arguments that encode the frames from the standard input.
fn encoder_argv(plan: &Plan, hardware: Hardware) -> Vec<OsString> {
    let indices = plan.encoded_rungs();
    let mut argv = log_options();
    let mut rest = device(hardware);
    if let Some(first) = plan.rungs.get(indices.start) {
        rest.extend(words(&format!(
            "-nostdin -hide_banner -y -protocol_whitelist pipe -f rawvideo -pix_fmt yuv420p -video_size {}x{} \
             -framerate {} -i pipe:0",
            first.width, first.height, plan.rate
        )));
    }
    rest.extend(["-filter_complex".to_owned(), graph(plan, hardware)]);
    for index in indices {
        let rung = &plan.rungs[index];
        rest.extend(["-map".to_owned(), format!("[v{index}]")]);
        rest.extend(encoder(hardware, rung, plan.encoder, plan.segments.gop));
        rest.extend(forced_keyframes(plan));
        rest.extend(rung_output(rung));
    }
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

fn device(hardware: Hardware) -> Vec<String> {
    match hardware {
        Hardware::Vaapi { .. } => {
            let paths = hardware.devices().into_iter().map(|path| path.to_string_lossy().into_owned());
            ["-vaapi_device".to_owned()].into_iter().chain(paths).collect()
        }
        Hardware::Nvenc => Vec::new(),
    }
}

/// Scales each rung from the one above it, on the processor. The pipe carries no colours, so the graph names them.
fn graph(plan: &Plan, hardware: Hardware) -> String {
    let indices = plan.encoded_rungs();
    let (first, end) = (indices.start, indices.end);
    let rung = |index: usize| {
        let begin = if index == first {
            "[0:v]setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709".to_owned()
        } else {
            scaling(index, &plan.rungs[index])
        };
        let next = (index + 1 < end).then(|| format!("[down{}]", index + 1));
        let labels: Vec<String> = [format!("[frames{index}]")].into_iter().chain(next).collect();
        format!("{};[frames{index}]{}[v{index}]", split(begin, &labels), upload(hardware))
    };
    indices.map(rung).collect::<Vec<_>>().join(";")
}

/// Returns the filters that hand a frame to the card.
fn upload(hardware: Hardware) -> &'static str {
    match hardware {
        Hardware::Vaapi { .. } => "format=nv12,hwupload",
        Hardware::Nvenc => "format=yuv420p",
    }
}

/// The units of type 6 can name the driver and its version, so they are removed.
fn encoder(hardware: Hardware, rung: &Rung, settings: Encoder, gop: u64) -> Vec<String> {
    let (max, buffer, factor) = (rung.max_kbps, rung.buffer_kbits(), rate_control::factor(settings, rung));
    let own = match hardware {
        Hardware::Vaapi { low_power, .. } => format!(
            "-c:v h264_vaapi -rc_mode QVBR -global_quality {factor:.0} -b:v {max}k -low_power {} -sei 0",
            u8::from(low_power)
        ),
        Hardware::Nvenc => format!(
            "-c:v h264_nvenc -preset {} -tune hq -rc vbr -cq {factor} -b:v 0 -spatial-aq 1 -forced-idr 1 -no-scenecut 1",
            nvenc_preset(settings.preset)
        ),
    };
    words(&format!(
        "{own} -maxrate {max}k -bufsize {buffer}k -profile:v high -bf 2 -g {gop} -bsf:v filter_units=remove_types=6 \
         {COLOURS}"
    ))
}

/// Returns the NVENC preset that corresponds to an x264 preset. In both encoders, slower presets make smaller files.
const fn nvenc_preset(preset: Preset) -> &'static str {
    match preset {
        Preset::Superfast => "p2",
        Preset::Veryfast => "p4",
        Preset::Faster => "p5",
        Preset::Fast => "p6",
        Preset::Medium => "p7",
    }
}

/// Encodes a few frames with the graphics card, in the sandbox, as a job would.
pub fn try_hardware(context: &MediaContext<'_>) -> Result<(), MediaError> {
    let settings = context.tools.encoders.h264;
    let Some(hardware) = settings.hardware else {
        return Ok(());
    };
    let fails = |reason: &dyn std::fmt::Display| {
        MediaError::Permanent(format!("{} does not work here: {reason}", hardware.encoder()))
    };
    hardware.check_devices().map_err(|problem| fails(&problem))?;
    let argv = trial_argv(hardware, settings);
    run_with_hardware(context, &argv, hardware, TRIAL_TIME).map_err(|error| fails(&error))
}

fn trial_argv(hardware: Hardware, settings: Encoder) -> Vec<OsString> {
    let rung = Rung::new(256, 256, 256, 500);
    let mut argv = log_options();
    let mut rest = device(hardware);
    rest.extend(words("-nostdin -hide_banner -f lavfi -i testsrc2=s=256x256:r=30:d=0.3 -vf"));
    rest.push(upload(hardware).to_owned());
    rest.extend(encoder(hardware, &rung, settings, 4));
    rest.extend(words("-f null -"));
    argv.extend(rest.into_iter().map(OsString::from));
    argv
}

/// Ten frames take a fraction of a second. The first use of a card after its start may take some.
const TRIAL_TIME: Duration = Duration::from_secs(30);
