//! `GET /media/…`: the files of contents, for players, browsers, owners and moderators.

use crate::base::refusal::Refusal;
use crate::contents::media_path::MediaPath;
use crate::http::App;
use crate::http::callers::{AnyViewer, Anyone};
use crate::platform::cloudflare::r2::R2;
use crate::viewing::access::Viewer;
use crate::viewing::headers;
use crate::viewing::range::ByteSelection;
use crate::viewing::reply::Conditions;
use crate::viewing::stored_file::{self, ServableFile};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response, StatusCode};
use axum::response::IntoResponse;
use contract::ErrorCode;

/// Returns the MP4 file of a published video, or a range of it.
///
/// 404 `not_found`: the same response for unpublished and unknown videos.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MEDIA_VIDEO, tag = "site",
    params(
        ("name" = String, Path, description = "The `media_name` that the upload returned."),
        ("Range" = Option<String>, Header, nullable = false,
            description = "A single byte range. A request for several ranges returns the whole file."),
    ),
    responses(
        (status = 200, description = "The whole MP4.", content((contract::api::Bytes = "video/mp4")), headers(("Accept-Ranges"), ("Content-Length"), ("ETag"))),
        (status = 206, description = "The requested range.", content((contract::api::Bytes = "video/mp4")), headers(("Accept-Ranges"), ("Content-Length"), ("Content-Range"), ("ETag"))),
        (status = 304, description = "Not modified: the client's copy of the file is current.", headers(("ETag"))),
        (status = 416, description = "The range starts after the end of the file.", headers(("Content-Range"))),
    )
))]
#[worker::send]
pub async fn get_video(app: App, _: Anyone, request: Request) -> Result<Response<Body>, Refusal> {
    serve(&app, &request, None).await
}

/// Returns an image, the preview or the DASH manifest of a published video. Before publication, the owner (API key or
/// session) and moderators (admin token) can get the images.
///
/// 404 `not_found`: the same response for everyone else and for unknown files. 429 `rate_limited` for an API key.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MEDIA_FILE, tag = "site",
    params(
        ("name" = String, Path, description = "The `media_name` without `.mp4`."),
        ("file" = String, Path, description = "`poster.jpg`, `thumbnail-320.jpg`, `storyboard.jpg`, `storyboard.vtt`, `preview.webp`, `manifest.mpd`, …"),
        ("Range" = Option<String>, Header, nullable = false,
            description = "A single byte range. A request for several ranges returns the whole file."),
    ),
    responses(
        (status = 200, description = "The file.", content((contract::api::Bytes = "image/jpeg"), (contract::api::Bytes = "image/webp"), (contract::api::Bytes = "text/vtt"), (contract::api::Bytes = "application/dash+xml")), headers(("Accept-Ranges"), ("Content-Length"), ("ETag"))),
        (status = 206, description = "The requested range.", content((contract::api::Bytes = "image/jpeg"), (contract::api::Bytes = "image/webp"), (contract::api::Bytes = "text/vtt"), (contract::api::Bytes = "application/dash+xml")), headers(("Accept-Ranges"), ("Content-Length"), ("Content-Range"), ("ETag"))),
        (status = 304, description = "Not modified: the client's copy of the file is current.", headers(("ETag"))),
        (status = 416, description = "The range starts after the end of the file.", headers(("Content-Range"))),
    )
))]
#[worker::send]
pub async fn get_media_file(app: App, viewer: AnyViewer, request: Request) -> Result<Response<Body>, Refusal> {
    serve(&app, &request, Some(&viewer)).await
}

/// Returns an HLS playlist, a segment or a subtitle file of a published video.
///
/// 404 `not_found`: the same response for unpublished and unknown files.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MEDIA_HLS_FILE, tag = "site",
    params(
        ("name" = String, Path, description = "The `media_name` without `.mp4`."),
        ("file" = String, Path, description = "`master.m3u8`, or a file that it references."),
        ("Range" = Option<String>, Header, nullable = false,
            description = "A single byte range. A request for several ranges returns the whole file."),
    ),
    responses(
        (status = 200, description = "The file.", content((contract::api::Bytes = "application/vnd.apple.mpegurl"), (contract::api::Bytes = "video/mp4"), (contract::api::Bytes = "audio/mp4"), (contract::api::Bytes = "text/vtt")), headers(("Accept-Ranges"), ("Content-Length"), ("ETag"))),
        (status = 206, description = "The requested range.", content((contract::api::Bytes = "application/vnd.apple.mpegurl"), (contract::api::Bytes = "video/mp4"), (contract::api::Bytes = "audio/mp4"), (contract::api::Bytes = "text/vtt")), headers(("Accept-Ranges"), ("Content-Length"), ("Content-Range"), ("ETag"))),
        (status = 304, description = "Not modified: the client's copy of the file is current.", headers(("ETag"))),
        (status = 416, description = "The range starts after the end of the file.", headers(("Content-Range"))),
    )
))]
#[worker::send]
pub async fn get_hls_file(app: App, _: Anyone, request: Request) -> Result<Response<Body>, Refusal> {
    serve(&app, &request, None).await
}

/// Answers the preflight request that a browser sends before a page of another site may request a range. The answer is
/// the same for every path, and nothing is looked up.
pub(crate) async fn allow_players(_: Anyone) -> (StatusCode, HeaderMap) {
    (StatusCode::NO_CONTENT, headers::preflight())
}

async fn serve(app: &App, request: &Request, viewer: Option<&AnyViewer>) -> Result<Response<Body>, Refusal> {
    let path = MediaPath::parse(request.uri().path()).ok_or_else(not_found)?;
    let found = stored_file::find_content(&app.database()?, &path).await?;
    let content = found.ok_or_else(not_found)?;
    let viewer = match viewer {
        Some(viewer) if content.depends_on_viewer(path.file) => viewer.identify(app).await?,
        _ => Viewer::Anonymous,
    };
    let file = content.file(path.file, viewer).ok_or_else(not_found)?;
    let is_behind_cache = app.settings().is_behind_cache;
    let conditions = Conditions::of(request.method(), request.headers());
    let conditions = if is_behind_cache { conditions.of_whole_file() } else { conditions };
    let mut response = send(&app.media(), &file, conditions).await?;
    response.extensions_mut().insert(file.shown(is_behind_cache));
    Ok(response)
}

pub(super) async fn send(
    store: &R2,
    file: &ServableFile,
    conditions: Conditions<'_>,
) -> Result<Response<Body>, Refusal> {
    let key = file.object_key.as_str();
    let selected = conditions.reply(file.size_bytes, &file.entity_tag);
    let mut response = file.head(selected).into_response();
    let range = match selected {
        Some(ByteSelection::Range { first, last }) => Some((first, last)),
        Some(ByteSelection::Whole) if !conditions.is_head => None,
        _ => return Ok(response),
    };
    let (size_bytes, stream) = store.read(key, range).await?.ok_or_else(|| missing(file))?;
    if size_bytes != file.size_bytes {
        return Err(Refusal::internal(format!("the size of {key} differs from the database")));
    }
    response.extensions_mut().insert(stream);
    Ok(response)
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::NotFound)
}

/// The database lists the file, but the object store does not have it.
fn missing(file: &ServableFile) -> Refusal {
    Refusal::internal(format!("{} is not in the object store", file.object_key))
}
