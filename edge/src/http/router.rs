//! The route table: every route of the Worker, and the routers that are built from it.

use super::host_role::HostRoles;
use super::route::{Route, delete, get, options, post, put};
use super::routes::{
    accounts, api_keys, blocklist, categories, channel_moderation, content_search, contents, docs, events, flags, fsck,
    health, jobs, leaked_keys, media, moderation, oembed, openapi, operations, origin_keys, page, review, sessions,
    site, staff, sweep, update_captions, update_content, update_thumbnail, upload_limits, upload_video, uploads,
    webhooks,
};
use crate::refusal::Refusal;
use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::Request;
use axum::middleware::map_request;
use contract::{ErrorCode, paths};
use std::sync::{Arc, OnceLock};

/// Returns the whole route table.
pub(super) fn table() -> Vec<Route> {
    let parts = [
        public_routes(),
        key_routes(),
        webhook_routes(),
        service_routes(),
        job_routes(),
        moderation_routes(),
        operator_routes(),
        staff_routes(),
        upload_routes(),
        site_routes(),
        #[cfg(feature = "development")]
        development_routes(),
    ];
    parts.into_iter().flatten().collect()
}

/// Returns the routes that every host serves.
fn public_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::ALL, path, operation);
    vec![route(paths::HEALTH, get(health::get_health)), route(paths::OPENAPI, get(openapi::get_openapi))]
}

/// Returns the routes of key management, which pages of the site call.
fn key_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::CREATE_API_KEY, post(api_keys::create_api_key)),
        route(paths::DELETE_API_KEY, post(api_keys::delete_api_key)),
        route(paths::ROTATE_API_KEY, post(api_keys::rotate_api_key)),
        route(paths::GET_API_KEY, get(api_keys::get_api_key)),
        route(paths::GET_API_KEY, post(api_keys::get_api_key)),
    ]
}

/// Returns the routes of the management of webhooks, which pages of the site call.
fn webhook_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::LIST_WEBHOOKS, get(webhooks::list_webhooks)),
        route(paths::CREATE_WEBHOOK, post(webhooks::create_webhook)),
        route(paths::UPDATE_WEBHOOK, post(webhooks::update_webhook)),
        route(paths::DELETE_WEBHOOK, post(webhooks::delete_webhook)),
        route(paths::ROTATE_WEBHOOK_SECRET, post(webhooks::rotate_webhook_secret)),
        route(paths::TEST_WEBHOOK, post(webhooks::test_webhook)),
        route(paths::WEBHOOK_DELIVERIES, get(webhooks::list_webhook_deliveries)),
        route(paths::SEND_EVENTS_AGAIN, post(webhooks::send_events_again)),
    ]
}

/// Returns the routes that the site's back end calls.
fn service_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::SESSIONS, post(sessions::mint_session)),
        route(paths::SESSIONS, delete(sessions::end_session)),
        route(paths::SERVICE_CATEGORIES, put(categories::set_categories)),
        route(paths::SWEEP, post(sweep::run_sweep)),
    ]
}

/// Returns the routes that origins call, and those by which the media team sees and repeats failed jobs.
fn job_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::JOB_CLAIM, post(jobs::claim_job)),
        route(paths::JOB_PROGRESS, post(jobs::note_progress)),
        route(paths::JOB_RELEASE, post(jobs::release_job)),
        route(paths::JOB_REPORT, post(jobs::report_job)),
        route(paths::JOB_REQUEUE, post(jobs::requeue_job)),
        route(paths::DEAD_LETTERS, get(jobs::list_dead_letters)),
        route(paths::DEAD_LETTER_DROP, post(jobs::drop_dead_letter)),
    ]
}

/// Returns the routes that moderators call.
fn moderation_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::MODERATION_QUEUE, get(moderation::list_queue)),
        route(paths::MODERATION_CONTENTS, get(content_search::find_contents)),
        route(paths::MODERATION_APPROVE, post(moderation::approve_content)),
        route(paths::MODERATION_REJECT, post(moderation::reject_content)),
        route(paths::MODERATION_TAKE_DOWN, post(moderation::take_down_content)),
        route(paths::MODERATION_RESTORE, post(moderation::restore_content)),
        route(paths::MODERATION_SUSPEND, post(channel_moderation::suspend_channel)),
        route(paths::MODERATION_LIFT_SUSPENSION, post(channel_moderation::lift_channel_suspension)),
        route(paths::MODERATION_TAKE_DOWN_CHANNEL, post(channel_moderation::take_down_channel)),
        route(paths::MODERATION_FLAGGED, get(flags::list_flagged)),
        route(paths::MODERATION_DISMISS, post(flags::dismiss_flag)),
        route(paths::MODERATION_VIDEO, get(review::get_review_video)),
        route(paths::MODERATION_EVIDENCE, get(review::list_evidence)),
        route(paths::MODERATION_DECISIONS, get(moderation::list_decisions)),
        route(paths::MODERATION_HASHES, get(blocklist::list_hashes)),
        route(paths::MODERATION_HASHES, post(blocklist::block_hash)),
        route(paths::MODERATION_HASHES, delete(blocklist::unblock_hash)),
        route(paths::MODERATION_HASH_IMPORT, post(blocklist::import_hashes)),
        route(paths::MODERATION_HASH_EXPORT, get(blocklist::export_hashes)),
    ]
}

/// Returns the routes that monitoring calls.
fn operator_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::METRICS, get(operations::get_metrics)),
        route(paths::SERVICE_HEALTH, get(operations::get_service_health)),
        route(paths::FSCK, post(fsck::run_fsck)),
    ]
}

/// Returns the routes of tokens, of the keys of origins, of accounts, and of the trail.
fn staff_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::BASE, path, operation);
    vec![
        route(paths::TOKENS, post(staff::create_token)),
        route(paths::TOKENS, get(staff::list_tokens)),
        route(paths::TOKENS, delete(staff::end_token)),
        route(paths::ORIGIN_KEYS, post(origin_keys::create_origin_key)),
        route(paths::ORIGIN_KEYS, get(origin_keys::list_origin_keys)),
        route(paths::ORIGIN_KEYS, delete(origin_keys::end_origin_key)),
        route(paths::ERASE_ACCOUNT, post(accounts::erase_account)),
        route(paths::EXPORT_ACCOUNT, get(accounts::export_account)),
        route(paths::TRAIL, get(staff::list_trail)),
        route(paths::TRAIL_EXPORT, get(staff::export_trail)),
    ]
}

/// Returns the routes that programs call with an API key.
fn upload_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::UPLOAD, path, operation);
    vec![
        route(paths::CATEGORIES, get(categories::list_categories)),
        route(paths::UPLOAD_VIDEO, post(upload_video::upload_video)),
        route(paths::UPLOAD_LIMITS, get(upload_limits::get_upload_limits)),
        route(paths::UPLOAD_STATUS, get(uploads::get_upload_status)),
        route(paths::UPLOADS, get(uploads::list_uploads)),
        route(paths::DELETE_CONTENT, post(contents::delete_content)),
        route(paths::UPDATE_CONTENT, post(update_content::update_content)),
        route(paths::UPDATE_THUMBNAIL, post(update_thumbnail::update_thumbnail)),
        route(paths::UPDATE_CAPTIONS, post(update_captions::update_captions)),
        route(paths::DELETE_CAPTIONS, post(update_captions::delete_captions)),
        route(paths::EVENTS, get(events::list_channel_events)),
        route(paths::WEBHOOKS, get(webhooks::list_webhooks_by_key)),
        route(paths::REPORT_LEAKED_KEY, post(leaked_keys::report_leaked_key)),
        route(paths::RESCHEDULE_CONTENT, post(contents::reschedule_content)),
    ]
}

/// Returns the pages and files of the public website.
fn site_routes() -> Vec<Route> {
    let route = |path, operation| Route::new(HostRoles::SITE, path, operation);
    vec![
        route(paths::MEDIA_VIDEO, get(media::get_video)),
        route(paths::MEDIA_VIDEO, options(media::allow_players)),
        route(paths::MEDIA_FILE, get(media::get_media_file)),
        route(paths::MEDIA_FILE, options(media::allow_players)),
        route(paths::MEDIA_HLS_FILE, get(media::get_hls_file)),
        route(paths::MEDIA_HLS_FILE, options(media::allow_players)),
        route(paths::PAGE_OF_CONTENT, get(page::get_page)),
        route(paths::EMBED_OF_CONTENT, get(page::get_embed)),
        route(paths::OEMBED, get(oembed::get_oembed)),
        route(paths::REPORT_PAGE, post(flags::report_page)),
        route(paths::FRONT_PAGE, get(site::get_front_page)),
        route(paths::ROBOTS, get(site::get_robots)),
        route(paths::SITEMAP, get(site::get_sitemap)),
        route(paths::SITEMAP_PART, get(site::get_sitemap_part)),
        route(paths::SCRIPT, get(site::get_script)),
        route(paths::DOCS, get(docs::get_docs)),
        route(paths::DOCS_FILE, get(docs::get_docs_file)),
        route(paths::DOCS_FILE_BELOW, get(docs::get_docs_file_below)),
        route(paths::ICON, get(site::get_icon)),
        route(paths::OLD_ICON, get(site::get_old_icon)),
    ]
}

/// Returns the routes that only tests call.
#[cfg(feature = "development")]
fn development_routes() -> Vec<Route> {
    use super::routes::development;
    let route = |path, operation| Route::new(HostRoles::ALL, path, operation);
    vec![
        route(development::PANIC, get(development::panic)),
        route(development::SLOW, get(development::slow)),
        route(development::CHANGE, post(development::change)),
        route(development::STALL, post(development::stall)),
        route(development::END_TWICE, post(development::end_twice)),
    ]
}

/// The path of the route that a request matched, for its log line. The router sets it before it calls the handler, so
/// it is known even if the handler panics.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchedRoute(Arc<OnceLock<MatchedPath>>);

impl MatchedRoute {
    /// Returns the path with the names of its parameters in place of their values.
    pub(super) fn path(&self) -> Option<&str> {
        self.0.get().map(MatchedPath::as_str)
    }
}

/// Returns the router of a host, which is built at the host's first request.
pub(super) fn router(roles: HostRoles) -> Router {
    static ROUTERS: [OnceLock<Router>; HostRoles::SETS] = [const { OnceLock::new() }; HostRoles::SETS];
    match ROUTERS.get(roles.index()) {
        Some(router) => router.get_or_init(|| build(roles)).clone(),
        None => build(roles),
    }
}

fn build(roles: HostRoles) -> Router {
    let served = table().into_iter().filter(|route| route.roles.overlaps(roles));
    let router = served.fold(Router::new(), |router, route| route.add_to(router));
    // These three come last: they apply only to the routes that were added before.
    router.fallback(not_found).method_not_allowed_fallback(method_not_allowed).layer(map_request(note_route))
}

async fn note_route(request: Request<Body>) -> Request<Body> {
    let extensions = request.extensions();
    if let (Some(MatchedRoute(route)), Some(path)) = (extensions.get(), extensions.get::<MatchedPath>()) {
        route.get_or_init(|| path.clone());
    }
    request
}

async fn not_found() -> Refusal {
    Refusal::new(ErrorCode::NotFound)
}

async fn method_not_allowed() -> Refusal {
    Refusal::new(ErrorCode::MethodNotAllowed)
}

#[cfg(test)]
mod tests;
