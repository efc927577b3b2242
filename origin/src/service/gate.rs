//! The gate of the pull loop: it is closed while the edge or the object store is unavailable. A message that is pulled
//! during an outage would use up a delivery attempt.
//!
//! The gate learns of an outage from the requests of running jobs, so it costs no requests of its own. It probes only
//! during an outage.

use crate::clients::edge::EdgeClient;
use crate::clients::store::ObjectStore;
use crate::job::JobContext;
use crate::retry::{random_bytes, short_pause};
use crate::telemetry::status_page::Readiness;
use contract::TraceContext;
use contract::job::CLAIM_SECONDS;
use native::random_fraction;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// The length of an outage in which the claims of working origins can expire.
const CLAIMS_MAY_EXPIRE: Duration = Duration::from_secs(CLAIM_SECONDS / 2);
/// The time after an outage in which working origins renew their claims or report. An origin that pulled earlier could
/// claim a job that another origin has finished.
const RENEWAL_TIME: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub(super) struct Gate {
    edge: EdgeClient,
    store: ObjectStore,
    origin: String,
    is_open: watch::Sender<bool>,
}

impl Gate {
    pub(super) fn new(context: &JobContext) -> Self {
        let JobContext { edge, store, origin, .. } = context;
        Self { edge: edge.clone(), store: store.clone(), origin: origin.clone(), is_open: watch::Sender::new(true) }
    }

    /// Waits until edge and store are available, and until working origins have had time to renew their claims.
    pub(super) async fn until_open(&self) {
        self.edge.reach().until_it_answers().await;
        self.store.reach().until_it_answers().await;
        // Fails only if the sender is dropped, and this gate has one.
        let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
    }

    /// Opens and closes the gate, and never returns.
    pub(super) async fn watch(self, readiness: Readiness) {
        loop {
            let absent = tokio::select! {
                () = self.edge.reach().until_it_is_away() => "the edge does not answer",
                () = self.store.reach().until_it_is_away() => "the object store does not answer",
            };
            let away_since = Instant::now();
            self.is_open.send_replace(false);
            readiness.set_blocked(absent);
            tracing::warn!("nothing is pulled, because {absent}");
            self.ask_until_answered().await;
            let away = away_since.elapsed();
            if away >= CLAIMS_MAY_EXPIRE {
                sleep(RENEWAL_TIME).await;
            }
            tracing::info!(away_s = away.as_secs(), "pulling goes on");
            readiness.set_pulled();
            self.is_open.send_replace(true);
        }
    }

    /// Probes the unavailable services until both have answered a probe or another request.
    async fn ask_until_answered(&self) {
        let mut failures = 0;
        while !(self.edge.reach().answers() && self.store.reach().answers()) {
            failures += 1;
            tokio::select! {
                () = self.until_both_answer() => return,
                () = sleep(short_pause(failures, random_fraction())) => {}
            }
            // The clients record whether they got a response. An error response is handled at the next claim.
            if !self.edge.reach().answers() {
                let _ = self.edge.check_access(&self.origin, TraceContext::begin(random_bytes())).await;
            }
            if !self.store.reach().answers() {
                let _ = self.store.check_access().await;
            }
        }
    }

    async fn until_both_answer(&self) {
        tokio::join!(self.edge.reach().until_it_answers(), self.store.reach().until_it_answers());
    }
}
