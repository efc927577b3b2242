//! The routers of the hosts, which are built from the table of routes.

use super::App;
use super::host_role::HostRoles;
use super::routes::{ADDRESSES, table};
use crate::base::refusal::Refusal;
use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::Request;
use axum::middleware::map_request;
use contract::mistake::{AddressHint, nearest_address, wrong_address};
use contract::{ErrorCode, paths};
use std::sync::{Arc, OnceLock};

/// The path of the route that a request matched, for its log line. The router sets it before it calls the handler, so
/// it is known even if the handler panics.
#[derive(Clone, Debug, Default)]
pub(super) struct MatchedRoute(Arc<OnceLock<MatchedPath>>);

impl MatchedRoute {
    /// Returns the path with parameter names in place of their values.
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

async fn not_found(request: Request<Body>) -> Refusal {
    // Every wrong address of a file gets one response, whether a route matches it or not.
    let app = request.extensions().get::<App>().filter(|_| !request.uri().path().starts_with(paths::MEDIA));
    let Some(app) = app else { return Refusal::new(ErrorCode::NotFound) };
    let known: Vec<&'static str> =
        ADDRESSES.iter().map(|(_, path)| *path).filter(|path| is_for_clients(path)).collect();
    let hint = nearest_address(request.uri().path(), &known);
    let path = match hint {
        Some(AddressHint::Path(path)) => Some(path),
        Some(AddressHint::StatusOfVideo) => Some(paths::UPLOAD_STATUS),
        None => None,
    };
    let roles = ADDRESSES.iter().find(|(_, known)| Some(*known) == path).map_or(HostRoles::ALL, |(roles, _)| *roles);
    Refusal::new(ErrorCode::NotFound).with_detail(wrong_address(
        hint,
        app.settings().addresses.url_of(roles),
        app.site(),
    ))
}

/// Whether the address is one that clients call, and not one of the site's back end, whose addresses are not suggested.
fn is_for_clients(path: &str) -> bool {
    path.starts_with(paths::API) && !path.contains('{')
}

async fn method_not_allowed() -> Refusal {
    Refusal::new(ErrorCode::MethodNotAllowed)
}

#[cfg(test)]
mod tests;
