//! Repeats removals of contents in a restored database, and restarts jobs.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::Evidence;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::rules::operator::RemovedSince;
use crate::contents::life::{Command, Life};
use crate::platform::database::{Database, DatabaseError, Statement, may_have_more, read_column, read_row};
use contract::ContentState;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The number of contents per transaction.
const PAGE: u32 = 100;

/// A pending entry about a content.
#[derive(Deserialize)]
struct Entry {
    content_id: u64,
    kind: String,
    subject: String,
    data: String,
}

/// The data of an entry about a removed content.
#[derive(Deserialize)]
struct RemovedContent {
    state: ContentState,
    error_code: Option<String>,
    error_detail: Option<String>,
    policy_code: Option<String>,
}

#[derive(Deserialize)]
struct Postponed {
    publish_at_unix: Option<UnixSeconds>,
}

#[derive(Deserialize)]
struct KeptEvidence {
    state: ContentState,
    deleted_at_unix: UnixSeconds,
    kept_until_unix: UnixSeconds,
}

const CONTENTS: &str = "
    SELECT DISTINCT contents.id AS content_id FROM pending_removals JOIN contents ON contents.uuid = subject
    WHERE kind IN ('content', 'evidence', 'caption', 'schedule', 'presentation') AND contents.id > ?1
    UNION
    SELECT DISTINCT content_id FROM pending_removals JOIN captions ON captions.name = subject
    WHERE kind = 'captions' AND content_id > ?1
    ORDER BY content_id LIMIT ?2";
const ENTRIES: &str = "
    SELECT contents.id AS content_id, kind, subject, data FROM pending_removals JOIN contents ON contents.uuid = subject
    WHERE kind IN ('content', 'evidence', 'caption', 'schedule', 'presentation') AND contents.id IN (SELECT value FROM json_each(?1))
    UNION ALL
    SELECT content_id, kind, subject, data FROM pending_removals JOIN captions ON captions.name = subject
    WHERE kind = 'captions' AND content_id IN (SELECT value FROM json_each(?1))";

#[derive(Deserialize)]
struct IdRow {
    content_id: u64,
}

/// Repeats the pending entries for every content. Fails if one could not be changed; the others are.
pub(super) async fn remove_again(database: &impl Database, now: UnixSeconds) -> Result<(), DatabaseError> {
    let (mut after, mut left_out) = (0, LeftOut::default());
    loop {
        let rows: Vec<IdRow> = database.all(Statement::new(CONTENTS).bind(after).bind(PAGE)).await?;
        let ids: Vec<u64> = rows.iter().map(|row| row.content_id).collect();
        let Some(last) = ids.last() else { return left_out.into_result() };
        after = *last;
        let entries: Vec<Entry> =
            database.all(Statement::new(ENTRIES).bind(Value::from(ids.as_slice()).to_string())).await?;
        let removed = removed_since(&entries)?;
        let command = |life: &Life| removed.get(&life.content.id).map(Command::RemoveAgain);
        door::apply_to_all(database, Find::Ids(&ids), command, &mut left_out, now).await?;
        if !may_have_more(ids.len(), PAGE) {
            return left_out.into_result();
        }
    }
}

fn removed_since(entries: &[Entry]) -> Result<BTreeMap<u64, RemovedSince>, DatabaseError> {
    let mut contents: BTreeMap<u64, RemovedSince> = BTreeMap::new();
    for entry in entries {
        add(contents.entry(entry.content_id).or_default(), entry)?;
    }
    Ok(contents)
}

fn add(removed: &mut RemovedSince, entry: &Entry) -> Result<(), DatabaseError> {
    let data: Value = read_column(&entry.data)?;
    match entry.kind.as_str() {
        "content" => {
            let content: RemovedContent = read_row(&data)?;
            removed.state = Some(content.state);
            (removed.error_code, removed.error_detail) = (content.error_code, content.error_detail);
            removed.policy_code = content.policy_code;
        }
        "evidence" => {
            let KeptEvidence { state, deleted_at_unix, kept_until_unix } = read_row(&data)?;
            removed.evidence = Some(Evidence { state, caption: None, summary: None, deleted_at_unix, kept_until_unix });
        }
        "caption" => removed.caption = true,
        "captions" => removed.captions.push(entry.subject.clone()),
        "presentation" => removed.presentation = Some(read_row(&data)?),
        "schedule" => removed.publish_at = read_row::<Postponed>(&data)?.publish_at_unix,
        _ => {}
    }
    Ok(())
}

/// Restarts the jobs that may have continued since the backup.
pub(super) async fn restart_jobs(database: &impl Database, now: UnixSeconds) -> Result<(), DatabaseError> {
    let mut left_out = LeftOut::default();
    loop {
        let of_earlier_epochs = Find::JobsOfEarlierEpochs { at_most: PAGE };
        let command = |_: &Life| Some(Command::RestartJob);
        let page = door::apply_to_all(database, of_earlier_epochs, command, &mut left_out, now).await?;
        if !may_have_more(page.found, PAGE) {
            return left_out.into_result();
        }
    }
}
