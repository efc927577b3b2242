//! A fake Cloudflare account in this process, which responds like the API. Its databases are real SQLite databases. Its
//! Workers keep the files that wrangler uploaded.

mod resources;
mod workers;
mod zones;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) use resources::Resources;
pub(crate) use workers::Workers;
pub(crate) use zones::Zones;

/// The token that the account accepts.
pub(crate) const TOKEN: &str = "a-token-of-the-fake-account-0123456789";
pub(crate) const ACCOUNT: &str = "0123456789abcdef0123456789abcdef";

/// The requests that fail the first time that the API receives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outage {
    /// Requests that change something. Half of them fail before they are carried out, the others afterwards, so that
    /// only the response is lost.
    Changes,
    /// All requests, before they are carried out.
    Before,
    /// All requests, after they were carried out.
    After,
}

/// The state of the account, and the requests to it.
#[derive(Debug, Default)]
pub(crate) struct FakeAccount {
    pub(crate) resources: Resources,
    pub(crate) workers: Workers,
    pub(crate) zones: Zones,
    /// The rows that the next queries of Analytics Engine return, and the queries.
    pub(crate) analytics: VecDeque<Value>,
    pub(crate) queries: Vec<String>,
    /// The requests in order, as `METHOD path`.
    pub(crate) requests: Vec<String>,
    pub(crate) outage: Option<Outage>,
    /// The endings of the paths that fail. If empty, all fail.
    pub(crate) outage_of: &'static [&'static str],
    /// The requests that have failed once.
    pub(crate) failed: BTreeSet<String>,
}

/// A running server. It ends with the runtime of the test.
#[derive(Debug, Clone)]
pub(crate) struct FakeApi {
    pub(crate) address: String,
    account: Arc<Mutex<FakeAccount>>,
}

/// A parsed request.
pub(crate) struct Call<'a> {
    pub(crate) method: &'a Method,
    /// The path below the account.
    pub(crate) path: Vec<&'a str>,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a Bytes,
    pub(crate) address: &'a str,
}

impl Call<'_> {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(self.body).unwrap_or(Value::Null)
    }

    /// Returns a parameter of the query, or an empty string.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(other, _)| *other == name).map(|(_, value)| value).next().unwrap_or_default()
    }
}

impl FakeApi {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let api = Self { address, account: Arc::default() };
        let router = Router::new().fallback(answer).with_state(api.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        api
    }

    /// Calls a function with the account, to read or change it.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut FakeAccount) -> T) -> T {
        act(&mut self.account.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn answer(State(api): State<FakeApi>, request: Request<Body>) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, 64 << 20).await.expect("a body");
    let path = head.uri.path();
    let is_upload = path.starts_with("/upload/");
    if !is_upload && head.headers.get("authorization").is_none_or(|value| value != &format!("Bearer {TOKEN}")) {
        return failed(StatusCode::FORBIDDEN, 10000, "Authentication error");
    }
    let below = path.strip_prefix(&format!("/accounts/{ACCOUNT}/")).unwrap_or(path).trim_start_matches('/');
    let call = Call {
        method: &head.method,
        path: below.split('/').collect(),
        query: head.uri.query().unwrap_or_default(),
        headers: &head.headers,
        body: &body,
        address: &api.address,
    };
    api.with(|account| account.answer(&call, below))
}

impl FakeAccount {
    /// Adds the resources of another environment.
    pub(crate) fn add_production(&mut self) {
        self.resources.add("clipgate");
        self.workers.add("clipgate-edge");
    }

    /// Checks that no request was about that environment.
    pub(crate) fn check_production(&self) {
        let its_own =
            ["database-clipgate/", "queue-clipgate-jobs/", "scripts/clipgate-edge/", "buckets/clipgate-media"];
        let touched = self.requests.iter().find(|request| its_own.iter().any(|name| request.contains(name)));
        assert_eq!(touched, None);
    }

    fn answer(&mut self, call: &Call<'_>, path: &str) -> Response {
        self.requests.push(format!("{} {path}", call.method));
        let failure = self.failure(call);
        let broken = || failed(StatusCode::INTERNAL_SERVER_ERROR, 10001, "An unknown error has occurred");
        if failure == Some(Outage::Before) {
            return broken();
        }
        if call.path == ["analytics_engine", "sql"] {
            self.queries.push(String::from_utf8_lossy(call.body).into_owned());
            let rows = self.analytics.pop_front().unwrap_or_else(|| json!([]));
            return axum::Json(json!({ "meta": [], "data": rows, "rows": 0 })).into_response();
        }
        let answer = self.resources.answer(call);
        let answer =
            answer.or_else(|| self.zones.answer(call, &mut self.workers)).or_else(|| self.workers.answer(call));
        if failure == Some(Outage::After) {
            return broken();
        }
        answer.unwrap_or_else(|| {
            println!("the fake account does not know {} {path}?{}", call.method, call.query);
            failed(StatusCode::NOT_FOUND, 7003, "No route for that URI")
        })
    }

    /// Returns how this request fails, if it does: before or after it is carried out.
    fn failure(&mut self, call: &Call<'_>) -> Option<Outage> {
        let outage = self.outage?;
        // All uploads of migrations are the same kind of request.
        let path = if call.path[0] == "upload" { "upload".to_owned() } else { call.path.join("/") };
        let request = format!("{} {path}", call.method);
        let is_spared = !self.outage_of.is_empty() && !self.outage_of.iter().any(|end| path.ends_with(end));
        if is_spared || outage == Outage::Changes && call.method == Method::GET || !self.failed.insert(request) {
            return None;
        }
        Some(match outage {
            Outage::Changes if self.failed.len().is_multiple_of(2) => Outage::Before,
            Outage::Changes => Outage::After,
            other => other,
        })
    }
}

pub(crate) fn succeeded(result: &Value) -> Response {
    let answer = json!({ "success": true, "errors": [], "messages": [], "result": result });
    axum::Json(answer).into_response()
}

pub(crate) fn failed(status: StatusCode, code: i64, message: &str) -> Response {
    let errors = json!([{ "code": code, "message": message }]);
    (status, axum::Json(json!({ "success": false, "errors": errors, "messages": [], "result": null }))).into_response()
}
