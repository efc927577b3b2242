//! Flags: approved contents that a moderator should review again, because one of their frames was blocked later or
//! because viewers reported them. A content that its owner deletes stays flagged while its evidence is kept.

use super::evidence;
use super::review_address::ReviewAddresses;
use super::review_claims::{CLAIM_COLUMN, read_claim};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::slug::{MAY_HAVE_SLUG, SLUG_COLUMN, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text, read_column};
use contract::api::{AbuseReport, FlaggedContent};
use contract::{ContentState, MediaFile};
use serde::Deserialize;

/// Flags a content if one of the matching hashes was added at `since` or later. Returns whether it is flagged.
pub(super) async fn flag_match(
    database: &impl Database,
    content_id: u64,
    matching: &[String],
    since: UnixSeconds,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let matching = json_text(matching)?;
    let flag = Statement::new(
        "INSERT INTO flags (content_id, state, flagged_at_unix, hash)
         SELECT contents.id, state, ?4, hash FROM blocked_hashes JOIN contents ON contents.id = ?1
         WHERE hash IN (SELECT value FROM json_each(?2)) AND added_at_unix >= ?3
             AND blocked_hashes.content_id IS NOT contents.id AND state IN ('scheduled', 'published')
         ORDER BY hash LIMIT 1
         ON CONFLICT (content_id) DO UPDATE SET hash = coalesce(hash, excluded.hash) RETURNING content_id",
    );
    let caught = Statement::new(
        "INSERT INTO blocklist_catches (hash, content_id, caught_at_unix)
         SELECT hash, content_id, ?2 FROM flags WHERE content_id = ?1 AND hash IS NOT NULL ON CONFLICT DO NOTHING",
    );
    let mut batch = Batch::default();
    let flagged = batch.query::<()>(flag.bind(content_id).bind(matching).bind(since).bind(now));
    batch.execute(caught.bind(content_id).bind(now));
    Ok(database.run(batch).await?.has_rows(flagged))
}

/// Selects the flagged contents in a state, in the order of an index, so that nothing is sorted.
macro_rules! flagged_in {
    ($state:literal) => {
        constcat::concat!(
            "SELECT uuid, channel_id, flags.state, coalesce(caption, (
                 SELECT caption FROM evidence WHERE evidence.content_id = contents.id)) AS caption, ",
            SLUG_COLUMN,
            ", ",
            CLAIM_COLUMN,
            ", flagged_at_unix, hash, reports, media IS NOT NULL AS has_video,
                 (SELECT json_group_array(json_object(
                     'reason', reason, 'text', text, 'reported_at_unix', reported_at_unix))
                  FROM (SELECT * FROM abuse_reports WHERE abuse_reports.content_id = flags.content_id
                        ORDER BY reported_at_unix DESC LIMIT 20)) AS latest
             FROM flags INDEXED BY flags_by_state CROSS JOIN contents ON contents.id = content_id
             WHERE flags.state = '",
            $state,
            "' ORDER BY reports DESC, flagged_at_unix, content_id LIMIT ?1"
        )
    };
}

/// Returns the first flagged contents: published, then scheduled, then deleted, each most reported first, then longest
/// flagged first.
pub(crate) async fn list(
    database: &impl Database,
    at_most: u32,
    review: ReviewAddresses<'_>,
    now: UnixSeconds,
) -> Result<Vec<FlaggedContent>, DatabaseError> {
    #[derive(Deserialize)]
    struct FlagRow {
        uuid: ContentUuid,
        channel_id: ChannelId,
        state: ContentState,
        caption: Option<String>,
        slug_url: Slug,
        flagged_at_unix: UnixSeconds,
        hash: Option<String>,
        reports: u64,
        has_video: u8,
        latest: String,
        claim: Option<String>,
    }
    let select = Statement::new(constcat::concat!(
        "SELECT * FROM (",
        flagged_in!("published"),
        ") UNION ALL SELECT * FROM (",
        flagged_in!("scheduled"),
        ") UNION ALL SELECT * FROM (",
        flagged_in!("deleted"),
        ") LIMIT ?1"
    ));
    let rows: Vec<FlagRow> = database.all(select.bind(at_most)).await?;
    let flagged = |row: FlagRow| {
        let latest_reports: Vec<AbuseReport> = read_column(&row.latest)?;
        Ok(FlaggedContent {
            poster_url: (row.has_video != 0).then(|| review.file_of(&row.uuid, MediaFile::Poster)),
            video_url: (row.has_video != 0).then(|| review.video_of(&row.uuid)),
            claim: read_claim(row.claim.as_deref(), now)?,
            content_uuid: row.uuid.into_string(),
            channel_id: row.channel_id.0,
            state: row.state,
            caption: row.caption,
            slug_url: row.slug_url.into_string(),
            flagged_at_unix: row.flagged_at_unix.0,
            hash: row.hash,
            reports: row.reports,
            latest_reports,
        })
    };
    rows.into_iter().map(flagged).collect()
}

/// Removes a flag after a moderator has reviewed the content and left it unchanged. Deletes the evidence of a deleted
/// content too. Returns false if there is no flag.
pub(crate) async fn dismiss(
    database: &impl Database,
    content_uuid: &ContentUuid,
    reason: &str,
    by: &str,
) -> Result<bool, DatabaseError> {
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT ?2, 'flag_dismissed', 'content:' || uuid, ?3 FROM contents JOIN flags ON content_id = contents.id
         WHERE uuid = ?1",
    );
    let mut batch = Batch::default();
    batch.execute(record.bind(content_uuid).bind(by).bind(reason));
    // A restored database must not keep evidence that a moderator has dismissed.
    let reversal = Statement::new(
        "INSERT INTO removals (kind, subject, is_removed)
         SELECT 'evidence', uuid, 0 FROM contents JOIN evidence ON content_id = contents.id
         WHERE uuid = ?1 AND evidence.state IN ('scheduled', 'published') AND kept_until_unix > unixepoch()",
    );
    batch.execute(reversal.bind(content_uuid));
    let undecided = "SELECT content_id FROM evidence JOIN contents ON contents.id = content_id
         WHERE uuid = ?1 AND evidence.state IN ('scheduled', 'published')";
    let delete = Statement::new(
        "DELETE FROM flags WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1) RETURNING content_id",
    );
    let reports =
        Statement::new("DELETE FROM abuse_reports WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1)");
    batch.execute(reports.bind(content_uuid));
    let deleted = batch.query::<()>(delete.bind(content_uuid));
    let claim = "DELETE FROM review_claims WHERE content_id = (SELECT id FROM contents WHERE uuid = ?1)";
    batch.execute(Statement::new(claim).bind(content_uuid));
    evidence::end(&mut batch, undecided, &[content_uuid.into()]);
    Ok(database.run(batch).await?.has_rows(deleted))
}

/// A report of a viewer about a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ViewerReport<'a> {
    pub slug_url: &'a str,
    /// Identifies the viewer's network without revealing it.
    pub reporter: &'a str,
    pub reason: &'a str,
    pub text: &'a str,
}

/// Records a report about a published content. A network counts once for each content; its next report replaces the
/// text. Returns the id of the content, or `None` if there is no such page.
pub(crate) async fn record_report(
    database: &impl Database,
    report: ViewerReport<'_>,
    now: UnixSeconds,
) -> Result<Option<u64>, DatabaseError> {
    #[derive(Deserialize)]
    struct Reported {
        content_id: u64,
    }
    let insert = Statement::new(constcat::concat!(
        "INSERT INTO abuse_reports (content_id, reporter, reason, text, reported_at_unix)
         SELECT id, ?2, ?3, ?4, ?5 FROM contents WHERE state = 'published' AND ",
        MAY_HAVE_SLUG,
        " ON CONFLICT (content_id, reporter) DO UPDATE SET reason = ?3, text = ?4, reported_at_unix = ?5
         RETURNING content_id"
    ));
    // Only the first report of a network counts.
    let flag = Statement::new(constcat::concat!(
        "INSERT INTO flags (content_id, state, flagged_at_unix, reports)
         SELECT id, state, ?3, 1 FROM contents WHERE state = 'published' AND ",
        MAY_HAVE_SLUG,
        " AND NOT EXISTS (SELECT 1 FROM abuse_reports WHERE content_id = contents.id AND reporter = ?2)
         ON CONFLICT (content_id) DO UPDATE SET reports = reports + 1"
    ));
    let mut batch = Batch::default();
    batch.execute(flag.bind(report.slug_url).bind(report.reporter).bind(now));
    let insert = insert.bind(report.slug_url).bind(report.reporter).bind(report.reason).bind(report.text);
    let reported = batch.query::<Reported>(insert.bind(now));
    Ok(database.run(batch).await?.first(reported)?.map(|reported| reported.content_id))
}
