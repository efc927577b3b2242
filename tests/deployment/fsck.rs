//! `edge/fsck` against a Worker that fails: it retries temporary failures, and continues where it ended.

use crate::operator::printed;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Response;
use futures_util::stream;
use serde_json::{Value, json};
use std::process::Output;
use std::sync::{Arc, Mutex, PoisonError};
use tests::project;
use tokio::net::TcpListener;

/// Half of all UUIDs are smaller.
const MIDDLE: &str = "contents:80000000-0000-4000-8000-000000000000";

#[derive(Clone, Copy)]
enum Reply {
    /// A page with one difference, and the cursor of the next page.
    Page(Option<&'static str>),
    /// A status and its `Retry-After`.
    Refusal(u16, Option<&'static str>),
    /// The connection breaks during the response.
    Cut,
}

/// A Worker that gives these replies in order, and the last one from then on.
struct ScriptedWorker {
    url: String,
    received: Arc<Mutex<Vec<Value>>>,
}

impl ScriptedWorker {
    async fn start(replies: &'static [Reply]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let received = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&received);
        let handler = move |body: Bytes| {
            let mut received = shared.lock().unwrap_or_else(PoisonError::into_inner);
            received.push(serde_json::from_slice(&body).expect("a JSON body"));
            let reply = replies[(received.len() - 1).min(replies.len() - 1)];
            async move { reply.response() }
        };
        let router = Router::new().route(contract::paths::FSCK, axum::routing::post(handler));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    /// Returns the cursors of the requests so far.
    fn cursors(&self) -> Vec<Value> {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        received.iter().map(|request| request["cursor"].clone()).collect()
    }

    async fn fsck(&self, flags: &[&str]) -> Output {
        let mut command = tokio::process::Command::new(project().join("edge/fsck"));
        command.arg(&self.url).args(flags).env("ADMIN_TOKEN", "token").env("PROGRESS_SECONDS", "0");
        command.output().await.expect("the program starts")
    }
}

impl Reply {
    fn response(self) -> Response<Body> {
        let difference = json!({ "kind": "media", "subject": "a", "detail": "lost", "is_mended": false });
        let (status, retry_after, body) = match self {
            Self::Page(next) => {
                let page = json!({ "success": true, "differences": [difference], "next_cursor": next });
                (200, None, Body::from(page.to_string()))
            }
            Self::Refusal(status, retry_after) => (status, retry_after, Body::from("<html>no JSON</html>")),
            Self::Cut => {
                let parts = [Ok("{\"success\":"), Err(std::io::Error::other("the connection breaks"))];
                (200, None, Body::from_stream(stream::iter(parts)))
            }
        };
        let mut response = Response::builder().status(status);
        if let Some(seconds) = retry_after {
            response = response.header("retry-after", seconds);
        }
        response.body(body).expect("a response")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_failure_of_the_comparison_is_retried_at_the_same_place() {
    let worker = ScriptedWorker::start(&[
        Reply::Page(Some("contents:")),
        Reply::Refusal(503, Some("0")),
        Reply::Refusal(502, None),
        Reply::Refusal(429, Some("0")),
        Reply::Cut,
        Reply::Page(Some(MIDDLE)),
        Reply::Page(None),
    ])
    .await;
    let output = worker.fsck(&[]).await;
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    let first = vec![Value::Null];
    assert_eq!(worker.cursors(), [first, vec![json!("contents:"); 5], vec![json!(MIDDLE)]].concat());
    // Nothing but the differences and their count is on stdout.
    let line = "found   media a: lost\n";
    assert_eq!(text(&output.stdout), format!("{line}{line}{line}3 differences, 0 mended, 3 left\n"));
    let progress = text(&output.stderr);
    assert!(progress.contains("attempt 2 of 10 in 0 s"), "{progress}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_comparison_says_how_much_time_is_left() {
    const QUARTER: &str = "contents:40000000-0000-4000-8000-000000000000";
    let worker = ScriptedWorker::start(&[Reply::Page(Some(QUARTER)), Reply::Page(Some(MIDDLE)), Reply::Page(None)]);
    let output = worker.await.fsck(&[]).await;
    let progress = text(&output.stderr);
    let line = progress.lines().find(|line| line.contains(MIDDLE)).unwrap_or_else(|| panic!("{progress}"));
    assert!(line.contains("50.0 % of this part, ") && line.ends_with(" s left for it"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comparison_that_ended_early_continues_with_the_command_that_it_printed() {
    let worker = ScriptedWorker::start(&[Reply::Page(Some(MIDDLE)), Reply::Refusal(503, Some("0"))]).await;
    let output = worker.fsck(&["--mend"]).await;
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert_eq!(worker.cursors().len(), 11, "it ends after ten attempts");
    let told = text(&output.stderr);
    let command = format!("edge/fsck {} --mend --from '{MIDDLE}'\n", worker.url);
    assert!(told.ends_with(&command), "{told}");

    let repaired = ScriptedWorker::start(&[Reply::Page(None)]).await;
    let output = repaired.fsck(&["--mend", "--from", MIDDLE]).await;
    assert_eq!(output.status.code(), Some(1), "{}", printed(&output));
    assert_eq!(repaired.cursors(), [json!(MIDDLE)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_final_failure_of_the_comparison_is_not_retried() {
    let worker = ScriptedWorker::start(&[Reply::Refusal(403, None)]).await;
    let output = worker.fsck(&[]).await;
    assert_eq!((output.status.code(), worker.cursors().len()), (Some(2), 1), "{}", printed(&output));
}
