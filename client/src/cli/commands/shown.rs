//! Videos and events as text for people.

use crate::cli::times::utc;
use client::{LoggedEvent, Status, printable};
use serde_json::Value;

/// Returns a video in one line of the list.
pub(super) fn status_line(status: &Status) -> String {
    let caption = status.caption.as_deref().unwrap_or_default();
    let first_line: String = caption.lines().next().unwrap_or_default().chars().take(60).collect();
    let (uuid, state) = (printable(&status.content_uuid), printable(&status.state));
    let release = if status.needs_release { "  (needs your release)" } else { "" };
    format!("{uuid}  {state:<10}  {}  {}{release}", utc(status.created_at_unix), printable(&first_line))
}

/// Returns the states of a video and of any requested thumbnail change.
pub(super) fn status_text(status: &Status) -> String {
    let text = |name: &str| status.rest.get(name).and_then(Value::as_str);
    let thumbnail = match text("thumbnail_change") {
        Some("pending") => "; the new thumbnail is pending".to_owned(),
        Some("failed") => {
            let code = text("thumbnail_error_message_code").map(|code| format!(" ({})", printable(code)));
            let code = code.unwrap_or_default();
            format!("; the new thumbnail was rejected or could not be created{code}, so the old one stays")
        }
        _ => String::new(),
    };
    state_text(status) + &presentation(status) + &thumbnail
}

/// Returns who can find the video, what viewers are told about it, and whether it is a test.
fn presentation(status: &Status) -> String {
    let rest = |name: &str| status.rest.get(name);
    let is_set = |name: &str| rest(name).and_then(Value::as_bool) == Some(true);
    let is_unlisted = rest("visibility").and_then(Value::as_str) == Some("unlisted");
    let words = [
        (is_unlisted, "unlisted"),
        (is_set("is_sensitive"), "shown with a warning"),
        (is_set("is_ai_generated"), "labeled as AI-generated"),
        (is_set("is_test"), "a test, which is never public"),
    ];
    words.into_iter().filter(|(is_said, _)| *is_said).fold(String::new(), |text, (_, word)| text + "; " + word)
}

/// Returns the service's estimate, if there is one.
fn time_left(status: &Status) -> String {
    let seconds = status.rest.get("eta_seconds").and_then(Value::as_u64);
    seconds.map(|seconds| format!(", about {seconds} s left")).unwrap_or_default()
}

fn state_text(status: &Status) -> String {
    let state = printable(&status.state);
    match status.state.as_str() {
        "published" => status.urls.as_ref().map_or(state, |urls| format!("published: {}", printable(&urls.page))),
        "scheduled" if status.needs_release => {
            let time = status.scheduled_publish_at_unix.map(|time| format!(", but not before {}", utc(time)));
            format!("approved, to be published once you release it{}", time.unwrap_or_default())
        }
        "scheduled" => {
            let time = status.scheduled_publish_at_unix.map(utc).unwrap_or_default();
            format!("approved, to be published at {time}")
        }
        "processing" => format!("processing, {} %{}{}", status.progress_percent, time_left(status), reason(status)),
        _ => format!("{state}{}{}", reason(status), appeal(status)),
    }
}

/// Returns the outcome of an appeal, or how to make one.
fn appeal(status: &Status) -> String {
    let rest = |name: &str| status.rest.get(name);
    if let Some(state) = rest("appeal").and_then(|appeal| appeal.get("state")).and_then(Value::as_str) {
        return format!("; appeal {}", printable(state));
    }
    let until = rest("can_appeal_until_unix").and_then(Value::as_u64);
    until.map(|until| format!("; you can appeal until {} (`clipgate appeal`)", utc(until))).unwrap_or_default()
}

/// Returns the reason, if the service gives one.
fn reason(status: &Status) -> String {
    let code = status.error_message_code.as_ref().map(|code| format!(" ({})", printable(code)));
    match &status.detail {
        Some(detail) => format!(": {}{}", printable(detail), code.unwrap_or_default()),
        None => code.unwrap_or_default(),
    }
}

/// Returns an event in one line.
pub(super) fn event_text(event: &LoggedEvent) -> String {
    let text = |name: &str| event.data.get(name).and_then(Value::as_str).map(printable);
    let about = ["content_uuid", "key_hint"].into_iter().find_map(text).unwrap_or_default();
    let more = ["error_message_code", "waits_for", "slug_url"].into_iter().find_map(text).unwrap_or_default();
    let line = format!(
        "{:>6}  {}  {:<18}  {about}  {more}",
        event.sequence,
        printable(&event.timestamp),
        printable(&event.kind)
    );
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn status(state: &str) -> Status {
        serde_json::from_value(json!({
            "content_uuid": "c", "state": state, "progress_percent": 40, "created_at_unix": 0, "duration_ms": 1,
            "caption": "a\u{1b}[2J\nsecond line", "detail": "why", "error_message_code": "code",
            "scheduled_publish_at_unix": 60, "urls": { "page": "https://a.b/meme/x" },
        }))
        .unwrap()
    }

    #[test]
    fn each_state_says_what_matters() {
        for (state, text) in [
            ("published", "published: https://a.b/meme/x"),
            ("scheduled", "approved, to be published at 1970-01-01T00:01:00Z"),
            ("processing", "processing, 40 %: why (code)"),
            ("rejected", "rejected: why (code)"),
            ("archived", "archived: why (code)"),
        ] {
            assert_eq!(status_text(&status(state)), text);
        }
    }

    #[test]
    fn a_video_that_needs_a_release_says_so() {
        let mut status = Status { needs_release: true, ..status("scheduled") };
        let text = "approved, to be published once you release it";
        assert_eq!(status_text(&status), format!("{text}, but not before 1970-01-01T00:01:00Z"));
        assert!(status_line(&status).ends_with("  (needs your release)"));
        status.scheduled_publish_at_unix = None;
        assert_eq!(status_text(&status), text);
    }

    #[test]
    fn a_new_thumbnail_is_mentioned_until_it_is_shown() {
        let with = |change: Value| {
            let mut status = status("published");
            status.rest.insert("thumbnail_change".to_owned(), change);
            status.rest.insert("thumbnail_error_message_code".to_owned(), json!("content_thumbnail_invalid"));
            status_text(&status)
        };
        assert!(with(json!("pending")).ends_with("; the new thumbnail is pending"));
        assert!(with(json!("failed")).ends_with("(content_thumbnail_invalid), so the old one stays"));
        assert_eq!(with(json!(null)), "published: https://a.b/meme/x");
    }

    #[test]
    fn a_video_and_an_event_are_one_line_without_control_characters() {
        let event: LoggedEvent = serde_json::from_value(json!({
            "id": "e", "type": "content.rejected", "timestamp": "t", "sequence": 7,
            "data": { "content_uuid": "c", "error_message_code": "x\n" },
        }))
        .unwrap();
        for line in [status_line(&status("failed")), event_text(&event)] {
            assert!(!line.chars().any(char::is_control), "{line:?}");
        }
    }

    #[test]
    fn a_removed_video_shows_the_outcome_of_an_appeal() {
        let with = |rest: Value| {
            let mut status = status("taken_down");
            status.rest.extend(rest.as_object().unwrap().clone());
            state_text(&status)
        };
        assert_eq!(with(json!({ "appeal": null, "can_appeal_until_unix": null })), "taken_down: why (code)");
        assert_eq!(
            with(json!({ "can_appeal_until_unix": 60 })),
            "taken_down: why (code); you can appeal until 1970-01-01T00:01:00Z (`clipgate appeal`)"
        );
        let pending = json!({ "appeal": { "state": "pending" }, "can_appeal_until_unix": null });
        assert_eq!(with(pending), "taken_down: why (code); appeal pending");
    }
}
