//! Twice the input takes twice the work.
//!
//! The test compares the number of bytes that the parser examined instead of times, so that a busy machine cannot
//! change the result. Quoted values have their own test next to their parser.

use crate::stream::StreamedBody;
use multipart::Caps;

const SIZES: [usize; 4] = [1, 2, 4, 8];

#[test]
fn the_examined_bytes_grow_linearly_with_the_content() {
    let boundary = "b".repeat(70);
    let near_boundary = format!("\r\n--{}", "b".repeat(69));
    for (name, repeated) in
        [("near-boundaries", near_boundary.as_bytes()), ("CRLF", b"\r\n"), ("CR", b"\r"), ("text", b"content")]
    {
        for chunk in [1, 7, 1000, 64 * 1024] {
            let examined = SIZES.map(|size| {
                let mut body = StreamedBody::with_content(&boundary, repeated, size * fixtures::cases(20_000, 100_000));
                body.chunk = chunk;
                let run = body.run(Caps::default());
                assert_eq!(run.outcome, Ok(()));
                run.bytes_examined
            });
            println!("{name}, {chunk}-byte chunks: {examined:?} bytes examined at 1, 2, 4, 8 times");
            for pair in examined.windows(2) {
                let (once, twice) = (pair[0], pair[1]);
                assert!(twice * 10 <= once * 21, "{name}, {chunk}-byte chunks: {examined:?}");
            }
        }
    }
}

#[test]
fn each_byte_of_a_small_body_is_examined_once_or_twice() {
    let mut body = StreamedBody::with_content("xyz", b"content", 10_000);
    for chunk in [1, 7, 64 * 1024] {
        body.chunk = chunk;
        let run = body.run(Caps::default());
        assert_eq!(run.outcome, Ok(()));
        let read = run.bytes_read as u64;
        assert!((read..=2 * read).contains(&run.bytes_examined), "{chunk}-byte chunks: {} bytes", run.bytes_examined);
    }
}
