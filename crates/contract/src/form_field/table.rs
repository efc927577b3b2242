//! The table of the fields. Everything that knows the form is generated from it.

/// Calls a macro with one row for each field of the upload form. The macro declares what it needs of the fields: the
/// enum, the members of a struct, the options of a command line.
///
/// A row of `texts` has the name of the field and of its variant, and then:
/// - whether it may have several lines (`Text`) or one (`Line`), its most characters, and the member of `UploadRules`
///   that tells clients this limit;
/// - whether it describes the video, or is the client's own data (`Client`), which can always be changed;
/// - the code of the refusal of an invalid value, and the option of the command line;
/// - the documentation, and an example.
///
/// Every text can be updated. A row of `others` has the kind of the field, its purpose and its code, its documentation,
/// and the documentation in updates if an update may change it. In an update, null or an empty text removes a value.
#[macro_export]
macro_rules! form_fields {
    ($then:ident) => { $crate::form_fields! { [$then] } };
    ([$($then:tt)+] $($argument:tt)*) => {
        $($then)+! {
            $($argument)*
            texts {
                caption Caption {
                    Text(2_200, max_caption_characters) Video ContentCaptionInvalid "caption"
                    "The caption of the video. It may contain hashtags."
                    "My first video #fun"
                }
                ai_summary_of_content AiSummaryOfContent {
                    Text(5_000, max_ai_summary_characters) Video ContentAiSummaryInvalid "summary"
                    "A summary of what happens in the video."
                    "A cat jumps off a chair."
                }
                external_id ExternalId {
                    Line(128, max_external_id_characters) Client ContentExternalIdInvalid "external-id"
                    "Your own id for the video, which need not be unique. The list of videos can be filtered by it."
                    "order-7"
                }
            }
            others {
                upload_token UploadToken {
                    Uuid Client UploadTokenInvalid
                    "A UUID that the client generates for this upload. Retrying with the same token never creates a second video. Send it before `file`, or in the header `Idempotency-Key`, so that a retry stores nothing and gets a response even when the daily limit is used up."
                    None
                }
                super_category_id SuperCategoryId {
                    Number Video ContentCategoryInvalid
                    "An id from the category list."
                    Some("An id from the category list.")
                }
                thumbnail_file ThumbnailFile {
                    File Video ContentThumbnailInvalid
                    "The thumbnail picture: JPEG, PNG or WebP, at most 2 MB. Cannot be combined with `thumbnail_time`."
                    None
                }
                thumbnail_time ThumbnailTime {
                    ClockTime Video ContentThumbnailTimeInvalid
                    "The time of the thumbnail frame, `hh:mm:ss` within the video. Cannot be combined with `thumbnail_file`."
                    Some("The time of the new thumbnail frame, `hh:mm:ss` within the video. Null lets the service choose a frame. The old thumbnail stays until the new one is ready: see `thumbnail_change` in the status.")
                }
                scheduled_publish_at_unix ScheduledPublishAt {
                    UnixTime Video ContentScheduleInvalid
                    "The publication time, as Unix time in seconds: 5 minutes to 180 days ahead."
                    Some("The publication time, 5 minutes to 180 days ahead. Null publishes the video immediately, or as soon as it is approved.")
                }
                visibility Visibility {
                    Visibility Video ContentVisibilityInvalid
                    "Who can find the video: `public` (the default) or `unlisted`. Everybody who has the link can watch an unlisted video, but search engines are asked not to list it."
                    Some("Who can find the video: `public` or `unlisted`. Null means `public`.")
                }
                is_sensitive IsSensitive {
                    Flag Video ContentLabelInvalid
                    "Whether viewers see a warning before the video. The default is `false`."
                    Some("Whether viewers see a warning before the video. Null means `false`. Only a moderator can remove a label that a moderator set.")
                }
                is_ai_generated IsAiGenerated {
                    Flag Video ContentLabelInvalid
                    "Whether the video was made with AI, which its page says. The default is `false`."
                    Some("Whether the video was made with AI. Null means `false`. Only a moderator can remove a label that a moderator set.")
                }
                metadata Metadata {
                    JsonObject Client ContentMetadataInvalid
                    "Your own data about the video: a JSON object with at most 20 members, 4,096 bytes in total. Names consist of 1 to 40 letters, digits, `_`, `-` and `.`. Values are strings of at most 500 characters."
                    Some("Your own data about the video. Replaces all earlier data.")
                }
                test Test {
                    TestOutcome Client ContentTestInvalid
                    "Whether this upload is a test, and its outcome. `true` or `published`: a test video is published; other outcomes: see the documentation on test mode. A test video is never public, does not count against the daily limit, and is deleted after 24 hours."
                    None
                }
                captions_file CaptionsFile {
                    FilePerLanguage Video ContentCaptionsInvalid
                    "Captions in the language at the end of the field name: WebVTT or SubRip in UTF-8. All captions of an upload together can have at most 512 KiB, in at most 8 languages."
                    None
                }
                file File {
                    File Video FileNotFound
                    "The video."
                    None
                }
            }
        }
    };
}
