//! The appeals that wait for a moderator. `contents::life` decides what can be appealed, and what a decision changes.

use super::content_search::ContentRow;
use super::review_address::ReviewAddresses;
use super::review_claims::{CLAIM_COLUMN, read_claim};
use crate::base::ids::ContentUuid;
use crate::base::slug::SLUG_COLUMN;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::MediaFile;
use contract::api::AppealedContent;
use serde::Deserialize;

#[derive(Deserialize)]
struct AppealRow {
    #[serde(flatten)]
    content: ContentRow,
    text: String,
    made_at_unix: UnixSeconds,
    policy_code: Option<String>,
    decided_by: String,
    claim: Option<String>,
}

const SELECT: &str = constcat::concat!(
    "SELECT contents.id, uuid, channel_id, contents.state, waits_for, contents.caption,
         ai_summary_of_content AS summary, media IS NOT NULL AS has_video, media_name, is_unlisted, is_sensitive,
         is_ai_generated, contents.created_at_unix,
         published_at_unix, text, made_at_unix, decisions.policy_code, made_by AS decided_by, ",
    SLUG_COLUMN,
    ", ",
    CLAIM_COLUMN,
    " FROM appeals INDEXED BY appeals_by_time
         CROSS JOIN contents ON contents.id = appeals.content_id CROSS JOIN decisions ON decisions.id = decision_id
     WHERE appeals.state = 'pending' ORDER BY made_at_unix, appeals.content_id LIMIT ?1"
);

/// Returns the first pending appeals, the oldest first.
pub(crate) async fn list(
    database: &impl Database,
    at_most: u32,
    review: ReviewAddresses<'_>,
    now: UnixSeconds,
) -> Result<Vec<AppealedContent>, DatabaseError> {
    let rows: Vec<AppealRow> = database.all(Statement::new(SELECT).bind(at_most)).await?;
    let appealed = |row: AppealRow| {
        let content = row.content.into_found(review);
        let uuid = ContentUuid::new(content.content_uuid.as_str());
        Ok(AppealedContent {
            poster_url: content.video_url.is_some().then(|| review.file_of(&uuid, MediaFile::Poster)),
            claim: read_claim(row.claim.as_deref(), now)?,
            content,
            text: row.text,
            made_at_unix: row.made_at_unix.0,
            policy_code: row.policy_code,
            decided_by: row.decided_by,
        })
    };
    rows.into_iter().map(appealed).collect()
}

/// Whether the owner has appealed against a decision of this moderator, and another moderator could decide about it.
pub(crate) async fn needs_another(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    #[derive(Deserialize)]
    struct PendingRow {
        decided_by: String,
        has_other: u8,
    }
    let select = Statement::new(
        "SELECT made_by AS decided_by, EXISTS (
             SELECT 1 FROM access_tokens INDEXED BY access_tokens_by_end
             WHERE ends_at_unix > ?3 AND name <> ?2 AND EXISTS (
                 SELECT 1 FROM json_each(roles) WHERE value = 'decide')) AS has_other
         FROM contents JOIN appeals ON appeals.content_id = contents.id
             JOIN decisions ON decisions.id = decision_id
         WHERE uuid = ?1 AND appeals.state = 'pending'",
    );
    let pending: Option<PendingRow> = database.first(select.bind(content_uuid).bind(by).bind(now)).await?;
    Ok(pending.is_some_and(|pending| pending.decided_by == by && pending.has_other != 0))
}
