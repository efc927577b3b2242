//! Named tokens, and the trail.

use crate::base::paging::{cut, start};
use crate::base::refusal::Refusal;
use crate::contents::cursor;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Look, Moderator, Operate};
use crate::http::json_lines::{JsonLines, json_lines, streaming_database};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::people::staff::access_token::{AccessToken, SecretKind};
use crate::people::staff::tokens::{self, NewToken};
use crate::people::staff::trail::{self, TrailFilter};
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{CreateToken, EndToken, NamedTokens, TokenCreated, TokenEnded, TokenRole, Trail, TrailEntry};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;
use std::collections::HashSet;
use std::io;
use std::ops::RangeInclusive;

/// Entries on a page.
const PAGE_LENGTH: u32 = 50;
/// The number of entries that are read at once for an export.
const EXPORT_PAGE_LENGTH: u32 = 500;
const MAX_NAME_CHARACTERS: usize = 100;
/// A token that never ends would be forgotten.
const TTL_SECONDS: RangeInclusive<u64> = 3_600..=400 * 86_400;

/// Creates a token for a moderator or for the site's back end. It is shown once.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::TOKENS, tag = "operator",
    request_body = CreateToken,
    responses(
        (status = 200, description = "The new token.", body = TokenCreated),
    )
))]
#[worker::send]
pub async fn create_token(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(request): JsonBody<CreateToken>,
) -> Result<Json<TokenCreated>, Refusal> {
    validate(&request)?;
    let pepper = &app.settings().pepper;
    let (token, now) = (AccessToken::generate(SecretKind::NamedToken, &mut app.entropy(), pepper), app.now());
    let ends_at = now + request.ttl_seconds;
    let hash = pepper.hash(token.reveal().as_bytes());
    let (name, roles, created_by) = (request.name.trim(), request.roles.as_slice(), operator.name.as_str());
    let new = NewToken { name, roles, hash: &hash, ends_at, created_by };
    let token_id = tokens::create(&app.recording_database()?, new, now).await?;
    tracing::info!(token = token_id, name, by = created_by, "a token was made");
    let token = token.reveal().to_owned();
    Ok(Json(TokenCreated { success: true, token_id, token, ends_at_unix: ends_at.0 }))
}

/// Lists the tokens without their secrets, newest first. Expired and revoked tokens stay listed.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::TOKENS, tag = "operator",
    params(("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page.")),
    responses(
        (status = 200, description = "A page of the tokens.", body = NamedTokens),
    )
))]
#[worker::send]
pub async fn list_tokens(app: App, _: Moderator<Operate>, uri: Uri) -> Result<Json<NamedTokens>, Refusal> {
    let mut tokens = tokens::list(&app.database()?, before(&app, &uri)?, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut tokens, PAGE_LENGTH, |last| cursor::after(last.token_id));
    Ok(Json(NamedTokens { success: true, tokens, next_cursor }))
}

/// Revokes a token immediately. Revoking a revoked token succeeds.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `token_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    delete, path = contract::paths::TOKENS, tag = "operator",
    request_body = EndToken,
    responses(
        (status = 200, description = "The token is no longer valid.", body = TokenEnded),
    )
))]
#[worker::send]
pub async fn end_token(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(EndToken { token_id }): JsonBody<EndToken>,
) -> Result<Json<TokenEnded>, Refusal> {
    let is_found = token_id <= MAX_SAFE_INTEGER
        && tokens::end(&app.recording_database()?, token_id, &operator.name, app.now()).await?;
    tracing::info!(token = token_id, by = operator.name, is_found, "a token was ended");
    let ended = Json(TokenEnded { success: true, token_id });
    is_found.then_some(ended).ok_or_else(|| Refusal::new(ErrorCode::TokenNotFound))
}

/// Lists the entries of the trail, newest first: decisions and changes to tokens, suspensions and keys.
///
/// Entries cannot be changed or deleted. Send at most one of `actor` and `subject`.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::TRAIL, tag = "operator",
    params(
        ("actor" = Option<String>, Query, nullable = false, description = "List only what this `actor` did."),
        ("subject" = Option<String>, Query, nullable = false,
            description = "List only entries with this `subject`, such as `content:` and a UUID, or `channel:7`."),
        ("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page."),
    ),
    responses(
        (status = 200, description = "A page of the trail.", body = Trail),
    )
))]
#[worker::send]
pub async fn list_trail(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<Trail>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        actor: Option<String>,
        subject: Option<String>,
        cursor: Option<String>,
    }
    let Parameters { actor, subject, cursor } = read_query(app.unknown_fields(), &uri)?;
    let filter = match (actor, subject) {
        (None, None) => TrailFilter::Everything,
        (Some(actor), None) => TrailFilter::Actor(actor),
        (None, Some(subject)) => TrailFilter::Subject(subject),
        (Some(_), Some(_)) => return Err(Refusal::malformed("Send at most one of `actor` and `subject`.")),
    };
    let before = start(cursor.as_deref(), cursor::parse)?;
    let mut entries = trail::list(&app.database()?, &filter, before, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut entries, PAGE_LENGTH, |last| cursor::after(last.number));
    Ok(Json(Trail { success: true, entries, next_cursor }))
}

/// Exports the whole trail, oldest first: a line of JSON for each entry.
///
/// Entries are read while they are sent, so an export can have any length. To continue an earlier or interrupted
/// export, send its last `number` as `after`.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::TRAIL_EXPORT, tag = "operator",
    params(("after" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
        description = "Only entries with a larger number.")),
    responses(
        (status = 200, description = "The entries.", body = String, content_type = "application/x-ndjson"),
    )
))]
#[worker::send]
pub async fn export_trail(app: App, _: Moderator<Look>, uri: Uri) -> Result<JsonLines, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        after: Option<u64>,
    }
    let Parameters { after } = read_query(app.unknown_fields(), &uri)?;
    let after = after.unwrap_or_default();
    if after > MAX_SAFE_INTEGER {
        return Err(Refusal::malformed("`after` must be the `number` of an entry.").with_field("after"));
    }
    Ok(json_lines(app, after, entries_after, |last| last.number))
}

async fn entries_after(app: App, after: u64) -> io::Result<Vec<TrailEntry>> {
    let database = streaming_database(&app)?;
    trail::list_after(&database, after, EXPORT_PAGE_LENGTH).await.map_err(io::Error::other)
}

/// Returns the id that the page's entries come before, if the query has a cursor.
pub(super) fn before(app: &App, uri: &Uri) -> Result<Option<u64>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        cursor: Option<String>,
    }
    let Parameters { cursor } = read_query(app.unknown_fields(), uri)?;
    start(cursor.as_deref(), cursor::parse)
}

fn validate(request: &CreateToken) -> Result<(), Refusal> {
    require_text(&request.name, "name", MAX_NAME_CHARACTERS)?;
    let refuse = |field, detail: &str| Err(Refusal::malformed(detail).with_field(field));
    // The trail has to distinguish people from the operator's secrets and from the owners of keys.
    if request.name.trim() == "operator" || request.name.contains(':') {
        return refuse("name", "`name` must not be `operator`, and must not contain a colon.");
    }
    let distinct: HashSet<_> = request.roles.iter().collect();
    if distinct.is_empty() || distinct.len() < request.roles.len() {
        return refuse("roles", "`roles` must have at least one role, each once.");
    }
    if distinct.contains(&TokenRole::Service) && distinct.len() > 1 {
        return refuse("roles", "A token with the role `service` cannot have another role.");
    }
    if !TTL_SECONDS.contains(&request.ttl_seconds) {
        return refuse("ttl_seconds", "`ttl_seconds` must be from 3600 (an hour) to 34560000 (400 days).");
    }
    Ok(())
}
