//! Formats cues as WebVTT, and the playlist that lists the file as one segment. Pure.

use super::cues::Cue;
use contract::MediaFile;

/// The second line puts the cues on the timeline of the renditions, which begins at zero. Browsers ignore it.
const HEADER: &str = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n";

/// Returns the document with these cues.
pub(super) fn document(cues: &[Cue]) -> String {
    let cues = cues.iter().map(|Cue { start_ms, end_ms, lines }| {
        format!("\n{} --> {}\n{}\n", timestamp(*start_ms), timestamp(*end_ms), escape(&lines.join("\n")))
    });
    HEADER.to_owned() + &cues.collect::<String>()
}

/// Returns the HLS playlist of a track.
pub(super) fn playlist(number: u32, seconds: f64) -> String {
    let name = MediaFile::Subtitles(number).to_string();
    let file = name.rsplit('/').next().unwrap_or_default();
    format!(
        "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:{:.0}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:VOD\n\
         #EXTINF:{seconds:.6},\n{file}\n#EXT-X-ENDLIST\n",
        seconds.ceil()
    )
}

/// Escapes what WebVTT could take for markup or for the times of a cue.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn timestamp(ms: u64) -> String {
    let (seconds, ms) = (ms / 1000, ms % 1000);
    format!("{:02}:{:02}:{:02}.{ms:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_never_becomes_markup() {
        let lines = vec!["<b>a</b> & --> ".to_owned(), "NOTE".to_owned()];
        let text = document(&[Cue { start_ms: 61_001, end_ms: 3_600_000, lines }]);
        let expected = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n\n00:01:01.001 --> 01:00:00.000\n\
                        &lt;b&gt;a&lt;/b&gt; &amp; --&gt; \nNOTE\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_playlist_lists_the_file_as_one_segment() {
        let text = playlist(2, 10.5);
        assert!(
            text.contains("#EXT-X-TARGETDURATION:11\n") && text.contains("\n#EXTINF:10.500000,\nsubtitles-2.vtt\n")
        );
        assert!(text.ends_with("#EXT-X-ENDLIST\n"));
    }
}
