//! How much of each thing a body may have, and what would break without the limit.
//!
//! No real client comes near these; they exist so that work and memory per request are known
//! beforehand. It must not know plans or the size of the file: that is the caller's limit.

/// Longer than any sentence that a mail library puts before the first part. Without it a body
/// that never shows its boundary would be read to its end before it is refused.
const MAX_PREAMBLE_BYTES: usize = 1024;

/// A few line ends, or a note. Without it a finished upload could be kept open for ever by
/// bytes that nobody reads.
const MAX_EPILOGUE_BYTES: usize = 4096;

/// Three headers of a real client take about 200 bytes, a 255-byte file name percent-encoded
/// 800. This is the parser's largest buffer, so it is also the price of one upload.
const MAX_HEADER_BYTES: usize = 4096;

/// Real clients send up to four. Without it 4 KiB could hold a thousand headers to look at.
const MAX_HEADERS: usize = 8;

/// Twice the fields of the upload form. Without it a body of empty parts would make the caller
/// do a part's work every few dozen bytes.
const MAX_PARTS: usize = 32;

/// Parameters of one `Content-Disposition`; duplicates are found by comparing all pairs, so the
/// count has to stay small.
pub const MAX_PARAMETERS: usize = 8;

/// The longest text that a form field may carry in memory; a file is streamed instead.
pub const MAX_FIELD_TEXT_BYTES: usize = 64 * 1024;

/// The limits of one parser. `Caps::default()` is what production uses; tests make them smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Bytes before the first boundary.
    pub preamble_bytes: usize,
    /// Bytes after the closing boundary.
    pub epilogue_bytes: usize,
    /// Bytes of one part's headers, with their line ends.
    pub header_bytes: usize,
    /// Headers of one part.
    pub headers: usize,
    /// Parts of one body.
    pub parts: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            preamble_bytes: MAX_PREAMBLE_BYTES,
            epilogue_bytes: MAX_EPILOGUE_BYTES,
            header_bytes: MAX_HEADER_BYTES,
            headers: MAX_HEADERS,
            parts: MAX_PARTS,
        }
    }
}
