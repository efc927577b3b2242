//! `/healthz`, `/readyz` and `/metrics`: for whoever watches over this origin.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// An origin that could pull, and has not heard of its queue for so long, does no work.
const LONGEST_SILENCE: Duration = Duration::from_mins(1);

/// Whether the origin can work, as its pull loop sees it.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Standing>>);

#[derive(Debug, Default)]
enum Standing {
    #[default]
    NotAsked,
    /// The queue answered then.
    Pulled(Instant),
    /// It has as many jobs as it may: there is no reason to ask for more.
    Busy,
    Hindered(String),
}

impl Readiness {
    /// The queue answered.
    pub fn pulled(&self) {
        *self.lock() = Standing::Pulled(Instant::now());
    }

    /// All permits are taken. What hindered the last pull is still to be told.
    pub fn busy(&self) {
        let mut state = self.lock();
        if !matches!(*state, Standing::Hindered(_)) {
            *state = Standing::Busy;
        }
    }

    /// Why nothing is pulled at this moment.
    pub fn hindered(&self, reason: impl Into<String>) {
        *self.lock() = Standing::Hindered(reason.into());
    }

    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problem(&self, now: Instant) -> Option<String> {
        match &*self.lock() {
            Standing::NotAsked => Some("the queue has not been asked yet".to_owned()),
            Standing::Hindered(reason) => Some(reason.clone()),
            Standing::Pulled(at) if now.duration_since(*at) > LONGEST_SILENCE => {
                Some("the queue has not been asked for a minute".to_owned())
            }
            Standing::Pulled(_) | Standing::Busy => None,
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
    match pages.readiness.problem(Instant::now()) {
        None => (StatusCode::OK, "ready\n".to_owned()),
        Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_is_busy_for_long_is_ready_and_one_that_asks_nothing_is_not() {
        let readiness = Readiness::default();
        let much_later = || Instant::now() + LONGEST_SILENCE * 2;
        assert!(readiness.problem(Instant::now()).is_some());
        readiness.pulled();
        assert_eq!(readiness.problem(Instant::now()), None);
        assert!(readiness.problem(much_later()).is_some());
        readiness.busy();
        assert_eq!(readiness.problem(much_later()), None);
        readiness.hindered("no room");
        readiness.busy();
        assert_eq!(readiness.problem(Instant::now()).unwrap(), "no room");
    }
}
