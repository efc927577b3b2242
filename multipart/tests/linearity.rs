//! Twice the input is twice the work.
//!
//! Where the parser counts what it looks at, the count is compared and not the clock, so that a
//! busy machine cannot change the result. Header values are timed, with a wide margin: of eight
//! times the input a quadratic reading would take 64 times as long.

#[path = "support/stream.rs"]
mod stream;

use multipart::{Caps, Error};
use std::time::{Duration, Instant};
use stream::Body;

const SIZES: [usize; 4] = [1, 2, 4, 8];

#[test]
fn the_bytes_looked_at_grow_as_the_content_does() {
    let boundary = "b".repeat(70);
    let almost = format!("\r\n--{}", "b".repeat(69));
    for (name, repeated) in [
        ("almost-boundaries", almost.as_bytes()),
        ("CRLF", b"\r\n"),
        ("CR", b"\r"),
        ("text", b"content"),
    ] {
        for chunk in [1, 7, 1000, 64 * 1024] {
            let examined = SIZES.map(|size| {
                let mut body = Body::of_content(&boundary, repeated, size * 100_000);
                body.chunk = chunk;
                let run = body.run(Caps::default());
                assert_eq!(run.outcome, Ok(()));
                run.bytes_examined
            });
            println!(
                "{name}, {chunk}-byte chunks: {examined:?} bytes examined at 1, 2, 4, 8 times"
            );
            for pair in examined.windows(2) {
                let (once, twice) = (pair[0], pair[1]);
                assert!(
                    twice * 10 <= once * 21,
                    "{name}, {chunk}-byte chunks: {examined:?}"
                );
            }
        }
    }
}

#[test]
fn header_values_full_of_escapes_take_time_as_their_length() {
    for escape in ["\\\"", "%22", "\"", "\" ", "\"a "] {
        let times = SIZES.map(|size| best_time_of_filename(&escape.repeat(size * 16 * 1024)));
        println!("file name of {escape:?}: {times:?} at 1, 2, 4, 8 times 16 Ki");
        assert!(
            times[3] < times[0] * 32 + Duration::from_millis(1),
            "{escape:?}: {times:?}"
        );
    }
}

fn best_time_of_filename(filename: &str) -> Duration {
    let caps = Caps {
        header_bytes: 1024 * 1024,
        ..Caps::default()
    };
    let head = format!("Content-Disposition: form-data; name=f; filename=\"{filename}\"\r\n\r\n");
    let mut body = Body::of_content("xyz", b"v", 1);
    body.start = format!("--xyz\r\n{head}").into_bytes();
    let time = |_| {
        let start = Instant::now();
        assert_ne!(body.run(caps).outcome, Err(Error::HeadersTooLong));
        start.elapsed()
    };
    (0..5).map(time).min().unwrap_or_default()
}
