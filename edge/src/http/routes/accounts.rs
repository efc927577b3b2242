//! Exports and erases everything that is stored about an account.

use super::moderation::MAX_REASON_CHARACTERS;
use crate::base::ids::ChannelId;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Moderator, Operate};
use crate::http::json_lines::{JsonLines, json_lines, streaming_database};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::people::keys::channels::find_channel;
use crate::upkeep::accounts::erasure::{self, ErasureOrder};
use crate::upkeep::accounts::export::{self, ExportedRow, Position};
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{AccountErasure, EraseAccount};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;
use std::io;

/// The number of rows that are read at once for an export.
const EXPORT_PAGE_LENGTH: u32 = 100;

/// Erases an account. Its key is rejected and its videos are hidden immediately. The videos and all records about the
/// account are deleted by this request, further requests and the sweep.
///
/// The erasure cannot be undone, and the account cannot be opened again. The trail, the removal log and the record of
/// decisions keep its numbers. The evidence of removed videos is kept until its retention ends. Repeat the request to
/// continue the erasure and to see its progress.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `account_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::ERASE_ACCOUNT, tag = "operator",
    request_body = EraseAccount,
    responses(
        (status = 200, description = "The progress of the erasure.", body = AccountErasure),
    )
))]
#[worker::send]
pub async fn erase_account(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(request): JsonBody<EraseAccount>,
) -> Result<Json<AccountErasure>, Refusal> {
    require_text(&request.reason, "reason", MAX_REASON_CHARACTERS)?;
    let account_id = validate(request.account_id)?;
    let now = app.now();
    let evidence_until = now + app.settings().evidence_seconds;
    let order = ErasureOrder { account_id, reason: &request.reason, by: &operator.name, evidence_until };
    let database = app.recording_database()?;
    let channel_id = erasure::begin(&database, order, now).await?.ok_or_else(not_found)?;
    let progress = erasure::continue_erasure(&app.platform()?, channel_id).await?;
    let is_finished = progress.is_finished();
    tracing::info!(account = account_id, is_finished, by = operator.name, "an account is being erased");
    Ok(Json(AccountErasure {
        success: true,
        account_id,
        channel_id: channel_id.0,
        contents_left: progress.contents_left,
        contents_waiting: progress.contents_waiting,
        contents_kept: progress.contents_kept,
        is_finished,
    }))
}

/// Exports everything that is stored about an account: a line of JSON for each row, with the name of its table.
///
/// Rows are read while they are sent, so an export can have any length. Hashes, secrets, viewers' reports and
/// moderators' names are left out. The status of each video has the URLs of its files.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `account_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::EXPORT_ACCOUNT, tag = "operator",
    params(("account_id" = u64, Query, minimum = 1, maximum = 9_007_199_254_740_991_i64,
        description = "The number of the account on the site.")),
    responses(
        (status = 200, description = "The rows.", body = String, content_type = "application/x-ndjson"),
    )
))]
#[worker::send]
pub async fn export_account(app: App, operator: Moderator<Operate>, uri: Uri) -> Result<JsonLines, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        account_id: u64,
    }
    let Parameters { account_id } = read_query(app.unknown_fields(), &uri)?;
    let channel_id = find_channel(&app.database()?, validate(account_id)?).await?.ok_or_else(not_found)?;
    tracing::info!(account = account_id, by = operator.name, "an account is being exported");
    let first = (channel_id, Position::default());
    Ok(json_lines(app, first, rows_after, |last| (last.channel_id, last.row.position)))
}

async fn rows_after(app: App, (channel_id, after): (ChannelId, Position)) -> io::Result<Vec<Line>> {
    let database = streaming_database(&app)?;
    let mut rows =
        export::rows_after(&database, channel_id, after, EXPORT_PAGE_LENGTH).await.map_err(io::Error::other)?;
    export::add_details(&app.media(), &mut rows).await.map_err(io::Error::other)?;
    Ok(rows.into_iter().map(|row| Line { channel_id, row }).collect())
}

/// A row, with the channel whose next rows follow.
#[derive(serde::Serialize)]
struct Line {
    #[serde(skip)]
    channel_id: ChannelId,
    #[serde(flatten)]
    row: ExportedRow,
}

fn validate(account_id: u64) -> Result<u64, Refusal> {
    let invalid = || {
        let detail = format!("`account_id` must be from 1 to {MAX_SAFE_INTEGER}.");
        Refusal::malformed(detail).with_field("account_id")
    };
    (1..=MAX_SAFE_INTEGER).contains(&account_id).then_some(account_id).ok_or_else(invalid)
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::AccountNotFound)
}
