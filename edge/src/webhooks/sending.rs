//! Sends deliveries that are due: to several webhooks at once, but to each webhook one event after the other.
//!
//! Failing and slow webhooks get a small share of the requests in flight, so that they do not delay others. A webhook
//! gets one request at a time, and no more in this run after a failure, so that a recovering webhook is not flooded.

use super::message::WebhookSettings;
use super::outbox::{FinishedAttempt, LeasedWebhook, SLOW_MS, give_back, lease_due, take_next};
use super::schedule::{Verdict, judge};
use crate::platform::Platform;
use crate::platform::database::DatabaseError;
use futures_util::future::join;
use futures_util::{StreamExt, stream};

/// The time during which a run begins new requests. It ends at most one request later.
const BUDGET_MS: u64 = 18_000;

/// The maximum number of webhooks of a kind that a run serves, in total and at a time. The platform delays a run's
/// seventh connection, and the database needs one.
#[derive(Clone, Copy)]
struct Share {
    is_troubled: bool,
    webhooks: u32,
    at_once: usize,
}

const WORKING: Share = Share { is_troubled: false, webhooks: 60, at_once: 3 };
const TROUBLED: Share = Share { is_troubled: true, webhooks: 20, at_once: 2 };

/// Sends the deliveries that are due, and returns the number of requests. A failed database operation for one webhook
/// does not stop the others: its lease expires, and its last event is sent again.
pub(crate) async fn send_due<P: Platform>(platform: &P, settings: &WebhookSettings) -> Result<u64, DatabaseError> {
    let run = Run { platform, settings, ends_at_ms: platform.now_ms() + BUDGET_MS };
    // Lease both before sending anything, so that a webhook that fails is not served again as troubled.
    let (troubled, working) = (run.lease(TROUBLED).await?, run.lease(WORKING).await?);
    let (working, troubled) = join(run.serve(WORKING, working), run.serve(TROUBLED, troubled)).await;
    Ok(working? + troubled?)
}

struct Run<'a, P> {
    platform: &'a P,
    settings: &'a WebhookSettings,
    ends_at_ms: u64,
}

impl<P: Platform> Run<'_, P> {
    async fn lease(&self, share: Share) -> Result<Vec<LeasedWebhook>, DatabaseError> {
        lease_due(self.platform.database(), share.is_troubled, share.webhooks, self.platform.now()).await
    }

    async fn serve(&self, share: Share, webhooks: Vec<LeasedWebhook>) -> Result<u64, DatabaseError> {
        let served = stream::iter(webhooks).map(|webhook| self.send_to(webhook)).buffer_unordered(share.at_once);
        let outcomes: Vec<_> = served.collect().await;
        outcomes.into_iter().sum()
    }

    /// Sends events to a webhook until nothing is due, and returns their number.
    async fn send_to(&self, webhook: LeasedWebhook) -> Result<u64, DatabaseError> {
        let database = self.platform.database();
        let (mut finished, mut sent) = (None, 0);
        loop {
            let now = self.platform.now();
            if self.platform.now_ms() >= self.ends_at_ms || finished.as_ref().is_some_and(is_trouble) {
                give_back(database, webhook, finished.as_ref(), now).await?;
                return Ok(sent);
            }
            let Some(delivery) = take_next(database, webhook, finished.as_ref(), now).await? else {
                return Ok(sent);
            };
            let client = self.platform.webhooks();
            let answer = self.settings.send(client, &delivery.target, &delivery.event, now).await;
            let at = self.platform.now();
            let verdict = judge(delivery.attempt(), &answer, at);
            finished = Some(FinishedAttempt { delivery, answer, verdict, at });
            sent += 1;
        }
    }
}

/// Whether the webhook counts as troubled, so that its next event waits for the next run.
fn is_trouble(finished: &FinishedAttempt) -> bool {
    finished.verdict != Verdict::Delivered || is_slow(finished.answer.latency_ms)
}

fn is_slow(latency_ms: u64) -> bool {
    latency_ms > u64::from(SLOW_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_slow_after_two_seconds() {
        assert_eq!([0, 2_000, 2_001].map(is_slow), [false, false, true]);
    }
}
