//! Every error code, with its HTTP status and the text that tells the sender what to do.
//!
//! The catalogue in `docs/errors.md` is generated from this table.

use serde::{Deserialize, Serialize};

/// Declares the enum and its three columns as one table, so that none can be forgotten. The code is passed on as a bare
/// token because utoipa's macro reads nothing else.
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

            /// The codes that only the status of a content has. No request is refused with them.
            pub const ONLY_IN_STATUS: &[Self] = &[Self::ContentProcessingFailed];

            /// The codes that only operations below `/internal/` return. The public description does not list them.
            pub const INTERNAL: &[Self] = &[
                Self::ServiceTokenInvalid,
                Self::AdminTokenInvalid,
                Self::SignatureInvalid,
                Self::AccountNotFound,
                Self::TokenNotFound,
                Self::OriginKeyNotFound,
                Self::ChannelNotFound,
                Self::TokenRoleMissing,
                Self::ContentClaimed,
                Self::AppealNeedsAnother,
            ];

            /// Returns the code as it appears in responses.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            pub const fn status(self) -> u16 {
                match self { $(Self::$variant => $status),+ }
            }

            /// Returns what happened and what to do next, in one or two sentences.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

error_codes! {
    RequestMalformed "request_malformed" 400
        "The request is malformed. Compare its headers and body with the documentation of this endpoint."
    FileNotFound "file_not_found" 400
        "The form has no video in a field named `file`. Send the video in exactly that field."
    SessionRequired "session_required" 401
        "This endpoint requires a signed-in session. Sign in on the site and send its `__Host-session` cookie."
    ApiKeyInvalid "api_key_invalid" 401
        "The API key is missing or invalid. Send the header `Authorization: Bearer <API_KEY>` with a key that has not been deleted or rotated. This is also the response to a request without that header, to a key without the word `Bearer`, and to a key sent with `curl -u` or in `X-Api-Key`."
    DirectUploadTokenInvalid "direct_upload_token_invalid" 401
        "The one-time token is missing, unknown, revoked or expired. Get a new one from the app that you are using. Apps: create a new direct upload."
    ServiceTokenInvalid "service_token_invalid" 401
        "The service token is missing or invalid. Send `Authorization: Bearer <service token>`."
    AdminTokenInvalid "admin_token_invalid" 401
        "The admin token is missing or invalid. Send `Authorization: Bearer <admin token>`."
    SignatureInvalid "signature_invalid" 401
        "The request has no valid origin signature. Check that the origin's key is not revoked and belongs to its name, and that its clock is at most 300 seconds off."
    CsrfRejected "csrf_rejected" 403
        "The `Origin` or `Sec-Fetch-Site` header shows that the request comes from a page of another site. Send it from a page of this host, or from a program that sends neither header."
    DirectUploadOriginForbidden "direct_upload_origin_forbidden" 403
        "The one-time token cannot be used from this page. Set `allowed_origin` to the page's origin when you create the direct upload."
    ChannelSuspended "channel_suspended" 403
        "The channel is suspended, and its API key does not work until a moderator lifts the suspension. Contact the site's support."
    AccountErased "account_erased" 403
        "The account was erased and cannot be reopened. Sign the person in with a new account."
    AccountNotFound "account_not_found" 404
        "Unknown `account_id`. The account may never have signed in."
    TokenNotFound "token_not_found" 404
        "There is no token with this `token_id`."
    OriginKeyNotFound "origin_key_not_found" 404
        "There is no origin key with this `key_id`."
    ChannelNotFound "channel_not_found" 404
        "There is no channel with this `channel_id`."
    TokenRoleMissing "token_role_missing" 403
        "The token is valid, but does not have the required role. `detail` names the role."
    HttpsRequired "https_required" 403
        "The request was not encrypted. Send it to the same address with `https://`. Replace the key, token or session that it carried: others may have read it."
    NotFound "not_found" 404
        "Nothing exists at this address. Check the path and the host."
    ApiKeyNotFound "api_key_not_found" 404
        "The account has no API key. Create one first."
    ContentNotFound "content_not_found" 404
        "The channel has no video with this `content_uuid`. Use the `content_uuid` that the upload returned."
    UploadNotFound "upload_not_found" 404
        "No upload exists at this address. An unfinished upload is deleted after a day, or when its key is deleted or rotated. Create a new upload."
    DirectUploadNotFound "direct_upload_not_found" 404
        "The channel has no direct upload with this `direct_upload_id`, or it ended more than 7 days ago."
    WebhookNotFound "webhook_not_found" 404
        "The channel has no webhook with this `webhook_uuid`. List your webhooks to find the right UUID."
    EventNotFound "event_not_found" 404
        "The event is not in the log of the last 30 days."
    MethodNotAllowed "method_not_allowed" 405
        "This address does not support this method. Use one that the `Allow` header lists."
    ApiKeyAlreadyExists "api_key_already_exists" 409
        "The account already has an API key. Rotate it to get a new one, or delete it first."
    ContentUploadLimitFailure "content_upload_limit_failure" 429
        "The channel has reached its daily upload limit. Try again after `limit_reset_time_unix`."
    WebhookLimitReached "webhook_limit_reached" 409
        "The channel has the maximum number of webhooks. Delete one, or change its URL."
    DirectUploadLimitReached "direct_upload_limit_reached" 409
        "The channel has the maximum of 1,000 open direct uploads. Revoke some, or wait until they expire."
    DirectUploadUsed "direct_upload_used" 409
        "A video was already uploaded with this one-time token. Create a new direct upload for another video."
    WebhookInactive "webhook_inactive" 409
        "The webhook is switched off or paused. Update it with `is_active: true` first."
    AppealNotPossible "appeal_not_possible" 409
        "An appeal is not possible. You can appeal each rejection or removal by a moderator once, within 30 days."
    AppealNeedsAnother "appeal_needs_another" 409
        "The owner has appealed against your own decision. Another moderator must decide on the appeal."
    ContentClaimed "content_claimed" 409
        "Another moderator is looking at this video. Wait until the claim ends, or claim it yourself with `take_over`."
    ContentLabelLocked "content_label_locked" 409
        "A moderator set this label of the video. Only a moderator can remove it."
    ContentStateConflict "content_state_conflict" 409
        "The video's state does not allow this. `detail` names the state."
    UploadInProgress "upload_in_progress" 409
        "An upload with this `upload_token` is still in progress. Wait for `Retry-After` seconds, then send the same upload again."
    UploadTokenSpent "upload_token_spent" 409
        "An upload with this `upload_token` became a video that was deleted or could not be processed. Generate a new token to upload it again."
    UploadOffsetMismatch "upload_offset_mismatch" 409
        "`Upload-Offset` is not the current offset of the upload. Get the current offset with `HEAD`, and continue there."
    UploadSuperseded "upload_superseded" 409
        "A newer request has replaced this one. Send the bytes of an upload in one request at a time."
    TusVersionUnsupported "tus_version_unsupported" 412
        "This endpoint supports version 1.0.0 of the tus protocol. Send the header `Tus-Resumable: 1.0.0`."
    ContentFileTooLarge "content_file_too_large" 413
        "The video is larger than the service accepts. Send a smaller file."
    JsonContentTypeRequired "json_content_type_required" 415
        "This endpoint accepts only JSON. Send the header `Content-Type: application/json` and a JSON body, such as `{}`."
    ContentEncodingUnsupported "content_encoding_unsupported" 415
        "The request has a `Content-Encoding` header. Send the body uncompressed, without this header."
    ContentFileInvalidFormat "content_file_invalid_format" 415
        "The file is not a complete video in a supported format. Send mp4, mov, 3gp, webm, mkv, avi, flv, mpeg, wmv or ogg with a video track."
    ContentVideoDurationInvalid "content_video_duration_invalid" 422
        "The video must be 2 to 120 seconds long."
    ContentCategoryInvalid "content_category_invalid" 422
        "`super_category_id` must be an id from the category list."
    ContentCaptionInvalid "content_caption_invalid" 422
        "`caption` must be text of at most 2,200 characters."
    ContentAiSummaryInvalid "content_ai_summary_invalid" 422
        "`ai_summary_of_content` must be text of at most 5,000 characters."
    ContentVisibilityInvalid "content_visibility_invalid" 422
        "`visibility` must be `public` or `unlisted`."
    ContentLabelInvalid "content_label_invalid" 422
        "A label, such as `is_sensitive` or `is_ai_generated`, must be `true` or `false`."
    ContentExternalIdInvalid "content_external_id_invalid" 422
        "`external_id` must be text of 1 to 128 characters without control characters."
    ContentMetadataInvalid "content_metadata_invalid" 422
        "`metadata` must be a JSON object with at most 20 members and 4,096 bytes. Names have 1 to 40 letters, digits, `_`, `-` and `.`; values are strings of at most 500 characters."
    ContentTestInvalid "content_test_invalid" 422
        "`test` must be `true`, `false`, or the name of an outcome from the documentation on test mode."
    DirectUploadInvalid "direct_upload_invalid" 422
        "A value of the direct upload is invalid. `field` names it, and `detail` says why."
    DirectUploadFieldForbidden "direct_upload_field_forbidden" 422
        "The user of a direct upload may not set this field. To allow it, list it in `user_may_set` when you create the direct upload."
    ContentThumbnailConflict "content_thumbnail_conflict" 422
        "Send `thumbnail_time` or `thumbnail_file`, not both."
    ContentThumbnailTimeInvalid "content_thumbnail_time_invalid" 422
        "`thumbnail_time` must have the form `hh:mm:ss` and lie within the video."
    ContentThumbnailInvalid "content_thumbnail_invalid" 422
        "`thumbnail_file` must be a JPEG, PNG or WebP picture of at most 2 MB."
    ContentCaptionsInvalid "content_captions_invalid" 422
        "Captions must be a WebVTT or SubRip file in UTF-8 with text in the first two minutes, at most 2,000 cues and at most 128 KiB of text. The file, or all captions files of an upload together, can have at most 512 KiB."
    ContentCaptionsLanguageInvalid "content_captions_language_invalid" 422
        "`language`, or the end of a field name that begins with `captions_file_`, must be a language tag such as `en`, `pt-BR` or `zh-Hant`."
    ContentCaptionsTooMany "content_captions_too_many" 422
        "A video can have captions in at most 8 languages. Delete the captions of another language first."
    ContentScheduleInvalid "content_schedule_invalid" 422
        "`scheduled_publish_at_unix` must be a Unix time in seconds, from 5 minutes to 180 days ahead."
    #[doc = "Appears only in a status: moderation rejected the video."]
    ContentModerationRejected "content_moderation_rejected" 422
        "The video breaks the service's rules and will not be published."
    WebhookUrlInvalid "webhook_url_invalid" 422
        "`url` must be an `https://` URL with a public domain name and at most 2,048 ASCII characters, without a user name, port or fragment."
    UploadTokenInvalid "upload_token_invalid" 422
        "`upload_token` must be a UUID with hyphens."
    UploadTokenMismatch "upload_token_mismatch" 422
        "This `upload_token` was used for an upload with a different file or different fields. Generate a new token for each new upload."
    UploadMetadataInvalid "upload_metadata_invalid" 400
        "`Upload-Metadata` must list the fields of the upload as comma-separated pairs: a name, a space, and the value in base64. `detail` says what is wrong."
    UploadSha256Mismatch "upload_sha256_mismatch" 422
        "The SHA-256 of the received file is not the one in `Upload-Metadata`. Upload the file again."
    FieldUnknown "field_unknown" 422
        "The request has a field that the API does not define; `field` names it. Correct its name or remove it, or send `Prefer: handling=lenient` to ignore unknown fields."
    RequestTimeout "request_timeout" 408
        "The request body did not arrive in time. Send the request again."
    UploadTooSlow "upload_too_slow" 408
        "The upload sent no data for too long and was canceled. Send it again."
    TooManyUploads "too_many_uploads" 429
        "The channel has too many uploads open at once. Wait for one to end, or for `Retry-After` seconds, then send this one again."
    RateLimited "rate_limited" 429
        "Too many requests with this key or account, too many rejected uploads with this key in an hour, or too many new keys from this IP address. Try again after `Retry-After` seconds. When polling a status, wait for its `check_after_seconds`."
    DailyChangeLimitReached "daily_change_limit_reached" 429
        "The account has reached its daily limit for this kind of change. Try again after `Retry-After` seconds; the limit resets at 00:00 UTC."
    ServiceOverloaded "service_overloaded" 503
        "The service is busy. Try again after `Retry-After` seconds."
    ServiceUnavailable "service_unavailable" 503
        "The service, or a part of it, is unavailable. `detail` says why. Try again later."
    FormatUnsupported "format_unsupported" 501
        "Only JSON is available. Send `format=json`, or omit `format`."
    #[doc = "Appears only in a status: the video could not be processed."]
    ContentProcessingFailed "content_processing_failed" 500
        "The video could not be processed for a technical reason. Upload it again. If the error persists, report its `content_uuid`."
    InternalError "internal_error" 500
        "An error occurred on our side. Try again. If the error persists, report the `x-request-id` of the response."
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
            assert!(code.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'), "{code}");
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
