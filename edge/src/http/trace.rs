//! The trace of a request: that of its client, or a new one.

use crate::bindings::random::PlatformEntropy;
use crate::ports::entropy::Entropy;
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
