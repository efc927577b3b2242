//! Formats the master playlist, which lists the renditions. Pure.

use crate::media::verify::{BitRates, Rendition};
use contract::subtitles::SubtitleTrack;
use contract::{MediaFile, RenditionName, VideoCodec};

const HEADER: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n";

/// The bit rates of the sound.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sounds {
    /// `None` without sound.
    pub(super) usual: Option<BitRates>,
    /// Those of the sound for poor connections.
    pub(super) low: Option<BitRates>,
}

impl Sounds {
    /// Returns the group whose sound is played with a rendition, and its rates.
    fn of(self, rendition: &Rendition) -> Option<(&'static str, BitRates)> {
        let low = self.low.filter(|_| rendition.is_low).map(|rates| ("sound-low", rates));
        low.or(self.usual.map(|rates| ("sound", rates)))
    }
}

/// The tracks that players can choose beside the renditions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choices<'a> {
    pub(super) sounds: Sounds,
    pub(super) subtitles: &'a [SubtitleTrack],
    /// Whether the pictures carry closed captions.
    pub(super) has_closed_captions: bool,
}

/// Every group consists of one file, so that players change it only with the rendition.
fn sound_group(id: &str) -> String {
    format!(
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{id}\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\",URI=\"{id}.m3u8\"\n"
    )
}

/// The pictures say no language. Their text is also a subtitle track.
const CLOSED_CAPTIONS: &str =
    "#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",NAME=\"CC1\",INSTREAM-ID=\"CC1\"\n";

/// The characteristics of a track that also describes sounds.
const CHARACTERISTICS: &str = ",CHARACTERISTICS=\"public.accessibility.transcribes-spoken-dialog,\
public.accessibility.describes-music-and-sound\"";

/// The second rung comes first, because players start with the first one listed: this one starts fast and looks good.
/// Those in H.264 precede all others, because a player that cannot choose takes the first.
pub(super) fn format(renditions: &[Rendition], choices: Choices<'_>) -> String {
    let (mut order, others): (Vec<&Rendition>, Vec<_>) = renditions.iter().partition(|one| one.is_h264());
    if order.len() > 1 {
        order.swap(0, 1);
    }
    let has_scores = !others.is_empty();
    order.extend(others);
    let mut text = HEADER.to_owned();
    let Choices { sounds, subtitles, has_closed_captions } = choices;
    text.extend(sounds.usual.map(|_| sound_group("sound")));
    text.extend(sounds.low.map(|_| sound_group("sound-low")));
    text.extend((0..subtitles.len()).filter_map(|index| subtitle_entry(subtitles, index)));
    text.extend(has_closed_captions.then_some(CLOSED_CAPTIONS));
    let score = |rendition: &Rendition| if has_scores { score(rendition) } else { String::new() };
    text.extend(order.iter().map(|rendition| entry(rendition, &score(rendition), choices)));
    text.extend(order.iter().map(|rendition| keyframe_entry(rendition, &score(rendition))));
    text
}

const SUBTITLE_ENTRY: &str = "#EXT-X-MEDIA:TYPE=SUBTITLES,";
const SUBTITLE_GROUP: &str = ",SUBTITLES=\"subtitles\"";

/// Returns the playlist with these subtitle tracks instead of its own.
pub(super) fn with_subtitles(playlist: &str, tracks: &[SubtitleTrack]) -> String {
    let entries: String = (0..tracks.len()).filter_map(|index| subtitle_entry(tracks, index)).collect();
    let mut entries = Some(entries);
    let mut text = String::new();
    for line in playlist.split_inclusive('\n').filter(|line| !line.starts_with(SUBTITLE_ENTRY)) {
        let is_rendition = line.starts_with("#EXT-X-STREAM-INF:");
        if is_rendition || line.starts_with("#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,") {
            text += &entries.take().unwrap_or_default();
        }
        text += &if is_rendition { with_group(line, !tracks.is_empty()) } else { line.to_owned() };
    }
    text
}

/// Returns the entry of a rendition with or without the group of the subtitles.
fn with_group(entry: &str, has_subtitles: bool) -> String {
    let entry = entry.replace(SUBTITLE_GROUP, "");
    if !has_subtitles {
        return entry;
    }
    match entry.split_once(",CLOSED-CAPTIONS=") {
        Some((before, after)) => format!("{before}{SUBTITLE_GROUP},CLOSED-CAPTIONS={after}"),
        None => format!("{}{SUBTITLE_GROUP}\n", entry.trim_end()),
    }
}

/// Returns the subtitle tracks that an origin's master playlist lists. A captions job learns from the first job's
/// playlist which tracks the source had, because the source may have been deleted since.
pub fn subtitle_tracks(playlist: &str) -> Vec<SubtitleTrack> {
    playlist.lines().filter_map(|line| parse_subtitle_entry(line.strip_prefix(SUBTITLE_ENTRY)?)).collect()
}

/// Whether an origin's master playlist says that the pictures carry closed captions.
pub fn has_closed_captions(playlist: &str) -> bool {
    playlist.contains(CLOSED_CAPTIONS)
}

fn parse_subtitle_entry(entry: &str) -> Option<SubtitleTrack> {
    let attributes = attributes(entry);
    let value = |name: &str| attributes.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
    let is_yes = |name: &str| value(name).as_deref() == Some("YES");
    let MediaFile::SubtitlePlaylist(number) = MediaFile::parse_beside_playlist(&value("URI")?)? else {
        return None;
    };
    Some(SubtitleTrack {
        number,
        language: value("LANGUAGE"),
        label: value("NAME")?,
        is_default: is_yes("DEFAULT"),
        is_forced: is_yes("FORCED"),
        is_for_hearing_impaired: value("CHARACTERISTICS").is_some(),
    })
}

/// Returns the names and values of an attribute list. Values may be quoted; a quoted value has no quote in it.
fn attributes(mut list: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    while let Some((name, rest)) = list.split_once('=') {
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (value, rest) = match quoted {
            Some((value, rest)) => (value, rest.strip_prefix(',').unwrap_or(rest)),
            None => rest.split_once(',').unwrap_or((rest, "")),
        };
        attributes.push((name, value));
        list = rest;
    }
    attributes
}

/// Players choose a track by themselves only if no earlier one is for the same viewers.
fn subtitle_entry(tracks: &[SubtitleTrack], index: usize) -> Option<String> {
    let track = tracks.get(index)?;
    let viewers = |track: &SubtitleTrack| (track.language.clone(), track.is_forced, track.is_for_hearing_impaired);
    let is_first = tracks.iter().take(index).all(|earlier| viewers(earlier) != viewers(track));
    let is_automatic = track.is_default || (track.language.is_some() && is_first);
    let yes_no = |flag| if flag { "YES" } else { "NO" };
    let language = track.language.as_ref().map(|tag| format!(",LANGUAGE=\"{tag}\"")).unwrap_or_default();
    let accessible = if track.is_for_hearing_impaired { CHARACTERISTICS } else { "" };
    Some(format!(
        "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"subtitles\",NAME=\"{}\"{language},DEFAULT={},AUTOSELECT={},FORCED={}{accessible},URI=\"{}\"\n",
        track.label.replace('"', "'"),
        yes_no(track.is_default),
        yes_no(is_automatic),
        yes_no(track.is_forced),
        MediaFile::SubtitlePlaylist(track.number).local_name()
    ))
}

/// Returns the attribute by which Apple's players compare renditions in several codecs. Without it they compare bit
/// rates, and would prefer the same picture in H.264, whose rate is higher.
fn score(rendition: &Rendition) -> String {
    let RenditionName { height, codec } = rendition.name;
    let half = if codec == VideoCodec::H264 { 0 } else { 5 };
    format!(",SCORE={height}.{half}")
}

fn entry(
    rendition: &Rendition,
    score: &str,
    Choices { sounds, subtitles, has_closed_captions }: Choices<'_>,
) -> String {
    let Rendition { name, width, height, bit_rates, codec, frame_rate, .. } = rendition;
    let sound = sounds.of(rendition);
    let BitRates { peak, average } = bit_rates.with(sound.map_or_else(BitRates::default, |(_, rates)| rates));
    let sound_codec = if sound.is_some() { ",mp4a.40.2" } else { "" };
    let group = sound.map(|(id, _)| format!(",AUDIO=\"{id}\"")).unwrap_or_default();
    let subtitles = if subtitles.is_empty() { "" } else { ",SUBTITLES=\"subtitles\"" };
    let closed_captions = match (has_closed_captions, rendition.is_h264()) {
        (false, _) => ",CLOSED-CAPTIONS=NONE",
        (true, true) => ",CLOSED-CAPTIONS=\"captions\"",
        // Only the encoder of H.264 passes them on. Their text is also a subtitle track.
        (true, false) => "",
    };
    format!(
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{codec}{sound_codec}\",\
         RESOLUTION={width}x{height},FRAME-RATE={frame_rate:.3},VIDEO-RANGE=SDR{score}{group}{subtitles}{closed_captions}\n{}\n",
        MediaFile::Playlist(*name).local_name()
    )
}

fn keyframe_entry(rendition: &Rendition, score: &str) -> String {
    let Rendition { name, width, height, keyframe_bit_rates: BitRates { peak, average }, codec, .. } = rendition;
    format!(
        "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{codec}\",\
         RESOLUTION={width}x{height},VIDEO-RANGE=SDR{score},URI=\"{}\"\n",
        MediaFile::KeyframePlaylist(*name).local_name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::verify::examples::{in_av1, rendition};
    use proptest::prelude::*;

    #[test]
    fn the_master_playlist_lists_every_rendition_once_and_the_second_rung_first() {
        let text = format(&[rendition(1080), rendition(720), rendition(360)], Choices::default());
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(names, ["720p.m3u8", "1080p.m3u8", "360p.m3u8"]);
        assert!(
            text.contains("RESOLUTION=1280x720,FRAME-RATE=29.970,VIDEO-RANGE=SDR,CLOSED-CAPTIONS=NONE\n"),
            "{text}"
        );
        assert!(text.contains("CODECS=\"avc1.64001F\","), "{text}");
        assert_eq!(text.matches("I-FRAME-STREAM-INF:BANDWIDTH=200,AVERAGE-BANDWIDTH=100").count(), 3);
        assert!(text.ends_with("URI=\"360p-keyframes.m3u8\"\n"));
    }

    #[test]
    fn renditions_in_another_codec_follow_those_in_h264_and_score_higher() {
        let renditions = [rendition(720), rendition(360), in_av1(720), in_av1(360)];
        let text = format(&renditions, Choices::default());
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(names, ["360p.m3u8", "720p.m3u8", "720p-av1.m3u8", "360p-av1.m3u8"]);
        assert!(text.contains("CODECS=\"av01.0.05M.08\",RESOLUTION=1280x720,"), "{text}");
        for score in ["SCORE=720.0,", "SCORE=720.5,", "SCORE=360.0,", "SCORE=360.5,"] {
            assert_eq!(text.matches(score).count(), 2, "{text}");
        }
        assert!(text.ends_with("URI=\"360p-av1-keyframes.m3u8\"\n"));
        let single = format(&[rendition(180), in_av1(180)], Choices::default());
        assert!(single.lines().find(|line| !line.starts_with('#')) == Some("180p.m3u8"), "{single}");
    }

    #[test]
    fn another_codec_has_no_closed_captions_in_its_pictures() {
        let choices = Choices { has_closed_captions: true, ..Choices::default() };
        let text = format(&[rendition(360), in_av1(360)], choices);
        assert_eq!(text.matches(",CLOSED-CAPTIONS=").count(), 1);
        assert!(text.contains(",SCORE=360.5\n360p-av1.m3u8\n"), "{text}");
    }

    #[test]
    fn all_renditions_share_one_sound_and_their_rates_include_it() {
        let sounds = Sounds { usual: Some(BitRates { peak: 160, average: 128 }), low: None };
        let text = format(&[rendition(90)], Choices { sounds, ..Choices::default() });
        assert_eq!(text.matches("TYPE=AUDIO").count(), 1);
        assert!(text.contains("STREAM-INF:BANDWIDTH=2160,AVERAGE-BANDWIDTH=1128,CODECS=\"avc1.64001F,mp4a.40.2\","));
        assert!(text.contains("AUDIO=\"sound\",CLOSED-CAPTIONS=NONE\n90p.m3u8\n"));
    }

    #[test]
    fn the_rendition_for_poor_connections_has_a_sound_of_its_own() {
        let rates = |average| Some(BitRates { peak: average + 10, average });
        let sounds = Sounds { usual: rates(160), low: rates(48) };
        let text = format(&[rendition(360), rendition(240)], Choices { sounds, ..Choices::default() });
        assert_eq!(text.matches("TYPE=AUDIO").count(), 2);
        assert!(text.contains("BANDWIDTH=2058,AVERAGE-BANDWIDTH=1048,"), "{text}");
        assert!(
            text.contains(",AUDIO=\"sound-low\",CLOSED-CAPTIONS=NONE\n240p.m3u8\n")
                && text.contains(",AUDIO=\"sound\",CLOSED-CAPTIONS=NONE\n360p.m3u8\n")
        );
    }

    fn track(number: u32, language: Option<&str>) -> SubtitleTrack {
        SubtitleTrack {
            number,
            language: language.map(str::to_owned),
            label: format!("Track {number}"),
            is_default: false,
            is_forced: false,
            is_for_hearing_impaired: false,
        }
    }

    #[test]
    fn subtitles_are_a_group_of_every_rendition() {
        let mut tracks = [track(1, Some("en")), track(2, Some("en")), track(3, None)];
        tracks[0].is_default = true;
        tracks[1].is_forced = true;
        tracks[2].is_for_hearing_impaired = true;
        let text = format(&[rendition(720), rendition(360)], Choices { subtitles: &tracks, ..Choices::default() });
        assert_eq!(text.matches(",SUBTITLES=\"subtitles\",CLOSED-CAPTIONS=NONE\n").count(), 2);
        for line in [
            "NAME=\"Track 1\",LANGUAGE=\"en\",DEFAULT=YES,AUTOSELECT=YES,FORCED=NO,URI=\"subtitles-1.m3u8\"\n",
            "NAME=\"Track 2\",LANGUAGE=\"en\",DEFAULT=NO,AUTOSELECT=YES,FORCED=YES,URI=\"subtitles-2.m3u8\"\n",
            "NAME=\"Track 3\",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,CHARACTERISTICS=\"public.accessibility.",
        ] {
            assert!(text.contains(&format!("#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"subtitles\",{line}")), "{text}");
        }
    }

    #[test]
    fn a_second_track_for_the_same_viewers_is_not_chosen_automatically() {
        let tracks = [track(1, Some("en")), track(2, Some("en"))];
        let text = format(&[rendition(360)], Choices { subtitles: &tracks, ..Choices::default() });
        assert_eq!((text.matches("AUTOSELECT=YES").count(), text.matches("AUTOSELECT=NO").count()), (1, 1));
    }

    fn any_tracks() -> impl Strategy<Value = Vec<SubtitleTrack>> {
        let flags = (any::<bool>(), any::<bool>(), any::<bool>());
        let track = (proptest::option::of("[a-z]{2}(-[A-Z]{2})?"), "[a-zA-Zé,=' ()]{1,20}", flags);
        proptest::collection::vec(track, 0..5).prop_map(|tracks| {
            let track = |(number, (language, label, flags)): (u32, (_, _, (bool, bool, bool)))| SubtitleTrack {
                number,
                language,
                label,
                is_default: flags.0,
                is_forced: flags.1,
                is_for_hearing_impaired: flags.2,
            };
            (1..).zip(tracks).map(track).collect()
        })
    }

    proptest! {
        /// A playlist whose subtitles are replaced is the one that would have been written with them at once.
        #[test]
        fn other_subtitles_change_nothing_else(before in any_tracks(), after in any_tracks(), has_closed_captions: bool) {
            let sounds = Sounds { usual: Some(BitRates { peak: 160, average: 128 }), low: None };
            let with = |subtitles| {
                let choices = Choices { sounds, subtitles, has_closed_captions };
                format(&[rendition(720), rendition(360), in_av1(720)], choices)
            };
            prop_assert_eq!(subtitle_tracks(&with(&before)), before.clone());
            prop_assert_eq!(with_subtitles(&with(&before), &after), with(&after));
        }
    }

    #[test]
    fn a_playlist_that_says_nothing_about_closed_captions_gets_the_group_too() {
        let old = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n360p.m3u8\n";
        let text = with_subtitles(old, &[track(1, Some("en"))]);
        assert!(text.contains("#EXT-X-STREAM-INF:BANDWIDTH=1,SUBTITLES=\"subtitles\"\n360p.m3u8\n"), "{text}");
        assert_eq!(with_subtitles(&text, &[]), old);
    }

    #[test]
    fn closed_captions_inside_the_pictures_are_declared() {
        let text = format(&[rendition(360)], Choices { has_closed_captions: true, ..Choices::default() });
        assert!(
            text.contains("TYPE=CLOSED-CAPTIONS,GROUP-ID=\"captions\",NAME=\"CC1\",INSTREAM-ID=\"CC1\"\n"),
            "{text}"
        );
        assert!(text.contains(",CLOSED-CAPTIONS=\"captions\"\n360p.m3u8\n"), "{text}");
    }
}
