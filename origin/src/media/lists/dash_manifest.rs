//! Formats the DASH manifest, which lists the same segments as the playlists of HLS. Pure.
//!
//! Each segment is a byte range, with its time in the units of its file. It has an `S` element of its own, because
//! dash.js ignores the repeat count of an `S` element when it counts the byte ranges.

use crate::media::FrameRate;
use crate::media::verify::{BitRates, ByteRange, Rendition, SegmentIndex, SoundRendition};
use contract::MediaFile;
use contract::subtitles::{MAX_SUBTITLE_TRACKS, SubtitleTrack};
use std::fmt::Write;

/// The tracks of a video.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manifest<'a> {
    pub(super) rate: FrameRate,
    pub(super) renditions: &'a [Rendition],
    /// The same sound at different rates, the best first.
    pub(super) sounds: &'a [&'a SoundRendition],
    /// With the bits per second of each track.
    pub(super) subtitles: &'a [(&'a SubtitleTrack, u64)],
    /// Whether the pictures carry closed captions.
    pub(super) has_closed_captions: bool,
}

/// Closed captions of the first channel. Their language is unknown.
const CLOSED_CAPTIONS: &str = "<Accessibility schemeIdUri=\"urn:scte:dash:cc:cea-608:2015\"/>\n";

const STEREO: &str =
    "<AudioChannelConfiguration schemeIdUri=\"urn:mpeg:mpegB:cicp:ChannelConfiguration\" value=\"2\"/>\n";

/// The set of the pictures in H.264. That of the sound is 2, and subtitles follow.
const MAIN_SET: u32 = 1;
/// The set of the pictures in a second codec, after those of all possible subtitle tracks.
const SECOND_SET: u32 = MAX_SUBTITLE_TRACKS + 3;

/// Returns the property by which players may change between two sets at any segment, if all segments begin together.
fn switching(own: &[&Rendition], others: &[&Rendition], other_set: u32) -> String {
    let all = || own.iter().chain(others).map(|rendition| &rendition.segments);
    let is_aligned = all().zip(all().skip(1)).all(|(one, next)| one.is_nearly_aligned_with(next));
    if others.is_empty() || !is_aligned {
        return String::new();
    }
    format!("<SupplementalProperty schemeIdUri=\"{SWITCHING}\" value=\"{other_set}\"/>\n")
}

const SWITCHING: &str = "urn:mpeg:dash:adaptation-set-switching:2016";

impl Manifest<'_> {
    pub(super) fn format(self) -> String {
        let indexes =
            || self.renditions.iter().map(|one| &one.segments).chain(self.sounds.iter().map(|one| &one.segments));
        let duration = indexes().map(SegmentIndex::end_seconds).fold(0.0, f64::max);
        let longest = indexes().map(SegmentIndex::longest_seconds).fold(0.0, f64::max);
        let (duration, longest) = (period(duration), period(longest));
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" profiles=\"urn:mpeg:dash:profile:full:2011\" type=\"static\" \
             mediaPresentationDuration=\"{duration}\" minBufferTime=\"{longest}\">\n\
             <Period id=\"1\" start=\"PT0S\" duration=\"{duration}\">\n"
        );
        let (in_h264, others): (Vec<_>, Vec<_>) = self.renditions.iter().partition(|one| one.is_h264());
        text += &self.pictures(&in_h264, MAIN_SET, &switching(&in_h264, &others, SECOND_SET));
        if !others.is_empty() {
            text += &self.pictures(&others, SECOND_SET, &switching(&others, &in_h264, MAIN_SET));
        }
        if !self.sounds.is_empty() {
            text += &self.sound();
        }
        text.extend(self.subtitles.iter().map(|(track, rate)| subtitles(track, *rate)));
        text + "</Period>\n</MPD>\n"
    }

    /// Formats the renditions in one codec.
    fn pictures(self, renditions: &[&Rendition], id: u32, switching: &str) -> String {
        let mut text = format!(
            "<AdaptationSet id=\"{id}\" contentType=\"video\" mimeType=\"video/mp4\" segmentAlignment=\"true\" startWithSAP=\"1\">\n",
        );
        // Only the encoder of H.264 passes them on.
        text += if self.has_closed_captions && id == MAIN_SET { CLOSED_CAPTIONS } else { "" };
        text += &role("main");
        text += switching;
        for Rendition { name, width, height, bit_rates, codec, segments, .. } in renditions {
            let attributes = format!(
                "codecs=\"{codec}\" width=\"{width}\" height=\"{height}\" sar=\"1:1\" frameRate=\"{}\"",
                self.rate
            );
            text += &representation(MediaFile::Segments(*name), *bit_rates, &attributes, segments);
        }
        text + "</AdaptationSet>\n"
    }

    /// Formats the sounds as one choice. Their segments begin at the same times if both were encoded, but need not if
    /// one is a copy.
    fn sound(self) -> String {
        let mut pairs = self.sounds.iter().zip(self.sounds.iter().skip(1));
        let is_aligned = pairs.all(|(one, other)| one.segments.is_aligned_with(&other.segments));
        let mut text = format!(
            "<AdaptationSet id=\"2\" contentType=\"audio\" mimeType=\"audio/mp4\" segmentAlignment=\"{is_aligned}\" startWithSAP=\"1\">\n\
             {STEREO}{}",
            role("main")
        );
        for SoundRendition { file, bit_rates, sample_rate, segments } in self.sounds {
            let attributes = format!("codecs=\"mp4a.40.2\" audioSamplingRate=\"{sample_rate}\"");
            text += &representation(*file, *bit_rates, &attributes, segments);
        }
        text + "</AdaptationSet>\n"
    }
}

fn representation(file: MediaFile, bit_rates: BitRates, attributes: &str, index: &SegmentIndex) -> String {
    let (name, local_name) = (file.to_string(), file.local_name());
    let id = local_name.trim_end_matches(".mp4");
    let SegmentIndex { timescale, header, segments, .. } = index;
    let (peak, header) = (bit_rates.peak, range(*header));
    let mut text = format!(
        "<Representation id=\"{id}\" bandwidth=\"{peak}\" {attributes}>\n<SegmentList timescale=\"{timescale}\">\n\
         <Initialization sourceURL=\"{name}\" range=\"{header}\"/>\n<SegmentTimeline>"
    );
    // Writing into a string never fails.
    for segment in segments {
        let _ = write!(text, "<S t=\"{}\" d=\"{}\"/>", segment.start, segment.duration);
    }
    text += "</SegmentTimeline>\n";
    for segment in segments {
        let _ = writeln!(text, "<SegmentURL media=\"{name}\" mediaRange=\"{}\"/>", range(segment.range));
    }
    text + "</SegmentList>\n</Representation>\n"
}

const SUBTITLE_SET: &str = "contentType=\"text\"";
const END_OF_SET: &str = "</AdaptationSet>\n";
const END_OF_PERIOD: &str = "</Period>\n";

/// Returns the manifest with these subtitle tracks instead of its own.
pub(super) fn with_subtitles(manifest: &str, tracks: &[(&SubtitleTrack, u64)]) -> String {
    let is_other = |set: &&str| !set.lines().next().is_some_and(|line| line.contains(SUBTITLE_SET));
    let text: String = manifest.split_inclusive(END_OF_SET).filter(is_other).collect();
    let sets: String = tracks.iter().map(|(track, rate)| subtitles(track, *rate)).collect();
    text.replacen(END_OF_PERIOD, &format!("{sets}{END_OF_PERIOD}"), 1)
}

/// The language comes from the source's tag, and the label from a list of languages.
fn subtitles(track: &SubtitleTrack, bit_rate: u64) -> String {
    let SubtitleTrack { number, language, label, is_default, is_forced, is_for_hearing_impaired } = track;
    let language = language.as_ref().map(|tag| format!(" lang=\"{}\"", escape(tag))).unwrap_or_default();
    let kind = if *is_forced {
        "forced-subtitle"
    } else if *is_for_hearing_impaired {
        "caption"
    } else {
        "subtitle"
    };
    let main = if *is_default { role("main") } else { String::new() };
    format!(
        "<AdaptationSet id=\"{}\" contentType=\"text\" mimeType=\"text/vtt\"{language}>\n<Label>{}</Label>\n{}{main}\
         <Representation id=\"subtitles-{number}\" bandwidth=\"{bit_rate}\">\n<BaseURL>{}</BaseURL>\n</Representation>\n\
         </AdaptationSet>\n",
        number + 2,
        escape(label),
        role(kind),
        MediaFile::Subtitles(*number)
    )
}

fn role(value: &str) -> String {
    format!("<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"{value}\"/>\n")
}

/// The last byte of a range is part of it.
fn range(range: ByteRange) -> String {
    format!("{}-{}", range.offset, range.end().saturating_sub(1))
}

/// Formats a duration. It is rounded up, because players drop a frame that ends after the period.
fn period(seconds: f64) -> String {
    format!("PT{:.3}S", (seconds * 1000.0).ceil() / 1000.0)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::verify::examples::{in_av1, index, rendition};

    fn sound(file: MediaFile, times: &[(u64, u64)]) -> SoundRendition {
        let bit_rates = BitRates { peak: 160, average: 128 };
        SoundRendition { file, bit_rates, sample_rate: "48000".into(), segments: index(times) }
    }

    fn manifest<'a>(renditions: &'a [Rendition], sounds: &'a [&'a SoundRendition]) -> Manifest<'a> {
        let rate = FrameRate::new(30_000, 1001).unwrap();
        Manifest { rate, renditions, sounds, subtitles: &[], has_closed_captions: false }
    }

    #[test]
    fn every_segment_is_a_byte_range_with_its_time() {
        let text = manifest(&[rendition(720), rendition(360)], &[]).format();
        assert!(text.contains("mediaPresentationDuration=\"PT6.001S\" minBufferTime=\"PT4.000S\""), "{text}");
        assert!(
            text.contains(
                "<Representation id=\"360p\" bandwidth=\"2000\" codecs=\"avc1.64001F\" width=\"640\" height=\"360\" \
                 sar=\"1:1\" frameRate=\"30000/1001\">\n<SegmentList timescale=\"15360\">\n\
                 <Initialization sourceURL=\"hls/360p.mp4\" range=\"0-699\"/>\n\
                 <SegmentTimeline><S t=\"0\" d=\"61440\"/><S t=\"61440\" d=\"30725\"/></SegmentTimeline>\n\
                 <SegmentURL media=\"hls/360p.mp4\" mediaRange=\"700-1699\"/>\n\
                 <SegmentURL media=\"hls/360p.mp4\" mediaRange=\"1700-2699\"/>\n</SegmentList>\n</Representation>\n"
            ),
            "{text}"
        );
        assert!(!text.contains("audio"), "{text}");
    }

    #[test]
    fn a_second_codec_is_a_set_of_its_own_to_which_players_may_change() {
        let text = manifest(&[rendition(720), rendition(360), in_av1(720), in_av1(360)], &[]).format();
        let sets: Vec<&str> = text.split("<AdaptationSet ").skip(1).collect();
        assert_eq!(sets.len(), 2, "{text}");
        for (set, (own, other), codec) in [(sets[0], (1, 11), "avc1."), (sets[1], (11, 1), "av01.")] {
            assert!(set.starts_with(&format!("id=\"{own}\"")), "{set}");
            assert!(set.contains(&format!("{SWITCHING}\" value=\"{other}\"/>")), "{set}");
            assert_eq!(set.matches(&format!("codecs=\"{codec}")).count(), 2, "{set}");
        }
        assert!(sets[1].contains("<Representation id=\"720p-av1\""), "{text}");
    }

    #[test]
    fn players_may_not_change_between_sets_whose_segments_begin_at_other_times() {
        let mut other = in_av1(720);
        other.segments = index(&[(0, 61_000), (61_000, 31_165)]);
        let text = manifest(&[rendition(720), other], &[]).format();
        assert!(text.matches("<AdaptationSet ").count() == 2 && !text.contains(SWITCHING), "{text}");
    }

    #[test]
    fn the_sounds_are_one_choice_and_aligned_only_if_they_are() {
        let alignment = |times: &[(u64, u64)]| {
            let usual = sound(MediaFile::SoundSegments, &[(0, 61_440), (61_440, 2)]);
            let low = sound(MediaFile::LowSoundSegments, times);
            let text = manifest(&[rendition(240)], &[&usual, &low]).format();
            assert_eq!(text.matches("contentType=\"audio\"").count(), 1);
            assert!(
                text.contains("id=\"sound-low\" bandwidth=\"160\" codecs=\"mp4a.40.2\" audioSamplingRate=\"48000\"")
            );
            text.contains("mimeType=\"audio/mp4\" segmentAlignment=\"true\"")
        };
        assert!(alignment(&[(0, 61_440), (61_440, 3)]));
        assert!(!alignment(&[(0, 61_441), (61_441, 3)]));
    }

    #[test]
    fn other_subtitles_change_nothing_else() {
        let track = |number, label: &str| SubtitleTrack {
            number,
            language: Some("en".to_owned()),
            label: label.to_owned(),
            is_default: false,
            is_forced: false,
            is_for_hearing_impaired: false,
        };
        let renditions = [rendition(720)];
        let usual = sound(MediaFile::SoundSegments, &[(0, 61_440)]);
        let sounds = [&usual];
        let with =
            |subtitles: &[(&SubtitleTrack, u64)]| Manifest { subtitles, ..manifest(&renditions, &sounds) }.format();
        let (one, two, three) = (track(1, "contentType=\"text\""), track(2, "</AdaptationSet>"), track(1, "</Period>"));
        for before in [vec![], vec![(&one, 10), (&two, 20)]] {
            for after in [vec![], vec![(&three, 30)], vec![(&one, 10), (&two, 20)]] {
                assert_eq!(with_subtitles(&with(&before), &after), with(&after));
            }
        }
    }

    #[test]
    fn subtitles_and_closed_captions_are_declared() {
        let track = SubtitleTrack {
            number: 1,
            language: Some("en".into()),
            label: "Tom & <i>".into(),
            is_default: true,
            is_forced: false,
            is_for_hearing_impaired: true,
        };
        let renditions = [rendition(360)];
        let text = Manifest { subtitles: &[(&track, 90)], has_closed_captions: true, ..manifest(&renditions, &[]) };
        let text = text.format();
        assert!(text.contains("mimeType=\"text/vtt\" lang=\"en\">\n<Label>Tom &amp; &lt;i&gt;</Label>\n"), "{text}");
        assert!(text.contains("value=\"caption\"/>") && text.contains("<BaseURL>hls/subtitles-1.vtt</BaseURL>"));
        assert!(text.contains(CLOSED_CAPTIONS));
    }
}
