//! The thumbnail picture of an upload. It is small, so it is held in memory; its format is recognised by its bytes.

use crate::base::refusal::Refusal;
use contract::FormField;
use contract::limits::MAX_THUMBNAIL_BYTES;
use contract::mistake::{not_a_picture, too_large_picture};
use probe::PictureFormat;

const NAME: &str = FormField::ThumbnailFile.name();

#[derive(Debug, Default)]
pub(crate) struct Thumbnail {
    bytes: Vec<u8>,
    /// Whether the form part has a file name. Without one, it may be the name of the picture instead of the picture.
    is_file: bool,
}

impl Thumbnail {
    pub(crate) fn new(is_file: bool) -> Self {
        Self { bytes: Vec::new(), is_file }
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.bytes.len() + bytes.len() > MAX_THUMBNAIL_BYTES {
            return Err(refusal(too_large_picture(NAME, MAX_THUMBNAIL_BYTES)));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the memory that the picture takes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Returns the bytes without checking them.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the picture if it begins like one. The origin decodes it later and can still refuse it.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Refusal> {
        match PictureFormat::of(&self.bytes) {
            Some(_) => Ok(self.bytes),
            None => Err(refusal(not_a_picture(NAME, &self.bytes, self.is_file))),
        }
    }
}

fn refusal(detail: String) -> Refusal {
    Refusal::of_field(FormField::ThumbnailFile).with_detail(detail)
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
