//! The tables of limits in `docs/publish/limits.md`.

use contract::limits::*;
use contract::subtitles::MAX_SUBTITLE_TRACKS;
use contract::{ErrorCode, FormField};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// A row of a table: its name, the limit, and the consequence of exceeding it.
struct Row(String, String, String);

fn row(what: impl Into<String>, limit: impl Into<String>, beyond: impl Into<String>) -> Row {
    Row(what.into(), limit.into(), beyond.into())
}

/// Returns a table for each group of limits.
pub(crate) fn tables() -> String {
    let groups = [
        ("Video", video()),
        ("Fields", fields()),
        ("Uploads", uploads()),
        ("Rates and quotas", rates()),
        ("Direct uploads", direct_uploads()),
        ("Webhooks", webhooks()),
        ("Appeals", appeals()),
        ("Retention", retention()),
        ("Requests", requests()),
    ];
    let mut text = String::new();
    for (title, rows) in groups {
        writeln!(text, "## {title}\n\n| What | Limit | Beyond it |\n|---|---|---|").unwrap();
        for Row(what, limit, beyond) in rows {
            writeln!(text, "| {what} | {limit} | {beyond} |").unwrap();
        }
        text.push('\n');
    }
    text
}

fn video() -> Vec<Row> {
    let (shortest, longest) = (VIDEO_DURATION_MS.start(), VIDEO_DURATION_MS.end());
    let rate = format!(
        "{} million pixels per second (width × height × frame rate)",
        number(MAX_PIXELS_PER_SECOND / 1_000_000)
    );
    vec![
        row("Maximum file size in a form", bytes(DEFAULT_MAX_FILE_BYTES), refused(ErrorCode::ContentFileTooLarge)),
        row(
            "Maximum file size of a resumable upload",
            bytes(DEFAULT_MAX_RESUMABLE_BYTES),
            refused(ErrorCode::ContentFileTooLarge),
        ),
        row(
            "Duration",
            format!("{} to {} seconds", shortest / 1_000, longest / 1_000),
            refused(ErrorCode::ContentVideoDurationInvalid),
        ),
        row(
            "How much later the last frame may end",
            format!("{MAX_OVERHANG_MS} ms"),
            refused(ErrorCode::ContentVideoDurationInvalid),
        ),
        row("Formats", VIDEO_EXTENSIONS.join(", "), refused(ErrorCode::ContentFileInvalidFormat)),
        row("Resolution and frame rate", rate, refused(ErrorCode::ContentFileInvalidFormat)),
    ]
}

fn fields() -> Vec<Row> {
    let mut rows = Vec::new();
    for field in FormField::ALL {
        if let Some(most) = field.max_characters() {
            rows.push(row(
                format!("`{}`", field.name()),
                format!("{} characters", number(most)),
                refused(field.code()),
            ));
        }
    }
    let pictures = THUMBNAIL_MEDIA_TYPES.iter().map(|name| name.trim_start_matches("image/")).collect::<Vec<_>>();
    let pictures = format!("{}, {}", pictures.join(", "), bytes(MAX_THUMBNAIL_BYTES as u64));
    let metadata = format!("{MAX_METADATA_MEMBERS} members, {} bytes as JSON", number(MAX_METADATA_BYTES));
    let (size, text) = (bytes(MAX_CAPTIONS_BYTES as u64), bytes(MAX_CAPTIONS_TEXT_BYTES as u64));
    let text = format!("{text} of text, {} cues", number(subtitles::MAX_CUES));
    let (of_metadata, of_captions) = (ErrorCode::ContentMetadataInvalid, ErrorCode::ContentCaptionsInvalid);
    rows.push(row("`metadata`", metadata, refused(of_metadata)));
    rows.push(row(
        "Names in `metadata`",
        format!("1 to {MAX_METADATA_NAME_CHARACTERS} characters"),
        refused(of_metadata),
    ));
    rows.push(row("Values in `metadata`", format!("{MAX_METADATA_VALUE_CHARACTERS} characters"), refused(of_metadata)));
    rows.push(row("`thumbnail_file`", pictures, refused(ErrorCode::ContentThumbnailInvalid)));
    rows.push(row("Captions of an upload, or a file sent later", size, refused(of_captions)));
    rows.push(row("Captions per language", text, refused(of_captions)));
    rows.push(row(
        "Languages of captions",
        MAX_SUBTITLE_TRACKS.to_string(),
        refused(ErrorCode::ContentCaptionsTooMany),
    ));
    rows.push(row(
        "`scheduled_publish_at_unix`",
        format!("{} ahead", span(&SCHEDULE_AHEAD_SECONDS)),
        refused(ErrorCode::ContentScheduleInvalid),
    ));
    rows
}

fn uploads() -> Vec<Row> {
    let pace =
        format!("{} per second, on average over {UPLOAD_PACE_SECONDS} seconds", bytes(MIN_UPLOAD_BYTES_PER_SECOND));
    let too_many = || refused(ErrorCode::TooManyUploads);
    vec![
        row(
            "Open uploads of a channel",
            format!("`max_open_uploads`, {DEFAULT_MAX_OPEN_UPLOADS} by default"),
            too_many(),
        ),
        row("Open uploads without `Content-Length`", MAX_UPLOADS_WITHOUT_LENGTH.to_string(), too_many()),
        row(
            "Unfinished resumable uploads of a channel",
            format!("{MAX_UNFINISHED_UPLOADS}, {} in total", bytes(MAX_UNFINISHED_BYTES)),
            too_many(),
        ),
        row("Test videos of a channel", MAX_TEST_VIDEOS.to_string(), too_many()),
        row("Minimum pace of an upload", pace, refused(ErrorCode::UploadTooSlow)),
        row("Longest time of an upload", duration(MAX_UPLOAD_SECONDS), refused(ErrorCode::UploadTooSlow)),
    ]
}

fn rates() -> Vec<Row> {
    let daily = format!(
        "`max_daily_changes`: {MIN_DAILY_CHANGES}, or {DAILY_CHANGES_PER_UPLOAD} for each upload of the daily limit if that is more"
    );
    let (limited, changed) = (|| refused(ErrorCode::RateLimited), || refused(ErrorCode::DailyChangeLimitReached));
    let in_period = |requests: u32| format!("{requests} in {KEY_REQUESTS_SECONDS} seconds");
    vec![
        row(
            "Uploads of a channel per day",
            format!("`limit_amount`, {DEFAULT_DAILY_UPLOAD_LIMIT} by default"),
            refused(ErrorCode::ContentUploadLimitFailure),
        ),
        row("Requests with one key", in_period(MAX_KEY_REQUESTS), limited()),
        row("Requests of all sessions of an account", in_period(MAX_KEY_REQUESTS), limited()),
        row("Requests from one IP address with keys not used recently", in_period(MAX_UNKNOWN_KEY_REQUESTS), limited()),
        row(
            "Failed uploads with one key per clock hour: rejected, too slow, incomplete, or sent twice at once",
            MAX_REFUSED_UPLOADS.to_string(),
            format!("{} for every upload, until the hour ends", limited()),
        ),
        row("Changes of captions, thumbnails, schedules, labels and visibility per day", daily, changed()),
        row(
            "Time for which a rotated key stays valid, on request",
            format!("up to {}", duration(MAX_PREVIOUS_KEY_SECONDS)),
            refused(ErrorCode::RequestMalformed),
        ),
        row("New keys of an account per day, by creation and rotation", MAX_DAILY_NEW_KEYS.to_string(), changed()),
        row(
            "New webhooks of an account, and changes of their URLs, states and secrets, per day",
            MAX_DAILY_WEBHOOK_CHANGES.to_string(),
            changed(),
        ),
    ]
}

fn direct_uploads() -> Vec<Row> {
    let begins = format!("{}, {} by default", span(&DIRECT_UPLOAD_SECONDS), duration(DEFAULT_DIRECT_UPLOAD_SECONDS));
    vec![
        row(
            "Open one-time tokens of a channel",
            number(MAX_OPEN_DIRECT_UPLOADS),
            refused(ErrorCode::DirectUploadLimitReached),
        ),
        row("`expires_in_seconds`: time until an upload must begin", begins, refused(ErrorCode::DirectUploadInvalid)),
        row(
            "State of the video, read with the token",
            format!("{} after the upload", duration(DIRECT_STATUS_SECONDS)),
            refused(ErrorCode::DirectUploadTokenInvalid),
        ),
    ]
}

fn webhooks() -> Vec<Row> {
    let seconds = u64::from(WEBHOOK_TIMEOUT_MS) / 1_000;
    vec![
        row("Webhooks of a channel", MAX_WEBHOOKS.to_string(), refused(ErrorCode::WebhookLimitReached)),
        row(
            "Length of `url`",
            format!("{} characters", number(MAX_WEBHOOK_URL_CHARACTERS)),
            refused(ErrorCode::WebhookUrlInvalid),
        ),
        row("Time to respond", duration(seconds), "The delivery fails and is retried".to_owned()),
        row(
            "Part of your response that is read",
            bytes(u64::from(MAX_WEBHOOK_ANSWER_BYTES)),
            "The rest is ignored".to_owned(),
        ),
        row(
            "Retries of an event",
            format!("for {}", duration(WEBHOOK_RETRY_SECONDS)),
            "The delivery is abandoned".to_owned(),
        ),
        row(
            "The old signing secret after a rotation",
            duration(WEBHOOK_SECRET_OVERLAP_SECONDS),
            "Only the new one signs".to_owned(),
        ),
    ]
}

fn appeals() -> Vec<Row> {
    vec![
        row("Time to appeal", duration(APPEAL_SECONDS), refused(ErrorCode::AppealNotPossible)),
        row("Appeals per decision", "1", refused(ErrorCode::AppealNotPossible)),
        row(
            "Text of an appeal",
            format!("{} characters", number(MAX_APPEAL_CHARACTERS)),
            refused(ErrorCode::RequestMalformed),
        ),
    ]
}

fn retention() -> Vec<Row> {
    let gone = |code| format!("Deleted: {}", refused(code));
    vec![
        row("Events and webhook deliveries", duration(EVENT_LOG_SECONDS), "Deleted".to_owned()),
        row(
            "Unfinished resumable uploads",
            format!("{DEFAULT_RESUMABLE_HOURS} hours by default"),
            gone(ErrorCode::UploadNotFound),
        ),
        row("Results of finished resumable uploads", duration(OUTCOME_SECONDS), gone(ErrorCode::UploadNotFound)),
        row(
            "Direct uploads that have ended",
            duration(ENDED_DIRECT_UPLOAD_SECONDS),
            gone(ErrorCode::DirectUploadNotFound),
        ),
        row(
            format!("Failed requests; the last {MAX_LISTED_FAILED_REQUESTS} in detail"),
            duration(FAILED_REQUESTS_SECONDS),
            "Deleted".to_owned(),
        ),
        row("Test videos", duration(TEST_VIDEO_SECONDS), gone(ErrorCode::ContentNotFound)),
    ]
}

fn requests() -> Vec<Row> {
    let malformed = || refused(ErrorCode::RequestMalformed);
    let (least, most) = PAGE_LENGTHS.into_inner();
    let headers = multipart::Caps::default().total_header_bytes;
    vec![
        row("`limit`: entries per page of a list", format!("{least} to {most}"), malformed()),
        row(
            "Unknown fields of a form with `Prefer: handling=lenient`",
            format!("{} in total", bytes(MAX_IGNORED_FIELD_BYTES as u64)),
            malformed(),
        ),
        row("Headers of all parts of a form", bytes(headers as u64), malformed()),
        row("Time for a JSON body", duration(JSON_BODY_SECONDS), refused(ErrorCode::RequestTimeout)),
    ]
}

/// Returns the status and the code of a refusal.
fn refused(code: ErrorCode) -> String {
    format!("{} `{}`", code.status(), code.as_str())
}

/// Returns a number with commas.
fn number(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or_default().to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    groups.collect::<Vec<_>>().join(",")
}

/// Returns a size in the largest unit in which it is whole.
fn bytes(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1024, "KiB")];
    let unit = units.into_iter().find(|(size, _)| bytes.is_multiple_of(*size));
    unit.map_or_else(|| format!("{} bytes", number(bytes)), |(size, name)| format!("{} {name}", number(bytes / size)))
}

/// Returns a duration in the largest unit that makes it a whole number above one.
fn duration(seconds: u64) -> String {
    let units = [(86_400, "days"), (3_600, "hours"), (60, "minutes")];
    let unit = units.into_iter().find(|(size, _)| seconds.is_multiple_of(*size) && seconds > *size);
    let (size, name) = unit.unwrap_or((1, "seconds"));
    format!("{} {name}", number(seconds / size))
}

fn span(seconds: &RangeInclusive<u64>) -> String {
    format!("{} to {}", duration(*seconds.start()), duration(*seconds.end()))
}
