//! Every split of a body into chunks gives the same result, for valid and malformed bodies.

use crate::splits::{every_split, random_chunks};
use crate::transcript::{TranscriptPart, read_form, read_scan};
use multipart::{Boundary, Caps};
use proptest::collection::vec;
use proptest::prelude::*;

/// Small limits that the tests reach.
const CAPS: Caps =
    Caps { preamble_bytes: 24, epilogue_bytes: 12, header_bytes: 120, total_header_bytes: 150, headers: 3, parts: 4 };

fn boundary() -> Boundary {
    Boundary::from_content_type("multipart/form-data; boundary=\"-x-\"").expect("a valid boundary")
}

/// Generates text with many near-boundaries.
fn hostile_bytes(pieces: usize) -> impl Strategy<Value = Vec<u8>> {
    const PIECES: &[&[u8]] =
        &[b"\r", b"\n", b"\r\n", b"-", b"--", b"\r\n--", b"\r\n---x", b"---x-", b"-x-", b"x", b"\0\xff"];
    vec(proptest::sample::select(PIECES), 0..pieces).prop_map(|pieces| pieces.concat())
}

/// Generates lines and boundaries in any order: mostly malformed bodies, some valid ones.
fn any_body() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => Just(b"\r\n---x-\r\n".to_vec()),
        2 => Just(b"\r\n---x---".to_vec()),
        4 => Just(b"Content-Disposition: form-data; name=a\r\n\r\n".to_vec()),
        1 => Just(b"Content-Disposition: form-data; name=\"\\\"%22\xc3\xb6\"; filename=\"\"\r\n".to_vec()),
        1 => Just(b"X: y\r\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        3 => hostile_bytes(6),
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn assert_same_result_under_every_split(body: &[u8], seed: u64) {
    let whole = read_form(&boundary(), CAPS, [body]);
    let whole_scan = read_scan(&boundary(), CAPS, [body]);
    let mut splits = every_split(body);
    splits.push(("random", random_chunks(body, 30, seed)));
    for (split, chunks) in splits {
        assert_eq!(read_form(&boundary(), CAPS, chunks.clone()), whole, "{split}");
        assert_eq!(read_scan(&boundary(), CAPS, chunks), whole_scan, "{split}");
    }
}

fn write_form(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in parts {
        let escaped = name.replace('\\', "\\\\").replace('"', "%22");
        let head = format!("---x-\r\nContent-Disposition: form-data; name=\"{escaped}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"---x---\r\n");
    body
}

/// Cuts the content of a part before the first boundary that it contains.
fn cut_at_boundary(mut content: Vec<u8>) -> Vec<u8> {
    const LINE_BREAK: &[u8] = b"\r\n";
    let line = [LINE_BREAK, &content].concat();
    if let Some(place) = line.windows(7).position(|window| window == b"\r\n---x-") {
        content.truncate(place.saturating_sub(LINE_BREAK.len()));
    }
    content
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(fixtures::cases(128, 512)) })]

    #[test]
    fn any_body_gives_the_same_result_under_every_split(body in any_body(), seed in any::<u64>()) {
        assert_same_result_under_every_split(&body, seed);
    }

    #[test]
    fn a_written_form_is_read_back_under_every_split(
        parts in vec(("[a-zö\"\\\\;= ]{1,12}", hostile_bytes(20).prop_map(cut_at_boundary)), 0..5),
        seed in any::<u64>(),
    ) {
        let body = write_form(&parts);
        let form = read_form(&boundary(), Caps::default(), random_chunks(&body, 30, seed));
        prop_assert_eq!(form.outcome, Ok(()));
        let name_and_content = |part: TranscriptPart<multipart::PartHead>| (part.head.name, part.content);
        let read_back: Vec<_> = form.parts.into_iter().map(name_and_content).collect();
        prop_assert_eq!(read_back, parts);
        assert_same_result_under_every_split(&body, seed);
    }

    #[test]
    fn random_bytes_give_the_same_result_under_every_split(body in vec(any::<u8>(), 0..300), seed in any::<u64>()) {
        assert_same_result_under_every_split(&body, seed);
        assert_same_result_under_every_split(&[b"---x-\r\n", &body[..]].concat(), seed);
    }
}
