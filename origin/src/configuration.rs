//! The arguments made sure of: everything that is wrong is told at once, and nothing starts before it is right.

use crate::arguments::{EdgeArguments, QueueArguments, RunArguments, StoreArguments};
use crate::secret::Secret;
use contract::signature::OriginSecret;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A late pull, an upload of the outputs and the report come on top of the job's own time.
const VISIBILITY_MARGIN: Duration = Duration::from_mins(2);
/// The queue gives nothing out for longer.
const LONGEST_VISIBILITY: Duration = Duration::from_hours(12);

#[derive(Debug)]
pub struct Configuration {
    pub edge: Edge,
    pub queue: Queue,
    pub store: Store,
    pub service: Service,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub url: String,
    pub secret: OriginSecret,
}

#[derive(Clone, Debug)]
pub struct Queue {
    pub api_base: String,
    pub account_id: String,
    pub id: String,
    pub dead_id: Option<String>,
    pub token: Secret,
}

#[derive(Clone, Debug)]
pub struct Store {
    pub endpoint: String,
    pub bucket: String,
    pub access_key_id: Secret,
    pub secret_access_key: Secret,
}

#[derive(Debug)]
pub struct Service {
    pub name: String,
    pub work_dir: PathBuf,
    pub jobs: u32,
    pub job_timeout: Duration,
    pub shutdown: Duration,
    pub poll: Duration,
    pub min_free_bytes: u64,
    pub listen: SocketAddr,
    pub classifier: Option<Classifier>,
}

#[derive(Clone, Debug)]
pub struct Classifier {
    pub url: String,
    pub token: Option<Secret>,
}

impl Service {
    /// How long the queue keeps a job from others: longer than it can take.
    pub fn visibility(&self) -> Duration {
        self.job_timeout + VISIBILITY_MARGIN
    }
}

/// What is wrong, one line each.
#[derive(Debug, Default)]
pub struct Problems(pub Vec<String>);

impl Problems {
    fn need<T>(&mut self, value: Option<T>, what: &str) -> Option<T> {
        if value.is_none() {
            self.0.push(format!("{what} is not set"));
        }
        value
    }

    fn secret(&mut self, name: &str) -> Option<Secret> {
        let found = self.optional_secret(name);
        self.need(found, &format!("the secret {name} (or {name}_FILE)"))
    }

    fn optional_secret(&mut self, name: &str) -> Option<Secret> {
        Secret::from_environment(name).unwrap_or_else(|problem| {
            self.0.push(problem);
            None
        })
    }

    fn address(&mut self, value: Option<String>, what: &str) -> Option<String> {
        let address = self.need(value, what)?;
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        if !is_web {
            self.0.push(format!("{what} is not an http address"));
        }
        is_web.then(|| address.trim_end_matches('/').to_owned())
    }

    fn wrong(&mut self, is_wrong: bool, what: &str) {
        if is_wrong {
            self.0.push(what.to_owned());
        }
    }
}

/// The whole configuration of `run`, or everything that is wrong with it.
pub fn of_run(arguments: &RunArguments) -> Result<Configuration, Problems> {
    let mut problems = Problems::default();
    let edge = edge(&arguments.edge, &mut problems);
    let queue = queue(&arguments.queue, &mut problems);
    let store = store(&arguments.store, &mut problems);
    let service = service(arguments, &mut problems);
    match (edge, queue, store, service) {
        (Some(edge), Some(queue), Some(store), Some(service)) if problems.0.is_empty() => {
            Ok(Configuration {
                edge,
                queue,
                store,
                service,
            })
        }
        _ => Err(problems),
    }
}

/// The edge's address alone, for the commands that call it with the admin token.
pub fn edge_url(arguments: &EdgeArguments) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let url = problems.address(arguments.url.clone(), "--edge-url (EDGE_URL)");
    url.ok_or(problems)
}

/// The queue alone, for the commands about dead letters.
pub fn of_queue(arguments: &QueueArguments) -> Result<Queue, Problems> {
    let mut problems = Problems::default();
    let queue = queue(arguments, &mut problems);
    queue.filter(|_| problems.0.is_empty()).ok_or(problems)
}

fn edge(arguments: &EdgeArguments, problems: &mut Problems) -> Option<Edge> {
    let url = problems.address(arguments.url.clone(), "--edge-url (EDGE_URL)");
    let secret = problems.secret("ORIGIN_SECRET")?;
    let long_enough = OriginSecret::new(secret.reveal());
    problems.wrong(
        long_enough.is_none(),
        "ORIGIN_SECRET is too short: make one with `openssl rand -hex 32`",
    );
    Some(Edge {
        url: url?,
        secret: long_enough?,
    })
}

fn queue(arguments: &QueueArguments, problems: &mut Problems) -> Option<Queue> {
    let api_base = problems.address(
        Some(arguments.queue_api_base.clone()),
        "--queue-api-base (QUEUE_API_BASE)",
    );
    let account_id = problems.need(
        arguments.queue_account_id.clone(),
        "--queue-account-id (QUEUE_ACCOUNT_ID)",
    );
    let id = problems.need(arguments.queue_id.clone(), "--queue-id (QUEUE_ID)");
    let token = problems.secret("QUEUE_API_TOKEN");
    Some(Queue {
        api_base: api_base?,
        account_id: account_id?,
        id: id?,
        dead_id: arguments.queue_dead_id.clone(),
        token: token?,
    })
}

fn store(arguments: &StoreArguments, problems: &mut Problems) -> Option<Store> {
    let endpoint = problems.address(arguments.s3_endpoint.clone(), "--s3-endpoint (S3_ENDPOINT)");
    let bucket = problems.need(arguments.s3_bucket.clone(), "--s3-bucket (S3_BUCKET)");
    let access_key_id = problems.secret("S3_ACCESS_KEY_ID");
    let secret_access_key = problems.secret("S3_SECRET_ACCESS_KEY");
    Some(Store {
        endpoint: endpoint?,
        bucket: bucket?,
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
    })
}

fn service(arguments: &RunArguments, problems: &mut Problems) -> Option<Service> {
    let name = problems.need(arguments.name.clone(), "--name (ORIGIN_NAME)");
    let work_dir = problems.need(arguments.work_dir.clone(), "--work-dir (WORK_DIR)");
    problems.wrong(
        !(1..=100).contains(&arguments.jobs),
        "--jobs (JOBS) is not within 1 to 100",
    );
    let job_timeout = Duration::from_secs(arguments.job_timeout_seconds);
    problems.wrong(
        job_timeout < Duration::from_secs(10)
            || job_timeout + VISIBILITY_MARGIN > LONGEST_VISIBILITY,
        "--job-timeout-seconds (JOB_TIMEOUT_SECONDS) is not within 10 to 43,000",
    );
    problems.wrong(arguments.poll_ms == 0, "--poll-ms (POLL_MS) is 0");
    let classifier = match &arguments.classifier_url {
        None => None,
        Some(url) => Some(Classifier {
            url: problems.address(Some(url.clone()), "--classifier-url (CLASSIFIER_URL)")?,
            token: problems.optional_secret("CLASSIFIER_TOKEN"),
        }),
    };
    Some(Service {
        name: name?,
        work_dir: work_dir?,
        jobs: arguments.jobs,
        job_timeout,
        shutdown: Duration::from_secs(arguments.shutdown_seconds),
        poll: Duration::from_millis(arguments.poll_ms),
        min_free_bytes: arguments.min_free_mb * 1_000_000 * u64::from(arguments.jobs),
        listen: arguments.listen,
        classifier,
    })
}
