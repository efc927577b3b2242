//! The record of deliveries that an owner sees.

use super::store::OwnedWebhook;
use crate::base::paging;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::api::{DeliveryState, WebhookDeliveries, WebhookDelivery, WebhookResponse};
use serde::Deserialize;

/// A stored delivery, with its event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StoredDelivery {
    public_id: String,
    #[serde(rename = "type")]
    kind: String,
    sequence: u64,
    state: DeliveryState,
    attempts: u32,
    due_at_unix: Option<u64>,
    last_attempt_at_unix: Option<u64>,
    status: Option<u16>,
    failure: Option<String>,
    latency_ms: Option<u64>,
    body_start: Option<String>,
}

/// Returns the deliveries of a webhook whose events have a smaller `sequence`, the newest events first.
pub(crate) async fn list_deliveries(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    before: u64,
    at_most: u32,
) -> Result<Vec<StoredDelivery>, DatabaseError> {
    // A channel's event ids are in the order of their sequence.
    let select = Statement::new(
        "SELECT public_id, type, sequence, webhook_deliveries.state, attempts, webhook_deliveries.due_at_unix,
             last_attempt_at_unix, status, failure, latency_ms, body_start
         FROM webhook_deliveries JOIN events ON events.id = event_id
         WHERE webhook_id = (SELECT id FROM webhooks WHERE channel_id = ?1 AND uuid = ?2)
             AND event_id < coalesce(
                 (SELECT id FROM events WHERE channel_id = ?1 AND sequence >= ?3 ORDER BY sequence LIMIT 1),
                 9007199254740991)
         ORDER BY event_id DESC LIMIT ?4",
    );
    database.all(webhook.bind(select).bind(before).bind(at_most)).await
}

/// Returns one page. `found` holds one delivery more than the page if another page follows.
pub(crate) fn deliveries_page(mut found: Vec<StoredDelivery>, length: u32) -> WebhookDeliveries {
    let next_before = paging::cut(&mut found, length, |last| last.sequence);
    let deliveries = found.into_iter().map(StoredDelivery::read).collect();
    WebhookDeliveries { success: true, deliveries, next_before }
}

impl StoredDelivery {
    fn read(self) -> WebhookDelivery {
        let response = WebhookResponse {
            status: self.status,
            failure: self.failure,
            latency_ms: self.latency_ms.unwrap_or_default(),
            body_start: self.body_start,
        };
        WebhookDelivery {
            event_id: self.public_id,
            event_type: self.kind,
            sequence: self.sequence,
            state: self.state,
            attempts: self.attempts,
            next_attempt_at_unix: self.due_at_unix,
            last_attempt_at_unix: self.last_attempt_at_unix,
            response: self.last_attempt_at_unix.map(|_| response),
        }
    }
}
