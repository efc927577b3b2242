//! `GET /meme/{slug_url}` and `GET /embed/{slug_url}`: the page of a content, and its player alone.

use crate::base::refusal::Refusal;
use crate::contents::entity_tag;
use crate::contents::status;
use crate::http::App;
use crate::http::callers::{AnyChannel, Anyone};
use crate::viewing::access::Access;
use crate::viewing::cache_rules::ShownContent;
use crate::viewing::document::Page;
use crate::viewing::owner_page::owner_page;
use crate::viewing::published_page::{self, PageContent};
use crate::viewing::reply::Conditions;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ETAG, VARY};
use axum::http::{HeaderValue, Response, StatusCode};
use contract::{ErrorCode, paths};

/// Returns the HTML page of a published video. Before publication, the owner (API key or session) sees the video's
/// progress.
///
/// 404 if there is nothing to show. The response is an HTML page and does not reveal the reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::PAGE_OF_CONTENT, tag = "site",
    params(("slug_url" = String, Path, description = "The `slug_url` that the upload returned.")),
    responses(
        (status = 200, description = "The page.", body = String, content_type = "text/html"),
        (status = 304, description = "Not modified: the client's copy of the page is current."),
        (status = 404, description = "There is nothing to show.", body = String, content_type = "text/html"),
        (status = 429, description = "Too many requests with this API key.", body = String, content_type = "text/html"),
        (status = 500, description = "An error occurred on our side.", body = String, content_type = "text/html"),
    )
))]
#[worker::send]
pub async fn get_page(app: App, asker: AnyChannel, request: Request) -> Result<Response<Body>, Refusal> {
    let content = find(&app, &request, paths::PAGE).await?;
    if let Some(video) = content.published(app.site())? {
        return Ok(answer(&request, video.page(), public(&app, &content)));
    }
    let page = page_for_owner(&app, &content, &asker).await?;
    let mut response = answer(&request, page, ShownContent { access: Access::Private, tags: None });
    response.headers_mut().insert(VARY, HeaderValue::from_static("Authorization, Cookie"));
    Ok(response)
}

/// Returns the player of a published video as an HTML page, to embed on any site.
///
/// 404 if there is nothing to show. The response is an HTML page and does not reveal the reason.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = paths::EMBED_OF_CONTENT, tag = "site",
    params(("slug_url" = String, Path, description = "The `slug_url` that the upload returned.")),
    responses(
        (status = 200, description = "The player.", body = String, content_type = "text/html"),
        (status = 304, description = "Not modified: the client's copy of the player is current."),
        (status = 404, description = "There is nothing to show.", body = String, content_type = "text/html"),
        (status = 500, description = "An error occurred on our side.", body = String, content_type = "text/html"),
    )
))]
#[worker::send]
pub async fn get_embed(app: App, _: Anyone, request: Request) -> Result<Response<Body>, Refusal> {
    let content = find(&app, &request, paths::EMBED).await?;
    let video = content.published(app.site())?.ok_or_else(not_found)?;
    Ok(answer(&request, video.embed(), public(&app, &content)))
}

/// Does not decode the path: a slug has no character that needs encoding, so each page has exactly one address.
async fn find(app: &App, request: &Request, prefix: &str) -> Result<PageContent, Refusal> {
    let slug_url = request.uri().path().strip_prefix(prefix).unwrap_or_default();
    published_page::find(&app.database()?, slug_url).await?.ok_or_else(not_found)
}

/// Returns the content for a response with a published page. The tags are for a cache in front of the Worker.
pub(super) fn public(app: &App, content: &PageContent) -> ShownContent {
    ShownContent { access: Access::Public, tags: app.settings().is_behind_cache.then(|| content.tags()) }
}

/// Returns the progress page for the owner. Everyone else is refused as if there were no content.
async fn page_for_owner(app: &App, content: &PageContent, asker: &AnyChannel) -> Result<Page, Refusal> {
    let owner = content.owner_who_may_see_progress().ok_or_else(not_found)?;
    let channel = asker.identify(app).await?.filter(|channel| *channel == owner).ok_or_else(not_found)?;
    let found = status::find_by_slug(&app.database()?, channel, content.slug_url()).await?;
    let status = found.ok_or_else(not_found)?.status(app.site(), app.now());
    Ok(owner_page(&status))
}

fn answer(request: &Request, page: Page, shown: ShownContent) -> Response<Body> {
    let tag = entity_tag::strong(&page.html);
    let (headers, body) = page.into_parts();
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
    response
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::NotFound)
}
