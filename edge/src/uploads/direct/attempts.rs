//! The uploads with a token. At most one is in progress: a newer one ends it.

use super::token::TokenHash;
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::open_uploads::{IS_UNFINISHED, end_resumable_uploads, release_uploads};
use crate::platform::database::{Batch, Database, DatabaseError, Statement, Value};
use contract::ErrorCode;
use serde::Deserialize;

/// The condition that the token `?1` can be used at the time `?2`.
const IS_USABLE: &str = "token_sha256 = ?1 AND state = 'open' AND expires_at_unix > ?2";

/// Adds the statements that end the upload in progress with a token.
pub(crate) fn end_earlier_attempt(batch: &mut Batch, token: &TokenHash, now: UnixSeconds) {
    end_attempts(batch, IS_USABLE, &[token.as_str().into(), now.into()]);
}

/// Adds the statement that names the latest upload with a token, if it got a slot.
pub(crate) fn note_attempt(batch: &mut Batch, token: &TokenHash, upload_uuid: &UploadUuid, now: UnixSeconds) {
    let update = Statement::new(format!(
        "UPDATE direct_uploads SET upload_uuid = ?3
         WHERE {IS_USABLE} AND EXISTS (SELECT 1 FROM uploads WHERE uuid = ?3)"
    ));
    batch.execute(update.bind(token.as_str()).bind(now).bind(upload_uuid));
}

/// Returns why an upload with a token has ended although its client was fast enough, or `None` if it was too slow.
pub(crate) async fn why_ended(
    database: &impl Database,
    token: &TokenHash,
    upload_uuid: &UploadUuid,
) -> Result<Option<ErrorCode>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        open: u8,
        latest: u8,
        suspended: u8,
    }
    let select = Statement::new(
        "SELECT state = 'open' AS open, coalesce(upload_uuid = ?2, 0) AS latest,
             suspended_at_unix IS NOT NULL AS suspended
         FROM direct_uploads JOIN channels ON channels.id = channel_id WHERE token_sha256 = ?1",
    );
    let row: Option<Row> = database.first(select.bind(token.as_str()).bind(upload_uuid)).await?;
    Ok(match row {
        Some(Row { suspended: 1, .. }) => Some(ErrorCode::ChannelSuspended),
        Some(Row { open: 1, latest: 1, .. }) => None,
        Some(Row { open: 1, .. }) => Some(ErrorCode::UploadSuperseded),
        _ => Some(ErrorCode::DirectUploadTokenInvalid),
    })
}

/// Adds the statements that end the uploads in progress with the tokens that meet a condition.
pub(super) fn end_attempts(batch: &mut Batch, condition: &str, values: &[Value]) {
    let attempts = format!("(SELECT upload_uuid FROM direct_uploads WHERE {condition})");
    end_resumable_uploads(batch, &format!("upload_uuid IN {attempts} AND {IS_UNFINISHED}"), values);
    release_uploads(batch, &format!("uuid IN {attempts}"), values);
}
