//! Sends ended spans to a collector, in batches, by OTLP over HTTP.
//!
//! No job waits for it: a separate thread drains a bounded queue. If the queue is full, spans are dropped.

use anyhow::{Context, Result};
use opentelemetry::KeyValue;
use opentelemetry_http::HttpClient;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchSpanProcessor, SpanData, SpanProcessor};
use std::sync::Arc;
use std::time::Duration;

/// The longest time that the program waits for the last batch when it ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Exports spans to the collector. Without a collector, spans are dropped when they end.
#[derive(Clone, Debug, Default)]
pub struct SpanExport(Option<Arc<BatchSpanProcessor>>);

impl SpanExport {
    /// Starts the thread that sends spans. `endpoint` has no trailing slash. The standard variables `OTEL_BSP_…` tune
    /// the queue, and `OTEL_EXPORTER_OTLP_HEADERS` adds headers.
    pub fn start(endpoint: &str, origin: &str, client: impl HttpClient + 'static) -> Result<Self> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{endpoint}/v1/traces"));
        let exporter = exporter.build().context("cannot export spans")?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        processor.set_resource(&resource(origin));
        Ok(Self(Some(Arc::new(processor))))
    }

    pub(super) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Puts a span into the queue. Never waits.
    pub(super) fn send(&self, span: SpanData) {
        if let Some(processor) = &self.0 {
            processor.on_end(span);
        }
    }

    /// Sends what is left in the queue, if the collector takes it in time.
    pub async fn shut_down(self) {
        let Some(processor) = self.0 else { return };
        // Spans that are lost here are no reason to fail, and an unreachable collector is logged by its client.
        let _ = tokio::task::spawn_blocking(move || processor.shutdown_with_timeout(SHUTDOWN_TIMEOUT)).await;
    }
}

fn resource(origin: &str) -> Resource {
    let instance = KeyValue::new("service.instance.id", origin.to_owned());
    let version = KeyValue::new("service.version", crate::build::VERSION);
    Resource::builder().with_service_name("clipgate-origin").with_attributes([instance, version]).build()
}
