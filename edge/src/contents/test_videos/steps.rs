//! Takes the steps of test videos when they are due, and deletes the videos in the end.

use super::script::{Becomes, steps};
use crate::base::ids::ContentUuid;
use crate::base::slug::Slug;
use crate::base::unix_seconds::UnixSeconds;
use crate::journal;
use crate::platform::database::{Batch, Database, DatabaseError, Query, Statement, Value, may_have_more};
use contract::api::{EventData, WaitsFor};
use contract::limits::TEST_VIDEO_SECONDS;
use contract::{ContentState, ErrorCode, TestOutcome};
use serde::Deserialize;
use serde_json::json;

/// The videos whose steps one transaction takes, and the transactions of one run of the sweep.
const BATCH: u32 = 100;
const ROUNDS: u32 = 20;
/// More steps than any test video takes.
const MOST_STEPS: usize = 8;

/// A test video with a step that is due, and the rule that a rejection names.
#[derive(Debug, Deserialize)]
struct DueVideo {
    id: u64,
    uuid: ContentUuid,
    outcome: String,
    /// The steps that it has taken.
    steps: usize,
    created_at_unix: UnixSeconds,
    finished_at_unix: Option<UnixSeconds>,
    published_at_unix: Option<UnixSeconds>,
    scheduled_publish_at_unix: Option<u64>,
    slug_url: Slug,
    external_id: Option<String>,
    policy_code: Option<String>,
    policy_text: Option<String>,
}

const SELECT: &str = "
    SELECT test_videos.id, uuid, outcome, steps, created_at_unix, finished_at_unix, published_at_unix,
        content ->> '$.scheduled_publish_at_unix' AS scheduled_publish_at_unix, content ->> '$.slug_url' AS slug_url,
        content ->> '$.external_id' AS external_id, policies.policy_code, policies.text AS policy_text
    FROM test_videos LEFT JOIN policies ON policies.position = (SELECT max(position) FROM policies WHERE position > 0)
    WHERE state <> 'deleted' AND due_at_unix <= ?1 AND due_at_unix < created_at_unix + ?2";

/// Takes the steps of one video that are due. Returns when the next one is due.
pub(crate) async fn advance(
    database: &impl Database,
    uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<Option<UnixSeconds>, DatabaseError> {
    #[derive(Deserialize)]
    struct NextRow {
        due_at_unix: UnixSeconds,
    }
    for _ in 0..MOST_STEPS {
        let select = Statement::new(format!("{SELECT} AND uuid = ?3"));
        let select = select.bind(now).bind(TEST_VIDEO_SECONDS).bind(uuid);
        let due: Vec<DueVideo> = database.all(select).await?;
        if !take(database, &due, now).await? {
            break;
        }
    }
    let next = Statement::new(
        "SELECT due_at_unix FROM test_videos
         WHERE uuid = ?1 AND state <> 'deleted' AND due_at_unix < created_at_unix + ?2",
    );
    let next: Option<NextRow> = database.first(next.bind(uuid).bind(TEST_VIDEO_SECONDS)).await?;
    Ok(next.map(|next| next.due_at_unix))
}

/// Takes the steps of all videos that are due, and deletes the videos whose time is over. Returns how many were
/// deleted.
pub(crate) async fn advance_all(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    for _ in 0..ROUNDS {
        let select = Statement::new(format!("{SELECT} ORDER BY due_at_unix LIMIT ?3"));
        let select = select.bind(now).bind(TEST_VIDEO_SECONDS).bind(BATCH);
        let due: Vec<DueVideo> = database.all(select).await?;
        if !take(database, &due, now).await? {
            break;
        }
    }
    let mut total = 0;
    for _ in 0..ROUNDS {
        let mut batch = Batch::repeatable();
        let over = "id IN (SELECT id FROM test_videos WHERE due_at_unix <= ?1 AND created_at_unix <= ?1 - ?2
             ORDER BY due_at_unix LIMIT ?3)";
        let deleted = delete(&mut batch, over, &[now.into(), TEST_VIDEO_SECONDS.into(), BATCH.into()]);
        let deleted = database.run(batch).await?.count(deleted);
        total += deleted as u64;
        if !may_have_more(deleted, BATCH) {
            break;
        }
    }
    Ok(total)
}

/// Adds the statements that delete the test videos that meet a condition, with their uploads. Returns a row for each.
pub(crate) fn delete(batch: &mut Batch, condition: &str, values: &[Value]) -> Query<()> {
    let bound = |sql: String| values.iter().cloned().fold(Statement::new(sql), Statement::bind);
    batch.execute(bound(format!("DELETE FROM uploads WHERE id IN (SELECT id FROM test_videos WHERE {condition})")));
    batch.query(bound(format!("DELETE FROM test_videos WHERE {condition} RETURNING id")))
}

/// Takes the next step of each video, with its event, unless another request has taken it. Returns false if no video
/// has a step left.
async fn take(database: &impl Database, due: &[DueVideo], now: UnixSeconds) -> Result<bool, DatabaseError> {
    let rows: Vec<_> = due.iter().filter_map(|video| video.row(now)).collect();
    if rows.is_empty() {
        return Ok(false);
    }
    let rows = serde_json::Value::from(rows).to_string();
    let mut batch = Batch::default();
    // The event comes first, because the second statement counts the step.
    let events = "SELECT test_videos.channel_id, test_videos.id AS content_id, steps + 1 AS content_sequence,
             value ->> '$.event' AS type, value ->> '$.data' AS data
         FROM json_each(?1) JOIN test_videos ON test_videos.id = value ->> '$.id'
         WHERE steps = value ->> '$.steps' AND state <> 'deleted'";
    journal::events::add_selected(&mut batch, events, &[rows.as_str().into()]);
    let update = Statement::new(
        "UPDATE test_videos SET steps = steps + 1, state = value ->> '$.state', waits_for = value ->> '$.waits_for',
             error_code = value ->> '$.error_code', error_detail = value ->> '$.error_detail',
             policy_code = value ->> '$.policy_code', quality = value ->> '$.quality',
             finished_at_unix = value ->> '$.finished_at_unix', published_at_unix = value ->> '$.published_at_unix',
             due_at_unix = value ->> '$.due_at_unix'
         FROM json_each(?1) WHERE test_videos.id = value ->> '$.id' AND steps = value ->> '$.steps'
             AND state <> 'deleted'",
    );
    batch.execute(update.bind(rows));
    database.run(batch).await.map(|_| true)
}

impl DueVideo {
    fn script(&self) -> &'static [(u64, Becomes)] {
        let outcome = TestOutcome::named(&self.outcome);
        outcome.map_or(&[], |outcome| steps(outcome, self.scheduled_publish_at_unix.is_some()))
    }

    /// Returns the values after the next step, and its event.
    fn row(&self, now: UnixSeconds) -> Option<serde_json::Value> {
        let script = self.script();
        let (_, becomes) = script.get(self.steps)?;
        let next = script.get(self.steps + 1).map_or(TEST_VIDEO_SECONDS, |(after, _)| *after);
        let (state, error) = (becomes.state(), becomes.error());
        let policy_code = self.policy_code.as_deref().filter(|_| becomes.names_policy());
        let policy_text = self.policy_text.as_deref().filter(|_| becomes.names_policy());
        let detail = policy_text.or_else(|| error.map(ErrorCode::text));
        let is_public = state.is_public();
        let published_at = if is_public { Some(self.published_at_unix.unwrap_or(now)) } else { self.published_at_unix };
        let is_processed = state != ContentState::Processing;
        let finished_at = if is_processed { Some(self.finished_at_unix.unwrap_or(now)) } else { None };
        let data = EventData {
            waits_for: matches!(becomes, Becomes::Waiting).then(|| WaitsFor::Person.as_str().to_owned()),
            error_message_code: error.map(|code| code.as_str().to_owned()),
            detail: detail.map(str::to_owned),
            policy_code: policy_code.map(str::to_owned),
            published_at_unix: published_at.filter(|_| is_public).map(|time| time.0),
            quality: becomes.quality().filter(|_| is_public),
            scheduled_publish_at_unix: self.scheduled_publish_at_unix.filter(|_| state == ContentState::Scheduled),
            ..self.event_data()
        };
        Some(json!({
            "id": self.id,
            "steps": self.steps,
            "state": state,
            "waits_for": data.waits_for,
            "error_code": error,
            "error_detail": detail,
            "policy_code": policy_code,
            "quality": becomes.quality(),
            "finished_at_unix": finished_at,
            "published_at_unix": published_at,
            "due_at_unix": self.created_at_unix + next,
            "event": becomes.event(),
            "data": json!(data).to_string(),
        }))
    }

    /// Returns the data of every event about the video.
    fn event_data(&self) -> EventData {
        EventData {
            content_id: Some(self.id),
            content_uuid: Some(self.uuid.to_string()),
            slug_url: Some(self.slug_url.as_str().to_owned()),
            external_id: self.external_id.clone(),
            is_test: Some(true),
            ..EventData::default()
        }
    }
}
