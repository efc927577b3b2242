//! Whether the bytes of a file are complete, by the file's own structure. Pure.

use std::io::{self, Read, Seek, SeekFrom};

/// Whether the boxes end where the file ends, and one of them is the header. A box without a length is one whose writer
/// was interrupted.
pub(super) fn is_whole_mp4(mut file: impl Read + Seek) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    let (mut position, mut has_header) = (0_u64, false);
    while position < length {
        file.seek(SeekFrom::Start(position))?;
        let mut header = Vec::new();
        file.by_ref().take(16).read_to_end(&mut header)?;
        let Some((size, name)) = parse_box_header(&header) else {
            return Ok(false);
        };
        has_header |= name == b"moov";
        position = position.saturating_add(size);
    }
    Ok(position == length && has_header)
}

/// Returns the size and name of the box that starts with these bytes.
fn parse_box_header(header: &[u8]) -> Option<(u64, &[u8])> {
    let short = u32::from_be_bytes(header.get(..4)?.try_into().ok()?);
    let size = match short {
        1 => u64::from_be_bytes(header.get(8..16)?.try_into().ok()?),
        short => u64::from(short),
    };
    (size >= 8).then_some((size, header.get(4..8)?))
}

pub(super) fn is_whole_jpeg(bytes: &[u8]) -> bool {
    bytes.ends_with(&[0xFF, 0xD9])
}

/// Whether the length in the header is that of the file.
pub(super) fn is_whole_webp(bytes: &[u8]) -> bool {
    let length = bytes.get(4..8).and_then(|length| length.try_into().ok());
    length
        .map(u32::from_le_bytes)
        .and_then(|length| usize::try_from(length).ok())
        .is_some_and(|length| bytes.len() == length.saturating_add(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// Boxes with these names and payload sizes.
    fn mp4(boxes: &[(&[u8; 4], u32)]) -> Vec<u8> {
        let encoded = boxes.iter().flat_map(|(name, payload)| {
            let size = (8 + payload).to_be_bytes();
            let payload = vec![0; *payload as usize];
            [size.to_vec(), name.to_vec(), payload].concat()
        });
        encoded.collect()
    }

    fn is_whole(bytes: &[u8]) -> bool {
        is_whole_mp4(Cursor::new(bytes)).unwrap()
    }

    #[test]
    fn an_mp4_is_whole_and_none_of_its_prefixes_is() {
        let whole = mp4(&[(b"ftyp", 8), (b"mdat", 100), (b"moov", 30)]);
        assert!(is_whole(&whole));
        for length in 0..whole.len() {
            assert!(!is_whole(&whole[..length]), "{length}");
        }
        let mut with_long_box = mp4(&[(b"moov", 8)]);
        with_long_box.extend([0, 0, 0, 1]);
        with_long_box.extend(b"mdat");
        with_long_box.extend(20_u64.to_be_bytes());
        with_long_box.extend([0; 4]);
        assert!(is_whole(&with_long_box));
        assert!(!is_whole(&with_long_box[..with_long_box.len() - 1]));
    }

    #[test]
    fn a_box_whose_length_was_never_written_is_not_whole() {
        let mut interrupted = mp4(&[(b"moov", 8)]);
        interrupted.extend([0, 0, 0, 0]);
        interrupted.extend(b"mdat and so on");
        assert!(!is_whole(&interrupted));
    }

    #[test]
    fn a_truncated_picture_is_not_whole() {
        assert!(is_whole_jpeg(&[0xFF, 0xD8, 0xFF, 0xD9]));
        assert!(!is_whole_jpeg(&[0xFF, 0xD8, 0xFF]));
        let webp = b"RIFF\x06\0\0\0WEBP--";
        assert!(is_whole_webp(webp));
        assert!(!is_whole_webp(&webp[..12]) && !is_whole_webp(b"") && !is_whole_webp(b"RIFF"));
    }
}
