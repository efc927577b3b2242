//! The picture that came with an upload: held in memory, for it is small, and recognised by its bytes.

use crate::error::ApiError;
use contract::ErrorCode;
use contract::limits::MAX_THUMBNAIL_BYTES;

#[derive(Debug, Default)]
pub struct Thumbnail(Vec<u8>);

impl Thumbnail {
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        if self.0.len() + bytes.len() > MAX_THUMBNAIL_BYTES {
            return Err(refusal());
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What came, whatever it is.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The picture, if it is one of the three kinds.
    pub fn finish(self) -> Result<Vec<u8>, ApiError> {
        if is_picture(&self.0) {
            Ok(self.0)
        } else {
            Err(refusal())
        }
    }
}

fn refusal() -> ApiError {
    ApiError::new(ErrorCode::ContentThumbnailInvalid).with_field("thumbnail_file")
}

/// By its first bytes; the origin decodes it and has the last word.
fn is_picture(bytes: &[u8]) -> bool {
    let jpeg = bytes.starts_with(b"\xff\xd8\xff");
    let png = bytes.starts_with(b"\x89PNG\r\n\x1a\n");
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    jpeg || png || webp
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bytes: &[u8]) -> bool {
        let mut thumbnail = Thumbnail::default();
        thumbnail.append(bytes).is_ok() && thumbnail.finish().is_ok()
    }

    #[test]
    fn the_three_kinds_are_known_by_their_bytes() {
        assert!(taken(b"\xff\xd8\xff\xe0\0\x10JFIF"));
        assert!(taken(b"\x89PNG\r\n\x1a\n\0\0"));
        assert!(taken(b"RIFF\0\0\0\0WEBPVP8 "));
        for other in [
            &b"GIF89a"[..],
            b"RIFF\0\0\0\0AVI ",
            b"",
            b"<svg",
            b"\xff\xd8",
        ] {
            assert!(!taken(other), "{other:?}");
        }
    }

    #[test]
    fn one_byte_over_the_limit_is_refused_as_it_arrives() {
        let mut thumbnail = Thumbnail::default();
        thumbnail.append(&vec![0; MAX_THUMBNAIL_BYTES]).unwrap();
        assert!(thumbnail.append(&[0]).is_err());
    }
}
