//! Reads WebVTT and SubRip files.
//!
//! Both are blocks of lines with an empty line between them. A block with a line of times is a cue, and the lines after
//! it are its text. Everything else (the header, comments, styles, regions, numbers) is left out.

use crate::markup::{dereferenced, without_overrides, without_tags};
use crate::{Cue, parse_time, visible};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the cues of a file in its order, with unchecked times. Returns `None` if it is not UTF-8.
pub fn parse(bytes: &[u8]) -> Option<Vec<Cue>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.trim_start_matches(BYTE_ORDER_MARK).replace("\r\n", "\n").replace('\r', "\n");
    let is_webvtt = text.starts_with("WEBVTT");
    let mut cues: Vec<Cue> = Vec::new();
    let mut is_in_cue = false;
    for line in text.lines() {
        if let Some((start_ms, end_ms)) = parse_times(line) {
            cues.push(Cue { start_ms, end_ms, lines: Vec::new() });
            is_in_cue = true;
        } else if line.is_empty() {
            is_in_cue = false;
        } else if let Some(cue) = cues.last_mut().filter(|_| is_in_cue) {
            cue.lines.extend(shown_line(line, is_webvtt));
        }
    }
    Some(cues)
}

/// Returns the line as a viewer reads it. The references are replaced after the tags are gone, so that an escaped tag
/// is text.
fn shown_line(line: &str, is_webvtt: bool) -> Option<String> {
    let line = without_tags(line);
    visible(&if is_webvtt { dereferenced(&line) } else { without_overrides(&line) })
}

/// Parses `00:01.000 --> 00:02,500`, possibly followed by settings.
fn parse_times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    Some((parse_time(start.trim())?, parse_time(rest.split_whitespace().next()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{document, tidy};
    use proptest::prelude::*;

    fn cue(start_ms: u64, end_ms: u64, lines: &[&str]) -> Cue {
        Cue { start_ms, end_ms, lines: lines.iter().copied().map(str::to_owned).collect() }
    }

    #[test]
    fn webvtt_keeps_its_text_and_times_only() {
        let file = "\u{feff}WEBVTT - a title\r\nKind: captions\r\n\r\nSTYLE\r\n::cue{color:url(//evil)}\r\n\r\n\
                    NOTE a\r\ncomment\r\n\r\nintro\r\n00:01.000 --> 00:02.500 line:0 align:start\r\n<v Roger>Hi &amp; \
                    <b>you</b>\r\n\r\nREGION\r\nid:a\r\n\r\n01:00:00.001 --> 01:00:01.000\r\nlast";
        assert_eq!(
            parse(file.as_bytes()).unwrap(),
            [cue(1000, 2500, &["Hi & you"]), cue(3_600_001, 3_601_000, &["last"])]
        );
    }

    #[test]
    fn subrip_keeps_its_text_and_times_only() {
        let file = "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>Hello</i>\nworld &amp;\n\n2\n00:00:03,000 --> \
                    00:00:04,000  X1:10\n5\n";
        assert_eq!(
            parse(file.as_bytes()).unwrap(),
            [cue(1000, 2500, &["Hello", "world &amp;"]), cue(3000, 4000, &["5"])]
        );
    }

    #[test]
    fn what_is_no_text_has_no_cues() {
        assert_eq!(parse(b"\xff\xfe1\0"), None);
        for file in [
            "",
            "WEBVTT",
            "a text",
            "1\n-1:00,000 --> 00:02,000\na\n",
            "00:01,0 --> 00:02,000\na\n",
            "1,000 --> 2,000\na",
            "99999999999999999999:00:00,000 --> 00:02,000\na",
            "0:0:0:1.000 --> 0:0:0:2.000\na",
        ] {
            assert_eq!(parse(file.as_bytes()), Some(Vec::new()), "{file}");
        }
    }

    #[test]
    fn hostile_lines_stay_text() {
        let file =
            "WEBVTT\n\n00:01.000 --> 00:02.000\na\0b\u{202e}c <script src=x>d\n\u{1b}[31m\n&lt;img onerror=x&gt;\n";
        let cues = tidy(parse(file.as_bytes()).unwrap(), 10_000).unwrap();
        assert_eq!(cues, [cue(1000, 2000, &["abc d", "[31m", "<img onerror=x>"])]);
        assert!(document(&cues).ends_with("abc d\n[31m\n&lt;img onerror=x&gt;\n"));
    }

    const PIECES: &str = "(1|a|é|-->|<b>|</|&amp;|&|<|\\{\\\\an8\\}|WEBVTT|NOTE|STYLE|::cue|\u{0}|\u{202e}|\u{feff}|\\PC|\
                          \r|\n|\n\n|00:0[0-9][.,][0-9]{3} --> 00:0[0-9][.,]500\n){0,60}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(512, 20_000)))]

        #[test]
        fn any_text_is_written_as_plain_cues_that_parse_back(text in PIECES) {
            if let Ok(cues) = tidy(parse(text.as_bytes()).unwrap(), 5_000) {
                let written = document(&cues);
                prop_assert_eq!(&parse(written.as_bytes()).unwrap(), &cues);
                for cue in &cues {
                    prop_assert!(cue.start_ms < cue.end_ms && cue.end_ms <= 5_000);
                    prop_assert!(cue.lines.iter().all(|line| !line.is_empty() && !line.contains(char::is_control)));
                }
                let (_, body) = written.split_once("\n\n").unwrap();
                let is_plain = |line: &str| !line.contains('<') && (line.contains(" --> ") == (parse_times(line).is_some()));
                prop_assert!(body.lines().all(is_plain), "{}", written);
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
