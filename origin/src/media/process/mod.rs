//! Runs ffmpeg and ffprobe: the only place that starts processes.
//!
//! In: argument lists, and callbacks for the output. Out: success, or an error that says whether the file, the machine
//! or the service itself is to blame. Each process is confined, supervised, and never outlives the call. Must not
//! depend on what the arguments mean, beyond the guards that every untrusted file gets.

mod exit;
mod ffmpeg;
mod ffprobe;
mod guards;
mod pair;
mod supervisor;

pub(super) use ffmpeg::{FfmpegMessage, run_ffmpeg};
pub(super) use ffprobe::run_ffprobe;
pub(super) use guards::{ffmpeg_input, ffprobe_arguments};
pub(super) use pair::{PairResult, run_pair, run_with_hardware};
