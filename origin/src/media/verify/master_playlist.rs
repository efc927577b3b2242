//! Formats the master playlist, which lists the renditions. Pure.

use super::rendition::Rendition;

const HEADER: &str = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n";

/// The second rung comes first, because players start with the first one listed: this one starts fast and looks good.
pub(super) fn format(renditions: &[Rendition]) -> String {
    let mut order: Vec<&Rendition> = renditions.iter().collect();
    if order.len() > 1 {
        order.swap(0, 1);
    }
    order.into_iter().fold(HEADER.to_owned(), |text, rendition| text + &entry(rendition))
}

fn entry(rendition: &Rendition) -> String {
    format!(
        "#EXT-X-STREAM-INF:BANDWIDTH={},AVERAGE-BANDWIDTH={},CODECS=\"{}\",RESOLUTION={}x{},FRAME-RATE={:.3}\n{}p.m3u8\n",
        rendition.peak_bits_per_second,
        rendition.average_bits_per_second,
        rendition.codecs,
        rendition.width,
        rendition.height,
        rendition.frame_rate,
        rendition.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_master_playlist_lists_every_rendition_once_and_the_second_rung_first() {
        let rendition = |name| Rendition {
            name,
            width: name * 16 / 9,
            height: name,
            peak_bits_per_second: 2,
            average_bits_per_second: 1,
            codecs: "avc1.64001F,mp4a.40.2".into(),
            frame_rate: 29.97,
        };
        let text = format(&[rendition(1080), rendition(720), rendition(360)]);
        let names: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(names, ["720p.m3u8", "1080p.m3u8", "360p.m3u8"]);
        assert!(text.contains("RESOLUTION=1280x720,FRAME-RATE=29.970"));
        assert!(format(&[rendition(90)]).ends_with("90p.m3u8\n"));
    }
}
