//! The endpoints for monitoring: `/healthz`, `/readyz` and `/metrics`.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use contract::paths;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// An origin with free permits whose last successful pull is older than this is not ready.
const MAX_PULL_AGE: Duration = Duration::from_mins(1);

/// Whether the origin can work, as last recorded by its pull loop.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<PullState>>);

#[derive(Debug, Default)]
enum PullState {
    #[default]
    NotPulled,
    /// The time of the last successful pull.
    Pulled(Instant),
    /// All permits are taken, so there is no reason to pull.
    Busy,
    /// The reason why nothing can be pulled.
    Blocked(String),
}

impl Readiness {
    /// Records a successful pull.
    pub fn set_pulled(&self) {
        *self.lock() = PullState::Pulled(Instant::now());
    }

    /// Records that all permits are taken. A reason that blocked the last pull remains.
    pub fn set_busy(&self) {
        let mut state = self.lock();
        if !matches!(*state, PullState::Blocked(_)) {
            *state = PullState::Busy;
        }
    }

    /// Records why nothing can be pulled.
    pub fn set_blocked(&self, reason: impl Into<String>) {
        *self.lock() = PullState::Blocked(reason.into());
    }

    fn lock(&self) -> MutexGuard<'_, PullState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problem(&self, now: Instant) -> Option<String> {
        match &*self.lock() {
            PullState::NotPulled => Some("the queue has not been pulled yet".to_owned()),
            PullState::Blocked(reason) => Some(reason.clone()),
            PullState::Pulled(at) if now.duration_since(*at) > MAX_PULL_AGE => {
                Some("the queue has not been pulled for a minute".to_owned())
            }
            PullState::Pulled(_) | PullState::Busy => None,
        }
    }
}

#[derive(Clone)]
struct StatusState {
    readiness: Readiness,
    metrics: PrometheusHandle,
}

/// Serves the endpoints until `shutdown` is cancelled.
pub async fn serve(
    listener: TcpListener,
    readiness: Readiness,
    metrics: PrometheusHandle,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let router = Router::new()
        .route(paths::HEALTH, get(|| async { "ok\n" }))
        .route("/readyz", get(show_readiness))
        .route("/metrics", get(|State(state): State<StatusState>| async move { state.metrics.render() }))
        .with_state(StatusState { readiness, metrics });
    axum::serve(listener, router).with_graceful_shutdown(shutdown.cancelled_owned()).await
}

async fn show_readiness(State(state): State<StatusState>) -> (StatusCode, String) {
    match state.readiness.problem(Instant::now()) {
        None => (StatusCode::OK, "ready\n".to_owned()),
        Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_stays_busy_is_ready_and_an_origin_that_stops_pulling_is_not() {
        let readiness = Readiness::default();
        let much_later = || Instant::now() + MAX_PULL_AGE * 2;
        assert!(readiness.problem(Instant::now()).is_some());
        readiness.set_pulled();
        assert_eq!(readiness.problem(Instant::now()), None);
        assert!(readiness.problem(much_later()).is_some());
        readiness.set_busy();
        assert_eq!(readiness.problem(much_later()), None);
        readiness.set_blocked("the disk is full");
        readiness.set_busy();
        assert_eq!(readiness.problem(Instant::now()).unwrap(), "the disk is full");
    }
}
