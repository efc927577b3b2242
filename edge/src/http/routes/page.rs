//! `GET /meme/{slug_url}`: the page of a content.

use crate::http::App;
use crate::http::callers::Anyone;
use crate::refusal::Refusal;
use crate::serving::published_page;
use crate::serving::reply::Conditions;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::ETAG;
use axum::http::{HeaderValue, Response, StatusCode};
use contract::{ErrorCode, paths};

/// Returns the page of a published video, as HTML.
///
/// 404 if there is nothing to show: an HTML page too, and the same for every reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::PAGE_OF_CONTENT, tag = "site",
    params(("slug_url" = String, Path, description = "The `slug_url` of the upload's answer.")),
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html"),
        (status = 304, description = "The client already has the page."),
        (status = 404, description = "There is nothing to show.", body = String, content_type = "text/html"),
        (status = 500, description = "It failed on our side.", body = String, content_type = "text/html"),
    )
))]
#[worker::send]
pub async fn get_page(app: App, _: Anyone, request: Request) -> Result<Response<Body>, Refusal> {
    // Nothing is decoded: a slug has no character that needs encoding, so each page has exactly one address.
    let slug_url = request.uri().path().strip_prefix(paths::PAGE).unwrap_or_default();
    let found = published_page::find(&app.database()?, slug_url, app.site()).await?;
    let found = found.ok_or_else(not_found)?;
    let (shown, tag) = (found.shown(app.is_behind_cache()), found.entity_tag());
    let (headers, body) = found.page.into_parts();
    let is_known = Conditions::of(request.method(), request.headers()).is_known(&tag);
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(body) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    *response.headers_mut() = headers;
    // Hexadecimal digits in quotes are always a valid header value.
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response.extensions_mut().insert(shown);
    Ok(response)
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::NotFound)
}
