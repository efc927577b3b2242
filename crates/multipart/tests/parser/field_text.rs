//! A text field is collected up to its limit, and refused if it is not text.

use multipart::{FieldText, FieldTextError, MAX_FIELD_TEXT_BYTES};

#[test]
fn the_limit_on_the_length_is_exact() {
    let mut text = FieldText::default();
    assert_eq!(text.push(&vec![b'a'; 65_536]), Ok(()));
    assert_eq!(text.push(b"b"), Err(FieldTextError::TooLong));
    assert_eq!(text.into_string().map(|text| text.len()), Ok(MAX_FIELD_TEXT_BYTES));
}

#[test]
fn a_character_may_be_split_between_two_chunks() {
    let mut text = FieldText::default();
    for byte in "größe 🎬".as_bytes().chunks(1) {
        text.push(byte).expect("within the limit");
    }
    assert_eq!(text.into_string().as_deref(), Ok("größe 🎬"));
}

#[test]
fn a_value_that_is_not_text_is_refused() {
    let not_utf8 = FieldTextError::NotUtf8;
    for (value, error) in [(&b"\xff"[..], not_utf8), (b"\xc3", not_utf8), (b"a\0b", FieldTextError::ContainsNul)] {
        let mut text = FieldText::with_limit(10);
        text.push(value).expect("within the limit");
        assert_eq!(text.into_string(), Err(error));
    }
}
