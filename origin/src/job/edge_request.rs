//! A request to the edge that is worth waiting for: a claim, or the report of finished work.
//!
//! The client says whether the edge answers at all, and `service` probes it while it does not. This file must not know
//! what a request asks for.

use crate::clients::edge::{EdgeClient, EdgeError};
use crate::retry::short_pause;
use native::random_fraction;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// The number of tries in a row that fail although the edge answers other requests. Then the request itself is the
/// cause, and waiting would not help it.
const MAX_TRIES: u32 = 5;
/// After a longer absence of the edge, the absence was the cause.
const SHORT_ABSENCE: Duration = Duration::from_secs(10);

/// Sends a request that may be repeated until the edge answers it. An absence of the edge may take as long as it likes;
/// `stop` ends the waiting.
pub(super) async fn until_answered<T, Answer: Future<Output = Result<T, EdgeError>>>(
    edge: &EdgeClient,
    stop: &CancellationToken,
    request: impl Fn() -> Answer,
) -> Result<T, EdgeError> {
    let mut failures = 0;
    loop {
        let error = match request().await {
            Err(error) if error.is_transient() => error,
            answer => return answer,
        };
        failures += 1;
        if failures == MAX_TRIES {
            return Err(error);
        }
        tracing::warn!(%error, "a request to the edge is repeated once it answers");
        let failed_at = Instant::now();
        tokio::select! {
            () = stop.cancelled() => return Err(error),
            () = edge.reach().until_it_answers() => {}
        }
        if failed_at.elapsed() > SHORT_ABSENCE {
            failures = 1;
        }
        sleep(short_pause(failures, random_fraction())).await;
    }
}
