//! Values of requests as a response may show them: short, escaped, and never a secret.

use crate::is_bidi_control;

/// The most characters of a value that are shown.
const MAX_SHOWN: usize = 40;

/// The words of keys, tokens, cookies and passwords, in lower case. Those of this service begin with `cg`.
const SECRET_WORDS: [&str; 9] = ["bearer", "basic ", "session", "cookie", "password", "secret", "whsec_", "sk_", "eyj"];

/// A random secret has letters and digits in a run of at least this length. A UUID with hyphens has shorter ones.
const SECRET_RUN: usize = 20;

/// The shortest secret of this service: the end of a resumable upload's address.
const OWN_SECRET_RUN: usize = 40;

/// Returns the value in backticks, without the characters that could change the text around it.
pub fn shown(value: &str) -> String {
    if value.is_empty() {
        return "(empty)".to_owned();
    }
    if is_secret(value) {
        return "(hidden)".to_owned();
    }
    let mut text = "`".to_owned();
    for (count, character) in value.chars().enumerate() {
        if count >= MAX_SHOWN || text.len() > 4 * MAX_SHOWN {
            text.push('…');
            break;
        }
        match character {
            '`' => text.push('\''),
            _ if is_hidden(character) => text.push('\u{fffd}'),
            _ => text.push(character),
        }
    }
    text.push('`');
    text
}

/// Whether the character is invisible, or changes how the characters around it look.
pub(super) fn is_hidden(character: char) -> bool {
    character.is_control()
        || is_bidi_control(character)
        || matches!(character, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

/// Whether the text may contain a key, a token, a cookie or a password.
pub fn is_secret(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| text.contains(word)) || has_own_prefix(&text) || has_random_run(&text)
}

/// Returns a sentence without the words that look like a secret of this service. Unlike in `is_secret`, words such as
/// "session" do not count: a sentence may be about one.
pub fn hide_secrets(text: &str) -> String {
    let hidden = |word: &str| {
        let lower = word.to_ascii_lowercase();
        has_own_prefix(&lower) || lower.contains("whsec_") || has_random_run(&lower) || has_long_run(&lower)
    };
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let bare = word.trim_end_matches(char::is_whitespace);
        if hidden(bare) { word.replacen(bare, "(hidden)", 1) } else { word.to_owned() }
    });
    words.collect()
}

/// Whether the text has the beginning of a key or a token of this service.
fn has_own_prefix(lower: &str) -> bool {
    lower.as_bytes().windows(4).any(|name| matches!(name, [b'c', b'g', b'a'..=b'z', b'_']))
}

/// Whether the text has a run as long as the shortest secret of this service, which may by chance have no digit.
fn has_long_run(text: &str) -> bool {
    text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric()).any(|run| run.len() >= OWN_SECRET_RUN)
}

fn has_random_run(text: &str) -> bool {
    let runs = text.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
    let is_random = |run: &[u8]| {
        let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
        run.len() >= SECRET_RUN && (1..run.len()).contains(&digits)
    };
    runs.into_iter().any(is_random)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_escaped_and_short() {
        for (value, expected) in [
            ("clip.mp4", "`clip.mp4`"),
            ("", "(empty)"),
            ("a`b\u{1b}[2J\n\u{202e}", "`a'b\u{fffd}[2J\u{fffd}\u{fffd}`"),
            ("2027-01-01T00:00:00Z", "`2027-01-01T00:00:00Z`"),
            ("0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60", "`0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60`"),
        ] {
            assert_eq!(shown(value), expected);
        }
        assert_eq!(shown(&"x".repeat(41)), format!("`{}…`", "x".repeat(40)));
        assert!(shown(&"日".repeat(1_000)).chars().count() <= MAX_SHOWN + 3);
    }

    #[test]
    fn a_secret_is_never_shown() {
        for secret in [
            "cgk_0c4Rabcd",
            "x cgt_abc",
            "CGD_1",
            "Bearer abc",
            "__Host-session=abc",
            "whsec_MfKQ",
            "sk_live_1",
            "eyJhbGciOi",
            "0c4Rk2v9Qx7Lm3Tz8Wp5Yb1N",
            "Basic dXNlcg==",
        ] {
            assert_eq!(shown(secret), "(hidden)", "{secret}");
        }
        for plain in ["holiday_2027_in_the_mountains.mp4", "17999999990000000000000", "super_category_id"] {
            assert!(!is_secret(plain), "{plain}");
        }
    }

    #[test]
    fn only_the_words_of_a_sentence_that_look_like_a_secret_are_hidden() {
        let (letters, mixed) = ("q".repeat(40), "0c4Rk2v9Qx7Lm3Tz8Wp5Yb1N");
        for (text, expected) in [
            ("curl/8.5.0", "curl/8.5.0".to_owned()),
            ("Sign in again: the session has ended.", "Sign in again: the session has ended.".to_owned()),
            ("app/1 key=cgk_0c4R  (x)", "app/1 (hidden)  (x)".to_owned()),
            ("\tCGD_1\nb", "\t(hidden)\nb".to_owned()),
            (&format!("a/{letters} b"), "(hidden) b".to_owned()),
            (&format!("`{mixed}`"), "(hidden)".to_owned()),
            ("whsec_a+b", "(hidden)".to_owned()),
            ("", String::new()),
        ] {
            assert_eq!(hide_secrets(text), expected);
        }
    }
}
