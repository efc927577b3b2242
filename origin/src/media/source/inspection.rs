//! Combines our own prober's view of a source, ffprobe's description and the packets into one set of facts.
//!
//! Decodes nothing except what ffprobe needs to name a stream. Every limit is checked before that or right after it.

use super::audio::AudioStream;
use super::closed_captions;
use super::description::{Description, StreamEntry, describe_source};
use super::packets::Packets;
use super::subtitles::SubtitleStream;
use super::timing::StreamTiming;
use super::video::VideoStream;
use crate::media::limits;
use crate::media::units::milliseconds;
use crate::media::{MediaContext, MediaError};
use probe::{Container, FileRefusal, Media, Prober};
use std::io::{self, Read};
use std::path::Path;

/// The largest permitted difference between the prober's duration and the packets' duration. They can differ because of
/// edits, or of sound in the last packet. The limit does not grow with the length: otherwise a video could be two
/// seconds longer than two minutes.
const AGREEMENT_MS: u64 = 250;

/// A source is refused if the two durations differ by more than this, because players would play it for different
/// times. The prober tolerates less than a second of media that only some players play.
const MAX_DIFFERENCE_MS: u64 = 1000;

/// Sound that begins at most this long before the picture is cut there. Otherwise the first frame would be shown twice:
/// many recorders and containers delay the picture by the few frames that its encoder reorders.
const MAX_CUT_SOUND_SECONDS: f64 = 0.15;

/// A smaller difference between two start times is rounding.
const CLOCK_ERROR_SECONDS: f64 = 0.0005;

/// Everything that a plan needs to know about a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    pub container: Container,
    /// The playing time of the source.
    pub duration_ms: u64,
    /// The number of seconds by which the file begins before the timeline of the outputs.
    pub lead_in_seconds: f64,
    pub video: VideoStream,
    pub audio: Option<AudioStream>,
    /// All subtitle tracks, in the order of the file.
    pub subtitles: Vec<SubtitleStream>,
    /// If the pictures may carry closed captions: when the outputs begin, by the clock of the file.
    pub closed_captions_from: Option<f64>,
}

/// Returns the properties of the source, or the reason for its rejection.
pub fn inspect(context: &MediaContext<'_>) -> Result<Inspection, MediaError> {
    // The same code as the edge uses: a duration that cannot be determined is a format error, not a wrong duration.
    let media = probe_file(context.source)?.map_err(|refusal| MediaError::invalid_format(refusal.to_string()))?;
    for track in &media.tracks {
        let (width, height) = (track.coded_width.unwrap_or(0), track.coded_height.unwrap_or(0));
        limits::check_pixels(width, height)?;
    }
    let demuxer = limits::demuxer(media.container);
    let (description, packets) = describe_source(context, demuxer)?;
    limits::check_streams(description.streams.len())?;
    let inspection = combine(&media, &description, &packets)?;
    if closed_captions::may_be_in(context.source)? {
        return Ok(inspection);
    }
    Ok(Inspection { closed_captions_from: None, ..inspection })
}

/// Reads a file piece by piece and returns what our own prober says about it.
pub(crate) fn probe_file(path: &Path) -> Result<Result<Media, FileRefusal>, MediaError> {
    let read_error = |error: io::Error| MediaError::io("reading a video", &error);
    let mut file = std::fs::File::open(path).map_err(read_error)?;
    let mut prober = Prober::new();
    let mut chunk = vec![0; 1 << 18];
    loop {
        let read = file.read(&mut chunk).map_err(read_error)?;
        if read == 0 || prober.refusal().is_some() {
            return Ok(prober.finish());
        }
        prober.feed(chunk.get(..read).unwrap_or_default());
    }
}

fn combine(media: &Media, description: &Description, packets: &Packets) -> Result<Inspection, MediaError> {
    let streams = &description.streams;
    let video = streams
        .iter()
        .find(|stream| stream.is_video())
        .ok_or_else(|| MediaError::invalid_format("the file has no video stream that can be decoded"))?;
    limits::check_pixels(video.width, video.height)?;
    let timing = packets.timing(video.index).ok_or_else(|| MediaError::invalid_format("the video stream is empty"))?;
    let audio = chosen_audio(streams, packets);
    if let Some((stream, _)) = &audio {
        check_sound_packets(stream, packets.largest(stream.index))?;
    }
    check_agreement(media.duration_ms, all_packets_ms(streams, packets))?;
    let (start, end) = played_span([Some(&timing), audio.as_ref().map(|(_, timing)| timing)].into_iter().flatten());
    let zero = if timing.start - start <= MAX_CUT_SOUND_SECONDS { timing.start.max(start) } else { start };
    let packets_ms = milliseconds(end - start);
    check_agreement(media.duration_ms, packets_ms)?;
    let duration_ms = limits::check_duration(&reconciled(media, packets_ms))?;
    Ok(Inspection {
        container: media.container,
        duration_ms,
        lead_in_seconds: lead_in_seconds(&description.format.start_time, zero),
        video: VideoStream::new(video, &timing, zero)?,
        audio: audio.map(|(stream, timing)| AudioStream::new(stream, &timing, zero)),
        closed_captions_from: Some(zero),
        subtitles: streams.iter().filter_map(SubtitleStream::new).collect(),
    })
}

/// Returns the first sound that is marked as the default. Players play that, and the first one if none is marked.
fn chosen_audio<'a>(streams: &'a [StreamEntry], packets: &Packets) -> Option<(&'a StreamEntry, StreamTiming)> {
    let mut sounds: Vec<_> = streams.iter().filter(|stream| stream.is_audio()).collect();
    sounds.sort_by_key(|stream| stream.disposition.default == 0);
    sounds.into_iter().find_map(|stream| Some((stream, packets.timing(stream.index)?)))
}

/// Refuses packets of sound that hold many frames, and so play for much longer than they say.
fn check_sound_packets(stream: &StreamEntry, largest: u64) -> Result<(), MediaError> {
    match limits::max_sound_packet(&stream.codec_name) {
        Some(most) if largest > most => Err(MediaError::invalid_format(format!(
            "a packet of its sound has {largest} bytes, but a frame of {} has at most {most}",
            stream.codec_name
        ))),
        _ => Ok(()),
    }
}

/// Returns the playing time of all pictures and sound, in milliseconds, by their packets.
fn all_packets_ms(streams: &[StreamEntry], packets: &Packets) -> u64 {
    let is_played = |stream: &&StreamEntry| stream.is_video() || stream.is_audio();
    let timings: Vec<_> = streams.iter().filter(is_played).filter_map(|stream| packets.timing(stream.index)).collect();
    let (start, end) = played_span(&timings);
    milliseconds(end - start)
}

/// Refuses a source whose packets do not confirm the duration on which the edge based its decision.
fn check_agreement(probed_ms: u64, packets_ms: u64) -> Result<(), MediaError> {
    if probed_ms.abs_diff(packets_ms) <= MAX_DIFFERENCE_MS {
        return Ok(());
    }
    let detail = format!("by its structure, the file plays for {probed_ms} ms, by its packets for {packets_ms} ms");
    Err(MediaError::invalid_format(detail))
}

/// Returns when the first packet that is played starts, and when the last one ends.
fn played_span<'a>(timings: impl IntoIterator<Item = &'a StreamTiming>) -> (f64, f64) {
    let spans = timings.into_iter().map(|timing| (timing.start, timing.end));
    let (first, end) = spans.reduce(|one, two| (one.0.min(two.0), one.1.max(two.1))).unwrap_or_default();
    (without_codec_delay(first), end)
}

/// Packets shortly before zero only warm up the decoder and are not played.
fn without_codec_delay(first: f64) -> f64 {
    if (-0.2..0.0).contains(&first) { 0.0 } else { first }
}

/// Returns how long ffmpeg would wait for the first frame, because it counts from the first packet of any stream.
fn lead_in_seconds(file_start: &str, zero: f64) -> f64 {
    let file_start: Option<f64> = file_start.parse().ok();
    let lead_in = file_start.map(|start| zero - start);
    lead_in.filter(|seconds| seconds.is_finite() && *seconds > CLOCK_ERROR_SECONDS).unwrap_or(0.0)
}

/// Returns the view on which the edge based its decision, if the packets confirm its duration; otherwise with the
/// packets' own, of which every frame counts.
fn reconciled(media: &Media, packets_ms: u64) -> Media {
    let media = media.clone();
    if media.duration_ms.abs_diff(packets_ms) <= AGREEMENT_MS {
        return media;
    }
    Media { duration_ms: packets_ms, least_ms: packets_ms, longest_track: None, ..media }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::ErrorCode;
    use probe::DurationSource;

    fn probed(duration_ms: u64) -> Media {
        Media {
            container: Container::Flv,
            duration_ms,
            duration_source: DurationSource::Timestamps,
            least_ms: duration_ms.min(119_900),
            longest_track: None,
            shortest_video_ms: None,
            tracks: Vec::new(),
            metadata_first: false,
        }
    }

    fn reconciled_duration(probed_ms: u64, packets_ms: u64) -> u64 {
        reconciled(&probed(probed_ms), packets_ms).duration_ms
    }

    #[test]
    fn the_probed_duration_is_used_if_the_packets_confirm_it() {
        assert_eq!(reconciled_duration(120_000, 120_021), 120_000);
        assert_eq!(reconciled_duration(2000, 2230), 2000);
        assert_eq!(reconciled_duration(120_000, 120_250), 120_000);
        assert_eq!(reconciled(&probed(120_021), 120_000).least_ms, 119_900);
    }

    #[test]
    fn the_packets_correct_a_duration_and_refuse_a_forged_one() {
        assert_eq!(reconciled_duration(120_000, 120_251), 120_251);
        assert_eq!(reconciled(&probed(119_749), 120_000).least_ms, 120_000);
        assert!(check_agreement(120_000, 121_000).is_ok() && check_agreement(3_000, 2_000).is_ok());
        for (probed_ms, packets_ms) in [(60_000, 300_000), (120_000, 121_001), (300_000, 3_000)] {
            let refused = check_agreement(probed_ms, packets_ms);
            let is_format = matches!(refused, Err(MediaError::Rejected { code, .. }) if code == ErrorCode::ContentFileInvalidFormat);
            assert!(is_format, "{probed_ms} {packets_ms}");
        }
    }

    #[test]
    fn a_packet_of_sound_is_not_larger_than_a_frame_of_its_codec() {
        let check = |codec: &str, largest| {
            check_sound_packets(&StreamEntry { codec_name: codec.into(), ..StreamEntry::default() }, largest)
        };
        assert!(check("aac", 8_192).is_ok() && check("pcm_s16le", 1_000_000).is_ok());
        for refused in [check("aac", 8_193), check("mp3", 4_097)] {
            let is_format = matches!(refused, Err(MediaError::Rejected { code, .. }) if code == ErrorCode::ContentFileInvalidFormat);
            assert!(is_format);
        }
    }

    #[test]
    fn the_time_before_the_timeline_counts_as_lead_in() {
        assert!((lead_in_seconds("1.000000", 1.4) - 0.4).abs() < 1e-9);
        assert!((lead_in_seconds("1.38", 1.4) - 0.02).abs() < 1e-9);
        for (file_start, first) in [("1.4", 1.4), ("1.3999", 1.4), ("1.5", 1.4), ("N/A", 1.4), ("nan", 1.4)] {
            assert!(lead_in_seconds(file_start, first).abs() < 1e-9, "{file_start}");
        }
    }
}
