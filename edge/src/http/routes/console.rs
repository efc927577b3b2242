//! The console: a page of the site for signed-in owners, which `ops/dev/build-pages` builds into
//! `edge/site/console/`.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::routes::static_page::{file_at, page_file};
use axum::Json;
use axum::body::Body;
use axum::http::{Response, Uri};
use contract::paths;
use serde::Serialize;

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

/// The directives for what the console loads of the hosts for uploads and for media.
fn sources(upload: &str, site: &str) -> String {
    format!("connect-src 'self' {upload} {site}; img-src 'self' {site} data: blob:; media-src 'self' {site} blob:")
}

#[worker::send]
pub async fn get_console(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    console(&app, paths::CONSOLE_FILES).await
}

#[worker::send]
pub async fn get_console_file(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    console(&app, file_at(uri.path(), paths::CONSOLE_FILES)).await
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
    let addresses = &app.settings().addresses;
    let sources = sources(addresses.upload.trim_end_matches('/'), addresses.site.trim_end_matches('/'));
    page_file(app, asset, &sources).await
}
