//! Arbitrary bodies with an arbitrary `Content-Type` cause no panic, and every split gives the same result.
//!
//! The input is a `Content-Type`, a line feed, and the body.

#![no_main]

#[path = "../../tests/support/splits.rs"]
mod splits;
#[path = "../../tests/support/transcript.rs"]
mod transcript;

use libfuzzer_sys::fuzz_target;
use multipart::{Boundary, Caps};
use splits::{every_split, random_chunks};
use transcript::{read_form, read_scan};

/// Small limits, so that the fuzzer reaches them with short inputs.
const SMALL: Caps = Caps {
    preamble_bytes: 32,
    epilogue_bytes: 16,
    header_bytes: 200,
    total_header_bytes: 300,
    headers: 3,
    parts: 3,
};

fuzz_target!(|input: &[u8]| {
    let Some(end) = input.iter().position(|byte| *byte == b'\n') else {
        return;
    };
    let (content_type, body) = (&input[..end], &input[end + 1..]);
    let Ok(content_type) = std::str::from_utf8(content_type) else {
        return;
    };
    let Ok(boundary) = Boundary::from_content_type(content_type) else {
        return;
    };
    let seed = body.iter().fold(0, |sum: u64, byte| sum.rotate_left(5) ^ u64::from(*byte));
    for caps in [Caps::default(), SMALL] {
        let whole = read_form(&boundary, caps, [body]);
        let whole_scan = read_scan(&boundary, caps, [body]);
        let mut splits = every_split(body);
        splits.push(("by content", random_chunks(body, 40, seed)));
        for (split, chunks) in splits {
            assert_eq!(read_form(&boundary, caps, chunks.clone()), whole, "{split}");
            assert_eq!(read_scan(&boundary, caps, chunks), whole_scan, "{split}");
        }
    }
});
