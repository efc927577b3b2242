//! The effect of a report: its outcome and its findings decide what happens to the content.

use contract::api::WaitsFor;
use contract::job::{JobOutcome, StoredMedia};
use contract::moderation::{Recommendation, strictest_recommendation};
use contract::{ContentEvent, ErrorCode};

/// Longer details are truncated.
const MAX_DETAIL_CHARACTERS: usize = 500;

/// The effect of an accepted report on its content.
#[derive(Debug, PartialEq)]
pub(super) enum ReportEffect<'a> {
    /// Publishes the content, at once or at its scheduled time.
    Approve(&'a StoredMedia),
    /// Leaves the content processing until a check is possible or a moderator has decided.
    Wait { media: &'a StoredMedia, waits_for: WaitsFor },
    /// Rejects or fails the content.
    End { event: ContentEvent, code: ErrorCode, detail: String },
}

/// Returns the effect of a report with this outcome.
pub(super) fn effect_of(outcome: &JobOutcome) -> ReportEffect<'_> {
    match outcome {
        JobOutcome::Processed { media, findings, .. } => match strictest_recommendation(findings) {
            Recommendation::Pass => ReportEffect::Approve(media),
            Recommendation::Wait => ReportEffect::Wait { media, waits_for: WaitsFor::Check },
            Recommendation::Review => ReportEffect::Wait { media, waits_for: WaitsFor::Person },
            Recommendation::Reject => end(ContentEvent::Refused, ErrorCode::ContentModerationRejected, ""),
        },
        JobOutcome::Refused { code, detail } => end(ContentEvent::Refused, *code, detail),
        // The detail of a failure is for operators. Another thumbnail is no result of a job for a video.
        JobOutcome::Failed { .. } | JobOutcome::Thumbnail { .. } | JobOutcome::Captions { .. } => {
            end(ContentEvent::AttemptsExhausted, ErrorCode::ContentProcessingFailed, "")
        }
    }
}

fn end(event: ContentEvent, code: ErrorCode, detail: &str) -> ReportEffect<'static> {
    ReportEffect::End { event, code, detail: shown_detail(detail, code) }
}

/// Returns the origin's detail, truncated, or the error code's text if the origin gave none.
fn shown_detail(detail: &str, code: ErrorCode) -> String {
    match detail.trim() {
        "" => code.text().to_owned(),
        detail => truncated(detail),
    }
}

pub(super) fn truncated(detail: &str) -> String {
    detail.chars().take(MAX_DETAIL_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_truncated_and_an_empty_one_becomes_the_codes_text() {
        let code = ErrorCode::ContentProcessingFailed;
        assert_eq!(shown_detail(&"é".repeat(501), code), "é".repeat(500));
        assert_eq!(shown_detail("  no disk \n", code), "no disk");
        assert_eq!(shown_detail(" \n", code), code.text());
    }
}
