//! Every code a failure can carry, with its HTTP status and what it tells the sender to do.
//!
//! The one place where the three are decided; the catalogue in `docs/errors.md` is generated from it.

use serde::{Deserialize, Serialize};

/// Declares the enum and its three columns as one table, so that none can be forgotten. A code is passed on as the bare
/// token that it is: the API description's macro reads nothing else.
macro_rules! error_codes {
    ($($(#[doc = $note:literal])? $variant:ident $code:tt $status:literal $text:literal)+) => {
        /// The value of `error_message_code`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub enum ErrorCode {
            $($(#[doc = $note])? #[serde(rename = $code)] $variant,)+
        }

        impl ErrorCode {
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code as it stands in a response.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }

            /// What went wrong and what to do next, in one or two sentences.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

error_codes! {
    RequestMalformed "request_malformed" 400
        "The request could not be read. Compare its headers and body with the documentation of this endpoint."
    FileNotFound "file_not_found" 400
        "No video came in a form field named `file`. Send the video in exactly that field."
    SessionRequired "session_required" 401
        "This needs a signed-in session. Sign in on the site and send its `__Host-session` cookie."
    ApiKeyInvalid "api_key_invalid" 401
        "The API key is missing or not valid. Send `Authorization: Bearer <API_KEY>` with a key that has not been deleted or rotated."
    ServiceTokenInvalid "service_token_invalid" 401
        "This endpoint takes `Authorization: Bearer <service token>`, and the one sent is not it."
    AdminTokenInvalid "admin_token_invalid" 401
        "This endpoint takes `Authorization: Bearer <admin token>`, and the one sent is not it."
    SignatureInvalid "signature_invalid" 401
        "The request is not signed by an origin that this service knows, or its clock is more than 300 seconds off."
    CsrfRejected "csrf_rejected" 403
        "Key management takes same-origin POST requests with `Content-Type: application/json` alone; only `get_api_key` may be a GET."
    NotFound "not_found" 404
        "There is nothing at this address. Check the path and the host."
    ApiKeyNotFound "api_key_not_found" 404
        "The account has no API key. Create one first."
    ContentNotFound "content_not_found" 404
        "The channel has no such content. `content_uuid` is the one that the upload answered."
    MethodNotAllowed "method_not_allowed" 405
        "This address does not take this method; the `Allow` header names those it takes."
    ApiKeyAlreadyExists "api_key_already_exists" 409
        "The account already has an API key. Rotate it to get a new one, or delete it first."
    ContentUploadLimitFailure "content_upload_limit_failure" 429
        "The channel's daily upload limit is used up. Try again after `limit_reset_time_unix`."
    ContentStateConflict "content_state_conflict" 409
        "The content is not in a state in which this can be done; `detail` names the state."
    UploadInProgress "upload_in_progress" 409
        "An upload with this `upload_token` is still under way. Wait for `Retry-After` seconds and send the same upload again."
    ContentFileTooLarge "content_file_too_large" 413
        "The video is larger than the service takes. Send a smaller file."
    ContentFileInvalidFormat "content_file_invalid_format" 415
        "The file is not a video in a supported format: mp4, mov, 3gp, webm, mkv, avi, flv, mpeg, wmv or ogg with a video track, and complete."
    ContentVideoDurationInvalid "content_video_duration_invalid" 422
        "The video must play for 2 to 120 seconds."
    ContentCategoryInvalid "content_category_invalid" 422
        "`super_category_id` is not an identifier from the category list."
    ContentCaptionInvalid "content_caption_invalid" 422
        "`caption` must be text of at most 2,200 characters."
    ContentAiSummaryInvalid "content_ai_summary_invalid" 422
        "`ai_summary_of_content` must be text of at most 5,000 characters."
    ContentThumbnailConflict "content_thumbnail_conflict" 422
        "Send `thumbnail_time` or `thumbnail_file`, not both."
    ContentThumbnailTimeInvalid "content_thumbnail_time_invalid" 422
        "`thumbnail_time` must be written `hh:mm:ss` and lie within the video."
    ContentThumbnailInvalid "content_thumbnail_invalid" 422
        "`thumbnail_file` must be a JPEG, PNG or WebP picture of at most 2 MB."
    ContentScheduleInvalid "content_schedule_invalid" 422
        "`scheduled_publish_at_unix` must be a Unix time in seconds, from 5 minutes to 180 days ahead."
    #[doc = "In a status, never an answer of its own: moderation does not let the video pass."]
    ContentModerationRejected "content_moderation_rejected" 422
        "The video does not comply with the service's rules and will not be shown."
    UploadTokenInvalid "upload_token_invalid" 422
        "`upload_token` must be a UUID in its hyphenated text form."
    UploadTokenMismatch "upload_token_mismatch" 422
        "This `upload_token` belongs to an upload with another file or other fields. Make a new token for a new upload."
    UploadTooSlow "upload_too_slow" 408
        "The upload was silent for too long and its slot has been given back. Send it again."
    RateLimited "rate_limited" 429
        "This key asks too often. Go on after `Retry-After` seconds; a status says in `check_after_seconds` when to ask again."
    ServiceOverloaded "service_overloaded" 503
        "Too many uploads are under way here at this moment. Try again after `Retry-After` seconds."
    #[doc = "In a status, never an answer of its own: the video could not be processed."]
    ContentProcessingFailed "content_processing_failed" 500
        "The video could not be processed, for a technical reason. Upload it again; if it stays, report its `content_uuid`."
    InternalError "internal_error" 500
        "Something failed on our side. Try again; if it stays, report the `x-request-id` of the response."
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_is_unique_and_written_in_snake_case() {
        let codes: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        for code in codes {
            assert!(
                code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'),
                "{code}"
            );
        }
    }

    #[test]
    fn every_status_is_a_failure_and_every_text_a_sentence() {
        for code in ErrorCode::ALL {
            assert!((400..600).contains(&code.status()), "{code:?}");
            assert!(code.text().ends_with('.'), "{code:?}");
        }
    }

    #[test]
    fn a_code_is_serialised_as_its_text() {
        for code in ErrorCode::ALL {
            let json = serde_json::to_value(code).unwrap();
            assert_eq!(json, code.as_str());
        }
    }
}
