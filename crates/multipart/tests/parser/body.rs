//! Tests of the boundaries between parts, and of every way in which a body can be malformed.

use crate::form::{boundary, read};
use crate::transcript::read_form;
use multipart::{Boundary, Caps, FormError, FormEvent, Parser};

const HEAD: &str = "Content-Disposition: form-data; name=a\r\n\r\n";

fn outcome(body: &str) -> Result<(), FormError> {
    read(body).outcome
}

fn contents(body: &str) -> Vec<String> {
    let form = read(body);
    assert_eq!(form.outcome, Ok(()), "{body:?}");
    let text = |content: Vec<u8>| String::from_utf8(content).expect("tests write text");
    form.parts.into_iter().map(|part| text(part.content)).collect()
}

#[test]
fn a_form_and_a_part_may_be_empty() {
    assert!(contents("--xyz--").is_empty());
    assert_eq!(contents(&format!("--xyz\r\n{HEAD}\r\n--xyz--")), [""]);
}

#[test]
fn content_is_returned_byte_for_byte() {
    for content in ["\r", "\n", "\r\n", "\r\n\r\n", "--xyz", "-\r\n--xy", "\r\n--xy\r\n--xyw", "\r\r\n\r\n-"] {
        assert_eq!(contents(&format!("--xyz\r\n{HEAD}-{content}\r\n--xyz--")), [format!("-{content}")]);
    }
}

#[test]
fn bytes_before_and_after_the_form_are_ignored() {
    assert_eq!(contents(&format!("\r\nhello\r\n--xyz\r\n{HEAD}v\r\n--xyz--bye\r\n--xyz\r\n")), ["v"]);
}

#[test]
fn a_body_without_its_boundary_is_refused() {
    for body in ["", "--xy", "hello", "--abc\r\n\r\n--abc--", "junk--xyz--", "\n--xyz--"] {
        assert_eq!(outcome(body), Err(FormError::NoBoundary), "{body:?}");
    }
}

#[test]
fn a_body_truncated_at_any_byte_is_refused() {
    let body = format!("--xyz\r\n{HEAD}value\r\n--xyz--");
    for length in "--xyz".len()..body.len() {
        assert_eq!(outcome(&body[..length]), Err(FormError::Truncated), "{length}");
    }
    assert_eq!(outcome(&body), Ok(()));
}

#[test]
fn a_boundary_followed_by_other_text_is_refused() {
    for tail in ["-", "-x", "x", "\n", "\rx", " \r\n", "\t--", "xyz--"] {
        let body = format!("--xyz\r\n{HEAD}v\r\n--xyz{tail}\r\n\r\n--xyz--");
        assert_eq!(outcome(&body), Err(FormError::BoundaryRunsOn), "{tail:?}");
    }
}

#[test]
fn a_boundary_directly_after_the_headers_is_refused() {
    assert_eq!(outcome(&format!("--xyz\r\n{HEAD}--xyz--")), Err(FormError::BoundaryAfterHeaders));
}

#[test]
fn a_boundary_among_the_headers_is_refused_even_if_it_looks_like_a_header() {
    for body in ["--xyz\r\n--xyz--\r\n\r\n", "--xyz\r\nX: y\r\n--xyz\r\nZ: z\r\n\r\n\r\n--xyz--"] {
        assert_eq!(outcome(body), Err(FormError::HeadersUnfinished), "{body:?}");
    }
    let boundary = Boundary::from_content_type("multipart/form-data; boundary=\"a:b\"");
    let body = format!("--a:b\r\nX: y\r\n--a:b\r\n{HEAD}v\r\n--a:b--");
    let form = read_form(&boundary.expect("a valid boundary"), Caps::default(), [body.as_bytes()]);
    assert_eq!(form.outcome, Err(FormError::HeadersUnfinished));
}

#[test]
fn a_preamble_that_hides_a_part_is_refused() {
    let part = format!("--xyz\r\n{HEAD}v\r\n");
    assert_eq!(outcome(&format!("A{part}{part}--xyz--")), Err(FormError::BoundaryInPreamble));
    assert_eq!(outcome("hello\r\n--xyz--"), Err(FormError::PreambleWithoutParts));
    assert_eq!(outcome("\r\n\r\n--xyz--"), Ok(()));
}

#[test]
fn preamble_and_epilogue_have_exact_limits() {
    let caps = Caps::default();
    let with_preamble = |length| outcome(&format!("{}\r\n--xyz\r\n{HEAD}\r\n--xyz--", "p".repeat(length)));
    assert_eq!(with_preamble(caps.preamble_bytes), Ok(()));
    assert_eq!(with_preamble(caps.preamble_bytes + 1), Err(FormError::PreambleTooLong));
    let with_epilogue = |length| outcome(&format!("--xyz--{}", "e".repeat(length)));
    assert_eq!(with_epilogue(caps.epilogue_bytes), Ok(()));
    assert_eq!(with_epilogue(caps.epilogue_bytes + 1), Err(FormError::EpilogueTooLong));
}

#[test]
fn the_limit_on_parts_is_exact() {
    let with_parts = |count| outcome(&format!("{}--xyz--", format!("--xyz\r\n{HEAD}v\r\n").repeat(count)));
    assert_eq!(with_parts(Caps::default().parts), Ok(()));
    assert_eq!(with_parts(Caps::default().parts + 1), Err(FormError::TooManyParts));
}

#[test]
fn content_is_borrowed_from_the_chunk_and_not_copied() {
    let body = format!("--xyz\r\n{HEAD}{}\r\n--xyz--", "v".repeat(10_000));
    let mut parser = Parser::new(&boundary(), Caps::default());
    let (mut input, mut borrowed) = (body.as_bytes(), 0);
    while let Some(event) = parser.next_event(&mut input).expect("a valid body") {
        if let FormEvent::Data(data) = event {
            assert!(body.as_bytes().as_ptr_range().contains(&data.as_ptr()));
            borrowed += data.len();
        }
    }
    assert_eq!(borrowed, 10_000);
}
