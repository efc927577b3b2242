//! Handles every request: gives it an id, passes it to its host's router, logs it, and answers it even after a panic.

use super::App;
use super::app::RequestFacts;
use super::cross_origin::CrossOrigin;
use super::failed_requests;
use super::follow_ups::follow_up;
use super::linger::hold_open;
use super::refusal_response::{RefusedRequest, render};
use super::router::{MatchedRoute, router};
use super::trace::trace_of;
use super::transport::{STRICT_TRANSPORT_SECURITY, Transport, answer_unencrypted};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::base::version::{COMMIT, VERSION};
use crate::people::auth::client_network::shortened_network;
use crate::people::failed_requests::{FailedRequest, Kind, KnownCaller, ReceivedRequest};
use crate::platform::cloudflare::cost::Cost;
use crate::platform::cloudflare::random::PlatformEntropy;
use crate::platform::cloudflare::request::from_runtime;
use crate::platform::cloudflare::traffic;
use crate::platform::entropy::Entropy;
use crate::platform::place::Place;
use crate::viewing::cache_rules::{self, CacheRule};
use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, HOST, STRICT_TRANSPORT_SECURITY as STRICT_TRANSPORT_SECURITY_HEADER, USER_AGENT,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Method, Request, Response};
use axum::response::IntoResponse;
use contract::{TraceContext, paths};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use tower_service::Service;
use tracing::field::Empty;
use tracing::{Instrument, Span};
use worker::{Date, Env};

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The paths that operators need while the service is closed. Other paths could use a database that is not reconciled
/// yet.
const OPEN_WHILE_CLOSED: [&str; 4] = [paths::HEALTH, paths::SERVICE_HEALTH, paths::METRICS, paths::FSCK];

pub(crate) async fn answer(request: worker::Request, env: Env) -> Response<Body> {
    let started_ms = Date::now().as_millis();
    let request_id = request_id(started_ms);
    let (response, transport) = match from_runtime(&request) {
        Ok(request) => {
            let transport = Transport::of(request.uri());
            let trace = trace_of(request.headers());
            let span = request_span(&request_id, trace);
            (answer_request(request, env, &request_id, trace, started_ms).instrument(span).await, transport)
        }
        Err(refusal) => {
            let request = RefusedRequest { method: "", path: "", wants_html: false, site: "" };
            (render(request, refusal.into_response()), Transport::Unencrypted)
        }
    };
    finish(response, &request_id, transport)
}

/// The span that every log line of the request shows. Handlers record the ids that they learn.
fn request_span(request_id: &str, trace: TraceContext) -> Span {
    let trace_id = trace.trace_id_text();
    tracing::info_span!(
        "request",
        request_id,
        trace_id,
        upload = Empty,
        content = Empty,
        generation = Empty,
        origin = Empty,
        version = VERSION,
        commit = COMMIT
    )
}

async fn answer_request(
    request: Request<Body>,
    env: Env,
    request_id: &str,
    trace: TraceContext,
    started_ms: u64,
) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let site = env.var("SITE_URL").map(|site| site.to_string()).unwrap_or_default();
    let method = request.method().clone();
    let refused = RefusedRequest::new(method.as_str(), &path, request.headers(), &site);
    let logged = LoggedRequest {
        method: request.method().clone(),
        request_id: request_id.to_owned(),
        user_agent: request
            .headers()
            .get(USER_AGENT)
            .map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned()),
        started_ms,
        trace,
        route: MatchedRoute::default(),
        cost: Cost::default(),
        known_caller: KnownCaller::default(),
    };
    let unknown_fields = UnknownFields::preferred_by(request.headers());
    // A panic must not fail other requests: the state that it leaves behind belongs to this request alone.
    let cross_origin = CrossOrigin::default();
    let preferences = (unknown_fields.clone(), cross_origin.clone());
    let answered = AssertUnwindSafe(route(request, env.clone(), &logged, preferences)).catch_unwind().await;
    let response = answered.unwrap_or_else(|_| Refusal::internal("the handler panicked").into_response());
    logged.log_outcome(&env, &response);
    logged.record_failure(&env, &response);
    let mut response = hold_open(render(refused, response));
    unknown_fields.add_headers(response.headers_mut());
    cross_origin.add_headers(response.headers_mut());
    cache_rules::apply(&mut response, &logged.method, &path);
    if logged.method == Method::HEAD {
        // A refusal gets its body only after the handler has returned.
        *response.body_mut() = Body::empty();
    }
    response
}

async fn route(
    mut request: Request<Body>,
    env: Env,
    logged: &LoggedRequest,
    (unknown_fields, cross_origin): (UnknownFields, CrossOrigin),
) -> Response<Body> {
    if Transport::of(request.uri()) == Transport::Unencrypted {
        return answer_unencrypted(request);
    }
    let facts = RequestFacts {
        host: host(&request),
        place: place(&request),
        cost: logged.cost.clone(),
        trace: logged.trace,
        unknown_fields,
        cross_origin,
        known_caller: logged.known_caller.clone(),
    };
    let app = match App::new(env, facts) {
        Ok(app) => app,
        Err(refusal) => return refusal.into_response(),
    };
    if app.settings().is_closed && !OPEN_WHILE_CLOSED.contains(&request.uri().path()) {
        return Refusal::closed().into_response();
    }
    let roles = app.host_roles();
    request.extensions_mut().insert(app.clone());
    request.extensions_mut().insert(logged.route.clone());
    let Ok(response) = router(roles).call(request).await;
    follow_up(&app).await;
    response
}

fn place(request: &Request<Body>) -> Place {
    let route = format!("{} {}", request.method(), request.uri().path());
    Place { network: shortened_network(request.headers()), route }
}

fn host(request: &Request<Body>) -> String {
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    let header = || request.headers().get(HOST).and_then(|host| host.to_str().ok()).map(str::to_owned);
    authority.or_else(header).unwrap_or_default()
}

/// Adds the headers of every response.
fn finish(mut response: Response<Body>, request_id: &str, transport: Transport) -> Response<Body> {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, value);
    }
    if transport == Transport::Encrypted {
        // Browsers ignore it in an unencrypted response.
        headers.insert(STRICT_TRANSPORT_SECURITY_HEADER, HeaderValue::from_static(STRICT_TRANSPORT_SECURITY));
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Public files and the player set this header themselves, because other sites may load them.
    headers.entry(CROSS_ORIGIN_RESOURCE_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    // Only a request that could not be read has no rule yet.
    headers.entry(CACHE_CONTROL).or_insert(CacheRule::Nobody.cache_control());
    response
}

/// Returns a UUID of version 7. These sort by time, which makes logs easy to search.
fn request_id(now_ms: u64) -> String {
    let mut random = [0; 10];
    PlatformEntropy.fill(&mut random);
    uuid::Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid().to_string()
}

/// The parts of a request that its log line, or the owner of its channel, shows.
struct LoggedRequest {
    method: Method,
    request_id: String,
    user_agent: Option<String>,
    started_ms: u64,
    trace: TraceContext,
    route: MatchedRoute,
    cost: Cost,
    known_caller: KnownCaller,
}

impl LoggedRequest {
    /// Returns the path of the route.
    fn path(&self) -> &str {
        // Only the route's path is shown: a path that matches no route may contain anything, even a key.
        self.route.path().unwrap_or("(no route)")
    }

    /// Records a failed request with a valid key or a one-time token, for the owner of its channel.
    fn record_failure(&self, env: &Env, response: &Response<Body>) {
        let Some(refusal) = response.extensions().get::<Refusal>() else { return };
        let Some((channel_id, credential)) = self.known_caller.get() else { return };
        let (method, route, user_agent) = (self.method.as_str(), self.path(), self.user_agent.as_deref());
        let kind = Kind::new(ReceivedRequest { method, route, user_agent, credential }, refusal);
        let (at, id) = (UnixSeconds(self.started_ms / 1000), self.request_id.clone());
        failed_requests::record(env, channel_id, FailedRequest { at, id, kind: kind.into() });
    }

    /// Logs the outcome, and counts it.
    fn log_outcome(&self, env: &Env, response: &Response<Body>) {
        let (method, status) = (self.method.as_str(), response.status().as_u16());
        let path = self.path();
        let duration_ms = Date::now().as_millis().saturating_sub(self.started_ms);
        let (d1_batches, d1_statements) = (self.cost.d1_batches(), self.cost.d1_statements());
        let d1_write_batches = self.cost.d1_write_batches();
        let (d1_rows_read, d1_rows_written) = (self.cost.d1_rows_read(), self.cost.d1_rows_written());
        let r2_operations = self.cost.r2_operations();
        let refusal = response.extensions().get::<Refusal>();
        let code = refusal.map(|refusal| refusal.code.as_str());
        let numbers = [duration_ms, d1_rows_read as u64, d1_rows_written as u64];
        let counted = traffic::count(env, [path, method, &status.to_string(), code.unwrap_or_default()], numbers);
        macro_rules! log {
            ($level:ident, $message:literal $(, $cause:ident)?) => {
                tracing::$level!(
                    method, path, status, code, duration_ms, d1_batches, d1_write_batches, d1_statements, d1_rows_read,
                    d1_rows_written, r2_operations, counted, $($cause,)? $message
                )
            };
        }
        if let Some(cause) = refusal.and_then(|refusal| refusal.cause.as_deref()) {
            log!(error, "request failed", cause);
        } else {
            log!(info, "request answered");
        }
    }
}
