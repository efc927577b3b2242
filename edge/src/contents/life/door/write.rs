//! Writes changes with all their effects, in one transaction and a bounded number of statements.

use super::columns::{Page, Row, assignments, changed, row};
use super::{effects, journal, message};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{Change, Effects, StorageEffect};
use crate::contents::life::claim;
use crate::contents::life::content::Captions;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value as BoundValue, json_text};
use contract::JobMessage;
use serde_json::{Value, json as object};

/// Writes the changes, and returns the jobs to send now.
pub(super) async fn write(
    database: &impl Database,
    page: &Page<'_>,
    now: UnixSeconds,
) -> Result<Vec<JobMessage>, DatabaseError> {
    let changes =
        |(before, change): &&(&Life, &Change)| **before != change.after || change.effects != Effects::default();
    let page: Vec<(&Life, &Change)> = page.iter().filter(changes).copied().collect();
    if page.is_empty() {
        return Ok(Vec::new());
    }
    // If the first try was applied, the revisions have changed, and the door recognises its own result.
    let mut batch = Batch::repeatable();
    // The statements that notice a lost race come first, so that it costs little.
    update_contents(&mut batch, &page, now)?;
    update_jobs(&mut batch, &page)?;
    effects::add_judgements(&mut batch, &page, now)?;
    update_captions(&mut batch, &page)?;
    journal::add(&mut batch, &page)?;
    effects::add_after(&mut batch, &page, now)?;
    let released = claim::release_of_channels(&mut batch, &channels_with_held_jobs(&page), now)?;
    let released_later = has_later_job(&page).then(|| batch.query(claim::release_later(now)));
    batch.check_size()?;
    let answers = database.run(batch).await?;
    let mut messages = released.map_or(Ok(Vec::new()), |query| answers.all(query))?;
    messages.extend(released_later.map_or(Ok(Vec::new()), |query| answers.all(query))?);
    let mut messages: Vec<JobMessage> = messages.drain(..).map(claim::ReleasedJob::into_message).collect();
    messages.extend(page.iter().filter_map(|(before, change)| sent_again(before, &change.after)));
    Ok(messages)
}

fn update_contents(batch: &mut Batch, page: &Page<'_>, now: UnixSeconds) -> Result<(), DatabaseError> {
    let mut rows = Vec::new();
    for (before, change) in page {
        let (old, new) = (row(&before.content)?, row(&change.after.content)?);
        // A change of existing jobs alone is guarded by the rows of the jobs.
        if old != new || change.effects != Effects::default() || has_other_jobs(before, &change.after) {
            rows.push((old, new));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    let columns = changed(rows.iter().map(|(old, new)| (old, new)));
    // `id = id` looks redundant, but it makes SQLite delete the row and insert it again. Otherwise a shortened row
    // would only leave free space in its page, and the database would not shrink.
    let is_compaction = |(_, change): &(&Life, &Change)| change.effects.storage == Some(StorageEffect::Compacted);
    let rewrite = if page.iter().any(is_compaction) { ", id = contents.id" } else { "" };
    let (conditions, values) = guards(page, now)?;
    let update = format!(
        "UPDATE contents
         SET revision = iif(contents.revision = value ->> '$.revision'{conditions}, contents.revision + 1, NULL){}{rewrite}
         FROM json_each(?1) WHERE contents.id = value ->> '$.id'",
        assignments(columns.iter().copied()),
    );
    // Unchanged texts are not sent: a page of them may be larger than a parameter may be.
    let is_sent = |column: &str| columns.contains(column) || matches!(column, "id" | "revision");
    let sent = |new: &Row| {
        new.iter()
            .filter(|(column, _)| is_sent(column))
            .map(|(column, value)| (column.clone(), value.clone()))
            .collect::<Row>()
    };
    let rows: Vec<Row> = rows.iter().map(|(_, new)| sent(new)).collect();
    let update = Statement::new(update).bind(json_text(&rows)?);
    batch.execute(values.into_iter().fold(update, Statement::bind));
    Ok(())
}

/// Whether a job is added or removed. Then no row of a job guards the change.
fn has_other_jobs(before: &Life, after: &Life) -> bool {
    let lacks_any = |one: &Life, other: &Life| other.jobs.iter().any(|job| one.job(job.kind).is_none());
    lacks_any(before, after) || lacks_any(after, before)
}

/// Returns the conditions besides the revision, with the values from `?2` on: the sweep has deleted none of the files
/// that are used from now on, and the blocklist has the version that the frames were compared with.
fn guards(page: &Page<'_>, now: UnixSeconds) -> Result<(&'static str, Vec<BoundValue>), DatabaseError> {
    let files = used_files(page);
    let version = page.iter().find_map(|(_, change)| change.effects.blocklist_version);
    // A report uses no new files, and an owner's change is not compared with the blocklist.
    Ok(match version {
        Some(version) => (" AND (SELECT version FROM blocklist_version) = ?2", vec![version.into()]),
        None if files.is_empty() => ("", Vec::new()),
        None => (
            " AND (SELECT count(*) FROM garbage WHERE upload_uuid IN (SELECT value FROM json_each(?2))
                 AND lease_ends_at_unix > ?3) = json_array_length(?2)",
            vec![json_text(&files)?.into(), now.into()],
        ),
    })
}

fn used_files<'a>(page: &Page<'a>) -> Vec<&'a UploadUuid> {
    let sent = page.iter().filter(|(before, _)| before.facts.is_file_stored == 1);
    sent.flat_map(|(_, change)| &change.effects.used).collect()
}

fn update_jobs(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let (mut added, mut updated, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
    for (before, change) in page {
        for job in &change.after.jobs {
            match before.job(job.kind) {
                None => added.push(row(job)?),
                Some(old) if old != job => updated.push((row(old)?, with_guard(row(job)?, old))),
                Some(_) => {}
            }
        }
        let gone = before.jobs.iter().filter(|old| change.after.job(old.kind).is_none());
        deleted.extend(gone.map(|old| object!({ "content_id": old.content_id, "kind": old.kind })));
    }
    if !added.is_empty() {
        batch.execute(insert_jobs(&added)?);
    }
    if !updated.is_empty() {
        let mut columns = changed(updated.iter().map(|(old, new)| (old, new)));
        columns.retain(|column| *column != "state" && !column.starts_with("was_"));
        let update = format!(
            "UPDATE jobs SET state = iif(jobs.generation = value ->> '$.was_generation'
                     AND jobs.state = value ->> '$.was_state' AND jobs.attempt = value ->> '$.was_attempt'
                     AND jobs.claim_ends_at_unix IS value ->> '$.was_claimed_until', value ->> '$.state', NULL){}
             FROM json_each(?1)
             WHERE jobs.content_id = value ->> '$.content_id' AND jobs.kind = value ->> '$.kind'",
            assignments(columns),
        );
        let rows: Vec<&Row> = updated.iter().map(|(_, new)| new).collect();
        batch.execute(Statement::new(update).bind(json_text(&rows)?));
    }
    if !deleted.is_empty() {
        let delete = "DELETE FROM jobs WHERE (content_id, kind) IN
             (SELECT value ->> '$.content_id', value ->> '$.kind' FROM json_each(?1))";
        batch.execute(Statement::new(delete).bind(json_text(&deleted)?));
    }
    Ok(())
}

/// Adds the values that the row must still have, because claims and heartbeats change a job's row without this module.
fn with_guard(mut row: Row, was: &Job) -> Row {
    row.insert("was_generation".to_owned(), was.generation.into());
    row.insert("was_state".to_owned(), object!(was.state));
    row.insert("was_attempt".to_owned(), was.attempt.into());
    row.insert("was_claimed_until".to_owned(), object!(was.claim_ends_at_unix));
    row
}

fn insert_jobs(jobs: &[Row]) -> Result<Statement, DatabaseError> {
    let names: Vec<&str> = jobs.first().into_iter().flat_map(Row::keys).map(String::as_str).collect();
    let values: Vec<String> = names.iter().map(|name| format!("value ->> '$.{name}'")).collect();
    let insert = format!("INSERT INTO jobs ({}) SELECT {} FROM json_each(?1)", names.join(", "), values.join(", "));
    Ok(Statement::new(insert).bind(json_text(&jobs)?))
}

fn update_captions(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let (mut gone, mut kept) = (Vec::new(), Vec::new());
    for (before, change) in page.iter().filter(|(before, change)| before.captions != change.after.captions) {
        gone.extend(before.captions.iter().map(|captions| captions.name.as_str()));
        kept.extend(change.after.captions.iter().map(|captions| with_content(captions, before.content.id)));
    }
    if gone.is_empty() && kept.is_empty() {
        return Ok(());
    }
    // Rows are replaced, because two rows of a language may swap their roles.
    let delete = Statement::new("DELETE FROM captions WHERE name IN (SELECT value FROM json_each(?1))");
    batch.execute(delete.bind(json_text(&gone)?));
    let insert = Statement::new(
        "INSERT INTO captions (name, content_id, language, sha256, is_wanted, is_shown)
         SELECT value ->> '$.name', value ->> '$.content_id', value ->> '$.language', value ->> '$.sha256',
             value ->> '$.is_wanted', value ->> '$.is_shown' FROM json_each(?1)",
    );
    batch.execute(insert.bind(json_text(&kept)?));
    Ok(())
}

fn with_content(captions: &Captions, content_id: u64) -> Value {
    let Captions { name, language, sha256, is_wanted, is_shown } = captions;
    object!({
        "name": name, "content_id": content_id, "language": language, "sha256": sha256, "is_wanted": is_wanted,
        "is_shown": is_shown,
    })
}

/// Returns the channels in which a job was started, which may be released at once.
fn channels_with_held_jobs(page: &Page<'_>) -> Vec<u64> {
    let has_started = |(before, change): &&(&Life, &Change)| {
        let after = change.after.active_job();
        let is_held = |job: &&Job| job.state != JobState::Later;
        let is_new = |job: &Job| before.active_job().is_none_or(|old| old.generation != job.generation);
        after.filter(is_held).is_some_and(is_new)
    };
    let mut channels: Vec<u64> =
        page.iter().filter(has_started).map(|(before, _)| before.content.channel_id.0).collect();
    channels.dedup();
    channels
}

/// Whether a change starts a job that waits for more urgent ones.
fn has_later_job(page: &Page<'_>) -> bool {
    let starts_later = |(before, change): &(&Life, &Change)| {
        let is_later = |life: &Life| life.active_job().is_some_and(|job| job.state == JobState::Later);
        is_later(&change.after) && !is_later(before)
    };
    page.iter().any(starts_later)
}

/// Returns the job's message if it is sent again.
fn sent_again(before: &Life, after: &Life) -> Option<JobMessage> {
    let job = after.active_job()?;
    let old = before.job(job.kind)?;
    (old.generation == job.generation && job.sendings > old.sendings).then(|| message(after, job))
}
