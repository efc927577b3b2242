//! Tests of the routes: the hosts that serve them, their permitted callers, and the paths in the log.

use super::*;
use crate::http::openapi::route_list;
use crate::viewing::access::Access;
use crate::viewing::cache_rules::CacheRule;
use axum::http::{Method, Response, StatusCode, header::ALLOW};
use contract::paths;
use futures_executor::block_on;
use std::collections::{BTreeMap, BTreeSet};
use tower_service::Service;

/// Every route: its method, its path, the host roles that serve it, and the credential that it requires.
const ROUTES: &str = include_str!("../../../../docs/routes.txt");

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY"];

fn call(roles: HostRoles, method: &str, path: &str) -> (Response<Body>, MatchedRoute) {
    let matched = MatchedRoute::default();
    let request = Request::builder().method(method).uri(path).extension(matched.clone()).body(Body::empty()).unwrap();
    (block_on(router(roles).call(request)).unwrap(), matched)
}

fn status(roles: HostRoles, method: &str, path: &str) -> u16 {
    call(roles, method, path).0.status().as_u16()
}

#[test]
fn every_route_has_its_host_roles_and_its_credential() {
    assert_eq!(route_list(), ROUTES, "If this change is intended, run `make docs`");
}

#[test]
fn an_unknown_path_is_not_found() {
    assert_eq!(status(HostRoles::ALL, "GET", "/nothing"), 404);
}

#[test]
fn every_unsupported_method_of_every_path_is_answered_with_the_supported_ones() {
    let mut paths: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (method, rest) in ROUTES.lines().filter_map(|line| line.split_once(' ')) {
        let supported = paths.entry(rest.split(' ').next().unwrap()).or_default();
        supported.insert(method);
        if method == "GET" {
            supported.insert("HEAD");
        }
    }
    for (path, supported) in paths {
        // Without its braces, `{name}` is a path segment like any other, so the router accepts it as the value.
        let path = path.replace(['{', '}'], "");
        for method in METHODS.iter().filter(|method| !supported.contains(**method)) {
            let (response, _) = call(HostRoles::ALL, method, &path);
            assert_eq!(response.status(), 405, "{method} {path}");
            let allowed = response.headers()[ALLOW].to_str().unwrap();
            assert_eq!(allowed.split(',').collect::<BTreeSet<_>>(), supported, "{method} {path}");
        }
    }
}

#[test]
fn a_request_is_logged_under_its_route_without_the_values_of_its_parameters() {
    let path = |method, path| call(HostRoles::ALL, method, path).1.path().map(str::to_owned);
    assert_eq!(path("GET", paths::HEALTH).as_deref(), Some(paths::HEALTH));
    assert_eq!(path("OPTIONS", "/media/a.mp4").as_deref(), Some(paths::MEDIA_VIDEO));
    assert_eq!(path("OPTIONS", "/media/a/hls/b.m3u8").as_deref(), Some(paths::MEDIA_HLS_FILE));
    assert_eq!(path("PUT", paths::SESSIONS).as_deref(), Some(paths::SESSIONS));
    assert_eq!(path("GET", "/media/a/b/c"), None);
    assert_eq!(path("GET", "/nothing"), None);
}

#[test]
fn a_host_serves_only_its_own_part() {
    assert_eq!(status(HostRoles::UPLOAD, "POST", paths::CREATE_API_KEY), 404);
    assert_eq!(status(HostRoles::BASE, "POST", paths::UPLOAD_VIDEO), 404);
    assert_eq!(status(HostRoles::SITE, "GET", paths::HEALTH), 200);
    assert_eq!(status(HostRoles::NONE, "GET", paths::HEALTH), 404);
}

#[test]
fn only_what_is_public_may_be_kept_by_everybody() {
    let statuses = [200, 201, 204, 206, 301, 304, 400, 401, 403, 404, 405, 416, 429, 500, 503];
    let accesses = [None, Some(Access::Denied), Some(Access::Private), Some(Access::Public)];
    let mut kept = Vec::new();
    for route in table() {
        let method = Method::from_bytes(route.method().as_bytes()).unwrap();
        for (status, access) in statuses.into_iter().flat_map(|status| accesses.map(|access| (status, access))) {
            let rule = CacheRule::of(&method, route.path, StatusCode::from_u16(status).unwrap(), access);
            if matches!(rule, CacheRule::Everybody | CacheRule::Forever) {
                assert_eq!(access, Some(Access::Public));
                assert!(!route.requirement().is_strict(), "{}", route.path);
                kept.push(format!("{} {} {status}", route.method(), route.path));
            }
        }
    }
    let public = [
        "/media/{name}",
        "/media/{name}/{file}",
        "/media/{name}/hls/{file}",
        "/meme/{slug_url}",
        "/embed/{slug_url}",
        "/oembed",
        "/robots.txt",
        "/sitemap.xml",
        "/sitemaps/{file}",
        "/scripts/{file}",
        "/favicon.svg",
        "/favicon.ico",
        "/desk",
        "/desk/{*file}",
        "/console",
        "/console/settings.json",
        "/console/{*file}",
        "/docs",
        "/docs/{*file}",
    ];
    let expected = public.into_iter().flat_map(|path| [200, 206, 304].map(|status| format!("GET {path} {status}")));
    assert_eq!(kept, expected.collect::<Vec<_>>());
}
