//! The webhooks of a channel. Their owner creates, lists, changes and deletes them, and rotates their secrets. The
//! trail records who did, in the transaction of the change.

use super::address::without_path;
use super::outbox::cancel_deliveries;
use crate::base::daily_limit::day_of;
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::daily_changes::{AccountChange, count_change};
use crate::people::owner::SignedBy;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value, read_column};
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

/// The new values of a webhook. Missing values stay unchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct WebhookChanges {
    pub url: Option<String>,
    /// A JSON array of types, or null for all.
    pub event_types: Member<String>,
    pub is_active: Option<bool>,
}

const COLUMNS: &str = "uuid, url, event_types, state, pause_reason, paused_at_unix, created_at_unix, secret_version,
         previous_secret_ends_at_unix, last_delivered_at_unix, failures";

/// The condition that the daily limit allows the change that the previous statement counted. `?3` is the day, `?4` the
/// limit.
const IS_WITHIN_LIMIT: &str =
    "EXISTS (SELECT 1 FROM daily_usage WHERE channel_id = ?1 AND day = ?3 AND webhook_changes <= ?4)";

/// The condition that an update changes the address to `?5` or the state to `?6`, which leaves permanent records.
const IS_RECORDED: &str = "(url <> coalesce(?5, url) OR state <> coalesce(?6, state))";

/// The condition that the channel `?1` may have another webhook.
macro_rules! has_room {
    ($max:literal) => {
        constcat::concat!("erased_at_unix IS NULL AND (SELECT count(*) FROM webhooks WHERE channel_id = ?1) < ", $max)
    };
}

const COUNT_CREATION: &str = count_change!(
    "webhook_changes",
    "?4",
    constcat::concat!("SELECT id, ?2, 0, 1 FROM channels WHERE id = ?1 AND ", has_room!("?3"))
);
const COUNT_UPDATE: &str = count_change!(
    "webhook_changes",
    "?4",
    constcat::concat!(
        "SELECT channel_id, ?3, 0, 1 FROM webhooks WHERE channel_id = ?1 AND uuid = ?2 AND ",
        IS_RECORDED
    )
);
const COUNT_ROTATION: &str = count_change!(
    "webhook_changes",
    "?4",
    "SELECT channel_id, ?3, 0, 1 FROM webhooks WHERE channel_id = ?1 AND uuid = ?2"
);

impl OwnedWebhook<'_> {
    /// Binds the webhook, the day and the daily limit of changes.
    fn bind_change(self, sql: &'static str, now: UnixSeconds) -> Statement {
        self.bind(Statement::new(sql)).bind(day_of(now)).bind(AccountChange::Webhook.max())
    }

    pub(super) fn bind(self, statement: Statement) -> Statement {
        statement.bind(self.channel_id).bind(self.uuid)
    }

    /// Returns the statement that records who changes the webhook, if it exists and meets a condition. The first two
    /// values are bound.
    fn record(self, by: SignedBy, action: &str, detail: &str, condition: &str) -> Statement {
        self.bind(Statement::new(format!(
            "INSERT INTO trail (actor, action, subject, detail)
             SELECT {actor}, '{action}', 'channel:' || channels.id, {detail}
             FROM webhooks JOIN channels ON channels.id = channel_id
             WHERE channel_id = ?1 AND uuid = ?2 AND {condition}",
            actor = by.actor()
        )))
    }
}

/// Creates a webhook, or returns `None` if the channel has the maximum number of webhooks, was erased, or has reached
/// the daily limit of changes.
pub(crate) async fn create(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    by: SignedBy,
    url: &str,
    event_types: Option<String>,
    now: UnixSeconds,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let insert = constcat::concat!(
        "INSERT INTO webhooks (channel_id, uuid, url, event_types, created_at_unix)
         SELECT id, ?2, ?5, ?6, ?7 FROM channels WHERE id = ?1 AND ",
        has_room!("?8"),
        " AND ",
        IS_WITHIN_LIMIT,
        " RETURNING ",
        COLUMNS
    );
    let insert = webhook.bind_change(insert, now).bind(url).bind(event_types).bind(now).bind(MAX_WEBHOOKS);
    let mut batch = Batch::default();
    let count = Statement::new(COUNT_CREATION).bind(webhook.channel_id).bind(day_of(now)).bind(MAX_WEBHOOKS);
    batch.execute(count.bind(AccountChange::Webhook.max()));
    let created = batch.query(insert);
    batch.execute(webhook.record(by, "webhook_created", "uuid || ' ' || ?3", "true").bind(without_path(url)));
    database.run(batch).await?.first(created)
}

/// Returns the webhooks of a channel, the oldest first.
pub(crate) async fn list(database: &impl Database, channel_id: ChannelId) -> Result<Vec<StoredWebhook>, DatabaseError> {
    let select =
        Statement::new(constcat::concat!("SELECT ", COLUMNS, " FROM webhooks WHERE channel_id = ?1 ORDER BY id"));
    database.all(select.bind(channel_id)).await
}

/// Returns a webhook, or `None` if the channel does not have it.
pub(crate) async fn find(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let select = constcat::concat!("SELECT ", COLUMNS, " FROM webhooks WHERE channel_id = ?1 AND uuid = ?2");
    database.first(webhook.bind(Statement::new(select))).await
}

/// Changes a webhook, or returns `None` if the channel does not have it or has reached the daily limit of changes.
/// Setting its state ends a pause and resets its failures.
pub(crate) async fn update(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    by: SignedBy,
    changes: &WebhookChanges,
    now: UnixSeconds,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let update = constcat::concat!(
        "UPDATE webhooks SET url = coalesce(?5, url), event_types = iif(?7, ?8, event_types),
             state = coalesce(?6, state), pause_reason = iif(?6 IS NULL, pause_reason, NULL),
             paused_at_unix = iif(?6 IS NULL, paused_at_unix, NULL), failures = iif(?6 IS NULL, failures, 0)
         WHERE channel_id = ?1 AND uuid = ?2 AND (NOT ",
        IS_RECORDED,
        " OR ",
        IS_WITHIN_LIMIT,
        ") RETURNING ",
        COLUMNS
    );
    let state = changes.is_active.map(|is_active| if is_active { "active" } else { "disabled" });
    let bind = |sql| webhook.bind_change(sql, now).bind(changes.url.clone()).bind(state);
    let are_types_sent = u32::from(changes.event_types.is_sent());
    let mut batch = Batch::default();
    batch.execute(bind(COUNT_UPDATE));
    let is_recorded = constcat::concat!(IS_RECORDED, " AND ", IS_WITHIN_LIMIT);
    let detail = "uuid || coalesce(' ' || ?7, '') || coalesce(' ' || ?6, '')";
    let record = webhook.record(by, "webhook_changed", detail, is_recorded).bind(day_of(now));
    let record = record.bind(AccountChange::Webhook.max()).bind(changes.url.clone()).bind(state);
    batch.execute(record.bind(changes.url.as_deref().map(without_path)));
    let updated = batch.query(bind(update).bind(are_types_sent).bind(changes.event_types.value().cloned()));
    cancel_deliveries(&mut batch, "channel_id = ?1 AND uuid = ?2", &[webhook.channel_id.into(), webhook.uuid.into()]);
    database.run(batch).await?.first(updated)
}

/// Rotates a webhook's secret, or returns `None` if the channel does not have it or has reached the daily limit of
/// changes. The previous secret stays valid for a day.
pub(crate) async fn rotate_secret(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    by: SignedBy,
    now: UnixSeconds,
) -> Result<Option<StoredWebhook>, DatabaseError> {
    let rotate = constcat::concat!(
        "UPDATE webhooks SET secret_version = secret_version + 1, previous_secret_ends_at_unix = ?5
         WHERE channel_id = ?1 AND uuid = ?2 AND ",
        IS_WITHIN_LIMIT,
        " RETURNING ",
        COLUMNS
    );
    let mut batch = Batch::default();
    batch.execute(webhook.bind_change(COUNT_ROTATION, now));
    let record = webhook.record(by, "webhook_secret_rotated", "uuid", IS_WITHIN_LIMIT);
    batch.execute(record.bind(day_of(now)).bind(AccountChange::Webhook.max()));
    let rotated = batch.query(webhook.bind_change(rotate, now).bind(now + WEBHOOK_SECRET_OVERLAP_SECONDS));
    database.run(batch).await?.first(rotated)
}

/// Adds the statements that disable the webhooks that meet a condition.
pub(crate) fn disable(batch: &mut Batch, condition: &str, values: &[Value]) {
    let disable = format!(
        "UPDATE webhooks SET state = 'disabled', pause_reason = NULL, paused_at_unix = NULL
         WHERE state <> 'disabled' AND {condition}"
    );
    batch.execute(values.iter().cloned().fold(Statement::new(disable), Statement::bind));
    cancel_deliveries(batch, condition, values);
}

/// Deletes a webhook with the record of its deliveries, and returns whether there was one.
pub(crate) async fn delete(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    by: SignedBy,
) -> Result<bool, DatabaseError> {
    let forget = Statement::new(
        "DELETE FROM webhook_deliveries
         WHERE webhook_id = (SELECT id FROM webhooks WHERE channel_id = ?1 AND uuid = ?2)",
    );
    let delete = Statement::new("DELETE FROM webhooks WHERE channel_id = ?1 AND uuid = ?2 RETURNING uuid");
    let mut batch = Batch::default();
    batch.execute(webhook.record(by, "webhook_deleted", "uuid", "true"));
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
