//! Suspending a channel, and lifting the suspension. The change and its entry in the trail are one transaction.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::journal::purges::purge_channels;
use crate::people::keys::open_uploads::{IS_UNFINISHED, end_resumable_uploads, release_uploads};
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value};
use serde::Deserialize;

/// A moderator's change to a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelChange<'a> {
    pub channel_id: ChannelId,
    pub reason: &'a str,
    pub by: &'a str,
}

/// Suspends the channel. Returns false if it does not exist. A repeated suspension has no effect.
pub(crate) async fn suspend(
    database: &impl Database,
    change: ChannelChange<'_>,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'channel_suspended', 'channel:' || id, ?3 FROM channels WHERE id = ?1 AND suspended_at_unix IS NULL",
    );
    let suspend = Statement::new(
        "UPDATE channels SET suspended_at_unix = coalesce(suspended_at_unix, ?2) WHERE id = ?1 RETURNING id",
    );
    apply(database, record, suspend.bind(change.channel_id).bind(now), change).await
}

/// Lifts the suspension. Returns false if the channel does not exist, or was erased.
pub(crate) async fn lift_suspension(
    database: &impl Database,
    change: ChannelChange<'_>,
) -> Result<bool, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'suspension_lifted', 'channel:' || id, ?3 FROM channels
         WHERE id = ?1 AND suspended_at_unix IS NOT NULL AND erased_at_unix IS NULL",
    );
    let lift = Statement::new(
        "UPDATE channels SET suspended_at_unix = NULL WHERE id = ?1 AND erased_at_unix IS NULL RETURNING id",
    );
    apply(database, record, lift.bind(change.channel_id), change).await
}

async fn apply(
    database: &impl Database,
    record: Statement,
    update: Statement,
    change: ChannelChange<'_>,
) -> Result<bool, DatabaseError> {
    let mut batch = Batch::default();
    batch.execute(record.bind(change.channel_id).bind(change.by).bind(change.reason));
    let updated = batch.query::<()>(update);
    add_consequences(&mut batch, "id = ?1", &[change.channel_id.into()]);
    Ok(database.run(batch).await?.has_rows(updated))
}

/// Adds the consequences for channels that a condition selects: published contents become hidden or visible, and the
/// open uploads of a suspended channel can neither renew their lease nor commit.
pub(crate) fn add_consequences(batch: &mut Batch, condition: &str, values: &[Value]) {
    purge_channels(batch, condition, values);
    let suspended =
        format!("channel_id IN (SELECT id FROM channels WHERE suspended_at_unix IS NOT NULL AND {condition})");
    end_resumable_uploads(batch, &format!("{suspended} AND {IS_UNFINISHED}"), values);
    release_uploads(batch, &suspended, values);
}

/// Returns published and scheduled contents of the channel, the oldest first.
pub(crate) async fn list_approved(
    database: &impl Database,
    channel_id: ChannelId,
    at_most: u32,
) -> Result<Vec<ContentUuid>, DatabaseError> {
    #[derive(Deserialize)]
    struct UuidRow {
        uuid: ContentUuid,
    }
    let select = Statement::new(
        "SELECT uuid FROM contents WHERE channel_id = ?1 AND state IN ('published', 'scheduled')
         ORDER BY created_at_unix LIMIT ?2",
    );
    let rows: Vec<UuidRow> = database.all(select.bind(channel_id).bind(at_most)).await?;
    Ok(rows.into_iter().map(|row| row.uuid).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::processed;
    use crate::jobs::tests::scene::{NOON, uuid};
    use crate::moderation::tests::reported;
    use contract::moderation::Recommendation::{Pass, Reject, Review};
    use futures_executor::block_on;

    #[test]
    fn only_a_channel_that_exists_is_suspended() {
        let scene = reported(None, processed(&[Pass]));
        let database = &scene.world.database;
        for (channel, exists) in [(1, true), (2, false)] {
            let change = ChannelChange { channel_id: ChannelId(channel), reason: "r", by: "m" };
            assert_eq!(block_on(suspend(database, change, scene.now())).unwrap(), exists);
            assert_eq!(block_on(lift_suspension(database, change)).unwrap(), exists);
        }
    }

    #[test]
    fn published_and_scheduled_contents_are_approved() {
        for (schedule, recommendation, is_approved) in
            [(None, Pass, true), (Some(NOON + 1_000), Pass, true), (None, Review, false), (None, Reject, false)]
        {
            let scene = reported(schedule, processed(&[recommendation]));
            let listed = |channel| block_on(list_approved(&scene.world.database, ChannelId(channel), 9)).unwrap();
            assert_eq!(listed(1) == [uuid()], is_approved, "{recommendation:?}");
            assert_eq!(listed(2), []);
        }
    }
}
