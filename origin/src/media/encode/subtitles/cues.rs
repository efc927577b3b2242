//! The cues of a subtitle track, from the SubRip file that ffmpeg writes. Pure.
//!
//! The text is a stranger's. Whatever it contains, the result is a bounded list of cues of visible text.

use contract::subtitles::DropReason;

/// A clip of two minutes has at most a few hundred.
const MAX_CUES: usize = 2_000;

/// Far more than fits on a screen.
const MAX_CUE_CHARACTERS: usize = 2_000;

/// A text, and when it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cue {
    pub(super) start_ms: u64,
    pub(super) end_ms: u64,
    /// At least one line, none of them empty.
    pub(super) lines: Vec<String>,
}

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
            cue.lines.extend(visible(line));
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

/// Keeps what is shown within the video, in the order of time.
pub(super) fn tidy(cues: Vec<Cue>, seconds: f64) -> Result<Vec<Cue>, DropReason> {
    let end_ms = crate::media::units::milliseconds(seconds);
    let within = |mut cue: Cue| {
        cue.end_ms = cue.end_ms.min(end_ms);
        (cue.start_ms < cue.end_ms && !cue.lines.is_empty()).then_some(cue)
    };
    let mut cues: Vec<Cue> = cues.into_iter().filter_map(within).collect();
    cues.sort_by_key(|cue| (cue.start_ms, cue.end_ms));
    let characters = |cue: &Cue| cue.lines.iter().map(|line| line.chars().count()).sum::<usize>();
    if cues.len() > MAX_CUES || cues.iter().any(|cue| characters(cue) > MAX_CUE_CHARACTERS) {
        return Err(DropReason::TooLarge);
    }
    if cues.is_empty() { Err(DropReason::Empty) } else { Ok(cues) }
}

/// Parses `00:00:01,000 --> 00:00:02,500`, possibly followed by a position.
fn parse_times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once(" --> ")?;
    let end = rest.split_whitespace().next()?;
    Some((parse_time(start)?, parse_time(end)?))
}

fn parse_time(text: &str) -> Option<u64> {
    let (clock, milliseconds) = text.split_once(',')?;
    let fields: Vec<u64> = clock.split(':').map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = fields.as_slice() else {
        return None;
    };
    let whole = hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?.checked_add(*seconds)?;
    whole.checked_mul(1000)?.checked_add(milliseconds.parse().ok()?)
}

/// Returns the line without the characters that a viewer does not see, or `None` if nothing is left.
fn visible(line: &str) -> Option<String> {
    let text: String = line.chars().filter(|character| !is_hidden(*character)).collect();
    let text = text.trim();
    (!text.is_empty() && !is_drawing(text)).then(|| text.to_owned())
}

/// Control characters, line separators, byte order marks, and overrides of the direction, which make a text look like
/// another. Marks that join or separate letters stay, because many scripts need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202D}' | '\u{202E}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFC}')
        || matches!(character, '\u{E0000}'..='\u{E007F}')
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
        assert_eq!(line("a\u{0}\u{7f}\u{85}b\u{feff}\u{202e}c\t"), ["abc"]);
        assert_eq!(line("می\u{200c}خواهم"), ["می\u{200c}خواهم"]);
        assert_eq!(line("m 0 0 l 100 0 100.5 50 0 50"), [""; 0]);
        assert_eq!(line("m 5"), ["m 5"]);
        assert_eq!(line(" \u{2028} "), [""; 0]);
    }

    #[test]
    fn only_what_is_shown_within_the_video_is_kept_in_order() {
        let cues = vec![
            cue(9000, 20_000, &["late"]),
            cue(10_000, 11_000, &["after the end"]),
            cue(1000, 1000, &["never"]),
            cue(0, 500, &["first"]),
            cue(2000, 3000, &[]),
        ];
        assert_eq!(tidy(cues, 10.0), Ok(vec![cue(0, 500, &["first"]), cue(9000, 10_000, &["late"])]));
    }

    #[test]
    fn cues_move_to_the_beginning_of_the_outputs() {
        assert_eq!(moved(vec![cue(1000, 2500, &["a"])], 1.4), [cue(0, 1100, &["a"])]);
    }

    #[test]
    fn a_track_without_text_or_with_far_too_much_is_dropped() {
        assert_eq!(tidy(Vec::new(), 10.0), Err(DropReason::Empty));
        assert_eq!(tidy(vec![cue(0, 1, &["a"]); MAX_CUES + 1], 10.0), Err(DropReason::TooLarge));
        let long = "a".repeat(MAX_CUE_CHARACTERS + 1);
        assert_eq!(tidy(vec![cue(0, 1, &[&long])], 10.0), Err(DropReason::TooLarge));
    }

    proptest! {
        #[test]
        fn any_text_gives_ordered_cues_of_visible_lines(text in "(1|a|-->|<b>|\\PC|\n|\n\n|00:00:0[0-9],000 --> 00:00:0[0-9],500\n){0,60}") {
            if let Ok(cues) = tidy(parse(&text), 5.0) {
                prop_assert!(cues.is_sorted_by_key(|cue| cue.start_ms));
                for cue in cues {
                    prop_assert!(cue.start_ms < cue.end_ms && cue.end_ms <= 5000);
                    prop_assert!(cue.lines.iter().all(|line| !line.is_empty() && !line.contains(char::is_control)));
                }
            }
        }
    }
}
