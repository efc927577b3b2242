//! The categories: listed for programs, set by the site.

use super::input::{key_use, read_json, require_service_token};
use crate::bindings::App;
use crate::categories;
use crate::error::ApiError;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use axum::{Extension, Json};
use contract::api::{Categories, SetCategories};

/// What an upload may send as `super_category_id`. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/api/php/developer/categories", tag = "uploads", security(("api_key" = [])),
    responses(
        (status = 200, description = "The whole list.", body = Categories),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn list_categories(
    Extension(app): Extension<App>,
    headers: HeaderMap,
) -> Result<(HeaderMap, Json<Categories>), ApiError> {
    let usage = key_use(&app, &headers).await?.usage;
    let categories = Categories {
        success: true,
        categories: categories::list(&app.database()?).await?,
    };
    let mut headers = HeaderMap::new();
    usage.add_headers(app.now_unix(), &mut headers);
    Ok((headers, Json(categories)))
}

/// Sets the whole list.
///
/// 401 `service_token_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    put, path = "/internal/categories", tag = "service", security(("service_token" = [])),
    request_body = SetCategories,
    responses(
        (status = 200, description = "The list as it now is.", body = Categories),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn set_categories(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<Categories>, ApiError> {
    require_service_token(&app, request.headers())?;
    let wanted: SetCategories = read_json(request).await?;
    if let Some(fault) = categories::fault(&wanted.categories) {
        return Err(ApiError::malformed(fault).with_field("categories"));
    }
    let database = app.database()?;
    categories::replace(&database, &wanted.categories).await?;
    let categories = categories::list(&database).await?;
    Ok(Json(Categories {
        success: true,
        categories,
    }))
}
