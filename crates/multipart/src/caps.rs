//! The limits of a body, and what would break without each of them.
//!
//! Real clients stay far below these limits. They bound the work and memory of a request in advance. This module must
//! not depend on the user's plan or the size of the file: the caller limits those.

/// Longer than any text that a mail library puts before the first part. Without this limit, a body without its boundary
/// would be read to the end before it is refused.
const MAX_PREAMBLE_BYTES: usize = 1024;

/// Enough for a few line ends or a note. Without this limit, a finished upload could be kept open indefinitely.
const MAX_EPILOGUE_BYTES: usize = 4096;

/// Three headers of a real client take about 200 bytes, and a percent-encoded file name of 255 bytes takes 800. This is
/// the parser's largest buffer, so it determines the memory of one upload.
const MAX_HEADER_BYTES: usize = 4096;

/// Eight times the headers of a form with every field, and enough for a few very long file names. Without this limit,
/// 32 parts could have 128 KiB of headers, and a caller that reserves memory for the rest of a form would have to
/// reserve that much.
const MAX_TOTAL_HEADER_BYTES: usize = 32 * 1024;

/// Real clients send up to four. Without this limit, 4 KiB could hold a thousand headers.
const MAX_HEADERS: usize = 8;

/// Enough for all fields of the upload form, captions in eight languages, and some fields that are ignored. Without
/// this limit, the caller would have to handle a part for every few dozen bytes of a hostile body.
const MAX_PARTS: usize = 32;

/// The maximum number of parameters of one `Content-Disposition`. All pairs are compared to find duplicates, so it must
/// be small.
pub const MAX_PARAMETERS: usize = 8;

/// The longest text of a form field that is held in memory. Files are streamed instead.
pub const MAX_FIELD_TEXT_BYTES: usize = 64 * 1024;

/// The limits of one parser. Production uses `Caps::default()`; tests use smaller limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Bytes before the first boundary.
    pub preamble_bytes: usize,
    /// Bytes after the closing boundary.
    pub epilogue_bytes: usize,
    /// Bytes of one part's headers, including line ends.
    pub header_bytes: usize,
    /// Bytes of the headers of all parts together, including line ends.
    pub total_header_bytes: usize,
    /// Headers per part.
    pub headers: usize,
    /// Parts per body.
    pub parts: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            preamble_bytes: MAX_PREAMBLE_BYTES,
            epilogue_bytes: MAX_EPILOGUE_BYTES,
            header_bytes: MAX_HEADER_BYTES,
            total_header_bytes: MAX_TOTAL_HEADER_BYTES,
            headers: MAX_HEADERS,
            parts: MAX_PARTS,
        }
    }
}
