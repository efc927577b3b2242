//! Where a request enters: it gets an id, meets its host's router, and leaves as JSON whatever happened.

use super::App;
use super::cost::Cost;
use super::linger::hold_open;
use super::random::PlatformEntropy;
use super::request::from_runtime;
use crate::entropy::Entropy;
use crate::error::{self, ApiError};
use crate::router::{route_of, router};
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, HOST, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response};
use axum::response::IntoResponse;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use tower_service::Service;
use tracing::Instrument;
use worker::{Date, Env};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub async fn answer(request: worker::Request, env: Env) -> Response<Body> {
    let started = Date::now().as_millis();
    let request_id = request_id(started);
    let request = match from_runtime(&request) {
        Ok(request) => request,
        Err(error) => return finish(error::render("", error.into_response()), &request_id),
    };
    let asked = Asked {
        method: request.method().clone(),
        path: request.uri().path().to_owned(),
        started,
    };
    let span = tracing::info_span!("request", %request_id);
    async {
        let cost = Cost::default();
        // A panic must not take the neighbours with it: the state it leaves behind belongs to this request alone.
        let answered = AssertUnwindSafe(route(request, env, cost.clone()))
            .catch_unwind()
            .await;
        let response =
            answered.unwrap_or_else(|_| ApiError::internal("the handler panicked").into_response());
        log_outcome(&asked, &response, &cost);
        let mut response = hold_open(error::render(&asked.path, response));
        if asked.method == Method::HEAD {
            // A failure gets its body after the routes are through.
            *response.body_mut() = Body::empty();
        }
        finish(response, &request_id)
    }
    .instrument(span)
    .await
}

/// What of a request its log line names.
struct Asked {
    method: Method,
    path: String,
    started: u64,
}

/// The sweep, when the clock calls for it. Its failure is logged; the next minute tries again.
pub async fn sweep(env: Env) {
    let swept = async {
        Ok::<_, ApiError>(
            crate::sweep::sweep(&App::new(env, String::new(), Cost::default())?.platform()?)
                .await?,
        )
    };
    match swept.await {
        Ok(report) => tracing::info!(?report, "swept"),
        Err(error) => tracing::error!(cause = error.cause(), "the sweep failed"),
    }
}

async fn route(mut request: Request<Body>, env: Env, cost: Cost) -> Response<Body> {
    let app = match App::new(env, host(&request), cost) {
        Ok(app) => app,
        Err(error) => return error.into_response(),
    };
    let surfaces = app.surfaces();
    request.extensions_mut().insert(app);
    let Ok(response) = router(surfaces).call(request).await;
    response
}

fn host(request: &Request<Body>) -> String {
    let authority = request
        .uri()
        .authority()
        .map(|authority| authority.as_str().to_owned());
    let header = || {
        request
            .headers()
            .get(HOST)
            .and_then(|host| host.to_str().ok())
            .map(str::to_owned)
    };
    authority.or_else(header).unwrap_or_default()
}

/// The headers that every answer carries.
fn finish(mut response: Response<Body>, request_id: &str) -> Response<Body> {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Answers hold keys and the state of one account: no cache may keep them unless a route says so.
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// A UUID of version 7: sorts by time, so that a log is easily searched.
fn request_id(now_ms: u64) -> String {
    let mut random = [0; 10];
    PlatformEntropy.fill(&mut random);
    uuid::Builder::from_unix_timestamp_millis(now_ms, &random)
        .into_uuid()
        .to_string()
}

fn log_outcome(asked: &Asked, response: &Response<Body>, cost: &Cost) {
    let (method, status) = (asked.method.as_str(), response.status().as_u16());
    // A path that is no route may hold anything, a key included.
    let path = route_of(&asked.path).unwrap_or("(no route)");
    let duration_ms = Date::now().as_millis().saturating_sub(asked.started);
    let (d1_batches, d1_statements) = (cost.d1_batches(), cost.d1_statements());
    let r2_operations = cost.r2_operations();
    let error = response.extensions().get::<ApiError>();
    let code = error.map(|error| error.code.as_str());
    if let Some(cause) = error.and_then(ApiError::cause) {
        tracing::error!(
            method,
            path,
            status,
            code,
            duration_ms,
            d1_batches,
            d1_statements,
            r2_operations,
            cause,
            "request failed"
        );
    } else {
        tracing::info!(
            method,
            path,
            status,
            code,
            duration_ms,
            d1_batches,
            d1_statements,
            r2_operations,
            "request answered"
        );
    }
}
