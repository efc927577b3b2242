//! The gate of the pull loop: it is closed while the edge does not answer. A message that is pulled then would lose a
//! delivery attempt, and its claim would not be answered.
//!
//! The requests of jobs show when the edge goes away, so the gate costs a job no request. Only while the edge is away,
//! the gate probes it.

use crate::clients::edge::EdgeClient;
use crate::retry::{random_bytes, random_fraction, short_pause};
use crate::telemetry::status_page::Readiness;
use contract::TraceContext;
use contract::job::CLAIM_SECONDS;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// In a longer absence, claims of origins that still work may have expired.
const CLAIMS_MAY_EXPIRE: Duration = Duration::from_secs(CLAIM_SECONDS / 2);
/// The time in which every origin that still works renews its claims or reports. Whoever pulls earlier could claim a
/// job that another origin has finished.
const RENEWAL_TIME: Duration = Duration::from_secs(20);

#[derive(Clone, Debug)]
pub(super) struct EdgeGate {
    edge: EdgeClient,
    origin: String,
    is_open: watch::Sender<bool>,
}

impl EdgeGate {
    pub(super) fn new(edge: EdgeClient, origin: String) -> Self {
        Self { edge, origin, is_open: watch::Sender::new(true) }
    }

    /// Waits until the edge answers, and has answered for long enough.
    pub(super) async fn until_open(&self) {
        self.edge.until_it_answers().await;
        // Fails only if the sender is dropped, and this gate has one.
        let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
    }

    /// Opens and closes the gate for ever.
    pub(super) async fn watch(self, readiness: Readiness) {
        loop {
            self.edge.until_it_is_away().await;
            let away_since = Instant::now();
            self.is_open.send_replace(false);
            readiness.set_blocked("the edge does not answer");
            tracing::warn!("the edge does not answer, so nothing is pulled");
            self.probe().await;
            let away = away_since.elapsed();
            if away >= CLAIMS_MAY_EXPIRE {
                sleep(RENEWAL_TIME).await;
            }
            tracing::info!(away_s = away.as_secs(), "the edge answers again");
            readiness.set_pulled();
            self.is_open.send_replace(true);
        }
    }

    /// Asks the edge until it answers this or another request.
    async fn probe(&self) {
        let mut failures = 0;
        while !self.edge.answers() {
            failures += 1;
            tokio::select! {
                () = self.edge.until_it_answers() => return,
                () = sleep(short_pause(failures, random_fraction())) => {}
            }
            // The client itself records whether it was answered. A refusal shows at the next claim.
            let _ = self.edge.check_access(&self.origin, TraceContext::begin(random_bytes())).await;
        }
    }
}
