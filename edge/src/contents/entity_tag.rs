//! The tag by which a client asks whether anything changed since it last asked.
//!
//! Weak: what it stands for is what is told, not its bytes; the advice when to ask again is not part of it.

use crate::error::ApiError;
use crate::hash::sha256_hex;
use serde::Serialize;

/// The tag of what is told.
pub fn tag(told: &impl Serialize) -> Result<String, ApiError> {
    const DIGITS: usize = 32;
    let json = serde_json::to_vec(told).map_err(ApiError::internal)?;
    let digits: String = sha256_hex(&json).chars().take(DIGITS).collect();
    Ok(format!("W/\"{digits}\""))
}

/// Whether an `If-None-Match` header names the tag, compared weakly as RFC 9110 wants it.
pub fn matches(if_none_match: &str, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let mut named = if_none_match.split(',').map(opaque);
    if_none_match.trim() == "*" || named.any(|one| one == opaque(tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_changes_with_what_is_told() {
        let tag = |told: u32| tag(&told).unwrap();
        assert_eq!(tag(1), tag(1));
        assert_ne!(tag(1), tag(2));
        assert_eq!(tag(1).len(), 36);
    }

    #[test]
    fn a_list_a_weak_form_and_a_star_match() {
        let tag = "W/\"ab\"";
        for header in ["W/\"ab\"", "\"ab\"", " \"x\", W/\"ab\" ", "*"] {
            assert!(matches(header, tag), "{header}");
        }
        for header in ["", "ab", "\"abc\"", "\"a\",\"b\"", "W/"] {
            assert!(!matches(header, tag), "{header}");
        }
    }
}
