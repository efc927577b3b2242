//! Takes the steps of a test video right after its upload, so that its events arrive within seconds. The sweep takes
//! those that this misses.

use super::App;
use super::webhook_sending::send_or_log;
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::contents::test_videos::steps::advance;
use crate::platform::Platform;
use crate::platform::cloudflare::edge_cache::run_after_answer;
use contract::api::UploadResult;
use std::time::Duration;
use tracing::{Instrument, Span};

/// The platform ends the work after a response after 30 seconds.
const AT_MOST_SECONDS: u64 = 20;

/// Takes the steps of the video after the response, if it is a test video.
pub(super) fn play_after_answer(app: &App, result: &UploadResult) {
    if result.is_test {
        let (app, uuid) = (app.clone(), ContentUuid::new(result.content_uuid.clone()));
        let play = async move {
            if let Err(error) = play(&app, &uuid).await {
                tracing::warn!(
                    content_uuid = uuid.as_str(),
                    cause = error.cause,
                    "the sweep will continue a test video"
                );
            }
        };
        run_after_answer(play.instrument(Span::current()));
    }
}

async fn play(app: &App, uuid: &ContentUuid) -> Result<(), Refusal> {
    let platform = app.platform()?;
    let ends_at = app.now() + AT_MOST_SECONDS;
    while let Some(due_at) = advance(platform.database(), uuid, app.now()).await? {
        if app.follow_ups().take().webhooks {
            send_or_log(app).await;
        }
        if due_at > ends_at {
            return Ok(());
        }
        platform.sleep(Duration::from_secs(due_at.seconds_since(app.now()).max(1))).await;
    }
    if app.follow_ups().take().webhooks {
        send_or_log(app).await;
    }
    Ok(())
}
