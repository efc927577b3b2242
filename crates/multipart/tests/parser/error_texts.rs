//! Every error text says what is wrong and what to do.

use multipart::{BoundaryError, FieldTextError, FormError};
use std::collections::BTreeSet;

const FORM_ERRORS: &[FormError] = &[
    FormError::NoBoundary,
    FormError::Truncated,
    FormError::PreambleTooLong,
    FormError::BoundaryInPreamble,
    FormError::PreambleWithoutParts,
    FormError::BoundaryRunsOn,
    FormError::BoundaryAfterHeaders,
    FormError::HeadersUnfinished,
    FormError::EpilogueTooLong,
    FormError::TooManyParts,
    FormError::HeadersTooLong,
    FormError::TotalHeadersTooLong,
    FormError::TooManyHeaders,
    FormError::HeaderMalformed,
    FormError::HeaderFolded,
    FormError::HeaderBareLineBreak,
    FormError::HeaderControlCharacter,
    FormError::HeaderNotUtf8,
    FormError::HeaderRepeated,
    FormError::DispositionMissing,
    FormError::DispositionNotFormData,
    FormError::ParameterMalformed,
    FormError::ParameterRepeated,
    FormError::TooManyParameters,
    FormError::QuoteUnterminated,
    FormError::QuoteInName,
    FormError::NameMissing,
    FormError::NameExtended,
    FormError::FilenameExtendedMalformed,
    FormError::TransferEncodingUnknown,
];

const BOUNDARY_ERRORS: &[BoundaryError] = &[
    BoundaryError::NotFormData,
    BoundaryError::Malformed,
    BoundaryError::Missing,
    BoundaryError::Repeated,
    BoundaryError::Length,
    BoundaryError::Character,
];

#[test]
fn every_error_has_its_own_text_with_advice() {
    let form = FORM_ERRORS.iter().map(ToString::to_string);
    let boundary = BOUNDARY_ERRORS.iter().map(ToString::to_string);
    let field = [FieldTextError::TooLong, FieldTextError::NotUtf8, FieldTextError::ContainsNul];
    let field = field.iter().map(ToString::to_string);
    let mut texts = BTreeSet::new();
    for text in form.chain(boundary).chain(field) {
        let (problem, advice) = text.split_once(". ").expect("a text has two sentences");
        assert!(problem.starts_with(char::is_lowercase), "{text}");
        assert!(advice.starts_with(char::is_uppercase) && !advice.ends_with('.'), "{text}");
        assert!(texts.insert(text.clone()), "two errors have the text {text:?}");
    }
}
