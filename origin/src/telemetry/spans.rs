//! The spans of a job, from which an OpenTelemetry collector shows where its time went.
//!
//! Every job has spans, because the requests about it name them in `traceparent`. They leave this program only if a
//! collector is configured (`SpanExport`). A span has a fixed name and ids: no texts, addresses or errors, which could
//! contain what an owner wrote or a signature.

use super::span_export::SpanExport;
use crate::retry::random_bytes;
use contract::TraceContext;
use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{InstrumentationScope, KeyValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use std::borrow::Cow;
use std::time::SystemTime;

/// A piece of work that has begun. It ends when dropped; without an outcome by then, it was interrupted.
#[derive(Debug)]
pub struct Span {
    export: SpanExport,
    trace: TraceContext,
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    name: &'static str,
    kind: SpanKind,
    started_at: SystemTime,
    attributes: Vec<KeyValue>,
    status: Status,
}

impl Span {
    /// Starts the span of one delivery attempt of a job.
    pub fn of_job(export: &SpanExport, trace: TraceContext) -> Self {
        Self::start(export, trace, trace.recorded_parent(), "job", SpanKind::Consumer)
    }

    /// Starts a step of this one.
    #[must_use]
    pub fn child(&self, name: &'static str) -> Self {
        Self::start(&self.export, self.trace, Some(self.id), name, SpanKind::Internal)
    }

    /// Starts a request that this one makes.
    #[must_use]
    pub fn request(&self, name: &'static str) -> Self {
        Self::start(&self.export, self.trace, Some(self.id), name, SpanKind::Client)
    }

    fn start(
        export: &SpanExport,
        trace: TraceContext,
        parent: Option<[u8; 8]>,
        name: &'static str,
        kind: SpanKind,
    ) -> Self {
        let status = Status::error("interrupted");
        let (export, started_at) = (export.clone(), SystemTime::now());
        // An id of zeros would be invalid.
        let id = u64::from_be_bytes(random_bytes()).max(1).to_be_bytes();
        Self { export, trace, id, parent, name, kind, started_at, attributes: Vec::new(), status }
    }

    /// Returns the trace with this span as the parent, for a request that it makes.
    pub fn context(&self) -> TraceContext {
        self.trace.with_parent(self.id, self.export.is_on())
    }

    /// Adds an attribute, which must not contain secrets or owners' texts.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.attributes.push(KeyValue::new(name, value));
        self
    }

    /// Ends the span.
    pub fn finish(mut self, is_success: bool) {
        self.status = if is_success { Status::Unset } else { Status::error(Cow::Borrowed("")) };
    }

    /// Runs a step as a child of this span.
    pub async fn step<T, Error>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let span = self.child(name);
        let result = work.await;
        span.finish(result.is_ok());
        result
    }

    fn data(&mut self) -> SpanData {
        let (trace_id, span_id) = (TraceId::from_bytes(self.trace.trace_id()), SpanId::from_bytes(self.id));
        let context = SpanContext::new(trace_id, span_id, TraceFlags::SAMPLED, false, TraceState::default());
        SpanData {
            span_context: context,
            parent_span_id: self.parent.map_or(SpanId::INVALID, SpanId::from_bytes),
            parent_span_is_remote: self.kind == SpanKind::Consumer,
            span_kind: self.kind.clone(),
            name: Cow::Borrowed(self.name),
            start_time: self.started_at,
            // If the clock was set back during the span, it ends when it began and not before.
            end_time: SystemTime::now().max(self.started_at),
            attributes: std::mem::take(&mut self.attributes),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: std::mem::take(&mut self.status),
            instrumentation_scope: InstrumentationScope::builder("clipgate-origin").build(),
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if self.export.is_on() {
            let data = self.data();
            self.export.send(data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn job(trace: TraceContext) -> Span {
        Span::of_job(&SpanExport::default(), trace)
    }

    #[test]
    fn each_request_of_a_job_has_its_trace_and_a_span_of_its_own() {
        let job = job(TraceContext::parse(HEADER).unwrap());
        let (claim, report) = (job.request("claim"), job.request("report"));
        let contexts = [job.context(), claim.context(), report.context()];
        for (place, context) in contexts.iter().enumerate() {
            assert_eq!(context.trace_id_text(), "0af7651916cd43dd8448eb211c80319c");
            assert!(!contexts[..place].contains(context), "{contexts:?}");
            assert_eq!(context.recorded_parent(), None, "without a collector, no span is recorded");
        }
    }

    #[test]
    fn the_span_of_a_job_has_a_parent_only_if_somebody_recorded_it() {
        let sampled = TraceContext::parse(HEADER).unwrap();
        assert_eq!(job(sampled).data().parent_span_id.to_string(), "b7ad6b7169203331");
        let begun = TraceContext::begin([7; 24]);
        assert_eq!(job(begun).data().parent_span_id, SpanId::INVALID);
    }

    #[test]
    fn a_span_that_does_not_finish_was_interrupted() {
        let mut span = job(TraceContext::begin([7; 24]));
        assert_eq!(span.data().status, Status::error("interrupted"));
    }
}
