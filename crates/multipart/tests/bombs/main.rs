//! Bodies designed to exhaust a parser are refused early, or read in linear time and constant memory.
//!
//! The bodies are streamed, never stored. `cargo test --release … -- --nocapture` prints the figures.

mod counting_allocator;
#[path = "../support/stream.rs"]
mod stream;

use counting_allocator::peak_of;
use multipart::{Caps, FormError};
use std::time::Instant;
use stream::{ParseRun, StreamedBody};

const MIB: usize = 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// The window, the strings of one header block of at most 4 KiB, and the tables of the search. The chunk buffer is
/// subtracted, because the test itself holds it.
const MAX_MEMORY: usize = 32 * 1024;

/// The size that production allows if the code is optimised, otherwise less to keep the test fast.
const LONG: usize = if cfg!(debug_assertions) { 8 * MIB } else { 90 * MIB };

/// Each byte is examined once, plus the length of a delimiter at each chunk border.
const MAX_EXAMINED_PER_BYTE: u64 = 2;

/// A generous allowance for headers, which are examined more often than content.
const EXAMINED_IN_HEADERS: u64 = 1024;

const HEAD: &str = "Content-Disposition: form-data; name=f\r\n\r\n";

/// Returns a body that begins with `start`, repeats a piece for `length` bytes, and has no end.
fn endless(start: &str, repeated: &[u8], length: usize) -> StreamedBody {
    let start = start.as_bytes().to_vec();
    let repeated = repeated.to_vec();
    StreamedBody { boundary: "xyz".to_owned(), start, repeated, length, end: Vec::new(), chunk: CHUNK }
}

/// Runs a body, prints its figures and checks the memory limit.
fn run(name: &str, body: &StreamedBody) -> ParseRun {
    let start = Instant::now();
    let (run, peak) = peak_of(|| body.run(Caps::default()));
    let nanoseconds = start.elapsed().as_nanos();
    let memory = peak.saturating_sub(body.chunk);
    println!(
        "{name}: {} bytes read, {:?}, {:.3} ns/byte, {memory} bytes of memory",
        run.bytes_read,
        run.outcome,
        // Precise to 15 digits, of which three are printed.
        f64::from(u32::try_from(nanoseconds * 1000 / run.bytes_read as u128).unwrap_or(u32::MAX)) / 1000.0,
    );
    assert!(memory <= MAX_MEMORY, "{name}: {memory} bytes of memory");
    run
}

/// Asserts that the body is refused within its first two chunks.
fn assert_refused_early(name: &str, body: &StreamedBody, expected: FormError) {
    let run = run(name, body);
    assert_eq!(run.outcome, Err(expected), "{name}");
    assert!(run.bytes_read <= 2 * CHUNK, "{name}: read {} bytes", run.bytes_read);
}

/// Asserts that the body is read to its end with constant work per byte.
fn assert_linear(name: &str, body: &StreamedBody) {
    let run = run(name, body);
    assert_eq!(run.outcome, Ok(()), "{name}");
    assert!(run.content_bytes >= body.length, "{name}: content is returned");
    let allowed = u64::try_from(run.bytes_read).expect("fits") * MAX_EXAMINED_PER_BYTE;
    let allowed = allowed + EXAMINED_IN_HEADERS;
    assert!(run.bytes_examined <= allowed, "{name}: {} examined", run.bytes_examined);
}

#[test]
fn an_endless_preamble_is_refused_early() {
    let text = endless("", b"preamble ", 90 * MIB);
    assert_refused_early("90 MiB preamble", &text, FormError::PreambleTooLong);
    let lines = endless("", b"\r\n", 90 * MIB);
    assert_refused_early("90 MiB preamble of CRLF", &lines, FormError::PreambleTooLong);
}

#[test]
fn endless_headers_are_refused_early() {
    let long = endless("--xyz\r\nX: ", b"value", 64 * MIB);
    assert_refused_early("64 MiB header", &long, FormError::HeadersTooLong);
    let many = endless("--xyz\r\n", b"a: b\r\n", 64 * MIB);
    assert_refused_early("64 MiB of small headers", &many, FormError::HeadersTooLong);
    let folded = endless("--xyz\r\nX: a", b"\r\n b", 64 * MIB);
    assert_refused_early("64 MiB folded header", &folded, FormError::HeadersTooLong);
}

#[test]
fn a_million_parts_are_refused_early() {
    let part = format!("--xyz\r\n{HEAD}v\r\n");
    let parts = endless("", part.as_bytes(), 1_000_000 * part.len());
    assert_refused_early("a million parts", &parts, FormError::TooManyParts);
    let bare = endless("", b"--xyz\r\n", 90 * MIB);
    assert_refused_early("90 MiB of boundaries", &bare, FormError::HeadersTooLong);
}

#[test]
fn an_endless_epilogue_is_refused_early() {
    let body = endless("--xyz--", b"bye ", 90 * MIB);
    assert_refused_early("90 MiB epilogue", &body, FormError::EpilogueTooLong);
}

/// Returns the name of a long body, with its actual length.
fn long(contents: &str) -> String {
    format!("{} MiB {contents}", LONG / MIB)
}

#[test]
fn content_without_an_end_is_returned_and_then_refused() {
    let run = run(&long("without an end"), &endless(&format!("--xyz\r\n{HEAD}"), b"content", LONG));
    assert_eq!(run.outcome, Err(FormError::Truncated));
}

#[test]
fn near_boundaries_are_read_in_linear_time() {
    let boundary = "b".repeat(70);
    let near_boundary = format!("\r\n--{}", "b".repeat(69));
    let body = StreamedBody::with_content(&boundary, near_boundary.as_bytes(), LONG);
    assert_linear(&long("of near-boundaries"), &body);
    let dashes = format!("\r\n--{}", "-".repeat(69));
    let body = StreamedBody::with_content(&"-".repeat(70), dashes.as_bytes(), LONG);
    assert_linear(&long("of near-boundaries of hyphens"), &body);
    let body = StreamedBody::with_content(&"-".repeat(70), b"-", LONG);
    assert_linear(&long("of hyphens"), &body);
}

#[test]
fn near_boundaries_in_single_bytes_are_read_in_linear_time() {
    let near_boundary = format!("\r\n--{}", "b".repeat(69));
    let mut body = StreamedBody::with_content(&"b".repeat(70), near_boundary.as_bytes(), 2 * MIB);
    body.chunk = 1;
    assert_linear("2 MiB of near-boundaries in single bytes", &body);
}

#[test]
fn many_line_ends_are_read_in_linear_time() {
    assert_linear(&long("of CRLF"), &StreamedBody::with_content("xyz", b"\r\n", LONG));
    assert_linear(&long("of CR"), &StreamedBody::with_content("xyz", b"\r", LONG));
    assert_linear(&long("of CRLF and hyphens"), &StreamedBody::with_content("xyz", b"\r\n--", LONG));
}

#[test]
fn names_full_of_escapes_are_read_in_constant_memory() {
    for escape in ["\\\"", "%22", "\\\\", "\" ", "\"a "] {
        let filename = escape.repeat(3900 / escape.len());
        let head = format!("Content-Disposition: form-data; name=f; filename=\"{filename}\"\r\n\r\n");
        let part = format!("--xyz\r\n{head}v\r\n");
        // As many as the limit on the headers of all parts allows.
        let mut body = endless("", part.as_bytes(), 8 * part.len());
        body.end = b"--xyz--".to_vec();
        let run = run(&format!("8 file names of {escape:?}"), &body);
        assert_eq!(run.outcome, Ok(()), "{escape:?}");
    }
}
