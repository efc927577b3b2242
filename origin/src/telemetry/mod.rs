//! Everything that an origin shows its operators: logs and progress bars, metrics, and the status endpoints.
//!
//! It only records and displays. It must not call a service or influence a job.

pub mod logging;
pub mod metrics;
pub mod service_manager;
pub mod status_page;
