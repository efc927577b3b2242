//! A part's header block: what counts, what is ignored and what is refused.

#[path = "support/form.rs"]
mod form;
#[path = "support/splits.rs"]
mod splits;
#[path = "support/transcript.rs"]
mod transcript;

use form::{boundary, head, head_of_block};
use multipart::{Caps, Error, TransferEncoding};
use splits::every_split;
use transcript::read_form;

const NAMED: &str = "Content-Disposition: form-data; name=a";

#[test]
fn header_names_are_read_in_any_case_and_order() {
    let head = head(&[
        "content-TYPE:video/mp4",
        "CONTENT-disposition:\tform-data; name=a",
    ]);
    assert_eq!(
        head.expect("accepted").content_type.as_deref(),
        Some("video/mp4")
    );
}

#[test]
fn an_empty_content_type_is_none() {
    assert_eq!(
        head(&[NAMED, "Content-Type: "])
            .expect("accepted")
            .content_type,
        None
    );
}

#[test]
fn headers_that_mean_nothing_in_a_form_are_ignored() {
    assert!(head(&[NAMED, "Content-Length: 99999", "X-Any_Thing.1: \u{f6}"]).is_ok());
}

#[test]
fn the_transfer_encoding_is_told_and_an_unknown_one_refused() {
    for (value, expected) in [
        ("binary", Ok(TransferEncoding::Identity)),
        ("8BIT", Ok(TransferEncoding::Identity)),
        ("Base64", Ok(TransferEncoding::Base64)),
        ("quoted-printable", Ok(TransferEncoding::QuotedPrintable)),
        ("gzip", Err(Error::TransferEncodingUnknown)),
        ("", Err(Error::TransferEncodingUnknown)),
    ] {
        let found = head(&[NAMED, &format!("Content-Transfer-Encoding: {value}")]);
        assert_eq!(
            found.map(|head| head.transfer_encoding),
            expected,
            "{value}"
        );
    }
}

#[test]
fn a_deciding_header_that_is_there_twice_is_refused() {
    for header in [
        NAMED,
        "Content-Type: a/b",
        "Content-Transfer-Encoding: binary",
    ] {
        let twice = head(&[NAMED, header, header]);
        assert_eq!(twice, Err(Error::HeaderRepeated), "{header}");
    }
}

#[test]
fn a_part_without_disposition_is_refused() {
    assert_eq!(head(&["Content-Type: a/b"]), Err(Error::DispositionMissing));
    assert_eq!(head_of_block(b""), Err(Error::DispositionMissing));
}

#[test]
fn a_line_that_is_no_header_is_refused() {
    for line in [
        "no colon",
        ": no name",
        "na me: v",
        "name : v",
        "n\u{e4}me: v",
        "\"n\": v",
    ] {
        assert_eq!(head(&[NAMED, line]), Err(Error::HeaderMalformed), "{line}");
    }
}

#[test]
fn a_folded_header_is_refused() {
    for line in [" name=a", "\tname=a"] {
        let folded = head(&["Content-Disposition: form-data;", line]);
        assert_eq!(folded, Err(Error::HeaderFolded));
    }
}

#[test]
fn a_bare_line_break_is_refused() {
    for line in [
        "X: a\rb",
        "X: a\nb",
        "X: a\r",
        "X: a\n",
        "\rX: a",
        "X: a\n\rY: b",
    ] {
        assert_eq!(
            head(&[NAMED, line]),
            Err(Error::HeaderBareLineBreak),
            "{line:?}"
        );
    }
}

#[test]
fn a_control_character_is_refused_wherever_it_stands() {
    for line in ["X: a\0b", "X: \u{1b}[0m", "X\0: a", "X: \u{7f}"] {
        assert_eq!(
            head(&[NAMED, line]),
            Err(Error::HeaderControlCharacter),
            "{line:?}"
        );
    }
}

#[test]
fn a_header_that_is_not_utf8_is_refused() {
    let block = b"Content-Disposition: form-data; name=\"\xff\"\r\n";
    assert_eq!(head_of_block(block), Err(Error::HeaderNotUtf8));
}

#[test]
fn the_limit_on_their_number_is_exact() {
    let mut headers = vec![NAMED; 1];
    headers.resize(Caps::default().headers, "X: y");
    assert!(head(&headers).is_ok());
    headers.push("X: y");
    assert_eq!(head(&headers), Err(Error::TooManyHeaders));
}

#[test]
fn the_limit_on_their_size_is_exact_under_every_split() {
    let lines_and_empty_line = NAMED.len() + "\r\nX: \r\n\r\n".len();
    let longest = Caps::default().header_bytes - lines_and_empty_line;
    for (length, expected) in [(longest, Ok(())), (longest + 1, Err(Error::HeadersTooLong))] {
        let value = "v".repeat(length);
        let body = format!("--xyz\r\n{NAMED}\r\nX: {value}\r\n\r\ncontent\r\n--xyz--");
        for (split, chunks) in every_split(body.as_bytes()) {
            let outcome = read_form(&boundary(), Caps::default(), chunks).outcome;
            assert_eq!(outcome, expected, "{length} bytes in {split}");
        }
    }
}
