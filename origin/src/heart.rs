//! A job's signs of life: the edge hears how far it is, and says when it is no longer this origin's.

use crate::edge::EdgeClient;
use contract::Stage;
use contract::job::{HEARTBEAT_SECONDS, JobId, JobProgress};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// People look at a status every few seconds; more would only cost.
const SHORTEST_PAUSE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub stage: Stage,
    /// Of the stage.
    pub percent: u8,
}

/// Beats until it is dropped.
#[derive(Debug)]
pub struct Heart {
    progress: watch::Sender<Progress>,
    lost: CancellationToken,
    beating: JoinHandle<()>,
}

impl Heart {
    pub fn start(edge: EdgeClient, id: JobId) -> Self {
        let begin = Progress {
            stage: Stage::Download,
            percent: 0,
        };
        let (progress, heard) = watch::channel(begin);
        let lost = CancellationToken::new();
        let beating = tokio::spawn(beat(edge, id, heard, lost.clone()));
        Self {
            progress,
            lost,
            beating,
        }
    }

    pub fn tell(&self, stage: Stage, percent: u8) {
        let now = Progress { stage, percent };
        self.progress.send_if_modified(|last| {
            let is_new = *last != now;
            *last = now;
            is_new
        });
    }

    /// For those that draw it.
    pub fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Cancelled once the edge says that the job is over or another's.
    pub fn lost(&self) -> &CancellationToken {
        &self.lost
    }
}

impl Drop for Heart {
    fn drop(&mut self) {
        self.beating.abort();
    }
}

async fn beat(
    edge: EdgeClient,
    id: JobId,
    mut heard: watch::Receiver<Progress>,
    lost: CancellationToken,
) {
    loop {
        let Progress { stage, percent } = *heard.borrow_and_update();
        let told = JobProgress {
            id: id.clone(),
            stage,
            percent,
        };
        match edge.progress(&told).await {
            Ok(answer) if !answer.go_on => return lost.cancel(),
            Ok(_) => {}
            // The claim outlives a few silent beats; if not, the edge will say so when it is back.
            Err(error) => {
                tracing::warn!(content_uuid = id.content_uuid, %error, "a sign of life did not arrive");
            }
        }
        sleep(SHORTEST_PAUSE).await;
        let rest = Duration::from_secs(HEARTBEAT_SECONDS).saturating_sub(SHORTEST_PAUSE);
        // Whether something changed or the time is up, it is time for the next one.
        let _ = timeout(rest, heard.changed()).await;
    }
}
