//! Measures loudness with an ffmpeg pass that decodes nothing but the sound.

use super::audio::{Alignment, AudioStream};
use super::inspection::Inspection;
use super::loudness::{Gain, Loudness, SAMPLE_RATE};
use crate::media::process::{FfmpegMessage, ffmpeg_input, run_ffmpeg};
use crate::media::{MediaContext, MediaError, limits};
use std::ffi::OsString;
use std::time::Duration;

/// The time limit of one measurement. Two minutes of sound take a second or two.
const MEASUREMENT_TIME: Duration = Duration::from_mins(2);

/// The number of lines kept of the meter's summary, which is shorter.
const MAX_SUMMARY_LINES: usize = 32;

/// Decoders return a little more than the packets say, at most one frame before and one after. Less than
/// `MAX_SURPLUS_SECONDS`, at which the measurement ends.
const MAX_UNNOTICED_SECONDS: f64 = 0.75;

/// Measures the sound of one source.
#[derive(Debug)]
pub(crate) struct SoundMeter<'a> {
    context: &'a MediaContext<'a>,
    demuxer: &'static str,
    stream: usize,
    standard_sound: String,
    /// The end of the sound on the clock of the file, in seconds.
    end: f64,
}

impl<'a> SoundMeter<'a> {
    pub(crate) fn new(context: &'a MediaContext<'a>, inspection: &Inspection, audio: &AudioStream) -> Self {
        Self {
            context,
            demuxer: limits::demuxer(inspection.container),
            stream: audio.stream,
            standard_sound: standard_sound(audio.alignment()),
            end: inspection.lead_in_seconds + audio.end,
        }
    }

    /// Returns the loudness after this gain, or `None` if decoding returns no sample.
    pub(crate) fn measure(&self, gain: Option<&Gain>) -> Result<Option<Loudness>, MediaError> {
        let filters = match gain {
            Some(gain) => format!("{},{}", self.standard_sound, gain.filters()),
            None => self.standard_sound.clone(),
        };
        measure_loudness(self.context, self.demuxer, (self.stream, self.end), &filters)
    }
}

/// Returns the filters that give every output the same sound format: stereo at one sample rate, without gaps.
///
/// Only sound that begins late is padded from zero on: `aresample` starts over when the source changes its number of
/// channels, and would then replace everything played before with silence.
pub(crate) fn standard_sound(alignment: Alignment) -> String {
    let (from_zero, cut) = match alignment {
        Alignment::Unnecessary => ("", ""),
        Alignment::Pad => (":first_pts=0", ""),
        Alignment::Cut => ("", "atrim=start=0,"),
    };
    format!("aresample={SAMPLE_RATE}:async=1{from_zero},{cut}aformat=sample_fmts=fltp:channel_layouts=stereo")
}

/// Returns the loudness of one stream after these filters, or `None` if no sample comes out. Refuses sound that goes on
/// long after its end by the packets.
pub(crate) fn measure_loudness(
    context: &MediaContext<'_>,
    demuxer: &str,
    (stream, end): (usize, f64),
    filters: &str,
) -> Result<Option<Loudness>, MediaError> {
    let mut argv: Vec<_> = limits::decoding_bound(end).map(OsString::from).into();
    argv.extend(ffmpeg_input(context.source, demuxer, context.tools.threads));
    let filters = format!("{filters},ebur128=peak=true:framelog=verbose");
    let map = format!("0:{stream}");
    argv.extend(["-map", &map, "-af", &filters, "-f", "null", "-"].map(OsString::from));
    let (mut summary, mut measured) = (Vec::new(), 0.0_f64);
    run_ffmpeg(context, &argv, MEASUREMENT_TIME, |message| match message {
        FfmpegMessage::Progress(seconds) => measured = measured.max(seconds.unwrap_or(0.0)),
        FfmpegMessage::LogLine(line) => {
            // Anything before the meter's last summary could be a title that looks like a summary.
            if line.ends_with("Summary:") {
                summary.clear();
            }
            if summary.len() < MAX_SUMMARY_LINES {
                summary.push(line.to_owned());
            }
        }
    })?;
    if measured > end + MAX_UNNOTICED_SECONDS {
        return Err(MediaError::invalid_format("its sound plays for longer than its packets say"));
    }
    Ok(Loudness::parse_summary(summary.iter().map(String::as_str)))
}
