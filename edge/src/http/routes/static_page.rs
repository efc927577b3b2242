//! A page whose files are the same for everyone: the console and the desk. `ops/dev` builds them into `edge/site/`.
//! Everything that belongs to a person comes from the routes that the page calls.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::routes::site::static_file;
use axum::body::Body;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY};
use axum::http::{HeaderValue, Response};

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Returns the file of a page: the path itself, or the page for the address of one of its views, whose last part has no
/// extension.
pub(super) fn file_at<'a>(path: &'a str, page: &'static str) -> &'a str {
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    if is_file { path } else { page }
}

/// Returns a file of the page. `sources` are the policy's directives for what the page may load besides its own scripts
/// and styles.
pub(super) async fn page_file(app: &App, asset: &str, sources: &str) -> Result<Response<Body>, Refusal> {
    let mut response = static_file(app, asset).await?;
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; {sources}; \
         script-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    );
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_str(&policy).map_err(Refusal::internal)?);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(ROBOTS, HeaderValue::from_static("noindex"));
    Ok(response)
}
