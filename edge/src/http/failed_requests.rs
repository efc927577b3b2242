//! Records the failed requests of programs for the owner of their channel (`people::failed_requests`), after the
//! response and without the database. A failure here must not fail the response.

use crate::base::ids::ChannelId;
use crate::people::failed_requests::{Batch, Buffer, FailedRequest, Step, put};
use crate::platform::cloudflare::cost::Cost;
use crate::platform::cloudflare::edge_cache::run_after_answer;
use crate::platform::cloudflare::r2::R2;
use crate::platform::cloudflare::random::PlatformEntropy;
use std::time::Duration;
use tracing::{Instrument, Span};
use worker::{Date, Delay, Env};

static BUFFER: Buffer = Buffer::new();

/// Adds a failed request to the buffer, and stores what is due after the response.
pub(super) fn record(env: &Env, channel_id: ChannelId, request: FailedRequest) {
    match BUFFER.add(channel_id, request, Date::now().as_millis()) {
        Step::Done => {}
        Step::Full => tracing::warn!("a failed request is not recorded, because requests of too many channels fail"),
        step => {
            let env = env.clone();
            run_after_answer(run(env, channel_id, step).instrument(Span::current()));
        }
    }
}

async fn run(env: Env, channel_id: ChannelId, mut step: Step) {
    while let Step::WaitUntil(time_ms) = step {
        let pause_ms = time_ms.saturating_sub(Date::now().as_millis());
        Delay::from(Duration::from_millis(pause_ms)).await;
        step = BUFFER.wake(channel_id, time_ms, Date::now().as_millis());
    }
    if let Step::Store(batch) = step {
        store_or_log(&env, channel_id, &batch).await;
    }
}

async fn store_or_log(env: &Env, channel_id: ChannelId, batch: &Batch) {
    let (objects, now_ms) = (R2::open(env, Cost::default()), Date::now().as_millis());
    if let Err(error) = put(&objects, channel_id, batch, now_ms, &mut PlatformEntropy).await {
        tracing::error!(%error, "failed requests are lost, because R2 did not take them");
    }
}
