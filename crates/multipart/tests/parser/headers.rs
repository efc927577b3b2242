//! A part's header block: which headers are used, ignored or refused.

use crate::form::{boundary, head, head_of_block};
use crate::splits::every_split;
use crate::transcript::read_form;
use multipart::{Caps, FormError, TransferEncoding};

const NAMED: &str = "Content-Disposition: form-data; name=a";

#[test]
fn header_names_are_read_in_any_case_and_order() {
    let head = head(&["content-TYPE:video/mp4", "CONTENT-disposition:\tform-data; name=a"]);
    assert_eq!(head.expect("accepted").content_type.as_deref(), Some("video/mp4"));
}

#[test]
fn an_empty_content_type_is_treated_as_absent() {
    assert_eq!(head(&[NAMED, "Content-Type: "]).expect("accepted").content_type, None);
}

#[test]
fn headers_without_meaning_in_a_form_are_ignored() {
    assert!(head(&[NAMED, "Content-Length: 99999", "X-Any_Thing.1: \u{f6}"]).is_ok());
}

#[test]
fn the_transfer_encoding_is_returned_and_an_unknown_one_is_refused() {
    for (value, expected) in [
        ("binary", Ok(TransferEncoding::Identity)),
        ("8BIT", Ok(TransferEncoding::Identity)),
        ("Base64", Ok(TransferEncoding::Base64)),
        ("quoted-printable", Ok(TransferEncoding::QuotedPrintable)),
        ("gzip", Err(FormError::TransferEncodingUnknown)),
        ("", Err(FormError::TransferEncodingUnknown)),
    ] {
        let head = head(&[NAMED, &format!("Content-Transfer-Encoding: {value}")]);
        assert_eq!(head.map(|head| head.transfer_encoding), expected, "{value}");
    }
}

#[test]
fn a_duplicate_of_a_used_header_is_refused() {
    for header in [NAMED, "Content-Type: a/b", "Content-Transfer-Encoding: binary"] {
        let twice = head(&[NAMED, header, header]);
        assert_eq!(twice, Err(FormError::HeaderRepeated), "{header}");
    }
}

#[test]
fn a_part_without_a_content_disposition_is_refused() {
    assert_eq!(head(&["Content-Type: a/b"]), Err(FormError::DispositionMissing));
    assert_eq!(head_of_block(b""), Err(FormError::DispositionMissing));
}

#[test]
fn a_malformed_header_line_is_refused() {
    for line in ["no colon", ": no name", "na me: v", "name : v", "n\u{e4}me: v", "\"n\": v"] {
        assert_eq!(head(&[NAMED, line]), Err(FormError::HeaderMalformed), "{line}");
    }
}

#[test]
fn a_folded_header_is_refused() {
    for line in [" name=a", "\tname=a"] {
        let folded = head(&["Content-Disposition: form-data;", line]);
        assert_eq!(folded, Err(FormError::HeaderFolded));
    }
}

#[test]
fn a_bare_line_break_is_refused() {
    for line in ["X: a\rb", "X: a\nb", "X: a\r", "X: a\n", "\rX: a", "X: a\n\rY: b"] {
        assert_eq!(head(&[NAMED, line]), Err(FormError::HeaderBareLineBreak), "{line:?}");
    }
}

#[test]
fn a_control_character_is_refused_at_any_position() {
    for line in ["X: a\0b", "X: \u{1b}[0m", "X\0: a", "X: \u{7f}"] {
        assert_eq!(head(&[NAMED, line]), Err(FormError::HeaderControlCharacter), "{line:?}");
    }
}

#[test]
fn a_header_that_is_not_utf8_is_refused() {
    let block = b"Content-Disposition: form-data; name=\"\xff\"\r\n";
    assert_eq!(head_of_block(block), Err(FormError::HeaderNotUtf8));
}

#[test]
fn the_limit_on_the_number_of_headers_is_exact() {
    let mut headers = vec![NAMED; 1];
    headers.resize(Caps::default().headers, "X: y");
    assert!(head(&headers).is_ok());
    headers.push("X: y");
    assert_eq!(head(&headers), Err(FormError::TooManyHeaders));
}

#[test]
fn the_limit_on_the_headers_of_all_parts_is_exact_under_every_split() {
    let line_ends_and_name = "\r\nX: \r\n\r\n".len();
    let headers_of_a_part = NAMED.len() + line_ends_and_name + 1;
    let caps = Caps { total_header_bytes: 3 * headers_of_a_part, ..Caps::default() };
    for (value, expected) in [("v", Ok(())), ("vv", Err(FormError::TotalHeadersTooLong))] {
        let part = |value: &str| format!("--xyz\r\n{NAMED}\r\nX: {value}\r\n\r\ncontent\r\n");
        let body = format!("{}{}{}--xyz--", part("v"), part("v"), part(value));
        for (split, chunks) in every_split(body.as_bytes()) {
            let outcome = read_form(&boundary(), caps, chunks).outcome;
            assert_eq!(outcome, expected, "{value} in {split}");
        }
    }
}

#[test]
fn a_part_after_the_last_allowed_byte_of_headers_is_refused() {
    let one_part = format!("--xyz\r\n{NAMED}\r\n\r\ncontent\r\n");
    let caps = Caps { total_header_bytes: NAMED.len() + "\r\n\r\n".len(), ..Caps::default() };
    for (parts, expected) in [(1, Ok(())), (2, Err(FormError::TotalHeadersTooLong))] {
        let body = format!("{}--xyz--", one_part.repeat(parts));
        assert_eq!(read_form(&boundary(), caps, [body.as_bytes()]).outcome, expected);
    }
}

#[test]
fn the_limit_on_the_size_of_headers_is_exact_under_every_split() {
    let lines_and_empty_line = NAMED.len() + "\r\nX: \r\n\r\n".len();
    let longest = Caps::default().header_bytes - lines_and_empty_line;
    // The limit on the headers of all parts is the same, but this error says more.
    let caps = Caps { total_header_bytes: Caps::default().header_bytes, ..Caps::default() };
    for (length, expected) in [(longest, Ok(())), (longest + 1, Err(FormError::HeadersTooLong))] {
        let value = "v".repeat(length);
        let body = format!("--xyz\r\n{NAMED}\r\nX: {value}\r\n\r\ncontent\r\n--xyz--");
        for (split, chunks) in every_split(body.as_bytes()) {
            let outcome = read_form(&boundary(), caps, chunks).outcome;
            assert_eq!(outcome, expected, "{length} bytes in {split}");
        }
    }
}
