//! Compares the parser with a model that is too simple to be wrong: it splits the whole body at each delimiter.
//!
//! The scanner must return the same parts as the model for every body it accepts. Every name that the parser returns
//! must be non-empty and without line breaks. The input is the body; its boundary is `b`.

#![no_main]

#[path = "../../tests/support/transcript.rs"]
mod transcript;

use libfuzzer_sys::fuzz_target;
use multipart::{Boundary, Caps};
use transcript::{read_form, read_scan};

const DELIMITER: &[u8] = b"\r\n--b";

fuzz_target!(|body: &[u8]| {
    let boundary = Boundary::from_content_type("multipart/form-data; boundary=b").expect("a valid boundary");
    let scan = read_scan(&boundary, Caps::default(), [body]);
    if scan.outcome.is_ok() {
        let scanned: Vec<_> = scan.parts.into_iter().map(|part| (part.head, part.content)).collect();
        assert_eq!(Some(scanned), split_form(body));
    }
    let form = read_form(&boundary, Caps::default(), [body]);
    if form.outcome.is_ok() {
        assert!(scan.outcome.is_ok());
        for part in form.parts {
            assert!(part.complete && !part.head.name.is_empty());
            assert!(!part.head.name.contains(['\r', '\n', '\0']));
            assert!(!part.head.filename.unwrap_or_default().contains(['\r', '\n', '\0']));
        }
    }
});

/// Returns the header lines and content of each part, or `None` if the body is not a form.
fn split_form(body: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let body = [b"\r\n", body].concat();
    let mut pieces = split(&body, DELIMITER).into_iter().skip(1);
    let mut parts = Vec::new();
    loop {
        let piece = pieces.next()?;
        if piece.starts_with(b"--") {
            return Some(parts);
        }
        piece.strip_prefix(b"\r\n")?;
        let headers_end = piece.windows(4).position(|window| window == b"\r\n\r\n")?;
        let headers = piece.get(2..headers_end + 2).unwrap_or_default();
        parts.push((headers.to_vec(), piece[headers_end + 4..].to_vec()));
    }
}

fn split<'a>(text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while at + separator.len() <= text.len() {
        if text[at..].starts_with(separator) {
            pieces.push(&text[start..at]);
            at += separator.len();
            start = at;
        } else {
            at += 1;
        }
    }
    pieces.push(&text[start..]);
    pieces
}
