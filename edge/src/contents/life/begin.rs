//! Creates the content of an upload, with its first job. The statements run after the upload's slot is spent, and do
//! nothing if it was not.

use super::claim::{MIN_WAITING_JOBS, OPEN};
use super::job::resend_after;
use super::turn;
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Statement};
use contract::TraceContext;
use contract::job::JobWork;
use serde_json::{Map, Value};

/// The content of an upload. `columns` maps column names to values.
#[derive(Clone, Debug)]
pub(crate) struct NewContent<'a> {
    pub upload_uuid: &'a UploadUuid,
    pub uuid: &'a ContentUuid,
    pub columns: Map<String, Value>,
    pub trace: TraceContext,
    /// Whether captions were sent with it. Their job starts when the content is approved.
    pub has_captions: bool,
}

/// Adds the statements that create the content and its jobs. Running them again changes nothing.
pub(crate) fn add(batch: &mut Batch, content: &NewContent<'_>, now: UnixSeconds) {
    batch.execute(insert_content(content, now));
    batch.execute(insert_job(content, now));
    if content.has_captions {
        batch.execute(insert_captions_job(content, now));
    }
}

fn insert_content(content: &NewContent<'_>, now: UnixSeconds) -> Statement {
    let names: Vec<&str> = content.columns.keys().map(String::as_str).collect();
    let values: Vec<String> = names.iter().map(|name| format!("?3 ->> '$.{name}'")).collect();
    let (names, values) = (names.join(", "), values.join(", "));
    let insert = Statement::new(format!(
        "INSERT INTO contents (id, uuid, channel_id, state, created_at_unix, {names})
         SELECT id, ?2, channel_id, 'processing', ?4, {values} FROM uploads WHERE uuid = ?1 AND state = 'committed'
         ON CONFLICT (id) DO NOTHING"
    ));
    let columns = Value::Object(content.columns.clone()).to_string();
    insert.bind(content.upload_uuid).bind(content.uuid).bind(columns).bind(now)
}

/// Inserts the job: held if the channel has held jobs or enough jobs in the queue, otherwise to be sent now.
fn insert_job(content: &NewContent<'_>, now: UnixSeconds) -> Statement {
    let insert = Statement::new(format!(
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, traceparent, enqueued_at_unix, turn_unix,
             sendings, sent_at_unix, due_at_unix)
         SELECT id, channel_id, 'video', iif(has_room, 'due', 'held'), 1, ?2, ?3, ?6, has_room,
             iif(has_room, ?3, NULL), iif(has_room, ?3 + ?5, NULL)
         FROM (SELECT id, channel_id,
                   NOT EXISTS (
                       SELECT 1 FROM jobs WHERE jobs.channel_id = contents.channel_id AND state = 'held' AND {OPEN})
                   AND (SELECT count(*) FROM (
                       SELECT 1 FROM jobs
                       WHERE jobs.channel_id = contents.channel_id AND state = 'due' AND attempt = 0 AND {OPEN}
                       LIMIT ?4)) < ?4 AS has_room
               FROM contents WHERE uuid = ?1)
         WHERE true ON CONFLICT (content_id, kind) DO NOTHING"
    ));
    let insert = insert.bind(content.uuid).bind(content.trace.to_string()).bind(now);
    let duration_ms = content.columns.get("duration_ms").and_then(Value::as_u64).unwrap_or_default();
    let turn = turn::of_held(JobWork::Video, duration_ms, now);
    insert.bind(MIN_WAITING_JOBS).bind(resend_after(0)).bind(turn)
}

/// Returns the query for the first job of a content, unless it is held.
pub(crate) fn select_unclaimed(uuid: &ContentUuid) -> Statement {
    let select = Statement::new(
        "SELECT content_id, uuid AS content_uuid, jobs.generation, kind, traceparent
         FROM contents JOIN jobs ON content_id = contents.id WHERE uuid = ?1 AND kind = 'video' AND jobs.state = 'due'",
    );
    select.bind(uuid)
}

fn insert_captions_job(content: &NewContent<'_>, now: UnixSeconds) -> Statement {
    let insert = Statement::new(
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, traceparent, enqueued_at_unix)
         SELECT id, channel_id, 'captions', 'waiting', 0, ?2, ?3 FROM contents WHERE uuid = ?1
         ON CONFLICT (content_id, kind) DO NOTHING",
    );
    insert.bind(content.uuid).bind(content.trace.to_string()).bind(now)
}
