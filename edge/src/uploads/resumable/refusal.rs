//! A permanent refusal of an upload, as it is stored. Whoever asks for the upload later gets it again.

use crate::base::refusal::Refusal;
use contract::ErrorCode;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredRefusal {
    code: ErrorCode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

impl StoredRefusal {
    /// Returns what is to be stored of a refusal, or `None` if it is not about the file and a later request may
    /// succeed.
    pub(super) fn of(refusal: &Refusal) -> Option<Self> {
        is_permanent(refusal.code).then(|| Self {
            code: refusal.code,
            field: refusal.field.as_deref().map(str::to_owned),
            detail: refusal.detail.clone(),
        })
    }

    pub(crate) fn into_refusal(self) -> Refusal {
        let refusal = Refusal::new(self.code);
        let refusal = self.field.iter().fold(refusal, |refusal, field| refusal.with_field(field));
        self.detail.into_iter().fold(refusal, Refusal::with_detail)
    }
}

/// Whether the bytes that have arrived are proven wrong, so that no further request can save the upload.
fn is_permanent(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ContentFileInvalidFormat
            | ErrorCode::ContentVideoDurationInvalid
            | ErrorCode::ContentThumbnailTimeInvalid
            | ErrorCode::ContentCategoryInvalid
            | ErrorCode::ContentModerationRejected
            | ErrorCode::UploadSha256Mismatch
            | ErrorCode::UploadTokenMismatch
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_file_is_stored_and_read_as_it_was() {
        let refusal = Refusal::new(ErrorCode::ContentFileInvalidFormat).with_field("file").with_detail("No video.");
        let stored = StoredRefusal::of(&refusal).unwrap();
        let read: StoredRefusal = serde_json::from_value(serde_json::to_value(&stored).unwrap()).unwrap();
        let again = read.into_refusal();
        assert_eq!((again.code, again.field, again.detail), (refusal.code, refusal.field, refusal.detail));
    }

    #[test]
    fn a_refusal_that_may_pass_is_not_stored() {
        for code in [ErrorCode::UploadTooSlow, ErrorCode::InternalError, ErrorCode::RequestMalformed] {
            assert_eq!(StoredRefusal::of(&Refusal::new(code)), None);
        }
    }
}
