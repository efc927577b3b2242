//! Polls a video's status until it is final.

use super::shown::status_text;
use crate::cli::exit_code::Interrupted;
use crate::cli::progress::FileProgress;
use anyhow::Result;
use client::{Client, Status, StatusChange};
use std::time::Duration;

/// The polling interval if a later version of the service gives none.
const USUAL_PAUSE: Duration = Duration::from_secs(10);

/// Polls at the service's interval until the video is published, scheduled or refused.
pub(super) async fn wait_until_settled(client: &Client, content_uuid: &str, progress: &FileProgress) -> Result<Status> {
    let (mut known, mut pause) = (None, USUAL_PAUSE);
    loop {
        match client.changed_status(content_uuid, known.as_deref()).await? {
            StatusChange::Changed { status, .. } if status.is_settled() => return Ok(*status),
            StatusChange::Changed { status, entity_tag } => {
                progress.wait(&status_text(&status));
                pause = status.check_after_seconds.map_or(USUAL_PAUSE, |seconds| Duration::from_secs(seconds.into()));
                known = entity_tag;
            }
            StatusChange::Unchanged => {}
        }
        tokio::time::sleep(pause).await;
    }
}

/// Runs a task until it ends or the user interrupts it.
pub(super) async fn until_interrupted<T>(task: impl Future<Output = Result<T>>, advice: &str) -> Result<T> {
    tokio::select! {
        outcome = task => outcome,
        signal = tokio::signal::ctrl_c() => {
            signal?;
            Err(Interrupted(advice.to_owned()).into())
        }
    }
}
