//! The stored direct uploads, as their owner and the holders of their tokens read them.

use super::attempts::end_attempts;
use super::rules::Rules;
use super::token::TokenHash;
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, read_column};
use contract::ContentState;
use contract::api::{DirectUpload, DirectUploadState};
use contract::limits::DIRECT_STATUS_SECONDS;
use serde::Deserialize;

/// The permission that a token gives.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub token: TokenHash,
    pub channel_id: ChannelId,
    pub state: DirectUploadState,
    pub rules: Rules,
    pub created_at: UnixSeconds,
}

/// The video of a used token.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Held {
    pub content_uuid: String,
    pub state: ContentState,
    pub error_code: Option<String>,
}

/// A part of a channel's list.
#[derive(Clone, Debug, Default)]
pub(crate) struct DirectList {
    pub state: Option<DirectUploadState>,
    /// The id of the last one of the previous page.
    pub after: Option<String>,
    pub at_most: u32,
}

#[derive(Deserialize)]
struct GrantRow {
    channel_id: ChannelId,
    state: DirectUploadState,
    rules: String,
    created_at_unix: UnixSeconds,
    expires_at_unix: UnixSeconds,
    ended_at_unix: Option<UnixSeconds>,
}

/// Returns what a token permits, or `None` if it is unknown or ended too long ago. The sweep notices an expiry late.
pub(crate) async fn find(
    database: &impl Database,
    token: &TokenHash,
    now: UnixSeconds,
) -> Result<Option<Grant>, DatabaseError> {
    let select = Statement::new(
        "SELECT channel_id, state, rules, created_at_unix, expires_at_unix, ended_at_unix FROM direct_uploads
         WHERE token_sha256 = ?1",
    );
    let row: Option<GrantRow> = database.first(select.bind(token.as_str())).await?;
    let is_recent = |row: &GrantRow| row.ended_at_unix.is_none_or(|ended| ended + DIRECT_STATUS_SECONDS > now);
    let grant = row.filter(is_recent).map(|row| {
        let has_expired = row.state == DirectUploadState::Open && row.expires_at_unix <= now;
        let state = if has_expired { DirectUploadState::Expired } else { row.state };
        let (rules, created_at) = (read_column(&row.rules)?, row.created_at_unix);
        Ok(Grant { token: token.clone(), channel_id: row.channel_id, state, rules, created_at })
    });
    grant.transpose()
}

/// Returns the video of a used token.
pub(crate) async fn status(database: &impl Database, token: &TokenHash) -> Result<Option<Held>, DatabaseError> {
    let select = Statement::new(
        "SELECT contents.uuid AS content_uuid, contents.state, error_code
         FROM direct_uploads JOIN uploads ON uploads.uuid = upload_uuid JOIN contents ON contents.id = uploads.id
         WHERE token_sha256 = ?1",
    );
    database.first(select.bind(token.as_str())).await
}

const SELECT: &str =
    "SELECT direct_uploads.uuid, iif(direct_uploads.state = 'open' AND expires_at_unix <= ?2, 'expired',
         direct_uploads.state) AS state, rules, direct_uploads.created_at_unix, expires_at_unix,
         contents.uuid AS content_uuid
     FROM direct_uploads LEFT JOIN uploads ON uploads.uuid = upload_uuid
     LEFT JOIN contents ON contents.id = uploads.id
     WHERE direct_uploads.channel_id = ?1";

#[derive(Deserialize)]
struct OwnedRow {
    uuid: String,
    state: DirectUploadState,
    rules: String,
    created_at_unix: u64,
    expires_at_unix: u64,
    content_uuid: Option<String>,
}

impl OwnedRow {
    fn into_direct_upload(self) -> Result<DirectUpload, DatabaseError> {
        let Rules { max_bytes, max_duration_ms, allowed_origin, fields, user_may_set, requires_release } =
            read_column(&self.rules)?;
        Ok(DirectUpload {
            direct_upload_id: self.uuid,
            state: self.state,
            created_at_unix: self.created_at_unix,
            expires_at_unix: self.expires_at_unix,
            max_bytes,
            max_duration_ms,
            allowed_origin,
            fields,
            user_may_set,
            requires_release,
            content_uuid: self.content_uuid,
        })
    }
}

/// Returns one direct upload of a channel.
pub(crate) async fn read(
    database: &impl Database,
    channel_id: ChannelId,
    uuid: &str,
    now: UnixSeconds,
) -> Result<Option<DirectUpload>, DatabaseError> {
    let select = Statement::new(constcat::concat!(SELECT, " AND direct_uploads.uuid = ?3"));
    let row: Option<OwnedRow> = database.first(select.bind(channel_id).bind(now).bind(uuid)).await?;
    row.map(OwnedRow::into_direct_upload).transpose()
}

/// Returns a part of a channel's list, the newest first. The sweep notices an expiry late, so an expired one may be
/// listed among the open ones for a minute, with its right state.
pub(crate) async fn list(
    database: &impl Database,
    channel_id: ChannelId,
    part: &DirectList,
    now: UnixSeconds,
) -> Result<Vec<DirectUpload>, DatabaseError> {
    const PAGE: &str = " AND direct_uploads.id < coalesce(
             (SELECT id FROM direct_uploads WHERE channel_id = ?1 AND uuid = ?3), 9007199254740992)
         ORDER BY direct_uploads.id DESC LIMIT ?4";
    let select = match part.state {
        None => Statement::new(constcat::concat!(SELECT, PAGE)),
        Some(_) => Statement::new(constcat::concat!(SELECT, " AND direct_uploads.state = ?5", PAGE)),
    };
    let select = select.bind(channel_id).bind(now).bind(part.after.as_deref()).bind(part.at_most);
    let select = part.state.iter().fold(select, |select, state| select.bind(state.as_str()));
    let rows: Vec<OwnedRow> = database.all(select).await?;
    rows.into_iter().map(OwnedRow::into_direct_upload).collect()
}

/// Revokes an open one and ends its upload in progress. Returns its state afterwards, or `None` if there is none.
pub(crate) async fn revoke(
    database: &impl Database,
    channel_id: ChannelId,
    uuid: &str,
    now: UnixSeconds,
) -> Result<Option<DirectUploadState>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        state: DirectUploadState,
    }
    let mut batch = Batch::repeatable();
    let open = "channel_id = ?1 AND uuid = ?2 AND state = 'open'";
    end_attempts(&mut batch, open, &[channel_id.into(), uuid.into()]);
    let revoke =
        Statement::new(format!("UPDATE direct_uploads SET state = 'revoked', ended_at_unix = ?3 WHERE {open}"));
    batch.execute(revoke.bind(channel_id).bind(uuid).bind(now));
    let select = Statement::new("SELECT state FROM direct_uploads WHERE channel_id = ?1 AND uuid = ?2");
    let state = batch.query::<Row>(select.bind(channel_id).bind(uuid));
    Ok(database.run(batch).await?.first(state)?.map(|row| row.state))
}
