//! Values of requests as a response may show them: short, escaped, and never a secret.

use crate::is_bidi_control;

/// The most characters of a value that are shown.
const MAX_SHOWN: usize = 40;

/// The words of keys, tokens, cookies and passwords, in lower case. Those of this service begin with `cg`.
const SECRET_WORDS: [&str; 9] = ["bearer", "basic ", "session", "cookie", "password", "secret", "whsec_", "sk_", "eyj"];

/// A random secret has letters and digits in a run of at least this length. A UUID with hyphens has shorter ones.
const SECRET_RUN: usize = 20;

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
    let is_own = |name: &[u8]| matches!(name, [b'c', b'g', b'a'..=b'z', b'_']);
    SECRET_WORDS.iter().any(|word| text.contains(word))
        || text.as_bytes().windows(4).any(is_own)
        || has_random_run(&text)
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
}
