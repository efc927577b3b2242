//! The request's `Content-Type` has a single strict interpretation.

use multipart::{Boundary, BoundaryError};

fn boundary(value: &str) -> Result<String, BoundaryError> {
    Boundary::from_content_type(value).map(|boundary| boundary.as_str().to_owned())
}

#[test]
fn a_boundary_may_be_a_token_or_quoted() {
    for (value, expected) in [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Form-Data;BOUNDARY=abc", "abc"),
        ("multipart/form-data; boundary=\"a b:c/d=e,f?(g)\"", "a b:c/d=e,f?(g)"),
        ("multipart/form-data; charset=utf-8; boundary=abc", "abc"),
        ("multipart/form-data; boundary=abc; charset=\"utf-8\" ;", "abc"),
        (" multipart/form-data ; boundary=----WebKitFormBoundaryA1", "----WebKitFormBoundaryA1"),
        ("multipart/form-data; boundary=\"'()+_,-./:=?\"", "'()+_,-./:=?"),
    ] {
        assert_eq!(boundary(value).as_deref(), Ok(expected), "{value}");
    }
}

#[test]
fn another_media_type_has_its_own_error() {
    for value in [
        "",
        "application/json",
        "multipart/mixed; boundary=a",
        "multipart/form-data2; boundary=a",
        "multipart/form-data boundary=a",
    ] {
        assert_eq!(boundary(value), Err(BoundaryError::NotFormData), "{value}");
    }
}

#[test]
fn two_boundaries_are_refused_even_when_equal() {
    for value in ["multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=a; Boundary=\"a\""] {
        assert_eq!(boundary(value), Err(BoundaryError::Repeated), "{value}");
    }
}

#[test]
fn a_missing_boundary_is_refused() {
    for value in ["multipart/form-data", "multipart/form-data;", "multipart/form-data; charset=utf-8"] {
        assert_eq!(boundary(value), Err(BoundaryError::Missing), "{value}");
    }
}

#[test]
fn an_ambiguous_header_is_refused() {
    for value in [
        "multipart/form-data; boundary",
        "multipart/form-data; boundary =a",
        "multipart/form-data; boundary= a",
        "multipart/form-data; boundary=a b",
        "multipart/form-data; boundary=a, b",
        "multipart/form-data; boundary=a, multipart/form-data; boundary=b",
        "multipart/form-data; boundary=a=b",
        "multipart/form-data; boundary=\"a",
        "multipart/form-data; boundary=\"a\"b",
        "multipart/form-data; boundary=\"a\"; =b",
    ] {
        assert!(
            matches!(boundary(value), Err(BoundaryError::Malformed | BoundaryError::Length)),
            "{value}: {:?}",
            boundary(value)
        );
    }
}

#[test]
fn the_length_must_be_1_to_70() {
    let with_length = |length| boundary(&format!("multipart/form-data; boundary=\"{}\"", "b".repeat(length)));
    assert_eq!(with_length(0), Err(BoundaryError::Length));
    assert!(with_length(1).is_ok());
    assert!(with_length(70).is_ok());
    assert_eq!(with_length(71), Err(BoundaryError::Length));
}

#[test]
fn a_character_that_is_not_allowed_in_a_boundary_is_refused() {
    for text in ["a\\b", "a;b", "a\r\nb", "a\0b", "ä", "a ", "a@b", "a*b"] {
        let value = format!("multipart/form-data; boundary=\"{text}\"");
        assert_eq!(boundary(&value), Err(BoundaryError::Character), "{value}");
    }
}
