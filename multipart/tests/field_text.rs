//! A text field is gathered up to its limit and is text, or it is refused.

use multipart::{FieldText, FieldTextError, MAX_FIELD_TEXT_BYTES};

#[test]
fn a_value_may_be_as_long_as_the_limit_and_no_longer() {
    let mut text = FieldText::default();
    assert_eq!(text.push(&vec![b'a'; MAX_FIELD_TEXT_BYTES]), Ok(()));
    assert_eq!(text.push(b"b"), Err(FieldTextError::TooLong));
    assert_eq!(
        text.into_string().map(|text| text.len()),
        Ok(MAX_FIELD_TEXT_BYTES)
    );
}

#[test]
fn a_character_may_be_cut_by_a_chunk_border() {
    let mut text = FieldText::default();
    for byte in "größe 🎬".as_bytes().chunks(1) {
        text.push(byte).expect("within the limit");
    }
    assert_eq!(text.into_string().as_deref(), Ok("größe 🎬"));
}

#[test]
fn a_value_that_is_no_text_is_refused() {
    for value in [&b"\xff"[..], b"a\0b", b"\xc3"] {
        let mut text = FieldText::with_limit(10);
        text.push(value).expect("within the limit");
        assert_eq!(text.into_string(), Err(FieldTextError::NotText));
    }
}
