//! Whether the pictures of a file may carry closed captions (CEA-608 or 708).
//!
//! ffprobe does not say. The marker with which ATSC A/53 begins them, in H.264, HEVC and MPEG-2 alike, is found without
//! decoding anything. Other bytes that look like it cost an extraction that finds no text.

use crate::media::MediaError;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The user identifier, and the type of the data.
const MARKER: &[u8] = b"GA94\x03";

const CHUNK_BYTES: usize = 1 << 18;

pub(super) fn may_be_in(path: &Path) -> Result<bool, MediaError> {
    let file = File::open(path).and_then(contains_marker);
    file.map_err(|error| MediaError::io("reading a video", &error))
}

/// Keeps the end of each chunk, because the marker may lie across the boundary.
fn contains_marker(mut bytes: impl Read) -> std::io::Result<bool> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut kept = 0;
    loop {
        let read = bytes.read(buffer.get_mut(kept..).unwrap_or_default())?;
        let filled = buffer.get(..kept + read).unwrap_or_default();
        if read == 0 || memchr::memmem::find(filled, MARKER).is_some() {
            return Ok(read > 0);
        }
        let rest = filled.len().min(MARKER.len() - 1);
        buffer.copy_within(kept + read - rest..kept + read, 0);
        kept = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_is_found_wherever_it_is() {
        let found = |bytes: &[u8]| contains_marker(bytes).unwrap();
        for offset in [0, 7, CHUNK_BYTES - 5, CHUNK_BYTES - 3, CHUNK_BYTES, 2 * CHUNK_BYTES - 6] {
            let mut bytes = vec![b'G'; 3 * CHUNK_BYTES];
            assert!(!found(&bytes));
            bytes[offset..offset + MARKER.len()].copy_from_slice(MARKER);
            assert!(found(&bytes) && !found(&bytes[..offset + 4]), "{offset}");
        }
        assert!(!found(b"") && !found(b"GA9") && found(MARKER));
    }
}
