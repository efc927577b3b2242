//! The categories: listed for programs, set by the site's back end.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, SiteBackEnd};
use crate::uploads::categories;
use axum::Json;
use axum::http::HeaderMap;
use contract::api::{Categories, SetCategories};

/// Lists the categories, whose ids an upload may send as `super_category_id`. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::CATEGORIES, tag = "uploads",
    responses(
        (status = 200, description = "All categories.", body = Categories),
    )
))]
#[worker::send]
pub async fn list_categories(app: App, holder: ChannelOwner) -> Result<(HeaderMap, Json<Categories>), Refusal> {
    let categories = categories::list(&app.database()?).await?;
    Ok(holder.answer(&app, Categories { success: true, categories }))
}

/// Replaces all categories.
///
/// 401 `service_token_invalid`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    put, path = contract::paths::SERVICE_CATEGORIES, tag = "service",
    request_body = SetCategories,
    responses(
        (status = 200, description = "The new list.", body = Categories),
    )
))]
#[worker::send]
pub async fn set_categories(
    app: App,
    _: SiteBackEnd,
    JsonBody(request): JsonBody<SetCategories>,
) -> Result<Json<Categories>, Refusal> {
    if let Some(fault) = categories::validate(&request.categories) {
        return Err(Refusal::malformed(fault).with_field("categories"));
    }
    let database = app.database()?;
    categories::replace(&database, &request.categories).await?;
    let categories = categories::list(&database).await?;
    Ok(Json(Categories { success: true, categories }))
}
