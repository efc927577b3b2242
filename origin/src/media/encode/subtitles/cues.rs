//! The cues of a subtitle track, from the SubRip file that ffmpeg writes. Pure.
//!
//! The text is a stranger's. Whatever it contains, the result is a list of cues of visible text, which
//! `subtitles::tidy` bounds.

use subtitles::{Cue, parse_time, visible};

/// Parses a SubRip file. Everything that is not a time belongs to the text of the cue before it.
pub(super) fn parse(text: &str) -> Vec<Cue> {
    let mut cues: Vec<Cue> = Vec::new();
    for line in text.lines() {
        if let Some((start_ms, end_ms)) = parse_times(line) {
            // The line before is the number of this cue.
            if let Some(before) = cues.last_mut() {
                before.lines.pop();
            }
            cues.push(Cue { start_ms, end_ms, lines: Vec::new() });
        } else if let Some(cue) = cues.last_mut() {
            cue.lines.extend(shown(line));
        }
    }
    cues
}

/// Moves cues to a timeline that begins at this time, in seconds.
pub(super) fn moved(mut cues: Vec<Cue>, begin: f64) -> Vec<Cue> {
    let begin_ms = crate::media::units::milliseconds(begin);
    for cue in &mut cues {
        cue.start_ms = cue.start_ms.saturating_sub(begin_ms);
        cue.end_ms = cue.end_ms.saturating_sub(begin_ms);
    }
    cues
}

/// Parses `00:00:01,000 --> 00:00:02,500`, possibly followed by a position.
fn parse_times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once(" --> ")?;
    let end = rest.split_whitespace().next()?;
    Some((parse_time(start)?, parse_time(end)?))
}

/// Returns the line as a viewer sees it, or `None` if that is nothing.
fn shown(line: &str) -> Option<String> {
    visible(line).filter(|text| !is_drawing(text))
}

/// Whether this is a shape of an ASS file, such as `m 0 0 l 100 0 100 50`, and not a text.
fn is_drawing(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    words.next() == Some("m")
        && text.split_whitespace().count() >= 6
        && words.all(|word| is_number(word) || ["m", "n", "l", "b", "s", "p", "c"].contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::subtitles::tidy;
    use proptest::prelude::*;

    fn cue(start_ms: u64, end_ms: u64, lines: &[&str]) -> Cue {
        Cue { start_ms, end_ms, lines: lines.iter().copied().map(str::to_owned).collect() }
    }

    #[test]
    fn cues_are_parsed_with_their_times() {
        let text =
            "1\n00:00:01,000 --> 00:00:02,500\nHello\nworld\n\n2\n01:00:00,001 --> 01:00:01,000  X1:10 Y1:20\n5\n\n";
        assert_eq!(parse(text), [cue(1000, 2500, &["Hello", "world"]), cue(3_600_001, 3_601_000, &["5"])]);
    }

    #[test]
    fn text_after_an_empty_line_belongs_to_the_same_cue() {
        let text = "1\n00:00:01,000 --> 00:00:02,000\nabove\n\nbelow\n\n2\n00:00:03,000 --> 00:00:04,000\nnext\n";
        assert_eq!(parse(text), [cue(1000, 2000, &["above", "below"]), cue(3000, 4000, &["next"])]);
    }

    #[test]
    fn hidden_characters_and_drawings_are_removed() {
        let line = |text: &str| parse(&format!("1\n00:00:00,000 --> 00:00:01,000\n{text}\n")).remove(0).lines;
        assert_eq!(line("a\u{0}b\t"), ["ab"]);
        assert_eq!(line("m 0 0 l 100 0 100.5 50 0 50"), [""; 0]);
        assert_eq!(line("m 5"), ["m 5"]);
        assert_eq!(line(" \u{2028} "), [""; 0]);
    }

    #[test]
    fn cues_move_to_the_beginning_of_the_outputs() {
        assert_eq!(moved(vec![cue(1000, 2500, &["a"])], 1.4), [cue(0, 1100, &["a"])]);
    }

    proptest! {
        #[test]
        fn any_text_gives_ordered_cues_of_visible_lines(text in "(1|a|-->|<b>|\\PC|\n|\n\n|00:00:0[0-9],000 --> 00:00:0[0-9],500\n){0,60}") {
            if let Ok(cues) = tidy(parse(&text), 5000) {
                prop_assert!(cues.is_sorted_by_key(|cue| cue.start_ms));
                for cue in cues {
                    prop_assert!(cue.start_ms < cue.end_ms && cue.end_ms <= 5000);
                    prop_assert!(cue.lines.iter().all(|line| !line.is_empty() && !line.contains(char::is_control)));
                }
            }
        }
    }
}
