//! The site's own address, the files for search engines, and the static files of the pages.

use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::Anyone;
use crate::http::refusal_response::wants_html;
use crate::viewing::access::Access;
use crate::viewing::cache_rules::ShownContent;
use crate::viewing::document::script_path;
use crate::viewing::{messages, sitemap};
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, Response, Uri};
use axum::response::IntoResponse;
use contract::{ErrorCode, paths};

/// The file of `edge/site/` that the build makes from `edge/page-script/`.
const SCRIPT_ASSET: &str = "/page.js";

/// Returns the front page of the site to browsers.
///
/// 404 `not_found` if the `Accept` header does not include `text/html`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::FRONT_PAGE, tag = "site",
    params(("Accept" = Option<String>, Header, nullable = false,
        description = "Must include `text/html`, as browsers send it.")),
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
))]
pub(crate) async fn get_front_page(_: App, _: Anyone, headers: HeaderMap) -> Result<Response<Body>, Refusal> {
    if !wants_html(&headers) {
        return Err(Refusal::new(ErrorCode::NotFound));
    }
    Ok(messages::front_page().into_parts().into_response())
}

/// Returns the rules for crawlers.
///
/// The rules include the URL of the sitemap.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::ROBOTS, tag = "site",
    responses((status = 200, description = "The rules.", body = String, content_type = "text/plain"))
))]
#[worker::send]
pub async fn get_robots(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    Ok(for_everybody("text/plain; charset=utf-8", sitemap::robots(app.site())))
}

/// Returns the sitemap index, which lists the parts of the sitemap.
///
/// Each part lists the pages of up to 1,000 videos. `robots.txt` links to this index.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::SITEMAP, tag = "site",
    responses((status = 200, description = "The sitemap index.", body = String, content_type = "application/xml"))
))]
#[worker::send]
pub async fn get_sitemap(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    Ok(for_everybody("application/xml", sitemap::list_of_parts(&app.database()?, app.site()).await?))
}

/// Returns a part of the sitemap, which lists pages of published videos.
///
/// 404 `not_found` for any other name.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::SITEMAP_PART, tag = "site",
    params(("file" = String, Path, description = "The name of a part from the sitemap index.")),
    responses((status = 200, description = "The part of the sitemap.", body = String, content_type = "application/xml"))
))]
#[worker::send]
pub async fn get_sitemap_part(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    let file = uri.path().strip_prefix(paths::SITEMAP_PARTS).unwrap_or_default();
    let number = sitemap::part_number(file).ok_or_else(|| Refusal::new(ErrorCode::NotFound))?;
    Ok(for_everybody("application/xml", sitemap::part(&app.database()?, number, app.site()).await?))
}

/// Returns the script of the pages. The file name contains the script's version.
///
/// 404 `not_found` for any other name, so that no cache stores a script under the name of another version.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::SCRIPT, tag = "site",
    params(("file" = String, Path, description = "The file name that a page references.")),
    responses((status = 200, description = "The script.", body = String, content_type = "text/javascript"))
))]
#[worker::send]
pub async fn get_script(app: App, _: Anyone, uri: Uri) -> Result<Response<Body>, Refusal> {
    if uri.path() != script_path() {
        return Err(Refusal::new(ErrorCode::NotFound));
    }
    static_file(&app, SCRIPT_ASSET).await
}

/// Returns the icon of the site.
///
/// Every page links to it.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::ICON, tag = "site",
    responses((status = 200, description = "The icon.", content((contract::api::Bytes = "image/svg+xml"))))
))]
#[worker::send]
pub async fn get_icon(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    static_file(&app, paths::ICON).await
}

/// Returns the icon that browsers request by default.
///
/// For browsers that ignore the icon link in the page.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::OLD_ICON, tag = "site",
    responses((status = 200, description = "The icon.", content((contract::api::Bytes = "image/vnd.microsoft.icon"))))
))]
#[worker::send]
pub async fn get_old_icon(app: App, _: Anyone) -> Result<Response<Body>, Refusal> {
    static_file(&app, paths::OLD_ICON).await
}

/// Returns a file of `edge/site/`, which every cache may store.
pub(super) async fn static_file(app: &App, asset: &str) -> Result<Response<Body>, Refusal> {
    app.asset(asset).await.map(public)
}

fn for_everybody(content_type: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    public(response)
}

/// Marks a response as the same for everyone.
fn public(mut response: Response<Body>) -> Response<Body> {
    response.extensions_mut().insert(ShownContent { access: Access::Public, tags: None });
    response
}
