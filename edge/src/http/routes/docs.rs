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

#[worker::send]
pub async fn get_docs(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    documentation(&app, paths::DOCS_FILES).await
}

#[worker::send]
pub async fn get_docs_file(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
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
