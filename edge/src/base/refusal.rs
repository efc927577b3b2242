//! A refusal: the error code of a rejected request, with details for the response and the log.
//!
//! The core raises refusals. `http::refusal_response` turns them into status, headers and body.

use crate::base::daily_limit::{Usage, day_of, end_of_day};
use crate::base::ids::ContentUuid;
use crate::base::known_categories::{explain_category, explain_value};
use crate::base::limits::OVERLOADED_RETRY_SECONDS;
use crate::base::unix_seconds::UnixSeconds;
use contract::limits::{KEY_REQUESTS_SECONDS, SCHEDULE_AHEAD_SECONDS};
use contract::mistake::{Ahead, invalid_uuid, wrong_schedule};
use contract::{ErrorCode, FormField};
use std::fmt::Display;

const CLOSED_RETRY_SECONDS: u64 = 60;

#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub code: ErrorCode,
    /// The faulty field. If the API does not define it, this is the name that the client sent.
    pub field: Option<Box<str>>,
    pub detail: Option<String>,
    /// The channel's usage of the day, and the time of the response.
    pub usage: Option<(Usage, UnixSeconds)>,
    /// Whether the key makes too many requests at once.
    pub exceeds_burst: bool,
    pub retry_after_seconds: Option<u64>,
    /// The internal cause, which is written to the log and never to the response.
    pub cause: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode) -> Self {
        Self {
            code,
            field: None,
            detail: None,
            usage: None,
            exceeds_burst: false,
            retry_after_seconds: None,
            cause: None,
        }
    }

    /// The refusal of an invalid value of a field.
    pub(crate) fn of_field(field: FormField) -> Self {
        Self::new(field.code()).with_field(field.name())
    }

    /// The refusal of a value that a field cannot have, with an explanation.
    pub(crate) fn of_value(field: FormField, received: &str) -> Self {
        Self::of_field(field).with_detail(explain_value(field, received, 0))
    }

    /// The refusal of a category that is not in the list.
    pub(crate) fn unknown_category(id: u64) -> Self {
        Self::of_field(FormField::SuperCategoryId).with_detail(explain_category(id))
    }

    /// The refusal of a publication time that is too early or too late.
    pub(crate) fn wrong_schedule(time: UnixSeconds, now: UnixSeconds) -> Self {
        let ahead = Ahead { least: *SCHEDULE_AHEAD_SECONDS.start(), most: *SCHEDULE_AHEAD_SECONDS.end() };
        Self::of_field(FormField::ScheduledPublishAt).with_detail(wrong_schedule(time.0, now.0, ahead))
    }

    /// The channel has no such video. A text that cannot be its UUID is explained.
    pub(crate) fn content_not_found(content_uuid: &ContentUuid) -> Self {
        let refusal = Self::new(ErrorCode::ContentNotFound).with_field("content_uuid");
        let text = content_uuid.as_str();
        let is_uuid = text.len() == 36 && uuid::Uuid::try_parse(text).is_ok();
        if is_uuid { refusal } else { refusal.with_detail(invalid_uuid("content_uuid", text)) }
    }

    /// An internal failure. The client learns only that there was one.
    pub(crate) fn internal(cause: impl Display) -> Self {
        Self { cause: Some(cause.to_string()), ..Self::new(ErrorCode::InternalError) }
    }

    /// The daily limit is reached. The response states when it resets.
    pub(crate) fn limit_reached(usage: Usage, now: UnixSeconds) -> Self {
        let seconds = usage.resets_at().seconds_since(now).max(1);
        let refusal = Self::new(ErrorCode::ContentUploadLimitFailure).with_usage(usage, now).with_retry_after(seconds);
        refusal.with_detail(format!(
            "The channel has used its daily limit of {} uploads. The limit resets at 00:00 UTC.",
            usage.amount
        ))
    }

    /// The account has reached its daily limit of changes of its key or webhooks.
    pub(crate) fn too_many_account_changes(max: u32, now: UnixSeconds) -> Self {
        Self::daily_change_limit(&format!("At most {max} changes of this kind are possible per day."), now)
    }

    /// The channel has reached its daily limit of changes of videos.
    pub(crate) fn too_many_content_changes(now: UnixSeconds) -> Self {
        let detail = "The channel has reached its daily limit of changes to the texts, thumbnails, captions and \
            schedules of videos. `upload_limits` returns the limit in `max_daily_changes`.";
        Self::daily_change_limit(detail, now)
    }

    fn daily_change_limit(detail: &str, now: UnixSeconds) -> Self {
        let seconds = end_of_day(day_of(now)).seconds_since(now).max(1);
        let refusal = Self::new(ErrorCode::DailyChangeLimitReached).with_retry_after(seconds);
        refusal.with_detail(format!("{detail} The limit resets at 00:00 UTC."))
    }

    /// The key makes too many requests at once.
    pub(crate) fn burst_exceeded() -> Self {
        let refusal = Self::new(ErrorCode::RateLimited).with_retry_after(KEY_REQUESTS_SECONDS);
        Self { exceeds_burst: true, ..refusal }
    }

    /// The isolate has no memory left for this upload. A retry may reach another isolate.
    pub(crate) fn overloaded() -> Self {
        Self::new(ErrorCode::ServiceOverloaded).with_retry_after(OVERLOADED_RETRY_SECONDS)
    }

    /// The operator has closed the service for a while.
    pub(crate) fn closed() -> Self {
        let refusal = Self::new(ErrorCode::ServiceUnavailable).with_retry_after(CLOSED_RETRY_SECONDS);
        refusal.with_detail("The service is closed for maintenance. Try again after `Retry-After` seconds.")
    }

    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::RequestMalformed).with_detail(detail)
    }

    #[must_use]
    pub(crate) fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    #[must_use]
    pub(crate) fn with_field(self, field: &str) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// Adds the state of the daily limit, which every response to an API key has in its headers.
    #[must_use]
    pub(crate) fn with_usage(self, usage: Usage, now: UnixSeconds) -> Self {
        Self { usage: Some((usage, now)), ..self }
    }

    /// Removes the state of the daily limit, which callers without the key must not learn.
    #[must_use]
    pub(crate) fn without_usage(self) -> Self {
        Self { usage: None, exceeds_burst: false, ..self }
    }

    #[must_use]
    pub(crate) fn with_retry_after(self, seconds: u64) -> Self {
        Self { retry_after_seconds: Some(seconds), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_with_too_many_requests_waits_until_their_period_is_over() {
        let refusal = Refusal::burst_exceeded();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (ErrorCode::RateLimited, Some(KEY_REQUESTS_SECONDS)));
        assert!(refusal.exceeds_burst);
    }

    #[test]
    fn a_refused_change_says_when_the_next_day_begins() {
        let last_second = UnixSeconds(86_399);
        let refusals =
            [Refusal::too_many_account_changes(50, last_second), Refusal::too_many_content_changes(last_second)];
        for refusal in refusals {
            assert_eq!((refusal.code, refusal.retry_after_seconds), (ErrorCode::DailyChangeLimitReached, Some(1)));
            assert!(refusal.detail.unwrap().ends_with("00:00 UTC."));
        }
    }
}
