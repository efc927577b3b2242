//! The documentation site, which `docs/site/` builds into `edge/site/docs/`.

use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::routes::site::static_file;
use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::http::{HeaderValue, Response, Uri};
use contract::paths;

/// Allows the site's own script, style and pictures, and the search to load its index.
const SECURITY_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                               connect-src 'self'; img-src 'self'; script-src 'self'; style-src 'self'";

/// Returns the first page of the documentation.
///
/// It links to all others.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DOCS, tag = "site",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
))]
#[worker::send]
pub async fn get_docs(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    documentation(&app, paths::DOCS_FILES).await
}

/// Returns a page or a file of the documentation.
///
/// 404 `not_found` if it does not exist.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DOCS_FILE, tag = "site",
    params(("file" = String, Path, description = "The name of the page or file.")),
    responses((status = 200, description = "The page or file.", body = String, content_type = "text/html"))
))]
#[worker::send]
pub async fn get_docs_file(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    documentation(&app, uri.path()).await
}

/// Returns a page or file in a section of the documentation.
///
/// 404 `not_found` if it does not exist.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DOCS_FILE_BELOW, tag = "site",
    params(
        ("folder" = String, Path, description = "The part, such as `errors`."),
        ("file" = String, Path, description = "The name of the page or file."),
    ),
    responses((status = 200, description = "The page or file.", body = String, content_type = "text/html"))
))]
#[worker::send]
pub async fn get_docs_file_below(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    documentation(&app, uri.path()).await
}

async fn documentation(app: &App, asset: &str) -> Result<Response<Body>, Refusal> {
    let mut response = static_file(app, asset).await?;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(SECURITY_POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    Ok(response)
}
