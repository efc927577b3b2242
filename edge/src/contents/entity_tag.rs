//! Entity tags, with which a client asks whether a response has changed since its last request.
//!
//! The tags of JSON responses are weak: they identify the meaning of a response, not its bytes, and ignore the poll
//! advice. The tags of files and pages are strong: they identify the bytes.

use crate::base::refusal::Refusal;
use crate::people::auth::hash::sha256_hex;
use serde::Serialize;

/// Returns the weak tag of a response.
pub(crate) fn weak(answer: &impl Serialize) -> Result<String, Refusal> {
    let json = serde_json::to_vec(answer).map_err(Refusal::internal)?;
    Ok(format!("W/{}", quoted_hash(&json)))
}

/// Returns the strong tag of the bytes that the text identifies.
pub(crate) fn strong(text: &str) -> String {
    quoted_hash(text.as_bytes())
}

fn quoted_hash(bytes: &[u8]) -> String {
    const DIGITS: usize = 32;
    let digits: String = sha256_hex(bytes).chars().take(DIGITS).collect();
    format!("\"{digits}\"")
}

/// Whether an `If-None-Match` header contains the tag, by the weak comparison of RFC 9110.
pub(crate) fn matches(if_none_match: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let mut tags = if_none_match.split(',').map(opaque);
    if_none_match.trim() == "*" || tags.any(|one| one == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_changes_with_the_answer() {
        let tag = |answer: u32| weak(&answer).unwrap();
        assert_eq!(tag(1), tag(1));
        assert_ne!(tag(1), tag(2));
        assert_eq!(tag(1).len(), 36);
    }

    #[test]
    fn a_strong_tag_changes_with_the_text() {
        assert_eq!(strong("a"), strong("a"));
        assert_ne!(strong("a"), strong("b"));
        assert!(strong("a").starts_with('"') && strong("a").len() == 34);
    }

    #[test]
    fn a_list_a_strong_or_weak_tag_and_a_star_match() {
        let tag = "W/\"ab\"";
        for header in ["W/\"ab\"", "\"ab\"", " \"x\", W/\"ab\" ", "*"] {
            assert!(matches(header, tag), "{header}");
        }
        for header in ["", "ab", "\"abc\"", "\"a\",\"b\"", "W/"] {
            assert!(!matches(header, tag), "{header}");
        }
    }
}
