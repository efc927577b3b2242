//! The documentation site, which `docs/site/` builds into `edge/site/docs/`.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::routes::site::static_file;
use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use axum::http::{HeaderValue, Response, Uri};
use contract::paths;

/// Allows the site's own scripts, style and pictures, the search to load its index, and the test page to upload.
fn security_policy(upload: &str) -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self' {upload}; \
         img-src 'self'; script-src 'self'; style-src 'self'"
    )
}

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

/// Returns a page or file in a group of a section, such as an operation of the API.
///
/// 404 `not_found` if it does not exist.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::DOCS_FILE_IN_GROUP, tag = "site",
    params(
        ("folder" = String, Path, description = "The part, such as `reference`."),
        ("group" = String, Path, description = "The group, such as a tag of the API."),
        ("file" = String, Path, description = "The name of the page or file."),
    ),
    responses((status = 200, description = "The page or file.", body = String, content_type = "text/html"))
))]
#[worker::send]
pub async fn get_docs_file_in_group(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    documentation(&app, uri.path()).await
}

async fn documentation(app: &App, asset: &str) -> Result<Response<Body>, Refusal> {
    let mut response = static_file(app, asset).await?;
    let headers = response.headers_mut();
    let policy = security_policy(app.settings().addresses.upload.trim_end_matches('/'));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_str(&policy).map_err(Refusal::internal)?);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    Ok(response)
}
