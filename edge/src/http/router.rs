//! The routers of the hosts, which are built from the table of routes.

use super::host_role::HostRoles;
use super::routes::table;
use crate::base::refusal::Refusal;
use axum::Router;
use axum::body::Body;
use axum::extract::MatchedPath;
use axum::http::Request;
use axum::middleware::map_request;
use contract::ErrorCode;
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

async fn not_found() -> Refusal {
    Refusal::new(ErrorCode::NotFound)
}

async fn method_not_allowed() -> Refusal {
    Refusal::new(ErrorCode::MethodNotAllowed)
}

#[cfg(test)]
mod tests;
