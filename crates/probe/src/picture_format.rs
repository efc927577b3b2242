//! The picture formats that are recognised by their bytes: JPEG, PNG and WebP.

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    Jpeg,
    Png,
    WebP,
}

impl PictureFormat {
    /// Recognises a format by the first twelve bytes of a file. The rest may still be damaged.
    pub fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [b'\x89', b'P', b'N', b'G', b'\r', b'\n', b'\x1A', b'\n', ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Returns the name that people know the format by.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "JPEG",
            Self::Png => "PNG",
            Self::WebP => "WebP",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jpeg_png_and_webp_are_recognised_by_their_bytes() {
        for (start, name) in [
            (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], "JPEG"),
            (b"\x89PNG\r\n\x1a\n\0\0", "PNG"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "WebP"),
        ] {
            assert_eq!(PictureFormat::of(start).map(PictureFormat::name), Some(name));
        }
        for other in
            [&b"GIF89a"[..], b"RIFF\0\0\0\0AVI ", b"RIFX\0\0\0\0WEBP", b"", b"<svg", b"\xff\xd8", b"\x89PNG\r\n\x1a"]
        {
            assert_eq!(PictureFormat::of(other), None, "{other:?}");
        }
    }
}
