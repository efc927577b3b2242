//! A collector of OpenTelemetry on this machine: it keeps the spans that origins send.

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use contract::TraceContext;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

type Bodies = Arc<Mutex<Vec<Bytes>>>;

/// A running collector. It ends when this is dropped.
pub(crate) struct SpanCollector {
    pub(crate) url: String,
    bodies: Bodies,
    server: JoinHandle<()>,
}

impl SpanCollector {
    pub(crate) async fn start() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let bodies = Bodies::default();
        let shared = Arc::clone(&bodies);
        let receive = move |headers: HeaderMap, body: Bytes| async move {
            if headers.get("content-type").is_none_or(|kind| kind != "application/x-protobuf") {
                return StatusCode::UNSUPPORTED_MEDIA_TYPE;
            }
            shared.lock().unwrap_or_else(PoisonError::into_inner).push(body);
            StatusCode::OK
        };
        let router = Router::new().route("/v1/traces", post(receive));
        let server = tokio::spawn(async move {
            // Fails only if the listener does, and then the test finds no spans.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, bodies, server })
    }

    /// Returns all bodies that have arrived.
    pub(crate) fn bodies(&self) -> Vec<Bytes> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the spans of a trace.
    pub(crate) fn spans(&self, trace: TraceContext) -> Result<Vec<Span>> {
        let mut spans = Vec::new();
        for body in self.bodies() {
            let request = ExportTraceServiceRequest::decode(body).context("not OTLP")?;
            let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
            spans.extend(scopes.flat_map(|scope| scope.spans).filter(|span| span.trace_id == trace.trace_id()));
        }
        Ok(spans)
    }
}

impl Drop for SpanCollector {
    fn drop(&mut self) {
        self.server.abort();
    }
}
