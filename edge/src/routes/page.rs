//! `GET /meme/{slug_url}`: the page of a content.

use crate::bindings::App;
use crate::delivery::shown;
use crate::error::ApiError;
use axum::Extension;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, Response};
use contract::ErrorCode;

/// What is taken down is gone from everybody's caches within it.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// The page of a published content, as HTML.
///
/// 404, as HTML too, and the same whatever the reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = "/meme/{slug_url}", tag = "site",
    params(("slug_url" = String, Path, description = "As the upload answered it.")),
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html"),
        (status = 404, description = "There is nothing to show.", body = String, content_type = "text/html"),
    )
))]
#[worker::send]
pub async fn get_page(
    Extension(app): Extension<App>,
    slug_url: Result<Path<String>, PathRejection>,
) -> Result<Response<Body>, ApiError> {
    // An address that is no text names nothing either.
    let Path(slug_url) = slug_url.map_err(|_| ApiError::new(ErrorCode::NotFound))?;
    let page = shown::page(&app.database()?, &slug_url, app.site()).await?;
    let page = page.ok_or_else(|| ApiError::new(ErrorCode::NotFound))?;
    let (mut headers, body) = page.into_parts();
    headers.insert(CACHE_CONTROL, KEPT);
    let mut response = Response::new(Body::from(body));
    *response.headers_mut() = headers;
    Ok(response)
}
