//! Untrusted subtitle files, reduced to plain text and times.
//!
//! `parse` reads WebVTT and SubRip, `tidy` bounds what was read, and `document` writes it as plain WebVTT, without
//! styles, positions, markup or hidden characters. The Worker does this before it stores a file, a client before it
//! sends one, and an origin again before it publishes one. It must not depend on IO, nor on what the subtitles are for.

mod cue;
mod file;
mod markup;
mod time;
mod webvtt;

pub use cue::{Cue, MAX_CUES, plain_text, tidy, visible};
pub use file::parse;
pub use time::{parse_time, timestamp};
pub use webvtt::document;

/// Returns a file as plain WebVTT up to `end_ms`. Returns `None` if nothing is left, or it is far too much or longer
/// than `max_bytes`.
pub fn rewritten(file: &[u8], end_ms: u64, max_bytes: usize) -> Option<String> {
    let cues = tidy(parse(file)?, end_ms).ok()?;
    Some(document(&cues)).filter(|text| text.len() <= max_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_rewritten_unless_nothing_or_too_much_is_left_of_it() {
        let file = b"1\n00:00:01,000 --> 00:00:09,000\n<i>Hello</i>\n";
        let text = document(&[Cue { start_ms: 1_000, end_ms: 2_000, lines: vec!["Hello".to_owned()] }]);
        assert_eq!(rewritten(file, 2_000, text.len()).as_ref(), Some(&text));
        assert_eq!(rewritten(file, 2_000, text.len() - 1), None);
        assert_eq!((rewritten(file, 1_000, 100), rewritten(b"\xff", 1_000, 100)), (None, None));
    }
}
