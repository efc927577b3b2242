//! Reading the log as its owner.

use crate::base::ids::ContentUuid;
use crate::base::paging;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::key_store::ChannelUse;
use crate::people::owner::Owner;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, read_column};
use contract::api::{Event, Events};
use serde::Deserialize;

/// A stored event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StoredEvent {
    public_id: String,
    #[serde(rename = "type")]
    kind: String,
    timestamp: String,
    happened_at_unix: u64,
    sequence: u64,
    content_sequence: Option<u64>,
    data: String,
}

/// The columns of a `StoredEvent`.
pub(crate) const EVENT_COLUMNS: &str =
    "public_id, type, strftime('%Y-%m-%dT%H:%M:%SZ', happened_at_unix, 'unixepoch') AS timestamp, happened_at_unix,
         sequence, content_sequence, data";

/// A part of the log: the first events after a given one, of the whole channel or of one content.
#[derive(Clone, Debug)]
pub(crate) struct EventsPart {
    pub after: u64,
    pub content_uuid: Option<ContentUuid>,
    pub at_most: u32,
}

/// The owner's channel, and events of it.
#[derive(Clone, Debug)]
pub(crate) struct OwnedEvents {
    pub channel_use: ChannelUse,
    pub events: Vec<StoredEvent>,
}

/// Returns a part of the log of the owner's channel, or `None` if there is no such channel. Counts a use of a key.
pub(crate) async fn list_events(
    database: &impl Database,
    owner: &Owner,
    part: &EventsPart,
    now: UnixSeconds,
) -> Result<Option<OwnedEvents>, DatabaseError> {
    let select = |condition: &str| {
        let select = Statement::new(format!(
            "SELECT {EVENT_COLUMNS} FROM events WHERE channel_id = {} AND sequence > ?2 {condition}
             ORDER BY sequence LIMIT ?3",
            owner.channel()
        ));
        select.bind(owner.value()).bind(part.after).bind(part.at_most)
    };
    let select = match &part.content_uuid {
        None => select(""),
        Some(uuid) => select(
            "AND content_id = (
             SELECT id FROM contents WHERE uuid = ?4 UNION ALL SELECT id FROM test_videos WHERE uuid = ?4)",
        )
        .bind(uuid),
    };
    let mut batch = Batch::repeatable();
    let channel_use = owner.read_use(&mut batch, now);
    let events = batch.query(select);
    let answers = database.run(batch).await?;
    let events = answers.all(events)?;
    Ok(channel_use.read(&answers)?.map(|channel_use| OwnedEvents { channel_use, events }))
}

/// Returns one page. `events` holds one event more than the page if another page follows.
pub(crate) fn events_page(mut events: Vec<StoredEvent>, after: u64, length: u32) -> Result<Events, DatabaseError> {
    let has_more = paging::truncate(&mut events, length);
    let next_after = events.last().map_or(after, |event| event.sequence);
    let events = events.into_iter().map(StoredEvent::read).collect::<Result<_, _>>()?;
    Ok(Events { success: true, events, next_after, has_more })
}

impl StoredEvent {
    pub(crate) fn read(self) -> Result<Event, DatabaseError> {
        Ok(Event {
            data: read_column(&self.data)?,
            id: self.public_id,
            kind: self.kind,
            timestamp: self.timestamp,
            happened_at_unix: self.happened_at_unix,
            sequence: self.sequence,
            content_sequence: self.content_sequence,
        })
    }
}
