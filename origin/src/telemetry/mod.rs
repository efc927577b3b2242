//! Everything that an origin shows its operators: logs and progress bars, metrics, spans, and the status endpoints.
//!
//! It only records and displays. It must not call a service itself or influence a job.

pub mod logging;
pub mod metrics;
pub mod service_manager;
mod span_export;
pub mod spans;
pub mod status_page;

pub use span_export::SpanExport;
