//! Twice the input is twice the work.
//!
//! The parser counts what it looks at, and the counts are compared and not the clock, so that a
//! busy machine cannot change the result. Quoted values are counted beside their own parser.

#[path = "support/stream.rs"]
mod stream;

use multipart::Caps;
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
