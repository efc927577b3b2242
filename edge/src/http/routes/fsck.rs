//! `POST /internal/fsck`: compares the database with the removal log and the objects.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Moderator, Operate};
use crate::upkeep::fsck::{Permission, Position, compare_page};
use axum::Json;
use contract::api::{FsckPage, RunFsck};

/// Compares the database with the removal log and with the objects, a page at a time, and returns every difference.
///
/// With `mend`, it also mends what is safe. `edge/fsck` asks for all pages. It answers while the service is closed.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::FSCK, tag = "operations",
    request_body = RunFsck,
    responses(
        (status = 200, description = "A page of the differences.", body = FsckPage),
    )
))]
#[worker::send]
pub async fn run_fsck(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(request): JsonBody<RunFsck>,
) -> Result<Json<FsckPage>, Refusal> {
    let RunFsck { mend, delete_unknown, cursor } = request;
    let position = match cursor.as_deref() {
        None => Position::Log,
        Some(cursor) => Position::parse(cursor)
            .ok_or_else(|| Refusal::malformed("`cursor` is not a cursor of this list.").with_field("cursor"))?,
    };
    let page = compare_page(&app.platform()?, position, Permission { mend, delete_unknown }).await?;
    for found in &page.differences {
        let (kind, subject, is_mended) = (found.kind.as_str(), found.subject.as_str(), found.is_mended);
        tracing::warn!(kind, subject, is_mended, by = operator.name, "a difference was found");
    }
    Ok(Json(page))
}
