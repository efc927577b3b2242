//! `/healthz`, `/readyz` and `/metrics`: for whoever watches over this origin.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// An origin that has not heard of its queue for so long does no work.
const LONGEST_SILENCE: Duration = Duration::from_mins(1);

/// Whether the origin can work, as its pull loop sees it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<Result<Instant, String>>>>);

impl Readiness {
    /// The queue answered.
    pub fn pulled(&self) {
        self.set(Ok(Instant::now()));
    }

    /// Why nothing is pulled at this moment.
    pub fn hindered(&self, reason: impl Into<String>) {
        self.set(Err(reason.into()));
    }

    fn set(&self, state: Result<Instant, String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }

    fn problem(&self) -> Option<String> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            None => Some("the queue has not been asked yet".to_owned()),
            Some(Err(reason)) => Some(reason.clone()),
            Some(Ok(at)) if at.elapsed() > LONGEST_SILENCE => {
                Some("the queue has not been asked for a minute".to_owned())
            }
            Some(Ok(_)) => None,
        }
    }
}

#[derive(Clone)]
struct Pages {
    readiness: Readiness,
    metrics: PrometheusHandle,
}

/// Serves them until the token is cancelled.
pub async fn serve(
    listener: TcpListener,
    readiness: Readiness,
    metrics: PrometheusHandle,
    end: CancellationToken,
) -> std::io::Result<()> {
    let pages = Pages { readiness, metrics };
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route(
            "/metrics",
            get(|State(pages): State<Pages>| async move { pages.metrics.render() }),
        )
        .with_state(pages);
    axum::serve(listener, router)
        .with_graceful_shutdown(end.cancelled_owned())
        .await
}

async fn ready(State(pages): State<Pages>) -> (StatusCode, String) {
    match pages.readiness.problem() {
        None => (StatusCode::OK, "ready\n".to_owned()),
        Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n")),
    }
}
