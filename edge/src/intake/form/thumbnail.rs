//! The thumbnail picture of an upload. It is small, so it is held in memory; its format is recognised by its bytes.

use crate::refusal::Refusal;
use contract::ErrorCode;
use contract::limits::MAX_THUMBNAIL_BYTES;

#[derive(Debug, Default)]
pub(crate) struct Thumbnail(Vec<u8>);

impl Thumbnail {
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.0.len() + bytes.len() > MAX_THUMBNAIL_BYTES {
            return Err(refusal());
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the memory that the picture takes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.0.capacity()
    }

    /// Returns the bytes without checking them.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Returns the picture if it is a JPEG, PNG or WebP.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Refusal> {
        if is_picture(&self.0) { Ok(self.0) } else { Err(refusal()) }
    }
}

fn refusal() -> Refusal {
    Refusal::new(ErrorCode::ContentThumbnailInvalid).with_field("thumbnail_file")
}

/// Recognises the format by its first bytes. The origin decodes the picture later and can still refuse it.
fn is_picture(bytes: &[u8]) -> bool {
    let jpeg = bytes.starts_with(b"\xff\xd8\xff");
    let png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    jpeg || png || webp
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(bytes: &[u8]) -> bool {
        let mut thumbnail = Thumbnail::default();
        thumbnail.append(bytes).is_ok() && thumbnail.finish().is_ok()
    }

    #[test]
    fn jpeg_png_and_webp_are_recognised_by_their_bytes() {
        assert!(is_accepted(b"\xff\xd8\xff\xe0\0\x10JFIF"));
        assert!(is_accepted(b"\x89PNG\r\n\x1a\n\0\0"));
        assert!(is_accepted(b"RIFF\0\0\0\0WEBPVP8 "));
        for other in [&b"GIF89a"[..], b"RIFF\0\0\0\0AVI ", b"", b"<svg", b"\xff\xd8"] {
            assert!(!is_accepted(other), "{other:?}");
        }
    }

    #[test]
    fn one_byte_over_the_limit_is_refused_at_once() {
        let mut thumbnail = Thumbnail::default();
        thumbnail.append(&vec![0; MAX_THUMBNAIL_BYTES]).unwrap();
        assert!(thumbnail.append(&[0]).is_err());
    }
}
