//! Measures the sound of a file with a pass that decodes nothing else, and settles how it is brought to the target.
//!
//! Two passes instead of one filter that listens and corrects at once: what is measured is only turned up or down as a
//! whole, so the dynamics of the original survive. The passes are a hundredth of the transcode's time.

use std::ffi::OsString;
use std::time::Duration;

use super::argv::input;
use super::inspect::{Audio, Inspection};
use super::limits;
use super::loudness::{Correction, Loudness};
use super::spawn::{self, Event};
use super::{MediaError, Workshop};

/// Sound of two minutes is measured within a second or two.
const MEASUREMENT: Duration = Duration::from_mins(2);

/// The limiter takes back some of the gain. Music needs one or two trials; only what is made to be difficult needs all.
const MOST_TRIALS: usize = 6;
const CLOSE_ENOUGH_LU: f64 = 0.4;

/// Sound that begins later than this gets silence before it; a shorter wait is nobody's loss.
const LATE: f64 = 0.05;

/// What happens to the sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Sound {
    pub stream: usize,
    pub treatment: Treatment,
    /// Whether it needs filling or cutting to begin at zero.
    pub late: bool,
    /// How loud the outputs are meant to be.
    pub goal_lufs: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Treatment {
    Copy,
    Encode(Correction),
}

/// Every output has the same sound format, whatever came: stereo at 48 kHz, without gaps.
///
/// Only what is late is filled from zero on: where the source changes to another number of channels this begins anew, and
/// would fill all that was played before with silence.
pub(super) fn standard(late: bool) -> String {
    let from = if late { ":first_pts=0" } else { "" };
    format!("aresample=48000:async=1{from},aformat=sample_fmts=fltp:channel_layouts=stereo")
}

/// Settles the treatment of the source's sound; `None` where there is none that can be played.
pub fn settle(shop: &Workshop<'_>, inspection: &Inspection) -> Result<Option<Sound>, MediaError> {
    let Some(audio) = &inspection.audio else {
        return Ok(None);
    };
    let demuxer = limits::demuxer(inspection.container);
    let late = !(0.0..LATE).contains(&audio.start);
    let standard = standard(late);
    let measure = |filters: &str| {
        let filters = format!("{standard}{filters}");
        measure(shop, demuxer, audio.stream, &filters)
    };
    let Some(measured) = measure("")? else {
        return Ok(None);
    };
    let goal_lufs = measured.goal();
    let treatment = if measured.is_right() && is_as_wanted(inspection, audio) {
        Treatment::Copy
    } else {
        Treatment::Encode(refine(measured.correction(), goal_lufs, measure)?)
    };
    Ok(Some(Sound {
        stream: audio.stream,
        treatment,
        late,
        goal_lufs,
    }))
}

/// Tries gains until the limiter's output is loud enough; the best one tried wins.
fn refine(
    correction: Correction,
    goal: f64,
    measure: impl Fn(&str) -> Result<Option<Loudness>, MediaError>,
) -> Result<Correction, MediaError> {
    let mut tried = Vec::new();
    let mut next = correction;
    while correction.limited && tried.len() < MOST_TRIALS {
        let filters = format!(",{}", next.filters());
        let Some(measured) = measure(&filters)? else {
            break;
        };
        tried.push((next.gain_db, measured.integrated_lufs));
        if (measured.integrated_lufs - goal).abs() < CLOSE_ENOUGH_LU {
            break;
        }
        next.gain_db = Correction::next_gain(&tried, goal).unwrap_or(next.gain_db);
    }
    let off = |(_, lufs): &(f64, f64)| (lufs - goal).abs();
    let best = tried.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    let gain_db = best.map_or(correction.gain_db, |(gain, _)| *gain);
    Ok(Correction {
        gain_db,
        ..correction
    })
}

/// Whether the packets can go into the outputs as they are.
fn is_as_wanted(inspection: &Inspection, audio: &Audio) -> bool {
    use probe::Container::{Mp4, Quicktime};
    matches!(inspection.container, Mp4 | Quicktime)
        && (audio.codec.as_str(), audio.profile.as_str()) == ("aac", "LC")
        && audio.channels == 2
        && matches!(audio.sample_rate, 44_100 | 48_000)
        && audio.start.abs() < 0.03
}

/// The loudness of one stream behind these filters; `None` where not one sample comes out.
pub(super) fn measure(
    shop: &Workshop<'_>,
    demuxer: &str,
    stream: usize,
    filters: &str,
) -> Result<Option<Loudness>, MediaError> {
    let mut argv = input(shop.source, demuxer, shop.tools.threads);
    let filters = format!("{filters},ebur128=peak=true:framelog=verbose");
    let map = format!("0:{stream}");
    let rest = ["-map", &map, "-af", &filters, "-f", "null", "-"];
    argv.extend(rest.map(OsString::from));
    let mut summary = Vec::new();
    spawn::ffmpeg(shop, &argv, MEASUREMENT, |event| {
        if let Event::Line(line) = event {
            // What stands before the meter's last summary may be a title that looks like one.
            if line.ends_with("Summary:") {
                summary.clear();
            }
            if summary.len() < 32 {
                summary.push(line.to_owned());
            }
        }
    })?;
    Ok(Loudness::parse_summary(summary.iter().map(String::as_str)))
}
