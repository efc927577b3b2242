//! Texts of others as a terminal may show them, and hashes in hexadecimal.

use contract::{hexadecimal, is_bidi_control};
use sha2::{Digest, Sha256};
use std::path::Path;

/// Returns the text without characters that would move the cursor, change colours or reverse the direction of the text
/// after them. A file name or a caption may contain any of them.
pub fn printable(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || is_bidi_control(c);
    let shown = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Returns a file name as it may be printed. Bytes that are not UTF-8 become replacement characters.
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

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
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn a_name_cannot_control_the_terminal() {
        assert_eq!(printable("Grüße 世界.mp4"), "Grüße 世界.mp4");
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(printable("\u{202e}4pm.exe"), "\\u{202e}4pm.exe");
        assert_eq!(printable_path(Path::new(OsStr::from_bytes(b"a\xFF.mp4"))), "a\u{fffd}.mp4");
    }

    #[test]
    fn two_lists_of_texts_have_different_hashes() {
        assert_ne!(hexadecimal_sha256(&["ab", "c"]), hexadecimal_sha256(&["a", "bc"]));
        assert_eq!(hexadecimal_sha256(&[]).len(), 64);
    }
}
