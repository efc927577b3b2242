//! The route table: every address of the Worker, the part of the interface it belongs to, and who answers it.

use crate::error::ApiError;
use crate::routes::{
    api_keys, categories, contents, health, jobs, media, moderation, openapi, page, sessions,
    sweep, upload_limits, upload_video, uploads,
};
use crate::surface::Surfaces;
use axum::Router;
use axum::routing::{MethodRouter, get, post, put};
use contract::{ErrorCode, paths};
use std::sync::OnceLock;

const EVERYWHERE: Surfaces = Surfaces::BASE.union(Surfaces::UPLOAD).union(Surfaces::SITE);

/// The parts of the interface that show a path, the path, and who answers it.
type Route = (Surfaces, &'static str, MethodRouter);

fn table() -> Vec<Route> {
    let parts = [
        everywhere_routes(),
        base_routes(),
        jobs_routes(),
        moderation_routes(),
        upload_routes(),
        site_routes(),
        #[cfg(feature = "development")]
        development_routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// What each host answers.
fn everywhere_routes() -> Vec<Route> {
    vec![
        (EVERYWHERE, paths::HEALTH, get(health::get_health)),
        (EVERYWHERE, paths::OPENAPI, get(openapi::get_openapi)),
    ]
}

/// Key management, sessions and the site's back end.
fn base_routes() -> Vec<Route> {
    vec![
        (
            Surfaces::BASE,
            paths::CREATE_API_KEY,
            post(api_keys::create_api_key),
        ),
        (
            Surfaces::BASE,
            paths::DELETE_API_KEY,
            post(api_keys::delete_api_key),
        ),
        (
            Surfaces::BASE,
            paths::ROTATE_API_KEY,
            post(api_keys::rotate_api_key),
        ),
        (
            Surfaces::BASE,
            paths::GET_API_KEY,
            get(api_keys::get_api_key).post(api_keys::get_api_key),
        ),
        (
            Surfaces::BASE,
            paths::SESSIONS,
            post(sessions::mint_session).delete(sessions::end_session),
        ),
        (
            Surfaces::BASE,
            paths::SERVICE_CATEGORIES,
            put(categories::set_categories),
        ),
        (Surfaces::BASE, paths::SWEEP, post(sweep::run_sweep)),
    ]
}

/// What the origins and the media team call.
fn jobs_routes() -> Vec<Route> {
    vec![
        (Surfaces::BASE, paths::JOB_CLAIM, post(jobs::claim_job)),
        (
            Surfaces::BASE,
            paths::JOB_PROGRESS,
            post(jobs::note_progress),
        ),
        (Surfaces::BASE, paths::JOB_RELEASE, post(jobs::release_job)),
        (Surfaces::BASE, paths::JOB_REPORT, post(jobs::report_job)),
        (Surfaces::BASE, paths::JOB_REQUEUE, post(jobs::requeue_job)),
    ]
}

/// What moderators call.
fn moderation_routes() -> Vec<Route> {
    vec![
        (
            Surfaces::BASE,
            paths::MODERATION_QUEUE,
            get(moderation::list_queue),
        ),
        (
            Surfaces::BASE,
            paths::MODERATION_APPROVE,
            post(moderation::approve_content),
        ),
        (
            Surfaces::BASE,
            paths::MODERATION_REJECT,
            post(moderation::reject_content),
        ),
        (
            Surfaces::BASE,
            paths::MODERATION_TAKE_DOWN,
            post(moderation::take_down_content),
        ),
        (
            Surfaces::BASE,
            paths::MODERATION_DECISIONS,
            get(moderation::list_decisions),
        ),
        (
            Surfaces::BASE,
            paths::MODERATION_HASHES,
            get(moderation::list_hashes)
                .post(moderation::block_hash)
                .delete(moderation::unblock_hash),
        ),
    ]
}

/// What programs call with an API key.
fn upload_routes() -> Vec<Route> {
    vec![
        (
            Surfaces::UPLOAD,
            paths::CATEGORIES,
            get(categories::list_categories),
        ),
        (
            Surfaces::UPLOAD,
            paths::UPLOAD_VIDEO,
            post(upload_video::upload_video),
        ),
        (
            Surfaces::UPLOAD,
            paths::UPLOAD_LIMITS,
            get(upload_limits::get_upload_limits),
        ),
        (
            Surfaces::UPLOAD,
            paths::UPLOAD_STATUS,
            get(uploads::get_upload_status),
        ),
        (Surfaces::UPLOAD, paths::UPLOADS, get(uploads::list_uploads)),
        (
            Surfaces::UPLOAD,
            paths::DELETE_CONTENT,
            post(contents::delete_content),
        ),
        (
            Surfaces::UPLOAD,
            paths::RESCHEDULE_CONTENT,
            post(contents::reschedule_content),
        ),
    ]
}

/// What everybody sees.
fn site_routes() -> Vec<Route> {
    vec![
        (
            Surfaces::SITE,
            "/media/{name}",
            get(media::get_video).options(media::allow_players),
        ),
        (
            Surfaces::SITE,
            "/media/{name}/{file}",
            get(media::get_media_file).options(media::allow_players),
        ),
        (
            Surfaces::SITE,
            "/media/{name}/hls/{file}",
            get(media::get_hls_file).options(media::allow_players),
        ),
        (Surfaces::SITE, "/meme/{slug_url}", get(page::get_page)),
    ]
}

/// What only tests need.
#[cfg(feature = "development")]
fn development_routes() -> Vec<Route> {
    use crate::routes::development;
    vec![
        (EVERYWHERE, "/dev/panic", get(development::panic)),
        (EVERYWHERE, "/dev/slow", get(development::slow)),
        (EVERYWHERE, "/dev/change", post(development::change)),
    ]
}

/// The router of a host, built at its first request.
pub fn router(surfaces: Surfaces) -> Router {
    static ROUTERS: [OnceLock<Router>; Surfaces::SETS] =
        [const { OnceLock::new() }; Surfaces::SETS];
    match ROUTERS.get(surfaces.index()) {
        Some(router) => router.get_or_init(|| build(surfaces)).clone(),
        None => build(surfaces),
    }
}

fn build(surfaces: Surfaces) -> Router {
    let shown = table()
        .into_iter()
        .filter(|(part, _, _)| part.overlaps(surfaces));
    let router = shown.fold(Router::new(), |router, (_, path, methods)| {
        router.route(path, methods)
    });
    // These two come last: a route added after them would not get them.
    router
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
}

async fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound)
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(ErrorCode::MethodNotAllowed)
}

/// The path of the table that this one fits, with the names of its parameters in the place of their values.
pub fn route_of(path: &str) -> Option<&'static str> {
    static PATHS: OnceLock<Vec<&str>> = OnceLock::new();
    let routes = PATHS.get_or_init(paths);
    routes.iter().copied().find(|route| fits(route, path))
}

fn fits(route: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (route.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given || wanted.starts_with('{') => {}
            _ => return false,
        }
    }
}

/// The paths of the table.
pub fn paths() -> Vec<&'static str> {
    table().into_iter().map(|(_, path, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::{Request, Response, header::ALLOW};
    use futures_executor::block_on;
    use tower_service::Service;

    fn call(surfaces: Surfaces, method: &str, path: &str) -> Response<Body> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .body(Body::empty())
            .unwrap();
        block_on(router(surfaces).call(request)).unwrap()
    }

    #[test]
    fn an_unknown_path_is_not_found() {
        assert_eq!(call(EVERYWHERE, "GET", "/nothing").status(), 404);
    }

    #[test]
    fn a_wrong_method_names_the_right_ones() {
        let response = call(EVERYWHERE, "PUT", paths::SESSIONS);
        assert_eq!(response.status(), 405);
        let allow = response.headers()[ALLOW].to_str().unwrap();
        assert!(
            allow.contains("POST") && allow.contains("DELETE"),
            "{allow}"
        );
    }

    #[test]
    fn a_path_is_known_by_its_route_and_its_values_are_not_told() {
        assert_eq!(route_of(paths::HEALTH), Some("/healthz"));
        assert_eq!(route_of("/media/a.mp4"), Some("/media/{name}"));
        assert_eq!(
            route_of("/media/a/hls/b.m3u8"),
            Some("/media/{name}/hls/{file}")
        );
        assert_eq!(route_of("/media/a/b/c"), None);
        assert_eq!(route_of("/nothing"), None);
    }

    #[test]
    fn a_host_shows_only_its_own_part() {
        assert_eq!(
            call(Surfaces::UPLOAD, "POST", paths::CREATE_API_KEY).status(),
            404
        );
        assert_eq!(
            call(Surfaces::BASE, "GET", paths::UPLOAD_LIMITS).status(),
            404
        );
        assert_eq!(call(Surfaces::SITE, "GET", paths::HEALTH).status(), 200);
        assert_eq!(call(Surfaces::NONE, "GET", paths::HEALTH).status(), 404);
    }
}
