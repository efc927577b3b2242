//! Makes untrusted text safe to print.

use contract::is_bidi_control;
use std::path::Path;

/// Escapes the characters that would move the cursor, change colours or reverse the direction of the text after them. A
/// file name or a caption may contain any of them.
pub fn printable(text: &str) -> String {
    let is_hidden = |c: char| c.is_control() || is_bidi_control(c);
    let shown = |c: char| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Returns a printable file name. Bytes that are not UTF-8 become replacement characters.
pub fn printable_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
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
}
