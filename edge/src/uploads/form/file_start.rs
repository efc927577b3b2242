//! The first bytes of the file, to explain a text that was sent in its place.

use contract::mistake::{MAX_NAME_BYTES, is_short_text, not_a_file};

#[derive(Debug, Default)]
pub(super) struct FileStart {
    /// Whether the form part has a file name. Then its bytes are those of a file, which the prober explains.
    pub is_file: bool,
    pub bytes: Vec<u8>,
}

impl FileStart {
    /// Keeps one byte more than a name has, which shows that the file is longer.
    pub(super) fn append(&mut self, bytes: &[u8]) {
        let left = (MAX_NAME_BYTES + 1).saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..left).unwrap_or(bytes));
    }

    /// Explains a short text that was sent in place of the file.
    pub(super) fn explain(&self, name: &str) -> Option<String> {
        (!self.is_file && is_short_text(&self.bytes)).then(|| not_a_file(name, &self.bytes, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(is_file: bool, chunks: &[&[u8]]) -> Option<String> {
        let mut start = FileStart { is_file, ..FileStart::default() };
        for chunk in chunks {
            start.append(chunk);
        }
        start.explain("file")
    }

    #[test]
    fn only_a_short_text_without_a_file_name_is_explained() {
        assert!(explained(false, &[b"clip", b".mp4"]).is_some_and(|told| told.contains("`clip.mp4`")));
        assert_eq!(explained(true, &[b"clip.mp4"]), None);
        for chunks in [&[&b"x"[..]; 201][..], &[&[b'x'; 300]], &[b"\0\0\0\x18ftyp"], &[]] {
            assert_eq!(explained(false, chunks), None);
        }
    }
}
