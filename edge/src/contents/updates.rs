//! Changes of a content's texts, category, schedule, thumbnail and client data by its owner: all of them at once, or
//! none.
//!
//! Repeating an update succeeds and changes nothing. Another thumbnail is made by a job of its own, which starts when
//! the content is approved. Until then, and until its pictures have passed, the old ones stay.

use super::field_rules::{clock_time, is_ai_summary, is_caption, is_external_id, metadata_json};
use super::owner_changes::OwnedContent;
use super::update_outcome::{OutcomeQueries, Reservation, UpdateOutcome, is_unclaimed};
use crate::ids::UploadUuid;
use crate::keys::daily_changes::{bind_content_limit, content_change_limit, content_changes_are, count_change};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::api::{Member, Metadata, UpdateContent};
use contract::limits::SCHEDULE_AHEAD_SECONDS;
use serde_json::{Map, Value as Json};

const CATEGORY: &str = "super_category_id";
const SCHEDULE: &str = "scheduled_publish_at_unix";
const METADATA: &str = "metadata";
const THUMBNAIL: &str = "thumbnail_seconds";
const PICTURE: &str = "picture";
const PICTURE_SHA256: &str = "picture_sha256";

/// A picture of the owner's own, by the name under which it is stored.
#[derive(Clone, Debug)]
pub(crate) struct SentPicture {
    pub name: UploadUuid,
    pub sha256: String,
}

/// The columns to change and their new values. Each value is valid by itself. A picture is a thumbnail without a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContentChanges(Map<String, Json>);

impl ContentChanges {
    /// Makes the checks that do not depend on the stored content.
    pub(crate) fn new(request: UpdateContent) -> Result<Self, Refusal> {
        type Rule = fn(&str) -> bool;
        let texts: [(_, _, Rule, _); 3] = [
            ("caption", request.caption, is_caption, ErrorCode::ContentCaptionInvalid),
            ("ai_summary_of_content", request.ai_summary_of_content, is_ai_summary, ErrorCode::ContentAiSummaryInvalid),
            ("external_id", request.external_id, is_external_id, ErrorCode::ContentExternalIdInvalid),
        ];
        let mut changes = Self::default();
        for (name, text, is_valid, code) in texts {
            changes.set_text(name, text, is_valid).map_err(|()| Refusal::new(code).with_field(name))?;
        }
        changes.set(CATEGORY, request.super_category_id);
        changes.set(SCHEDULE, request.scheduled_publish_at_unix);
        changes.set_thumbnail(request.thumbnail_time)?;
        changes.set_metadata(request.metadata)?;
        Ok(changes)
    }

    /// Changes the thumbnail to a picture.
    pub(super) fn to_picture(picture: &SentPicture) -> Self {
        let mut changes = Self::default();
        changes.set(THUMBNAIL, Member::<u32>::Null);
        changes.set(PICTURE, Member::Value(picture.name.as_str()));
        changes.set(PICTURE_SHA256, Member::Value(picture.sha256.as_str()));
        changes
    }

    fn set<T: Into<Json>>(&mut self, name: &str, member: Member<T>) {
        let value = match member {
            Member::Missing => return,
            Member::Null => Json::Null,
            Member::Value(value) => value.into(),
        };
        self.0.insert(name.to_owned(), value);
    }

    /// An empty text removes the value, as in the form of an upload.
    fn set_text(&mut self, name: &str, text: Member<String>, is_valid: fn(&str) -> bool) -> Result<(), ()> {
        match text {
            Member::Value(text) if text.is_empty() => self.set(name, Member::<String>::Null),
            Member::Value(text) if !is_valid(&text) => return Err(()),
            text => self.set(name, text),
        }
        Ok(())
    }

    fn set_thumbnail(&mut self, time: Member<String>) -> Result<(), Refusal> {
        let invalid = || Refusal::new(ErrorCode::ContentThumbnailTimeInvalid).with_field("thumbnail_time");
        match time {
            Member::Missing => {}
            Member::Null => self.set(THUMBNAIL, Member::<u32>::Null),
            Member::Value(text) if text.is_empty() => self.set(THUMBNAIL, Member::<u32>::Null),
            Member::Value(text) => self.set(THUMBNAIL, Member::Value(clock_time(&text).ok_or_else(invalid)?)),
        }
        Ok(())
    }

    fn set_metadata(&mut self, metadata: Member<Metadata>) -> Result<(), Refusal> {
        let invalid = || Refusal::new(ErrorCode::ContentMetadataInvalid).with_field(METADATA);
        match metadata {
            Member::Value(metadata) if metadata.is_empty() => self.set(METADATA, Member::<Json>::Null),
            // Metadata is bound as text, because the database stores it unchanged.
            Member::Value(metadata) => self.set(METADATA, Member::Value(metadata_json(&metadata).ok_or_else(invalid)?)),
            Member::Null => self.set(METADATA, Member::<Json>::Null),
            Member::Missing => {}
        }
        Ok(())
    }

    /// Whether the update changes more than the client's own data.
    fn changes_content(&self) -> bool {
        self.0.keys().any(|name| name != "external_id" && name != METADATA)
    }

    pub(super) fn bind(&self, statement: Statement, content: OwnedContent<'_>, now: UnixSeconds) -> Statement {
        let statement = statement.bind(content.content_uuid).bind(content.channel_id);
        let statement = statement.bind(Json::Object(self.0.clone()).to_string()).bind(now);
        let statement = statement.bind(u32::from(self.changes_content()));
        let (start, end) = (now + *SCHEDULE_AHEAD_SECONDS.start(), now + *SCHEDULE_AHEAD_SECONDS.end());
        bind_content_limit(statement.bind(start).bind(end), now)
    }
}

/// Whether the update needs a new thumbnail job. The thumbnail that is shown, or is being made, needs none; pictures
/// are compared by their hashes. After a failed job, the same request starts another one.
macro_rules! wants_new_thumbnail {
    () => {
        "(json_type(?3, '$.thumbnail_seconds') IS NOT NULL AND CASE
             WHEN thumbnail_change = 'pending'
                 THEN ?3 ->> '$.thumbnail_seconds' IS NOT wanted_thumbnail_seconds
                     OR ?3 ->> '$.picture_sha256' IS NOT wanted_picture_sha256
             WHEN thumbnail_change = 'failed' THEN 1
             ELSE ?3 ->> '$.thumbnail_seconds' IS NOT thumbnail_time_seconds
                 OR ?3 ->> '$.picture_sha256' IS NOT picture_sha256
                 OR (?3 ->> '$.picture_sha256' IS NULL AND has_thumbnail_file = 1) END)"
    };
}
pub(super) use wants_new_thumbnail;

/// The error code for an update that must be refused, otherwise NULL. Parameters: `?3` the changes, `?5` whether they
/// affect more than the client's own data, `?6` and `?7` the earliest and the latest publication time. A value that is
/// already stored is always accepted, so a repeated update succeeds.
macro_rules! refusal {
    () => {
        concat!(
            "CASE
             WHEN state = 'deleted' OR (?5 = 1 AND state IN ('rejected', 'taken_down')) THEN 'content_state_conflict'
             WHEN ?3 ->> '$.super_category_id' IS NOT NULL AND ?3 ->> '$.super_category_id' IS NOT super_category_id
                 AND NOT EXISTS (SELECT 1 FROM super_categories WHERE id = ?3 ->> '$.super_category_id')
                 THEN 'content_category_invalid'
             WHEN json_type(?3, '$.scheduled_publish_at_unix') = 'null'
                 THEN iif(state IN ('processing', 'scheduled', 'published'), NULL, 'content_state_conflict')
             WHEN ?3 ->> '$.scheduled_publish_at_unix' IS NOT NULL
                 AND ?3 ->> '$.scheduled_publish_at_unix' IS NOT scheduled_publish_at_unix
                 THEN CASE WHEN state NOT IN ('processing', 'scheduled') THEN 'content_state_conflict'
                     WHEN ?3 ->> '$.scheduled_publish_at_unix' NOT BETWEEN ?6 AND ?7 THEN 'content_schedule_invalid' END
             WHEN (?3 ->> '$.thumbnail_seconds') * 1000 > duration_ms AND ",
            wants_new_thumbnail!(),
            " THEN 'content_thumbnail_time_invalid'
         END"
        )
    };
}

pub(super) use refusal;

/// Whether the picture of the update is no longer stored: the sweep may have deleted it, because it came too late.
macro_rules! lost_picture {
    () => {
        concat!(
            "(?3 ->> '$.picture' IS NOT NULL AND ",
            wants_new_thumbnail!(),
            " AND NOT EXISTS
                 (SELECT 1 FROM garbage WHERE upload_uuid = ?3 ->> '$.picture' AND lease_ends_at_unix > ?4))"
        )
    };
}

/// Whether the update makes a change that has a daily limit: another thumbnail, or another publication time or caption,
/// which leaves an entry in the removal log.
macro_rules! is_limited {
    () => {
        concat!(
            "(",
            wants_new_thumbnail!(),
            " OR (caption IS NOT NULL AND json_type(?3, '$.caption') IS NOT NULL AND ?3 ->> '$.caption' IS NOT caption)
             OR (?3 ->> '$.scheduled_publish_at_unix' IS NOT NULL
                 AND ?3 ->> '$.scheduled_publish_at_unix' IS NOT scheduled_publish_at_unix))"
        )
    };
}

/// Whether the update makes a limited change and the channel has reached its daily limit. The comparison is `>` if an
/// earlier statement of the batch has already counted the change. `?8` is the day, `?9` is `MIN_DAILY_CHANGES`, and
/// `?10` is `DAILY_CHANGES_PER_UPLOAD`.
macro_rules! is_over_limit {
    ($comparison:literal) => {
        concat!("(", is_limited!(), " AND ", content_changes_are!($comparison, "?8", "?9", "?10"), ")")
    };
}
pub(super) use {is_limited, is_over_limit};

/// The new value of a column that belongs to the change of the thumbnail.
macro_rules! if_new_thumbnail {
    ($column:literal, $value:literal) => {
        concat!(", ", $column, " = iif(", wants_new_thumbnail!(), ", ", $value, ", ", $column, ")")
    };
}

/// The new value of a column.
macro_rules! changed {
    ($column:literal) => {
        concat!($column, " = iif(json_type(?3, '$.", $column, "') IS NULL, ", $column, ", ?3 ->> '$.", $column, "')")
    };
}

/// A schedule of null publishes an approved content at once. A trigger starts the job of another thumbnail.
const UPDATE: &str = concat!(
    "UPDATE contents SET ",
    changed!("caption"),
    ", ",
    changed!("super_category_id"),
    ", ",
    changed!("ai_summary_of_content"),
    ", ",
    changed!("external_id"),
    ", ",
    changed!("metadata"),
    ", ",
    changed!("scheduled_publish_at_unix"),
    if_new_thumbnail!("thumbnail_change", "'pending'"),
    if_new_thumbnail!("thumbnail_error_code", "NULL"),
    if_new_thumbnail!("wanted_thumbnail_seconds", "?3 ->> '$.thumbnail_seconds'"),
    if_new_thumbnail!("wanted_picture", "?3 ->> '$.picture'"),
    if_new_thumbnail!("wanted_picture_sha256", "?3 ->> '$.picture_sha256'"),
    ", enqueued_at_unix = iif(state IN ('scheduled', 'published') AND ",
    wants_new_thumbnail!(),
    " AND NOT ",
    is_unclaimed!(),
    ", ?4, enqueued_at_unix),
         published_at_unix = iif(state = 'scheduled' AND json_type(?3, '$.scheduled_publish_at_unix') = 'null',
             ?4, published_at_unix),
         state = iif(state = 'scheduled' AND json_type(?3, '$.scheduled_publish_at_unix') = 'null', 'published', state)
     WHERE uuid = ?1 AND channel_id = ?2 AND ",
    refusal!(),
    " IS NULL AND NOT ",
    lost_picture!(),
    " AND NOT ",
    is_over_limit!(">")
);
const COUNT: &str = count_change!(
    "content_changes",
    content_change_limit!("?9", "?10"),
    concat!(
        "SELECT channel_id, ?8, 0, 1 FROM contents WHERE uuid = ?1 AND channel_id = ?2 AND ",
        refusal!(),
        " IS NULL AND NOT ",
        lost_picture!(),
        " AND ",
        is_limited!()
    )
);
const READ_REFUSAL: &str = concat!(
    "SELECT state, coalesce(",
    refusal!(),
    ", iif(",
    lost_picture!(),
    ", 'upload_too_slow', NULL), iif(",
    is_over_limit!(">"),
    ", 'daily_change_limit_reached', NULL)) AS code FROM contents WHERE uuid = ?1 AND channel_id = ?2"
);
/// Returns the outcome of an update whose file need not be stored: a change of nothing returns the content. Returns
/// `None` if the file may be stored now.
pub(crate) async fn outcome_without_file(
    database: &impl Database,
    content: OwnedContent<'_>,
    reservation: Reservation,
    now: UnixSeconds,
) -> Result<Option<UpdateOutcome>, DatabaseError> {
    Ok(match reservation {
        Reservation::Store => None,
        Reservation::Unneeded => Some(update(database, content, &ContentChanges::default(), now).await?),
        Reservation::Refused { code, state } => Some(UpdateOutcome::Refused { code, state }),
        Reservation::UnknownContent => Some(UpdateOutcome::UnknownContent),
    })
}

/// Makes all the changes if each of them is possible.
pub(crate) async fn update(
    database: &impl Database,
    content: OwnedContent<'_>,
    changes: &ContentChanges,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let mut batch = Batch::default();
    batch.execute(changes.bind(Statement::new(COUNT), content, now));
    batch.execute(changes.bind(Statement::new(UPDATE), content, now));
    let refusal = changes.bind(Statement::new(READ_REFUSAL), content, now);
    let queries = OutcomeQueries::add(&mut batch, content, refusal);
    queries.read(&database.run(batch).await?)
}
