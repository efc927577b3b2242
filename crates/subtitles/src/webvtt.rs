//! Formats cues as WebVTT.

use crate::{Cue, timestamp};

/// The second line puts the cues on the timeline of HLS renditions, which begins at zero. Browsers ignore it.
const HEADER: &str = "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n";

/// Returns the document with these cues.
pub fn document(cues: &[Cue]) -> String {
    let cues = cues.iter().map(|Cue { start_ms, end_ms, lines }| {
        format!("\n{} --> {}\n{}\n", timestamp(*start_ms), timestamp(*end_ms), escape(&lines.join("\n")))
    });
    HEADER.to_owned() + &cues.collect::<String>()
}

/// Escapes text that WebVTT could interpret as markup or as the times of a cue.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
}
