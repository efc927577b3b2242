//! A cue, and the rules that every shown list of cues follows.

use contract::is_bidi_override;
use contract::subtitles::DropReason;

/// A clip of two minutes has at most a few hundred.
pub const MAX_CUES: usize = 2_000;

/// Far more than fits on a screen.
const MAX_CUE_CHARACTERS: usize = 2_000;

/// A text, and when it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue {
    pub start_ms: u64,
    pub end_ms: u64,
    /// The lines as viewers read them, without markup. None of them is empty.
    pub lines: Vec<String>,
}

/// Keeps what is shown before `end_ms`, in chronological order.
pub fn tidy(cues: Vec<Cue>, end_ms: u64) -> Result<Vec<Cue>, DropReason> {
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

/// Returns the text of all cues, a line for each of their lines.
pub fn plain_text(cues: &[Cue]) -> String {
    cues.iter().flat_map(|cue| &cue.lines).flat_map(|line| [line.as_str(), "\n"]).collect()
}

/// Returns the line without the characters that a viewer does not see, or `None` if nothing is left.
pub fn visible(line: &str) -> Option<String> {
    let text: String = line.chars().filter(|character| !is_hidden(*character)).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Whether the character is a control, a line separator, a byte order mark, or a direction override, which makes a text
/// look like another. Marks that join or separate letters stay, because many scripts need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || is_bidi_override(character)
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFC}')
        || matches!(character, '\u{E0000}'..='\u{E007F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(start_ms: u64, end_ms: u64, lines: &[&str]) -> Cue {
        Cue { start_ms, end_ms, lines: lines.iter().copied().map(str::to_owned).collect() }
    }

    #[test]
    fn hidden_characters_are_removed() {
        assert_eq!(visible("a\u{0}\u{7f}\u{85}b\u{feff}\u{202e}c\t").as_deref(), Some("abc"));
        assert_eq!(visible("می\u{200c}خواهم").as_deref(), Some("می\u{200c}خواهم"));
        assert_eq!(visible(" \u{2028} "), None);
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
        let expected = vec![cue(0, 500, &["first"]), cue(9000, 10_000, &["late"])];
        assert_eq!(tidy(cues, 10_000), Ok(expected.clone()));
        assert_eq!(plain_text(&expected), "first\nlate\n");
    }

    #[test]
    fn a_track_without_text_or_with_far_too_much_is_dropped() {
        assert_eq!(tidy(Vec::new(), 10_000), Err(DropReason::Empty));
        assert_eq!(tidy(vec![cue(0, 1, &["a"]); MAX_CUES + 1], 10_000), Err(DropReason::TooLarge));
        assert_eq!(tidy(vec![cue(0, 1, &["a"]); MAX_CUES], 10_000).map(|cues| cues.len()), Ok(MAX_CUES));
        let long = "a".repeat(MAX_CUE_CHARACTERS + 1);
        assert_eq!(tidy(vec![cue(0, 1, &[&long])], 10_000), Err(DropReason::TooLarge));
    }
}
