//! The trace of a request: the client's trace, or a new one.

use crate::platform::cloudflare::random::PlatformEntropy;
use crate::platform::entropy::Entropy;
use axum::http::HeaderMap;
use contract::{TRACEPARENT, TraceContext};

/// Returns the client's trace, or a new one if its header is missing, invalid or repeated.
pub(super) fn trace_of(headers: &HeaderMap) -> TraceContext {
    let mut sent = headers.get_all(TRACEPARENT).iter();
    match (sent.next(), sent.next()) {
        (Some(only), None) => only.to_str().ok().and_then(TraceContext::parse).unwrap_or_else(new_trace),
        _ => new_trace(),
    }
}

pub(super) fn new_trace() -> TraceContext {
    let mut random = [0; 24];
    PlatformEntropy.fill(&mut random);
    TraceContext::begin(random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    const SENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn trace_of_headers(values: &[&'static str]) -> TraceContext {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, HeaderValue::from_static(value));
        }
        trace_of(&headers)
    }

    #[test]
    fn only_a_single_valid_header_is_the_trace_of_a_request() {
        let sent = TraceContext::parse(SENT).unwrap();
        assert!(trace_of_headers(&[SENT]) == sent);
        for values in [&[][..], &["none"], &[SENT, SENT]] {
            assert!(trace_of_headers(values) != sent, "{values:?}");
        }
    }
}
