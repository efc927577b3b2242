//! Where parts begin and end, and every way in which a body can fail to be one.

#[path = "support/form.rs"]
mod form;
#[path = "support/transcript.rs"]
mod transcript;

use form::{boundary, read};
use multipart::{Boundary, Caps, Error, Event, Parser};
use transcript::read_form;

const HEAD: &str = "Content-Disposition: form-data; name=a\r\n\r\n";

fn outcome(body: &str) -> Result<(), Error> {
    read(body).outcome
}

fn contents(body: &str) -> Vec<String> {
    let form = read(body);
    assert_eq!(form.outcome, Ok(()), "{body:?}");
    let text = |content: Vec<u8>| String::from_utf8(content).expect("tests write text");
    form.parts
        .into_iter()
        .map(|part| text(part.content))
        .collect()
}

#[test]
fn a_form_may_be_empty_and_so_may_a_part() {
    assert!(contents("--xyz--").is_empty());
    assert_eq!(contents(&format!("--xyz\r\n{HEAD}\r\n--xyz--")), [""]);
}

#[test]
fn content_is_passed_on_byte_for_byte() {
    for content in [
        "\r",
        "\n",
        "\r\n",
        "\r\n\r\n",
        "--xyz",
        "-\r\n--xy",
        "\r\n--xy\r\n--xyw",
        "\r\r\n\r\n-",
    ] {
        assert_eq!(
            contents(&format!("--xyz\r\n{HEAD}-{content}\r\n--xyz--")),
            [format!("-{content}")]
        );
    }
}

#[test]
fn bytes_before_and_after_the_form_do_not_count() {
    assert_eq!(
        contents(&format!(
            "\r\nhello\r\n--xyz\r\n{HEAD}v\r\n--xyz--bye\r\n--xyz\r\n"
        )),
        ["v"]
    );
}

#[test]
fn a_body_without_its_boundary_is_refused() {
    for body in [
        "",
        "--xy",
        "hello",
        "--abc\r\n\r\n--abc--",
        "junk--xyz--",
        "\n--xyz--",
    ] {
        assert_eq!(outcome(body), Err(Error::NoBoundary), "{body:?}");
    }
}

#[test]
fn a_body_that_ends_too_early_is_refused_wherever_it_ends() {
    let body = format!("--xyz\r\n{HEAD}value\r\n--xyz--");
    for length in "--xyz".len()..body.len() {
        assert_eq!(outcome(&body[..length]), Err(Error::Truncated), "{length}");
    }
    assert_eq!(outcome(&body), Ok(()));
}

#[test]
fn a_boundary_that_runs_on_is_refused() {
    for tail in ["-", "-x", "x", "\n", "\rx", " \r\n", "\t--", "xyz--"] {
        let body = format!("--xyz\r\n{HEAD}v\r\n--xyz{tail}\r\n\r\n--xyz--");
        assert_eq!(outcome(&body), Err(Error::BoundaryRunsOn), "{tail:?}");
    }
}

#[test]
fn a_boundary_right_after_the_headers_is_refused() {
    assert_eq!(
        outcome(&format!("--xyz\r\n{HEAD}--xyz--")),
        Err(Error::BoundaryAfterHeaders)
    );
}

#[test]
fn a_boundary_among_the_headers_is_refused_even_where_it_looks_like_a_header() {
    for body in [
        "--xyz\r\n--xyz--\r\n\r\n",
        "--xyz\r\nX: y\r\n--xyz\r\nZ: z\r\n\r\n\r\n--xyz--",
    ] {
        assert_eq!(outcome(body), Err(Error::HeadersUnfinished), "{body:?}");
    }
    let boundary = Boundary::from_content_type("multipart/form-data; boundary=\"a:b\"");
    let body = format!("--a:b\r\nX: y\r\n--a:b\r\n{HEAD}v\r\n--a:b--");
    let form = read_form(
        &boundary.expect("legal"),
        Caps::default(),
        [body.as_bytes()],
    );
    assert_eq!(form.outcome, Err(Error::HeadersUnfinished));
}

#[test]
fn a_preamble_that_hides_a_part_is_refused() {
    let part = format!("--xyz\r\n{HEAD}v\r\n");
    assert_eq!(
        outcome(&format!("A{part}{part}--xyz--")),
        Err(Error::BoundaryInPreamble)
    );
    assert_eq!(
        outcome("hello\r\n--xyz--"),
        Err(Error::PreambleWithoutParts)
    );
    assert_eq!(outcome("\r\n\r\n--xyz--"), Ok(()));
}

#[test]
fn preamble_and_epilogue_have_exact_limits() {
    let caps = Caps::default();
    let with_preamble = |length| {
        outcome(&format!(
            "{}\r\n--xyz\r\n{HEAD}\r\n--xyz--",
            "p".repeat(length)
        ))
    };
    assert_eq!(with_preamble(caps.preamble_bytes), Ok(()));
    assert_eq!(
        with_preamble(caps.preamble_bytes + 1),
        Err(Error::PreambleTooLong)
    );
    let with_epilogue = |length| outcome(&format!("--xyz--{}", "e".repeat(length)));
    assert_eq!(with_epilogue(caps.epilogue_bytes), Ok(()));
    assert_eq!(
        with_epilogue(caps.epilogue_bytes + 1),
        Err(Error::EpilogueTooLong)
    );
}

#[test]
fn one_part_more_than_the_limit_is_refused() {
    let of_parts = |count| {
        outcome(&format!(
            "{}--xyz--",
            format!("--xyz\r\n{HEAD}v\r\n").repeat(count)
        ))
    };
    assert_eq!(of_parts(Caps::default().parts), Ok(()));
    assert_eq!(
        of_parts(Caps::default().parts + 1),
        Err(Error::TooManyParts)
    );
}

#[test]
fn content_is_borrowed_from_the_chunk_and_not_copied() {
    let body = format!("--xyz\r\n{HEAD}{}\r\n--xyz--", "v".repeat(10_000));
    let mut parser = Parser::new(&boundary(), Caps::default());
    let (mut input, mut borrowed) = (body.as_bytes(), 0);
    while let Some(event) = parser.next_event(&mut input).expect("a legal body") {
        if let Event::Data(data) = event {
            assert!(body.as_bytes().as_ptr_range().contains(&data.as_ptr()));
            borrowed += data.len();
        }
    }
    assert_eq!(borrowed, 10_000);
}

#[test]
fn an_error_says_what_is_wrong_in_a_sentence() {
    for error in [Error::Truncated, Error::NoBoundary, Error::QuoteInName] {
        assert!(error.to_string().len() > 20, "{error:?}");
    }
}
