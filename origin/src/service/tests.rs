//! The loop between a queue and an edge that are played here.

use super::*;
use crate::configuration::{Edge, Store};
use crate::edge::EdgeClient;
use crate::media::{Tools, Unconfined};
use crate::queue::QueueAddress;
use crate::store::ObjectStore;
use crate::work_folder::WorkFolder;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use contract::paths;
use contract::signature::OriginSecret;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;
use uuid::Uuid;

/// What the played neighbours heard.
#[derive(Clone, Default)]
struct Heard {
    pulls: Arc<AtomicU32>,
    given_back: Arc<AtomicU32>,
}

/// A queue that always has one more message, and an edge that answers the first look and every claim with these.
async fn neighbours(first: StatusCode, claims: StatusCode, heard: Heard) -> String {
    let pulls = Arc::clone(&heard.pulls);
    let pull = move || async move {
        let number = pulls.fetch_add(1, Ordering::Relaxed);
        let job = json!({
            "version": contract::JOB_VERSION, "content_id": 1, "generation": 1,
            "content_uuid": Uuid::from_u128(u128::from(number) + 1).to_string(),
        });
        let message =
            json!({ "lease_id": format!("lease-{number}"), "id": "m", "body": job.to_string() });
        axum::Json(json!({ "success": true, "result": { "messages": [message] } }))
    };
    let settle = move |axum::Json(asked): axum::Json<Value>| async move {
        let returned = asked["retries"].as_array().map_or(0, Vec::len);
        let returned = u32::try_from(returned).unwrap();
        heard.given_back.fetch_add(returned, Ordering::Relaxed);
        axum::Json(json!({ "success": true, "result": {} }))
    };
    let claim = move |axum::Json(claim): axum::Json<Value>| async move {
        if claim["content_uuid"] == Uuid::nil().to_string() {
            return (first, json!({ "answer": "over" }).to_string());
        }
        (claims, String::new())
    };
    let router = Router::new()
        .route("/accounts/a/queues/q/messages/pull", post(pull))
        .route("/accounts/a/queues/q/messages/ack", post(settle))
        .route(paths::JOB_CLAIM, post(claim));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

fn service(address: &str, folder: &TempDir) -> Service {
    let http = || {
        crate::http::builder(Duration::from_secs(5))
            .build()
            .unwrap()
    };
    let edge = Edge {
        url: address.to_owned(),
        secret: OriginSecret::new(&"s".repeat(64)).unwrap(),
    };
    let store = Store {
        endpoint: address.to_owned(),
        bucket: "bucket".to_owned(),
        access_key_id: String::new().into(),
        secret_access_key: String::new().into(),
    };
    let origin = Origin {
        name: "origin".to_owned(),
        edge: EdgeClient::new(http(), edge),
        store: ObjectStore::new(&store),
        tools: Tools {
            ffmpeg: "ffmpeg".into(),
            ffprobe: "ffprobe".into(),
            confine: Arc::new(Unconfined),
            threads: 1,
        },
        classifier: None,
        folder: WorkFolder::open(folder.path()).unwrap(),
        job_timeout: Duration::from_secs(10),
    };
    let queue = QueueAddress {
        base: address.to_owned(),
        account: "a".to_owned(),
        queue: "q".to_owned(),
    };
    let pulling = Pulling {
        jobs: 1,
        visibility: Duration::from_secs(30),
        poll: Duration::from_millis(10),
        min_free_bytes: 0,
        shutdown: Duration::from_secs(5),
    };
    let queue = QueueClient::new(&queue, String::new().into()).unwrap();
    Service::new(Arc::new(origin), queue, pulling, Readiness::default())
}

#[tokio::test]
async fn an_origin_whose_claims_fail_does_not_use_up_the_queue() {
    let (heard, folder) = (Heard::default(), tempfile::tempdir().unwrap());
    let address = neighbours(StatusCode::OK, StatusCode::BAD_REQUEST, heard.clone()).await;
    let end = CancellationToken::new();
    let running = tokio::spawn(service(&address, &folder).run(end.clone()));
    tokio::time::sleep(Duration::from_secs(3)).await;
    end.cancel();
    running.await.unwrap().unwrap();
    let pulls = heard.pulls.load(Ordering::Relaxed);
    assert!((2..=6).contains(&pulls), "{pulls} pulls in three seconds");
    assert_eq!(heard.given_back.load(Ordering::Relaxed), pulls);
}

#[tokio::test]
async fn an_origin_that_is_refused_gives_its_message_back_and_ends() {
    let (heard, folder) = (Heard::default(), tempfile::tempdir().unwrap());
    let address = neighbours(StatusCode::OK, StatusCode::UNAUTHORIZED, heard.clone()).await;
    let ended = service(&address, &folder)
        .run(CancellationToken::new())
        .await;
    assert!(matches!(ended, Err(Hopeless::Refused(_))), "{ended:?}");
    assert_eq!(heard.pulls.load(Ordering::Relaxed), 1);
    assert_eq!(heard.given_back.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_origin_that_is_refused_from_the_start_pulls_nothing() {
    let (heard, folder) = (Heard::default(), tempfile::tempdir().unwrap());
    let refused = StatusCode::UNAUTHORIZED;
    let address = neighbours(refused, refused, heard.clone()).await;
    let ended = service(&address, &folder)
        .run(CancellationToken::new())
        .await;
    assert!(matches!(ended, Err(Hopeless::Refused(_))), "{ended:?}");
    assert_eq!(heard.pulls.load(Ordering::Relaxed), 0);
}
