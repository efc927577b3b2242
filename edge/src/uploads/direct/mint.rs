//! Makes a one-time token for one upload.

use super::rules::{Rules, context, invalid};
use super::token::DirectToken;
use crate::base::ids::ChannelId;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::owner::Owner;
use crate::platform::database::{Database, Statement};
use crate::uploads::categories;
use contract::ErrorCode;
use contract::api::CreateDirectUpload;
use contract::limits::{DEFAULT_DIRECT_UPLOAD_SECONDS, DIRECT_UPLOAD_SECONDS, MAX_OPEN_DIRECT_UPLOADS};

/// Stores a new direct upload with this id and token. Returns the time at which the token expires.
pub(crate) async fn mint(
    database: &impl Database,
    (owner, channel_id): (&Owner, ChannelId),
    (uuid, token): (&str, &DirectToken),
    request: CreateDirectUpload,
    now: UnixSeconds,
) -> Result<UnixSeconds, Refusal> {
    let seconds = request.expires_in_seconds.unwrap_or(DEFAULT_DIRECT_UPLOAD_SECONDS);
    if !DIRECT_UPLOAD_SECONDS.contains(&seconds) {
        return Err(invalid("expires_in_seconds", "It must be from 60 to 86,400."));
    }
    let categories = categories::list(database).await?;
    let category_ids: Vec<u64> = categories.iter().map(|category| category.id).collect();
    let rules = Rules::of(request, context(&category_ids, now))?;
    // The owner is checked again, because a token ends with its key.
    let insert = Statement::new(format!(
        "INSERT INTO direct_uploads (uuid, channel_id, token_sha256, rules, created_at_unix, expires_at_unix)
         SELECT ?3, ?2, ?4, ?5, ?6, ?7
         WHERE (SELECT count(*) FROM direct_uploads WHERE channel_id = ?2 AND state = 'open') < ?8
             AND {} = ?2
         RETURNING uuid",
        owner.channel()
    ));
    let expires_at = now + seconds;
    let rules = serde_json::to_string(&rules).map_err(Refusal::internal)?;
    let insert = insert
        .bind(owner.value())
        .bind(channel_id)
        .bind(uuid)
        .bind(token.hash().as_str())
        .bind(rules)
        .bind(now)
        .bind(expires_at);
    let is_new = database.returns_rows(insert.bind(MAX_OPEN_DIRECT_UPLOADS)).await?;
    if is_new { Ok(expires_at) } else { Err(Refusal::new(ErrorCode::DirectUploadLimitReached)) }
}
