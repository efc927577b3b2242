//! Formats the master playlist, which lists the renditions. Pure.

use super::rendition::{BitRates, Rendition};
use contract::MediaFile;

const HEADER: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n";

const SOUND_GROUP: &str = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"sound\",NAME=\"Sound\",DEFAULT=YES,AUTOSELECT=YES,\
CHANNELS=\"2\",URI=\"sound.m3u8\"\n";

/// The second rung comes first, because players start with the first one listed: this one starts fast and looks good.
pub(super) fn format(renditions: &[Rendition], sound: Option<BitRates>) -> String {
    let mut order: Vec<&Rendition> = renditions.iter().collect();
    if order.len() > 1 {
        order.swap(0, 1);
    }
    let mut text = HEADER.to_owned();
    if sound.is_some() {
        text += SOUND_GROUP;
    }
    text.extend(order.iter().map(|rendition| entry(rendition, sound)));
    text.extend(order.iter().map(|rendition| keyframe_entry(rendition)));
    text
}

fn entry(rendition: &Rendition, sound: Option<BitRates>) -> String {
    let Rendition { name, width, height, bit_rates, codec, frame_rate, .. } = rendition;
    let BitRates { peak, average } = bit_rates.with(sound.unwrap_or_default());
    let (sound_codec, group) = if sound.is_some() { (",mp4a.40.2", ",AUDIO=\"sound\"") } else { ("", "") };
    format!(
        "#EXT-X-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{codec}{sound_codec}\",\
         RESOLUTION={width}x{height},FRAME-RATE={frame_rate:.3},VIDEO-RANGE=SDR{group}\n{}\n",
        local_name(MediaFile::Playlist(*name))
    )
}

fn keyframe_entry(rendition: &Rendition) -> String {
    let Rendition { name, width, height, keyframe_bit_rates: BitRates { peak, average }, codec, .. } = rendition;
    format!(
        "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH={peak},AVERAGE-BANDWIDTH={average},CODECS=\"{codec}\",\
         RESOLUTION={width}x{height},VIDEO-RANGE=SDR,URI=\"{}\"\n",
        local_name(MediaFile::KeyframePlaylist(*name))
    )
}

/// Returns the name of a file as the master playlist, which is in the same folder, refers to it.
fn local_name(file: MediaFile) -> String {
    let name = file.to_string();
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendition(name: u32) -> Rendition {
        Rendition {
            name,
            width: name * 16 / 9,
            height: name,
            bit_rates: BitRates { peak: 2000, average: 1000 },
            keyframe_bit_rates: BitRates { peak: 200, average: 100 },
            codec: "avc1.64001F".into(),
            frame_rate: 29.97,
        }
    }

    #[test]
    fn the_master_playlist_lists_every_rendition_once_and_the_second_rung_first() {
        let text = format(&[rendition(1080), rendition(720), rendition(360)], None);
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(names, ["720p.m3u8", "1080p.m3u8", "360p.m3u8"]);
        assert!(text.contains("RESOLUTION=1280x720,FRAME-RATE=29.970,VIDEO-RANGE=SDR\n"), "{text}");
        assert!(text.contains("CODECS=\"avc1.64001F\","), "{text}");
        assert_eq!(text.matches("I-FRAME-STREAM-INF:BANDWIDTH=200,AVERAGE-BANDWIDTH=100").count(), 3);
        assert!(text.ends_with("URI=\"360p-keyframes.m3u8\"\n"));
    }

    #[test]
    fn all_renditions_share_one_sound_and_their_rates_include_it() {
        let text = format(&[rendition(90)], Some(BitRates { peak: 160, average: 128 }));
        assert_eq!(text.matches("TYPE=AUDIO").count(), 1);
        assert!(text.contains("STREAM-INF:BANDWIDTH=2160,AVERAGE-BANDWIDTH=1128,CODECS=\"avc1.64001F,mp4a.40.2\","));
        assert!(text.contains("AUDIO=\"sound\"\n90p.m3u8\n"));
    }
}
