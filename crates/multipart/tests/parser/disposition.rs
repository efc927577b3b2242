//! Names and file names in all quoting styles of real clients are read, and any other style is refused.

use crate::form::disposition;
use multipart::{FormError, MAX_PARAMETERS};

fn name(value: &str) -> Result<String, FormError> {
    disposition(value).map(|head| head.name)
}

fn filename(value: &str) -> Result<Option<String>, FormError> {
    disposition(value).map(|head| head.filename)
}

fn assert_filename(value: &str, expected: &str) {
    assert_eq!(filename(value), Ok(Some(expected.to_owned())), "{value}");
}

#[test]
fn a_name_may_be_a_token_or_quoted_and_the_order_is_free() {
    for value in [
        "form-data; name=clip",
        "form-data; name=\"clip\"",
        "form-data;name=\"clip\"",
        "Form-Data; NAME=\"clip\"; filename=\"a.mp4\"",
        "form-data; filename=\"a.mp4\"; name=\"clip\"",
        "form-data\t;\tname=\"clip\" ;",
        "form-data; name=\"clip\"; modification-date=\"Wed, 12 Feb 1997 16:29:51 -0500\"",
    ] {
        assert_eq!(name(value).as_deref(), Ok("clip"), "{value}");
    }
}

#[test]
fn a_quote_may_be_escaped_in_the_style_of_browsers_or_curl() {
    assert_eq!(name("form-data; name=\"a%22b\"").as_deref(), Ok("a\"b"));
    assert_eq!(name("form-data; name=\"a\\\"b\"").as_deref(), Ok("a\"b"));
    assert_filename("form-data; name=a; filename=\"%22x%22.mp4\"", "\"x\".mp4");
}

#[test]
fn an_escaped_line_break_stays_escaped() {
    assert_eq!(name("form-data; name=\"a%0D%0Ab\"").as_deref(), Ok("a%0D%0Ab"));
}

#[test]
fn a_percent_sign_that_escapes_nothing_is_literal() {
    assert_filename("form-data; name=a; filename=\"100%\"", "100%");
    assert_filename("form-data; name=a; filename=\"100%25.mp4\"", "100%25.mp4");
}

#[test]
fn a_backslash_that_escapes_nothing_is_literal() {
    assert_filename("form-data; name=a; filename=\"C:\\clips\\one.mp4\"", "C:\\clips\\one.mp4");
    assert_filename("form-data; name=a; filename=\"a\\\\b\"", "a\\b");
}

#[test]
fn names_may_be_utf8_and_contain_any_separator() {
    assert_eq!(name("form-data; name=\"bild; größe=1\"").as_deref(), Ok("bild; größe=1"));
    assert_filename("form-data; name=a; filename=\"видео🎬.mp4\"", "видео🎬.mp4");
}

#[test]
fn an_empty_file_name_is_a_file_name() {
    assert_filename("form-data; name=a; filename=\"\"", "");
}

#[test]
fn a_bare_quote_is_accepted_in_a_file_name_but_not_in_a_name() {
    assert_filename("form-data; name=a; filename=\"one \"two\" three\"", "one \"two\" three");
    assert_filename("form-data; name=a; filename=\"a\"b=c\"", "a\"b=c");
    assert_eq!(name("form-data; name=\"one \"two\" three\""), Err(FormError::QuoteInName));
}

#[test]
fn a_missing_semicolon_after_a_quoted_value_is_accepted() {
    let head = disposition("form-data; name=\"clip\" filename=\"a.mp4\"").expect("accepted");
    assert_eq!((head.name.as_str(), head.filename.as_deref()), ("clip", Some("a.mp4")));
}

#[test]
fn an_extended_file_name_is_used_if_there_is_no_plain_one() {
    assert_filename("form-data; name=a; filename*=UTF-8''n%C3%A4me.mp4", "näme.mp4");
    assert_filename("form-data; name=a; filename*=utf-8'en'x.mp4; filename=\"y\"", "y");
}

#[test]
fn an_extended_file_name_must_be_percent_encoded_utf8_without_controls() {
    for encoded in ["x", "utf-8'x", "latin1''x", "UTF-8''%C3", "UTF-8''%G0", "UTF-8''%0", "UTF-8''%00"] {
        let value = format!("form-data; name=a; filename*={encoded}");
        assert_eq!(filename(&value), Err(FormError::FilenameExtendedMalformed), "{value}");
    }
}

#[test]
fn an_extended_name_is_refused_even_beside_a_plain_one() {
    assert_eq!(name("form-data; name=a; name*=UTF-8''b"), Err(FormError::NameExtended));
}

#[test]
fn a_duplicate_parameter_is_refused() {
    for value in [
        "form-data; name=a; name=a",
        "form-data; name=\"a\"; NAME=b",
        "form-data; name=a; filename=x; filename=y",
        "form-data; name=a; filename=\"x\" y\"; name=\"b\"",
    ] {
        assert_eq!(name(value), Err(FormError::ParameterRepeated), "{value}");
    }
}

#[test]
fn a_part_without_a_name_is_refused() {
    for value in ["form-data", "form-data;", "form-data; filename=x", "form-data; name=\"\""] {
        assert_eq!(name(value), Err(FormError::NameMissing), "{value}");
    }
}

#[test]
fn only_form_data_is_accepted() {
    for value in ["", "attachment; name=a", "form-data-2; name=a", "\"form-data\"; name=a"] {
        assert_eq!(name(value), Err(FormError::DispositionNotFormData), "{value}");
    }
}

#[test]
fn a_malformed_parameter_is_refused() {
    for value in [
        "form-data name=a",
        "form-data; name",
        "form-data; name =a",
        "form-data; name= a x",
        "form-data; =a",
        "form-data; name=a b=c",
        "form-data; name=\\\"a\\\"",
        "form-data; name=größe",
        "form-data; name=a; \"x\"",
        "form-data; name=a, filename=b",
    ] {
        assert_eq!(name(value), Err(FormError::ParameterMalformed), "{value}");
    }
}

#[test]
fn a_quoted_value_without_a_closing_quote_is_refused() {
    for value in ["form-data; name=\"", "form-data; name=\"a", "form-data; name=\"a\\\""] {
        assert_eq!(name(value), Err(FormError::QuoteUnterminated), "{value}");
    }
}

#[test]
fn the_limit_on_parameters_is_exact() {
    let with_extras =
        |extras: usize| (0..extras).fold(String::from("form-data; name=a"), |value, n| format!("{value}; p{n}=v"));
    assert!(name(&with_extras(MAX_PARAMETERS - 1)).is_ok());
    assert_eq!(name(&with_extras(MAX_PARAMETERS)), Err(FormError::TooManyParameters));
}
