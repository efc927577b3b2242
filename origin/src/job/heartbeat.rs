//! The heartbeat of a job: renews its claim and reports its progress to the edge, and learns from the answers when the
//! claim is lost. The claim itself is the first one, so a job of a few seconds sends none.

use crate::clients::edge::EdgeClient;
use crate::retry::random_bytes;
use crate::telemetry::logging::JobBar;
use contract::job::{HEARTBEAT_SECONDS, JobId, JobProgress};
use contract::{Stage, TraceContext};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

const INTERVAL: Duration = Duration::from_secs(HEARTBEAT_SECONDS);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StageProgress {
    stage: Stage,
    /// The percentage of this stage.
    percent: u8,
}

/// Reports a job's progress to the edge and to the terminal.
#[derive(Clone, Debug)]
pub(super) struct ProgressReporter {
    progress: watch::Sender<StageProgress>,
    bar: Arc<JobBar>,
}

impl ProgressReporter {
    pub(super) fn report(&self, stage: Stage, percent: u8) {
        let current = StageProgress { stage, percent };
        self.bar.show(stage.overall_percent(percent), stage.as_str());
        self.progress.send_replace(current);
    }
}

/// Sends heartbeats until it is dropped.
#[derive(Debug)]
pub(super) struct Heartbeat {
    reporter: ProgressReporter,
    claim_lost: CancellationToken,
    task: JoinHandle<()>,
}

impl Heartbeat {
    pub(super) fn start(edge: EdgeClient, id: JobId, trace: TraceContext) -> Self {
        let bar = Arc::new(JobBar::new(&id.content_uuid));
        let (progress, receiver) = watch::channel(StageProgress { stage: Stage::Download, percent: 0 });
        let claim_lost = CancellationToken::new();
        let task = send_heartbeats(edge, id, trace, receiver, claim_lost.clone());
        let task = tokio::spawn(task.in_current_span());
        Self { reporter: ProgressReporter { progress, bar }, claim_lost, task }
    }

    /// Returns a reporter that other threads can use.
    pub(super) fn reporter(&self) -> &ProgressReporter {
        &self.reporter
    }

    /// Returns a token that is cancelled once the edge answers that this origin no longer holds the claim.
    pub(super) fn claim_lost(&self) -> &CancellationToken {
        &self.claim_lost
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn send_heartbeats(
    edge: EdgeClient,
    id: JobId,
    trace: TraceContext,
    receiver: watch::Receiver<StageProgress>,
    claim_lost: CancellationToken,
) {
    loop {
        sleep(INTERVAL).await;
        let StageProgress { stage, percent } = *receiver.borrow();
        let progress = JobProgress { id: id.clone(), stage, percent };
        // A heartbeat has an id but no recorded span: a long job would have thousands.
        match edge.progress(&progress, trace.with_parent(random_bytes(), false)).await {
            Ok(answer) if !answer.is_current => return claim_lost.cancel(),
            Ok(_) => {}
            // The claim outlives a few missed heartbeats. If it expires, the edge says so once it is reachable again.
            Err(error) => {
                tracing::warn!(%error, "a heartbeat failed");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::edge::EdgeSettings;
    use contract::signature::OriginKey;
    use tokio::net::TcpListener;
    use tokio::time::{advance, pause, resume, timeout};

    /// Whether a heartbeat has connected to the edge, on the real clock.
    async fn is_called(edge: &TcpListener, at_most: Duration) -> bool {
        resume();
        let is_called = timeout(at_most, edge.accept()).await.is_ok();
        pause();
        is_called
    }

    #[tokio::test(start_paused = true)]
    async fn a_job_that_is_shorter_than_the_interval_sends_no_heartbeat() {
        let edge = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", edge.local_addr().unwrap());
        let settings = EdgeSettings { url, key: OriginKey::new(1, [1; 32]) };
        let http = crate::clients::http::client_builder(Duration::from_secs(5)).build().unwrap();
        let client = EdgeClient::new(http, settings);
        let id = JobId { content_uuid: "c".to_owned(), generation: 1, origin: "a".to_owned() };
        let heartbeat = Heartbeat::start(client, id, TraceContext::begin([1; 24]));
        heartbeat.reporter().report(Stage::Transcode, 50);
        // The task begins to wait.
        tokio::task::yield_now().await;
        advance(INTERVAL.mul_f64(0.9)).await;
        assert!(!is_called(&edge, Duration::from_millis(50)).await, "a heartbeat came too early");
        advance(INTERVAL.mul_f64(0.2)).await;
        assert!(is_called(&edge, Duration::from_secs(5)).await, "no heartbeat came");
    }
}
