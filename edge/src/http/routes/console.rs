//! The console: a page of the site for signed-in owners, which `ops/dev/build-pages` builds into
//! `edge/site/console/`.
//!
//! The files are the same for everyone. All that belongs to an owner comes from the routes that the page calls.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::routes::site::static_file;
use axum::Json;
use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY};
use axum::http::{HeaderValue, Response, Uri};
use contract::paths;
use serde::Serialize;

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The addresses that the console needs.
#[derive(Debug, Serialize)]
pub(crate) struct ConsoleSettings {
    success: bool,
    base_url: String,
    upload_url: String,
    site_url: String,
    /// The page of the site where users sign in, if it is configured.
    sign_in_url: Option<String>,
}

/// Allows the console's own scripts and styles, and what it needs of the hosts for uploads and for media.
fn security_policy(upload: &str, site: &str) -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         connect-src 'self' {upload} {site}; img-src 'self' {site} data: blob:; media-src 'self' {site} blob:; \
         script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}

#[worker::send]
pub async fn get_console(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    console(&app, paths::CONSOLE_FILES).await
}

/// Returns a file, or the page for the address of one of its views, whose last part has no extension.
#[worker::send]
pub async fn get_console_file(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    let path = uri.path();
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    console(&app, if is_file { path } else { paths::CONSOLE_FILES }).await
}

#[worker::send]
pub async fn get_console_settings(app: App, _: Anyone) -> Result<Json<ConsoleSettings>, Refusal> {
    let settings = app.settings();
    let address = |url: &str| url.trim_end_matches('/').to_owned();
    Ok(Json(ConsoleSettings {
        success: true,
        base_url: address(&settings.addresses.base),
        upload_url: address(&settings.addresses.upload),
        site_url: address(&settings.addresses.site),
        sign_in_url: settings.sign_in_url.clone(),
    }))
}

async fn console(app: &App, asset: &str) -> Result<Response<Body>, Refusal> {
    let mut response = static_file(app, asset).await?;
    let addresses = &app.settings().addresses;
    let policy = security_policy(addresses.upload.trim_end_matches('/'), addresses.site.trim_end_matches('/'));
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_str(&policy).map_err(Refusal::internal)?);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    Ok(response)
}
