//! Hashes texts, for names that must not reveal them.

use contract::hexadecimal;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of texts, each ended by a byte that no text has.
pub(crate) fn hexadecimal_sha256(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
        hash.update([0xFF]);
    }
    hexadecimal(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lists_of_texts_have_different_hashes() {
        assert_ne!(hexadecimal_sha256(&["ab", "c"]), hexadecimal_sha256(&["a", "bc"]));
        assert_eq!(hexadecimal_sha256(&[]).len(), 64);
    }
}
