//! The deliveries that are due: selects the next webhook and event, and records the outcomes of attempts.

use super::message::Target;
use super::schedule::{Attempt, Verdict};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::events::{EVENT_COLUMNS, StoredEvent};
use crate::journal;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value};
use crate::platform::webhook_client::WebhookAnswer;
use contract::api::Event;
use serde::Deserialize;

/// The time for which a run leases a webhook, and after which an attempt without an outcome is repeated. Longer than
/// any request takes.
const LEASE_SECONDS: u64 = 60;

/// A webhook whose last response took longer than this counts as troubled.
pub(super) const SLOW_MS: u32 = 2_000;

/// A webhook that only this run sends to until the lease ends.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct LeasedWebhook {
    id: u64,
    lease: u64,
}

/// An event to send now. Its next attempt is already planned.
#[derive(Clone, Debug)]
pub(super) struct DueDelivery {
    event_id: u64,
    pub attempts: u32,
    pub first_at: UnixSeconds,
    pub target: Target,
    pub event: Event,
}

/// An attempt with its outcome, which is recorded when the next delivery is taken.
#[derive(Clone, Debug)]
pub(super) struct FinishedAttempt {
    pub delivery: DueDelivery,
    pub answer: WebhookAnswer,
    pub verdict: Verdict,
    pub at: UnixSeconds,
}

#[derive(Deserialize)]
struct DueRow {
    event_id: u64,
    attempts: u32,
    first_at: UnixSeconds,
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    event: StoredEvent,
}

/// Selects the delivery of a webhook (`?1`) that is due first, while its lease (`?2`) lasts. Needs a join with the
/// table of webhooks, so that a run that has lost its lease finds none.
const FIRST_DUE: &str =
    "webhook_id = ?1 AND lease = ?2 AND lease_ends_at_unix > ?3 AND webhook_deliveries.due_at_unix <= ?3
     ORDER BY webhook_deliveries.due_at_unix, event_id LIMIT 1";

/// Leases healthy or failing webhooks that have deliveries due, longest-waiting first.
pub(super) async fn lease_due(
    database: &impl Database,
    is_troubled: bool,
    at_most: u32,
    now: UnixSeconds,
) -> Result<Vec<LeasedWebhook>, DatabaseError> {
    let lease = Statement::new(
        "UPDATE webhooks SET lease = lease + 1, lease_ends_at_unix = ?1 + ?5
         WHERE id IN (
             SELECT id FROM webhooks
             WHERE due_at_unix <= ?1 AND lease_ends_at_unix <= ?1 AND (failures > 0 OR last_latency_ms > ?4) = ?2
             ORDER BY lease_ends_at_unix LIMIT ?3)
         RETURNING id, lease",
    );
    let lease = lease.bind(now).bind(u32::from(is_troubled)).bind(at_most).bind(SLOW_MS);
    database.all(lease.bind(LEASE_SECONDS)).await
}

/// Records the outcome of the previous attempt and takes the next due delivery. Plans the delivery's next attempt, in
/// case this run ends without an outcome. If no delivery is due, gives the webhook back.
pub(super) async fn take_next(
    database: &impl Database,
    webhook: LeasedWebhook,
    finished: Option<&FinishedAttempt>,
    now: UnixSeconds,
) -> Result<Option<DueDelivery>, DatabaseError> {
    let mut batch = Batch::default();
    record(&mut batch, webhook, finished);
    let renew = Statement::new(
        "UPDATE webhooks SET lease_ends_at_unix = iif(due_at_unix <= ?3, ?3 + ?4, ?3) WHERE id = ?1 AND lease = ?2",
    );
    batch.execute(webhook.bind(renew).bind(now).bind(LEASE_SECONDS));
    let read = Statement::new(constcat::concat!(
        "SELECT event_id, attempts + 1 AS attempts, CAST(coalesce(first_attempt_at_unix, ?3) AS INTEGER) AS first_at,
             webhooks.uuid, url, secret_version, previous_secret_ends_at_unix, ",
        EVENT_COLUMNS,
        " FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id JOIN events ON events.id = event_id
         WHERE ",
        FIRST_DUE
    ));
    let due = batch.query::<DueRow>(webhook.bind(read).bind(now));
    let plan = Statement::new(constcat::concat!(
        "UPDATE webhook_deliveries
         SET attempts = attempts + 1, due_at_unix = ?3 + ?4, first_attempt_at_unix = coalesce(first_attempt_at_unix, ?3)
         WHERE webhook_id = ?1 AND event_id = (
             SELECT event_id FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id WHERE ",
        FIRST_DUE,
        ")"
    ));
    batch.execute(webhook.bind(plan).bind(now).bind(LEASE_SECONDS));
    database.run(batch).await?.first(due)?.map(DueRow::read).transpose()
}

/// Records the outcome of the last attempt and gives the webhook back, although more may be due.
pub(super) async fn give_back(
    database: &impl Database,
    webhook: LeasedWebhook,
    finished: Option<&FinishedAttempt>,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let mut batch = Batch::default();
    record(&mut batch, webhook, finished);
    let end = Statement::new("UPDATE webhooks SET lease_ends_at_unix = ?3 WHERE id = ?1 AND lease = ?2");
    batch.execute(webhook.bind(end).bind(now));
    database.run(batch).await.map(drop)
}

impl LeasedWebhook {
    fn bind(self, statement: Statement) -> Statement {
        statement.bind(self.id).bind(self.lease)
    }
}

/// Adds the statements that record an outcome. An outcome is ignored if the webhook was leased to another run since, or
/// if the event was queued again from the beginning.
fn record(batch: &mut Batch, webhook: LeasedWebhook, finished: Option<&FinishedAttempt>) {
    let Some(finished) = finished else { return };
    let FinishedAttempt { delivery, answer, verdict, at } = finished;
    let (state, due_at) = match verdict {
        Verdict::Delivered => ("delivered", None),
        Verdict::RetryAt(time) => ("pending", Some(*time)),
        Verdict::GivenUp | Verdict::Gone => ("failed", None),
    };
    // A delivery without a due time waits for an earlier event that is sent again.
    let outcome = Statement::new(
        "UPDATE webhook_deliveries
         SET state = ?5, due_at_unix = iif(due_at_unix IS NULL, NULL, ?6), last_attempt_at_unix = ?7, status = ?8,
             failure = ?9, latency_ms = ?10, body_start = iif(
                 (SELECT type FROM events WHERE id = event_id) <> 'content.deleted'
                     AND (SELECT state FROM contents WHERE id = content_id) = 'deleted', NULL, ?11)
         WHERE webhook_id = ?1 AND event_id = ?3 AND attempts = ?4 AND state = 'pending'
             AND EXISTS (SELECT 1 FROM webhooks WHERE id = ?1 AND lease = ?2)",
    );
    let outcome = webhook.bind(outcome).bind(delivery.event_id).bind(delivery.attempts).bind(state).bind(due_at);
    let outcome = outcome.bind(*at).bind(answer.status.map(u32::from)).bind(answer.failure.clone());
    // The response to an event from before a deletion may arrive after it, and may repeat the owner's words.
    batch.execute(outcome.bind(answer.latency_ms).bind(answer.body_start.clone()));
    batch.execute(continue_order(webhook, delivery));
    let health = Statement::new(
        "UPDATE webhooks SET failures = iif(?3, 0, failures + 1), last_latency_ms = ?4,
             last_delivered_at_unix = iif(?3, ?5, last_delivered_at_unix)
         WHERE id = ?1 AND lease = ?2",
    );
    let is_delivered = u32::from(*verdict == Verdict::Delivered);
    batch.execute(webhook.bind(health).bind(is_delivered).bind(answer.latency_ms).bind(*at));
    record_pause(batch, webhook, finished);
}

/// Pauses the webhook if it is gone, or if an event was given up and none was delivered since its first attempt.
fn record_pause(batch: &mut Batch, webhook: LeasedWebhook, finished: &FinishedAttempt) {
    let (reason, unless_delivered_since) = match finished.verdict {
        Verdict::Gone => ("gone", None),
        Verdict::GivenUp => ("failing", Some(finished.delivery.first_at)),
        Verdict::Delivered | Verdict::RetryAt(_) => return,
    };
    let pause = Statement::new(
        "UPDATE webhooks SET state = 'paused', pause_reason = ?3, paused_at_unix = ?4
         WHERE id = ?1 AND lease = ?2 AND state = 'active' AND (?5 IS NULL OR coalesce(last_delivered_at_unix, 0) < ?5)",
    );
    batch.execute(webhook.bind(pause).bind(reason).bind(finished.at).bind(unless_delivered_since));
    let paused =
        "SELECT channel_id, 'webhook.paused' AS type, json_object('webhook_uuid', uuid, 'pause_reason', pause_reason)
         AS data FROM webhooks WHERE id = ?1 AND lease = ?2 AND state = 'paused' AND paused_at_unix = ?3";
    journal::events::add_of_channel(batch, paused, &[webhook.id.into(), webhook.lease.into(), finished.at.into()]);
    cancel_deliveries(batch, "webhooks.id = ?1", &[webhook.id.into()]);
}

/// Makes the next event of the same content due once this one is finished, because they are sent in order.
fn continue_order(webhook: LeasedWebhook, delivery: &DueDelivery) -> Statement {
    let next = Statement::new(
        "UPDATE webhook_deliveries SET due_at_unix = 0
         WHERE webhook_id = ?1 AND due_at_unix IS NULL AND state = 'pending' AND event_id = (
             SELECT min(event_id) FROM webhook_deliveries INDEXED BY webhook_deliveries_by_content
             WHERE webhook_id = ?1 AND state = 'pending' AND content_id = (
                 SELECT content_id FROM webhook_deliveries
                 WHERE webhook_id = ?1 AND event_id = ?2 AND state <> 'pending'))",
    );
    next.bind(webhook.id).bind(delivery.event_id)
}

/// Adds the statement that cancels the pending deliveries of inactive webhooks that meet a condition.
pub(super) fn cancel_deliveries(batch: &mut Batch, condition: &str, values: &[Value]) {
    let cancel = format!(
        "UPDATE webhook_deliveries SET state = 'canceled', due_at_unix = NULL
         WHERE (webhook_id, event_id) IN (
             SELECT webhook_id, event_id FROM webhooks
                 CROSS JOIN webhook_deliveries INDEXED BY webhook_deliveries_by_content ON webhook_id = webhooks.id
             WHERE webhook_deliveries.state = 'pending' AND webhooks.state <> 'active' AND {condition})"
    );
    batch.execute(values.iter().cloned().fold(Statement::new(cancel), Statement::bind));
}

impl DueRow {
    fn read(self) -> Result<DueDelivery, DatabaseError> {
        Ok(DueDelivery {
            event_id: self.event_id,
            attempts: self.attempts,
            first_at: self.first_at,
            target: self.target,
            event: self.event.read()?,
        })
    }
}

impl DueDelivery {
    pub(super) fn attempt(&self) -> Attempt {
        let spread = crc32fast::hash(self.event.id.as_bytes()).wrapping_add(self.attempts.wrapping_mul(617));
        Attempt { number: self.attempts, first_at: self.first_at, spread }
    }
}
