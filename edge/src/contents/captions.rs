//! Captions that owners send: which of them a content is to show.
//!
//! A change only says what is wanted. A job makes it, and viewers see what they saw before until the new text has
//! passed moderation. Triggers start the job, settle what is wanted and shown, and keep the record of the objects
//! (`0029_captions.sql`).

use super::owner_changes::OwnedContent;
use super::update_outcome::{OutcomeQueries, Reservation, STORING_SECONDS, UpdateOutcome, is_unclaimed, reserve_file};
use crate::ids::UploadUuid;
use crate::keys::daily_changes::{bind_content_limit, content_change_limit, content_changes_are, count_change};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::subtitles::MAX_SUBTITLE_TRACKS;

/// A file with captions, by the name under which it is stored.
#[derive(Clone, Debug)]
pub(crate) struct CaptionsFile {
    pub name: UploadUuid,
    pub sha256: String,
}

/// The captions of one language that a content is to have; none without a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WantedCaptions<'a> {
    pub language: &'a str,
    pub file: Option<&'a CaptionsFile>,
}

/// Whether the content has other captions of the language `?3` than the file with the hash `?5`, which is NULL for
/// none.
macro_rules! is_change {
    () => {
        "(SELECT sha256 FROM captions WHERE content_id = contents.id AND language = ?3 AND is_wanted = 1) IS NOT ?5"
    };
}

/// The error code for a change that must be refused, otherwise NULL.
macro_rules! refusal {
    () => {
        "CASE WHEN state IN ('rejected', 'taken_down', 'deleted') THEN 'content_state_conflict'
             WHEN ?4 IS NOT NULL AND ?7 <= (SELECT count(*) FROM captions
                 WHERE content_id = contents.id AND is_wanted = 1 AND language <> ?3)
                 THEN 'content_captions_too_many' END"
    };
}

/// Whether the file `?4` is no longer stored: the sweep may have deleted it, because it came too late.
macro_rules! is_lost {
    () => {
        "(?4 IS NOT NULL AND NOT EXISTS
             (SELECT 1 FROM garbage WHERE upload_uuid = ?4 AND lease_ends_at_unix > ?6))"
    };
}

/// Whether the change is one beyond the daily limit. The comparison is `>` if the change is counted already. `?8` is
/// the day, and `?9` and `?10` are what the limit depends on.
macro_rules! is_over_limit {
    ($comparison:literal) => {
        concat!("(", is_change!(), " AND ", content_changes_are!($comparison, "?8", "?9", "?10"), ")")
    };
}

macro_rules! where_stored {
    () => {
        concat!(
            " WHERE uuid = ?1 AND channel_id = ?2 AND ",
            is_change!(),
            " AND ",
            refusal!(),
            " IS NULL AND NOT ",
            is_lost!()
        )
    };
}

macro_rules! where_possible {
    () => {
        concat!(where_stored!(), " AND NOT ", is_over_limit!(">"))
    };
}

const COUNT: &str = count_change!(
    "content_changes",
    content_change_limit!("?9", "?10"),
    concat!("SELECT channel_id, ?8, 0, 1 FROM contents", where_stored!())
);

const RECORD: &str = concat!(
    "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) SELECT ?4, ?11 FROM contents
     WHERE uuid = ?1 AND channel_id = ?2 AND ",
    is_change!(),
    " AND ",
    refusal!(),
    " IS NULL AND NOT ",
    is_over_limit!(">=")
);
const READ_RESERVATION: &str = concat!(
    "SELECT state, coalesce(",
    refusal!(),
    ", iif(",
    is_over_limit!(">="),
    ", 'daily_change_limit_reached', NULL)) AS code, ",
    is_change!(),
    " AS is_new FROM contents WHERE uuid = ?1 AND channel_id = ?2"
);

/// Captions of the language that viewers never saw are forgotten.
const FORGET: &str = concat!(
    "DELETE FROM captions WHERE language = ?3 AND is_wanted = 1 AND is_shown = 0
         AND content_id = (SELECT id FROM contents",
    where_possible!(),
    ")"
);
/// Captions that viewers see are shown until the change is made.
const RELEASE: &str = concat!(
    "UPDATE captions SET is_wanted = 0 WHERE language = ?3 AND is_wanted = 1
         AND content_id = (SELECT id FROM contents",
    where_possible!(),
    ")"
);
/// A trigger starts the job. This comes before the others, because they end the condition.
const BEGIN: &str = concat!(
    "UPDATE contents SET captions_change = 'pending', captions_error_code = NULL,
         enqueued_at_unix = iif(state IN ('scheduled', 'published') AND NOT ",
    is_unclaimed!(),
    ", ?6, enqueued_at_unix)",
    where_possible!()
);
const INSERT: &str = concat!(
    "INSERT INTO captions (name, content_id, language, sha256) SELECT ?4, id, ?3, ?5 FROM contents",
    where_possible!(),
    " AND ?4 IS NOT NULL"
);
const READ_REFUSAL: &str = concat!(
    "SELECT state, coalesce(",
    refusal!(),
    ", iif(",
    is_change!(),
    " AND ",
    is_lost!(),
    ", 'upload_too_slow', NULL), iif(",
    is_over_limit!(">"),
    ", 'daily_change_limit_reached', NULL)) AS code FROM contents WHERE uuid = ?1 AND channel_id = ?2"
);
fn bind(sql: &'static str, content: OwnedContent<'_>, wanted: WantedCaptions<'_>, now: UnixSeconds) -> Statement {
    let statement = Statement::new(sql).bind(content.content_uuid).bind(content.channel_id).bind(wanted.language);
    let statement = statement.bind(wanted.file.map(|file| file.name.as_str()));
    let statement = statement.bind(wanted.file.map(|file| file.sha256.as_str()));
    bind_content_limit(statement.bind(now).bind(MAX_SUBTITLE_TRACKS), now)
}

/// Records a file if the content takes it and does not have it yet.
pub(crate) async fn reserve_captions(
    database: &impl Database,
    content: OwnedContent<'_>,
    wanted: WantedCaptions<'_>,
    now: UnixSeconds,
) -> Result<Reservation, DatabaseError> {
    let record = bind(RECORD, content, wanted, now).bind(now + STORING_SECONDS);
    reserve_file(database, record, bind(READ_RESERVATION, content, wanted, now)).await
}

/// Changes the captions of one language. A file must be reserved and stored before. If the answer is lost, tries once
/// more: the second attempt finds what the first one did.
pub(crate) async fn change_captions(
    database: &impl Database,
    content: OwnedContent<'_>,
    wanted: WantedCaptions<'_>,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    match change_once(database, content, wanted, now).await {
        Ok(outcome) => Ok(outcome),
        Err(_) => change_once(database, content, wanted, now).await,
    }
}

async fn change_once(
    database: &impl Database,
    content: OwnedContent<'_>,
    wanted: WantedCaptions<'_>,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let mut batch = Batch::default();
    for sql in [COUNT, BEGIN, FORGET, RELEASE, INSERT] {
        batch.execute(bind(sql, content, wanted, now));
    }
    let queries = OutcomeQueries::add(&mut batch, content, bind(READ_REFUSAL, content, wanted, now));
    queries.read(&database.run(batch).await?)
}
