//! A queue, an edge and a store on tokio's clock, which jumps ahead while all tasks wait. The tests decide when each is
//! away.

use axum::Json;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use contract::job::{
    CLAIM_SECONDS, ClaimAnswer, JobDetails, JobId, JobOutcome, JobProgress, JobReport, JobWork, ProgressAnswer,
    ReleaseAnswer, ReportAnswer,
};
use contract::{JOB_VERSION, JobMessage, paths};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// Every source is refused, after a download that takes as long as an encode.
pub(super) const SOURCE: &str = "this is no video";
pub(super) const WORK_TIME: Duration = Duration::from_secs(4);

/// The pause of a job after an undecided failure.
const PAUSE: Duration = Duration::from_mins(1);

/// The course of one job.
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    pub deliveries: u32,
    pub is_settled: bool,
    /// The number of times that an origin began to work on it.
    pub downloads: u32,
    pub claims: usize,
    pub is_reported: bool,
    hidden_until: Option<Instant>,
    lease: Option<usize>,
    holder: Option<(String, Instant)>,
}

#[expect(clippy::struct_excessive_bools, reason = "each part can fail while the others work")]
#[derive(Debug, Default)]
pub(super) struct World {
    pub jobs: Vec<Job>,
    pub edge_is_away: bool,
    pub settlements_fail: bool,
    /// The edge answers everything but claims.
    pub claims_fail: bool,
    pub store_is_away: bool,
    /// The edge goes away when it gets a claim after granting this many.
    pub away_after_claims: Option<usize>,
    /// The job of each lease.
    leases: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SharedWorld(Arc<Mutex<World>>);

type Answer = Result<String, StatusCode>;

impl SharedWorld {
    /// Serves a world with this many jobs, and returns its address.
    pub(super) async fn serve(jobs: usize) -> (Self, String) {
        let world = Self::default();
        world.lock().jobs = vec![Job::default(); jobs];
        let router = Router::new()
            .route("/accounts/a/queues/q/messages/pull", post(pull))
            .route("/accounts/a/queues/q/messages/ack", post(settle))
            .route("/accounts/a/queues/q/metrics", get(async || Json(json!({ "success": true }))))
            .route(paths::JOB_CLAIM, post(claim))
            .route(paths::JOB_PROGRESS, post(progress))
            .route(paths::JOB_RELEASE, post(release))
            .route(paths::JOB_REPORT, post(report))
            .route("/bucket/{*key}", get(download))
            .route("/bucket/", get(list))
            .route("/bucket", get(list))
            .with_state(world.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (world, url)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// Waits until the condition holds, and returns how long that took.
    pub(super) async fn until(&self, condition: impl Fn(&World) -> bool) -> Duration {
        let started = Instant::now();
        while !condition(&self.lock()) {
            assert!(started.elapsed() < Duration::from_hours(3), "{:?}", self.lock());
            sleep(Duration::from_millis(100)).await;
        }
        started.elapsed()
    }
}

impl World {
    fn deliver(&mut self, batch: usize, visibility: Duration) -> Vec<Value> {
        let now = Instant::now();
        let is_ready = |job: &Job| !job.is_settled && job.hidden_until.is_none_or(|until| until <= now);
        let ready: Vec<_> = (0..self.jobs.len()).filter(|number| is_ready(&self.jobs[*number])).take(batch).collect();
        ready.into_iter().map(|number| self.lease(number, now + visibility)).collect()
    }

    fn lease(&mut self, number: usize, until: Instant) -> Value {
        let lease = self.leases.len();
        self.leases.push(number);
        let job = &mut self.jobs[number];
        (job.lease, job.hidden_until, job.deliveries) = (Some(lease), Some(until), job.deliveries + 1);
        let message = JobMessage {
            version: JOB_VERSION,
            content_id: number as u64 + 1,
            content_uuid: Uuid::from_u128(number as u128 + 1).to_string(),
            generation: 1,
            work: JobWork::Video,
            traceparent: None,
        };
        let body = serde_json::to_string(&message).unwrap();
        json!({ "lease_id": lease.to_string(), "id": number.to_string(), "attempts": job.deliveries, "body": body })
    }

    /// Ends the lease of a job's message.
    pub(super) fn show_again(&mut self, number: usize) {
        self.jobs[number].hidden_until = None;
    }

    fn settle(&mut self, request: &Value) {
        let lease = |entry: &Value| entry["lease_id"].as_str().unwrap().parse::<usize>().unwrap();
        for entry in request["acks"].as_array().unwrap() {
            let job = &mut self.jobs[self.leases[lease(entry)]];
            job.is_settled |= job.lease == Some(lease(entry));
        }
        for entry in request["retries"].as_array().unwrap() {
            let job = &mut self.jobs[self.leases[lease(entry)]];
            if job.lease == Some(lease(entry)) {
                let delay = Duration::from_secs(entry["delay_seconds"].as_u64().unwrap());
                job.hidden_until = Some(Instant::now() + delay);
            }
        }
    }

    /// Returns the job of a request, unless the edge is away.
    fn job(&mut self, uuid: &str) -> Result<&mut Job, StatusCode> {
        if self.edge_is_away {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        let number = usize::try_from(Uuid::parse_str(uuid).unwrap().as_u128()).unwrap();
        number.checked_sub(1).and_then(|number| self.jobs.get_mut(number)).ok_or(StatusCode::NOT_FOUND)
    }
}

impl Job {
    /// Puts another message into the queue. Settling an earlier one has no effect any more.
    fn send(&mut self) {
        (self.lease, self.hidden_until, self.is_settled) = (None, None, false);
    }

    fn is_held_by(&self, origin: &str) -> bool {
        !self.is_reported && self.holder.as_ref().is_some_and(|(holder, _)| holder == origin)
    }

    fn hold(&mut self, origin: &str) {
        self.holder = Some((origin.to_owned(), Instant::now() + Duration::from_secs(CLAIM_SECONDS)));
    }
}

#[expect(clippy::unnecessary_wraps, reason = "its callers return it beside failures")]
fn text(answer: &impl Serialize) -> Answer {
    Ok(serde_json::to_string(answer).unwrap())
}

async fn pull(State(world): State<SharedWorld>, Json(request): Json<Value>) -> Json<Value> {
    let number = |name: &str| request[name].as_u64().unwrap();
    let batch = usize::try_from(number("batch_size")).unwrap();
    let messages = world.lock().deliver(batch, Duration::from_millis(number("visibility_timeout_ms")));
    Json(json!({ "success": true, "result": { "messages": messages } }))
}

async fn settle(State(world): State<SharedWorld>, Json(request): Json<Value>) -> Answer {
    let mut world = world.lock();
    if world.settlements_fail {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    world.settle(&request);
    text(&json!({ "success": true, "result": {} }))
}

async fn claim(State(world): State<SharedWorld>, Json(id): Json<JobId>) -> Answer {
    let mut world = world.lock();
    let claims_fail = world.claims_fail;
    let granted: usize = world.jobs.iter().map(|job| job.claims).sum();
    world.edge_is_away |= world.away_after_claims.take_if(|limit| granted >= *limit).is_some();
    let job = match world.job(&id.content_uuid) {
        Err(StatusCode::NOT_FOUND) => return text(&ClaimAnswer::Obsolete),
        job => job?,
    };
    if claims_fail {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    if job.is_reported {
        return text(&ClaimAnswer::Obsolete);
    }
    let is_held = |(holder, ends): &(String, Instant)| *holder != id.origin && *ends > Instant::now();
    if job.holder.as_ref().is_some_and(is_held) {
        return text(&ClaimAnswer::Busy { retry_after_seconds: 10 });
    }
    job.hold(&id.origin);
    job.claims += 1;
    text(&ClaimAnswer::Granted(details(&id)))
}

fn details(id: &JobId) -> JobDetails {
    JobDetails {
        work: JobWork::Video,
        source_key: id.content_uuid.clone(),
        thumbnail_key: None,
        thumbnail_time_seconds: None,
        duration_ms: 5_000,
        size_bytes: SOURCE.len() as u64,
        file_sha256: String::new(),
        caption: None,
        summary: None,
        captions: None,
        is_suspect: false,
        may_be_completed: false,
        first_generation: None,
    }
}

async fn progress(State(world): State<SharedWorld>, Json(progress): Json<JobProgress>) -> Answer {
    let mut world = world.lock();
    let job = world.job(&progress.id.content_uuid)?;
    let is_current = job.is_held_by(&progress.id.origin);
    if is_current {
        job.hold(&progress.id.origin);
    }
    text(&ProgressAnswer { is_current })
}

async fn release(State(world): State<SharedWorld>, Json(id): Json<JobId>) -> Answer {
    let mut world = world.lock();
    let job = world.job(&id.content_uuid)?;
    let released = job.is_held_by(&id.origin);
    job.holder.take_if(|_| released);
    if released {
        job.send();
    }
    text(&ReleaseAnswer { released })
}

async fn report(State(world): State<SharedWorld>, Json(report): Json<JobReport>) -> Answer {
    let mut world = world.lock();
    let job = world.job(&report.id.content_uuid)?;
    let accepted = job.is_held_by(&report.id.origin);
    if let (true, JobOutcome::Undecided { .. }) = (accepted, &report.outcome) {
        job.holder = None;
        job.send();
        job.hidden_until = Some(Instant::now() + PAUSE);
        return text(&ReportAnswer { accepted, state: None });
    }
    job.is_reported |= accepted;
    text(&ReportAnswer { accepted, state: None })
}

async fn list(State(world): State<SharedWorld>) -> Answer {
    let none = r#"<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>bucket</Name></ListBucketResult>"#;
    if world.lock().store_is_away { Err(StatusCode::SERVICE_UNAVAILABLE) } else { Ok(none.to_owned()) }
}

async fn download(State(world): State<SharedWorld>, Path(uuid): Path<String>) -> Result<&'static str, StatusCode> {
    let number = usize::try_from(Uuid::parse_str(&uuid).unwrap().as_u128()).unwrap();
    if world.lock().store_is_away {
        return Err(StatusCode::SERVICE_UNAVAILABLE);
    }
    world.lock().jobs[number - 1].downloads += 1;
    sleep(WORK_TIME).await;
    Ok(SOURCE)
}
