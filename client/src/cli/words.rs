//! Error messages in the words of the command line. The API's own messages name headers and fields, which users of the
//! command line do not see.

use client::RetryNotice;

/// Returns the message for a code, or `None` if the service's own message fits.
pub(crate) fn of_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "api_key_invalid" => "The service does not accept the API key.",
        "upload_in_progress" => "An earlier attempt to upload this file has not ended yet.",
        "upload_too_slow" | "request_timeout" => "The connection was too slow.",
        "too_many_uploads" => "Too many uploads of your channel are in progress.",
        "rate_limited" => "Too many requests were sent in a short time.",
        "service_overloaded" => "The service is busy.",
        "service_unavailable" => "The service is temporarily unavailable.",
        "internal_error" => "The service had an internal error.",
        "upload_token_mismatch" => "This file was already uploaded with other fields.",
        "upload_token_spent" => "This file was already uploaded, and its video was deleted or could not be processed.",
        _ => return None,
    })
}

/// Returns why and when an attempt is retried.
pub(crate) fn of_retry(notice: &RetryNotice) -> String {
    let known = notice.code.as_deref().and_then(of_code);
    let reason = known.map_or_else(|| sentence(&client::printable(&notice.reason)), str::to_owned);
    format!("{reason} Trying again in {:.0} s.", notice.pause.as_secs_f64().ceil())
}

/// Ends the text with a full stop unless it has one.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?']) { text.to_owned() } else { format!("{text}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use client::RETRYABLE;
    use std::time::Duration;

    #[test]
    fn every_reason_to_try_again_is_told_in_words_of_this_program() {
        for code in RETRYABLE {
            let words = of_code(code.as_str()).unwrap();
            assert!(!words.contains('`') && !words.contains("Retry-After"), "{words}");
        }
    }

    #[test]
    fn a_repetition_is_announced_with_its_reason_and_time() {
        let notice = |reason: &str, code: Option<&str>| RetryNotice {
            reason: reason.to_owned(),
            code: code.map(str::to_owned),
            pause: Duration::from_millis(14_200),
        };
        let busy = of_retry(&notice("text of the API", Some("service_overloaded")));
        assert_eq!(busy, "The service is busy. Trying again in 15 s.");
        assert_eq!(of_retry(&notice("no route", None)), "no route. Trying again in 15 s.");
    }
}
