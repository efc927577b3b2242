//! The pull loop between a queue and an edge that the tests serve.

mod outages;
mod world;

use super::*;
use crate::clients::edge::{EdgeClient, EdgeSettings};
use crate::clients::queue::QueueAddress;
use crate::clients::store::{ObjectStore, StoreSettings};
use crate::job::work_folder::WorkFolder;
use crate::media::encoders::Encoders;
use crate::media::{NoConfinement, Tools};
use crate::telemetry::SpanExport;
use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use contract::paths;
use contract::signature::OriginKey;
use fixtures::cases;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use tempfile::TempDir;
use uuid::Uuid;

/// Counts what the loop requests of the queue.
#[derive(Clone, Default)]
struct QueueCounters {
    pulls: Arc<AtomicU32>,
    returned: Arc<AtomicU32>,
    backlogs: Arc<AtomicU32>,
}

/// Serves a queue that never runs empty, and an edge that answers the access check and all claims with these statuses.
async fn serve_queue_and_edge(access_check: StatusCode, claims: StatusCode, counters: QueueCounters) -> String {
    let pulls = Arc::clone(&counters.pulls);
    let pull = move || async move {
        let number = pulls.fetch_add(1, Ordering::Relaxed);
        let job = json!({
            "version": contract::JOB_VERSION, "content_id": 1, "generation": 1,
            "content_uuid": Uuid::from_u128(u128::from(number) + 1).to_string(),
        });
        let message = json!({ "lease_id": format!("lease-{number}"), "id": "m", "body": job.to_string() });
        axum::Json(json!({ "success": true, "result": { "messages": [message] } }))
    };
    let all_returned = Arc::clone(&counters.returned);
    let settle = move |axum::Json(request): axum::Json<Value>| async move {
        let returned = request["retries"].as_array().map_or(0, Vec::len);
        let returned = u32::try_from(returned).unwrap();
        all_returned.fetch_add(returned, Ordering::Relaxed);
        axum::Json(json!({ "success": true, "result": {} }))
    };
    let claim = move |axum::Json(claim): axum::Json<Value>| async move {
        if claim["content_uuid"] == Uuid::nil().to_string() {
            return (access_check, json!({ "answer": "obsolete" }).to_string());
        }
        (claims, String::new())
    };
    let read_backlog = move || async move {
        counters.backlogs.fetch_add(1, Ordering::Relaxed);
        axum::Json(json!({ "success": true, "result": { "backlog_count": 7 } }))
    };
    let router = Router::new()
        .route("/accounts/a/queues/q/metrics", get(read_backlog))
        .route("/accounts/a/queues/q/messages/pull", post(pull))
        .route("/accounts/a/queues/q/messages/ack", post(settle))
        .route(paths::JOB_CLAIM, post(claim));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn job_context(url: &str, folder: &TempDir) -> JobContext {
    let http = crate::clients::http::client_builder(Duration::from_secs(5)).build().unwrap();
    let edge = EdgeSettings { url: url.to_owned(), key: OriginKey::new(1, [1; 32]) };
    let store = StoreSettings {
        endpoint: url.to_owned(),
        bucket: "bucket".to_owned(),
        access_key_id: String::new().into(),
        secret_access_key: String::new().into(),
    };
    let confinement = Arc::new(NoConfinement);
    JobContext {
        origin: "origin".to_owned(),
        edge: EdgeClient::new(http, edge),
        store: ObjectStore::new(&store),
        tools: Tools {
            ffmpeg: "ffmpeg".into(),
            ffprobe: "ffprobe".into(),
            confinement,
            threads: 1,
            encoders: Encoders::default(),
        },
        classifier: None,
        folder: WorkFolder::open(folder.path()).unwrap(),
        job_timeout: Duration::from_secs(10),
        suspects: Semaphore::new(1),
        spans: SpanExport::default(),
    }
}

fn service(url: &str, folder: &TempDir) -> Service {
    let settings = PullSettings {
        jobs: 1,
        visibility: Duration::from_secs(30),
        poll_interval: Duration::from_millis(10),
        min_free_bytes: 0,
        shutdown_grace: Duration::from_secs(5),
        backlog_interval: Duration::from_millis(10),
    };
    service_with(url, job_context(url, folder), settings)
}

fn service_with(url: &str, context: JobContext, settings: PullSettings) -> Service {
    let address = QueueAddress { base: url.to_owned(), account: "a".to_owned(), queue: "q".to_owned() };
    let queue = QueueClient::new(&address, String::new().into()).unwrap();
    Service::new(Arc::new(context), queue, settings, Readiness::default())
}

#[tokio::test]
async fn an_origin_whose_claims_fail_does_not_use_up_the_queue() {
    let (counters, folder) = (QueueCounters::default(), tempfile::tempdir().unwrap());
    let url = serve_queue_and_edge(StatusCode::OK, StatusCode::BAD_REQUEST, counters.clone()).await;
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(service(&url, &folder).run(shutdown.clone()));
    let pulls = cases(3, 5);
    let pauses = |random| (1..pulls).map(|failures| crate::retry::pause(failures, None, random)).sum::<Duration>();
    // The requests take time too. The quick form allows for a machine that is very busy.
    let latest = pauses(1.0) + cases(Duration::from_mins(1), Duration::from_secs(5));
    let started = Instant::now();
    while counters.pulls.load(Ordering::Relaxed) < pulls {
        assert!(started.elapsed() < latest, "fewer than {pulls} pulls within {latest:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(started.elapsed() >= pauses(0.0), "{pulls} pulls within {:?}", started.elapsed());
    shutdown.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(counters.returned.load(Ordering::Relaxed), counters.pulls.load(Ordering::Relaxed));
}

#[tokio::test]
async fn a_busy_origin_keeps_reading_the_backlog_and_pulls_nothing() {
    let (counters, folder) = (QueueCounters::default(), tempfile::tempdir().unwrap());
    let url = serve_queue_and_edge(StatusCode::OK, StatusCode::OK, counters.clone()).await;
    let (service, shutdown) = (service(&url, &folder), CancellationToken::new());
    let _busy = service.permits.clone().acquire_owned().await.unwrap();
    let running = tokio::spawn(service.run(shutdown.clone()));
    let started = Instant::now();
    while counters.backlogs.load(Ordering::Relaxed) < 3 {
        assert!(started.elapsed() < Duration::from_mins(1), "the backlog is not read");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    shutdown.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(counters.pulls.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_origin_whose_claim_is_unauthorized_returns_its_message_and_stops() {
    let (counters, folder) = (QueueCounters::default(), tempfile::tempdir().unwrap());
    let url = serve_queue_and_edge(StatusCode::OK, StatusCode::UNAUTHORIZED, counters.clone()).await;
    let result = service(&url, &folder).run(CancellationToken::new()).await;
    assert!(matches!(result, Err(FatalError::Unauthorized(_))), "{result:?}");
    assert_eq!(counters.pulls.load(Ordering::Relaxed), 1);
    assert_eq!(counters.returned.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_origin_that_is_unauthorized_from_the_start_pulls_nothing() {
    let (counters, folder) = (QueueCounters::default(), tempfile::tempdir().unwrap());
    let unauthorized = StatusCode::UNAUTHORIZED;
    let url = serve_queue_and_edge(unauthorized, unauthorized, counters.clone()).await;
    let result = service(&url, &folder).run(CancellationToken::new()).await;
    assert!(matches!(result, Err(FatalError::Unauthorized(_))), "{result:?}");
    assert_eq!(counters.pulls.load(Ordering::Relaxed), 0);
}
