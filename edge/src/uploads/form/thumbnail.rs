//! The thumbnail picture of an upload. It is small, so it is held in memory; its format is recognised by its bytes.

use crate::base::refusal::Refusal;
use contract::FormField;
use contract::limits::MAX_THUMBNAIL_BYTES;
use probe::PictureFormat;

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

    /// Returns the picture if it begins like one. The origin decodes it later and can still refuse it.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Refusal> {
        PictureFormat::of(&self.0).map(|_| self.0).ok_or_else(refusal)
    }
}

fn refusal() -> Refusal {
    Refusal::of_field(FormField::ThumbnailFile)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_picture_of_a_known_format_is_accepted() {
        for (bytes, is_accepted) in [(&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], true), (b"GIF89a", false), (b"", false)] {
            let mut thumbnail = Thumbnail::default();
            thumbnail.append(bytes).unwrap();
            assert_eq!(thumbnail.finish().is_ok(), is_accepted, "{bytes:?}");
        }
    }

    #[test]
    fn one_byte_over_the_limit_is_refused_at_once() {
        let mut thumbnail = Thumbnail::default();
        thumbnail.append(&vec![0; MAX_THUMBNAIL_BYTES]).unwrap();
        assert!(thumbnail.append(&[0]).is_err());
    }
}
