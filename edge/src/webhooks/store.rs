//! The webhooks of a channel: created, listed, changed, deleted, and given new secrets by their owner.

use crate::ids::ChannelId;
use crate::ports::database::{Batch, Database, DatabaseError, Statement, read_column};
use crate::unix_seconds::UnixSeconds;
use contract::api::{Member, PauseReason, Webhook, WebhookState};
use contract::limits::{MAX_WEBHOOKS, WEBHOOK_SECRET_OVERLAP_SECONDS};
use serde::Deserialize;

/// Identifies a webhook together with its owner, so that no other channel finds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnedWebhook<'a> {
    pub channel_id: ChannelId,
    pub uuid: &'a str,
}

/// A webhook as it is stored.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StoredWebhook {
    uuid: String,
    url: String,
    event_types: Option<String>,
    state: WebhookState,
    pause_reason: Option<PauseReason>,
    paused_at_unix: Option<u64>,
    created_at_unix: u64,
    pub(crate) secret_version: u64,
    previous_secret_ends_at_unix: Option<u64>,
    last_delivered_at_unix: Option<u64>,
    failures: u32,
}

/// The new values of a webhook. Those that are missing stay as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct WebhookChanges {
    pub url: Option<String>,
    /// A JSON array of types, or null for all.
    pub event_types: Member<String>,
    pub is_active: Option<bool>,
}

macro_rules! columns {
    () => {
        "uuid, url, event_types, state, pause_reason, paused_at_unix, created_at_unix, secret_version,
         previous_secret_ends_at_unix, last_delivered_at_unix, failures"
    };
}

impl OwnedWebhook<'_> {
    pub(super) fn bind(self, statement: Statement) -> Statement {
        statement.bind(self.channel_id).bind(self.uuid)
    }
}

/// Creates a webhook, or returns `None` if the channel has as many as it may have, or was erased.
pub(crate) async fn create(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    url: &str,
    event_types: Option<String>,
    now: UnixSeconds,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let insert = Statement::new(concat!(
        "INSERT INTO webhooks (channel_id, uuid, url, event_types, created_at_unix)
         SELECT id, ?2, ?3, ?4, ?5 FROM channels
         WHERE id = ?1 AND erased_at_unix IS NULL AND (SELECT count(*) FROM webhooks WHERE channel_id = ?1) < ?6
         RETURNING ",
        columns!()
    ));
    let insert = webhook.bind(insert).bind(url).bind(event_types).bind(now).bind(MAX_WEBHOOKS);
    database.first(insert).await
}

/// Returns the webhooks of a channel, the oldest first.
pub(crate) async fn list(database: &impl Database, channel_id: ChannelId) -> Result<Vec<StoredWebhook>, DatabaseError> {
    let select = Statement::new(concat!("SELECT ", columns!(), " FROM webhooks WHERE channel_id = ?1 ORDER BY id"));
    database.all(select.bind(channel_id)).await
}

/// Returns a webhook, or `None` if the channel has no such.
pub(crate) async fn find(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let select = concat!("SELECT ", columns!(), " FROM webhooks WHERE channel_id = ?1 AND uuid = ?2");
    database.first(webhook.bind(Statement::new(select))).await
}

/// Changes a webhook, or returns `None` if the channel has no such. Switching it on ends a pause and forgets its
/// failures.
pub(crate) async fn update(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    changes: &WebhookChanges,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let update = Statement::new(concat!(
        "UPDATE webhooks SET url = coalesce(?3, url), event_types = iif(?4, ?5, event_types),
             state = coalesce(?6, state), pause_reason = iif(?6 IS NULL, pause_reason, NULL),
             paused_at_unix = iif(?6 IS NULL, paused_at_unix, NULL), failures = iif(?6 IS NULL, failures, 0)
         WHERE channel_id = ?1 AND uuid = ?2 RETURNING ",
        columns!()
    ));
    let state = changes.is_active.map(|is_active| if is_active { "active" } else { "disabled" });
    let are_types_sent = u32::from(changes.event_types.is_sent());
    let update = webhook.bind(update).bind(changes.url.clone()).bind(are_types_sent);
    database.first(update.bind(changes.event_types.value().cloned()).bind(state)).await
}

/// Gives a webhook a new secret, or returns `None` if the channel has no such webhook. The secret before stays valid
/// for a day.
pub(crate) async fn rotate_secret(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    now: UnixSeconds,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let rotate = Statement::new(concat!(
        "UPDATE webhooks SET secret_version = secret_version + 1, previous_secret_ends_at_unix = ?3
         WHERE channel_id = ?1 AND uuid = ?2 RETURNING ",
        columns!()
    ));
    database.first(webhook.bind(rotate).bind(now + WEBHOOK_SECRET_OVERLAP_SECONDS)).await
}

/// Deletes a webhook with the record of its deliveries, and returns whether there was one.
pub(crate) async fn delete(database: &impl Database, webhook: OwnedWebhook<'_>) -> Result<bool, DatabaseError> {
    let forget = Statement::new(
        "DELETE FROM webhook_deliveries
         WHERE webhook_id = (SELECT id FROM webhooks WHERE channel_id = ?1 AND uuid = ?2)",
    );
    let delete = Statement::new("DELETE FROM webhooks WHERE channel_id = ?1 AND uuid = ?2 RETURNING uuid");
    let mut batch = Batch::default();
    batch.execute(webhook.bind(forget));
    let deleted = batch.query::<()>(webhook.bind(delete));
    Ok(database.run(batch).await?.has_rows(deleted))
}

impl StoredWebhook {
    pub(crate) fn is_active(&self) -> bool {
        self.state == WebhookState::Active
    }

    pub(crate) fn read(self) -> Result<Webhook, DatabaseError> {
        Ok(Webhook {
            event_types: self.event_types.as_deref().map(read_column).transpose()?,
            webhook_uuid: self.uuid,
            url: self.url,
            state: self.state,
            pause_reason: self.pause_reason,
            paused_at_unix: self.paused_at_unix,
            created_at_unix: self.created_at_unix,
            previous_secret_ends_at_unix: self.previous_secret_ends_at_unix,
            last_delivered_at_unix: self.last_delivered_at_unix,
            failures: self.failures,
        })
    }
}
