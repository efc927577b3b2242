//! A receiver of webhooks on this machine, which responds as the test says.

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Response, Uri};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A request that has arrived.
#[derive(Clone, Debug)]
pub struct ReceivedEvent {
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
    pub event: Value,
}

/// The behaviour of a receiver.
#[derive(Clone, Debug)]
pub enum WebhookReply {
    Status(u16),
    Text(u16, String),
    Redirect(String),
    /// It accepts the request and never answers.
    Never,
    /// A success whose body has no end.
    Endless,
}

type Received = Arc<Mutex<Vec<ReceivedEvent>>>;
type Answer = Arc<dyn Fn(&ReceivedEvent) -> WebhookReply + Send + Sync>;

/// A running receiver. It ends when this is dropped.
#[derive(Debug)]
pub struct WebhookReceiver {
    pub url: String,
    received: Received,
    server: JoinHandle<()>,
}

impl WebhookReceiver {
    pub async fn start(answer: impl Fn(&ReceivedEvent) -> WebhookReply + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}/hook", listener.local_addr()?);
        let (received, answer): (Received, Answer) = (Received::default(), Arc::new(answer));
        let shared = Arc::clone(&received);
        let handler = move |uri: Uri, headers: HeaderMap, body: Bytes| {
            let (received, answer) = (Arc::clone(&shared), Arc::clone(&answer));
            async move { receive(uri, headers, body, &received, &answer).await }
        };
        let router = Router::new().fallback(handler);
        let server = tokio::spawn(async move {
            // Fails only if the listener does, and then the test finds nothing received.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, received, server })
    }

    pub fn received(&self) -> Vec<ReceivedEvent> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until this many requests have arrived, and returns all.
    pub async fn until_received(&self, count: usize) -> Result<Vec<ReceivedEvent>> {
        let look = async || Ok(Some(self.received()).filter(|received| received.len() >= count));
        crate::until(Duration::from_mins(1), look, || format!("{count} requests: {:?}", self.received())).await
    }
}

impl Drop for WebhookReceiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl ReceivedEvent {
    /// Returns the header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the type of the event.
    pub fn kind(&self) -> Result<&str> {
        self.event["type"].as_str().context("no type")
    }
}

async fn receive(uri: Uri, headers: HeaderMap, body: Bytes, received: &Received, answer: &Answer) -> Response<Body> {
    let body = String::from_utf8_lossy(&body).into_owned();
    let event = serde_json::from_str(&body).unwrap_or_default();
    let request = ReceivedEvent { path: uri.path().to_owned(), headers, body, event };
    let reply = answer(&request);
    received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    let (status, body) = match &reply {
        WebhookReply::Status(status) => (*status, Body::empty()),
        WebhookReply::Text(status, text) => (*status, Body::from(text.clone())),
        WebhookReply::Redirect(_) => (307, Body::empty()),
        WebhookReply::Endless => (200, endless()),
        WebhookReply::Never => std::future::pending().await,
    };
    let mut response = Response::builder().status(status);
    if let WebhookReply::Redirect(to) = &reply {
        response = response.header("location", to);
    }
    response.body(body).unwrap_or_default()
}

fn endless() -> Body {
    Body::from_stream(stream::repeat("x".repeat(4_096)).map(Ok::<_, Infallible>))
}
