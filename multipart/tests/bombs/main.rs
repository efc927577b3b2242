//! Bodies made to exhaust a parser: refused early, or read in linear time, in flat memory.
//!
//! They are streamed, never held. `cargo test --release … -- --nocapture` prints the figures.

mod counting_allocator;
#[path = "../support/stream.rs"]
mod stream;

use counting_allocator::peak_of;
use multipart::{Caps, Error};
use std::time::Instant;
use stream::{Body, Run};

const MIB: usize = 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// The window, one head of at most 4 KiB in a few strings, and the search's tables. The chunk
/// buffer, which the test itself holds, is taken off.
const MAX_MEMORY: usize = 32 * 1024;

/// Long bodies are as long as production allows where the code is optimised, and shorter where it
/// would only take the patience of who runs the tests.
const LONG: usize = if cfg!(debug_assertions) {
    8 * MIB
} else {
    90 * MIB
};

/// Every byte is looked at once, and a delimiter's length again at each chunk border.
const MAX_EXAMINED_PER_BYTE: u64 = 2;

/// Headers are not content: for them the bound is their size, several times.
const EXAMINED_IN_HEADERS: u64 = 1024;

const HEAD: &str = "Content-Disposition: form-data; name=f\r\n\r\n";

/// A body of this start, with a piece repeated for `length` bytes and no end.
fn endless(start: &str, repeated: &[u8], length: usize) -> Body {
    let start = start.as_bytes().to_vec();
    let repeated = repeated.to_vec();
    Body {
        boundary: "xyz".to_owned(),
        start,
        repeated,
        length,
        end: Vec::new(),
        chunk: CHUNK,
    }
}

/// Runs a body, prints its figures and holds it to the bound on memory.
fn run(name: &str, body: &Body) -> Run {
    let start = Instant::now();
    let (run, peak) = peak_of(|| body.run(Caps::default()));
    let nanoseconds = start.elapsed().as_nanos();
    let memory = peak.saturating_sub(body.chunk);
    println!(
        "{name}: {} bytes read, {:?}, {:.3} ns/byte, {memory} bytes of memory",
        run.bytes_read,
        run.outcome,
        // Good for 15 digits, of which three are printed.
        f64::from(u32::try_from(nanoseconds * 1000 / run.bytes_read as u128).unwrap_or(u32::MAX))
            / 1000.0,
    );
    assert!(memory <= MAX_MEMORY, "{name}: {memory} bytes of memory");
    run
}

/// The body is refused within its first chunk or two.
fn assert_refused_early(name: &str, body: &Body, expected: Error) {
    let run = run(name, body);
    assert_eq!(run.outcome, Err(expected), "{name}");
    assert!(
        run.bytes_read <= 2 * CHUNK,
        "{name}: read {} bytes",
        run.bytes_read
    );
}

/// The body is read to its end with a constant of work per byte.
fn assert_linear(name: &str, body: &Body) {
    let run = run(name, body);
    assert_eq!(run.outcome, Ok(()), "{name}");
    assert!(
        run.content_bytes >= body.length,
        "{name}: content is passed on"
    );
    let allowed = u64::try_from(run.bytes_read).expect("fits") * MAX_EXAMINED_PER_BYTE;
    let allowed = allowed + EXAMINED_IN_HEADERS;
    assert!(
        run.bytes_examined <= allowed,
        "{name}: {} examined",
        run.bytes_examined
    );
}

#[test]
fn an_endless_preamble_is_refused_early() {
    let text = endless("", b"preamble ", 90 * MIB);
    assert_refused_early("90 MiB preamble", &text, Error::PreambleTooLong);
    let lines = endless("", b"\r\n", 90 * MIB);
    assert_refused_early("90 MiB preamble of CRLF", &lines, Error::PreambleTooLong);
}

#[test]
fn endless_headers_are_refused_early() {
    let long = endless("--xyz\r\nX: ", b"value", 64 * MIB);
    assert_refused_early("64 MiB header", &long, Error::HeadersTooLong);
    let many = endless("--xyz\r\n", b"a: b\r\n", 64 * MIB);
    assert_refused_early("64 MiB of small headers", &many, Error::HeadersTooLong);
    let folded = endless("--xyz\r\nX: a", b"\r\n b", 64 * MIB);
    assert_refused_early("64 MiB folded header", &folded, Error::HeadersTooLong);
}

#[test]
fn a_million_parts_are_refused_early() {
    let part = format!("--xyz\r\n{HEAD}v\r\n");
    let parts = endless("", part.as_bytes(), 1_000_000 * part.len());
    assert_refused_early("a million parts", &parts, Error::TooManyParts);
    let bare = endless("", b"--xyz\r\n", 90 * MIB);
    assert_refused_early("90 MiB of boundaries", &bare, Error::HeadersTooLong);
}

#[test]
fn an_endless_epilogue_is_refused_early() {
    let body = endless("--xyz--", b"bye ", 90 * MIB);
    assert_refused_early("90 MiB epilogue", &body, Error::EpilogueTooLong);
}

/// A long body's name, with its real length.
fn long(of_what: &str) -> String {
    format!("{} MiB {of_what}", LONG / MIB)
}

#[test]
fn content_without_an_end_is_passed_on_and_then_refused() {
    let run = run(
        &long("without an end"),
        &endless(&format!("--xyz\r\n{HEAD}"), b"content", LONG),
    );
    assert_eq!(run.outcome, Err(Error::Truncated));
}

#[test]
fn almost_boundaries_are_read_in_linear_time() {
    let boundary = "b".repeat(70);
    let almost = format!("\r\n--{}", "b".repeat(69));
    let body = Body::of_content(&boundary, almost.as_bytes(), LONG);
    assert_linear(&long("of almost-boundaries"), &body);
    let dashes = format!("\r\n--{}", "-".repeat(69));
    let body = Body::of_content(&"-".repeat(70), dashes.as_bytes(), LONG);
    assert_linear(&long("of almost-boundaries of hyphens"), &body);
    let body = Body::of_content(&"-".repeat(70), b"-", LONG);
    assert_linear(&long("of hyphens"), &body);
}

#[test]
fn almost_boundaries_in_single_bytes_are_read_in_linear_time() {
    let almost = format!("\r\n--{}", "b".repeat(69));
    let mut body = Body::of_content(&"b".repeat(70), almost.as_bytes(), 2 * MIB);
    body.chunk = 1;
    assert_linear("2 MiB of almost-boundaries in single bytes", &body);
}

#[test]
fn a_storm_of_line_ends_is_read_in_linear_time() {
    assert_linear(&long("of CRLF"), &Body::of_content("xyz", b"\r\n", LONG));
    assert_linear(&long("of CR"), &Body::of_content("xyz", b"\r", LONG));
    assert_linear(
        &long("of CRLF and hyphens"),
        &Body::of_content("xyz", b"\r\n--", LONG),
    );
}

#[test]
fn names_full_of_escapes_are_read_in_flat_memory() {
    for escape in ["\\\"", "%22", "\\\\", "\" ", "\"a "] {
        let filename = escape.repeat(3900 / escape.len());
        let head =
            format!("Content-Disposition: form-data; name=f; filename=\"{filename}\"\r\n\r\n");
        let part = format!("--xyz\r\n{head}v\r\n");
        let mut body = endless("", part.as_bytes(), 32 * part.len());
        body.end = b"--xyz--".to_vec();
        let run = run(&format!("32 file names of {escape:?}"), &body);
        assert_eq!(run.outcome, Ok(()), "{escape:?}");
    }
}
