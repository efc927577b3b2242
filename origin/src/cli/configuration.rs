//! Checks the arguments and turns them into settings. All problems are reported at once, and nothing starts before they
//! are resolved.

use crate::cli::arguments::{
    EdgeArguments, EncoderArguments, H264EncoderName, QueueArguments, RunArguments, SecondCodecName, StoreArguments,
};
use crate::cli::secret;
use crate::clients::classifier::ClassifierSettings;
use crate::clients::edge::EdgeSettings;
use crate::clients::store::StoreSettings;
use crate::media::Hardware;
use crate::media::encoders::{Encoder, Encoders, Quality, SecondCodec};
use contract::signature::OriginKey;
use secrecy::{ExposeSecret, SecretString};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Added to the job timeout for what it does not cover: a late start after the pull, and the report.
const VISIBILITY_MARGIN: Duration = Duration::from_mins(2);
/// 43,080 s. With the margin, this is the queue's limit for visibility timeouts: 12 hours.
const MAX_JOB_TIMEOUT: Duration = Duration::from_mins(718);
const MIN_JOB_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Configuration {
    pub(super) edge: EdgeSettings,
    pub(super) queue: QueueSettings,
    pub(super) store: StoreSettings,
    pub(super) service: ServiceSettings,
}

#[derive(Clone, Debug)]
pub(super) struct QueueSettings {
    pub(super) api_base: String,
    pub(super) account_id: String,
    pub(super) id: String,
    pub(super) dead_letter_id: Option<String>,
    pub(super) token: SecretString,
}

#[derive(Debug)]
pub(super) struct ServiceSettings {
    pub(super) name: String,
    pub(super) work_dir: PathBuf,
    pub(super) jobs: u32,
    pub(super) encoders: Encoders,
    pub(super) job_timeout: Duration,
    pub(super) shutdown_grace: Duration,
    pub(super) poll_interval: Duration,
    pub(super) min_free_bytes: u64,
    pub(super) listen: SocketAddr,
    pub(super) classifier: Option<ClassifierSettings>,
    /// The address of the collector of spans.
    pub(super) collector: Option<String>,
}

impl ServiceSettings {
    /// Returns how long the queue hides a pulled message from other origins: longer than any job can take.
    pub(super) fn visibility(&self) -> Duration {
        self.job_timeout + VISIBILITY_MARGIN
    }
}

/// All problems of a configuration, one line each.
#[derive(Debug, Default)]
pub(super) struct ConfigurationProblems(pub(super) Vec<String>);

impl ConfigurationProblems {
    fn require<T>(&mut self, value: Option<T>, name: &str) -> Option<T> {
        if value.is_none() {
            self.0.push(format!("{name} is not set"));
        }
        value
    }

    fn require_secret(&mut self, name: &str) -> Option<SecretString> {
        let secret = self.optional_secret(name);
        self.require(secret, &format!("the secret {name} (or {name}_FILE)"))
    }

    fn optional_secret(&mut self, name: &str) -> Option<SecretString> {
        secret::from_environment(name).unwrap_or_else(|problem| {
            self.0.push(problem);
            None
        })
    }

    /// Requires an HTTP URL, and returns it without trailing slashes.
    fn require_url(&mut self, value: Option<String>, name: &str) -> Option<String> {
        let url = self.require(value, name)?;
        let is_http = url.starts_with("https://") || url.starts_with("http://");
        self.reject_if(!is_http, &format!("{name} is not an http:// or https:// URL"));
        is_http.then(|| url.trim_end_matches('/').to_owned())
    }

    fn reject_if(&mut self, is_invalid: bool, problem: &str) {
        if is_invalid {
            self.0.push(problem.to_owned());
        }
    }
}

/// Returns the whole configuration of `run`, or all of its problems.
pub(super) fn for_run(arguments: &RunArguments) -> Result<Configuration, ConfigurationProblems> {
    let mut problems = ConfigurationProblems::default();
    let edge = edge_settings(&arguments.edge, &mut problems);
    let queue = queue_settings(&arguments.queue, &mut problems);
    let store = store_settings(&arguments.store, &mut problems);
    let service = service_settings(arguments, &mut problems);
    match (edge, queue, store, service) {
        (Some(edge), Some(queue), Some(store), Some(service)) if problems.0.is_empty() => {
            Ok(Configuration { edge, queue, store, service })
        }
        _ => Err(problems),
    }
}

/// Returns only the edge's URL, for the commands that authenticate with the admin token.
pub(super) fn edge_url(arguments: &EdgeArguments) -> Result<String, ConfigurationProblems> {
    let mut problems = ConfigurationProblems::default();
    let url = problems.require_url(arguments.url.clone(), "--edge-url (EDGE_URL)");
    url.ok_or(problems)
}

/// Returns only the queue's settings, for the `dlq` commands.
pub(super) fn for_queue(arguments: &QueueArguments) -> Result<QueueSettings, ConfigurationProblems> {
    let mut problems = ConfigurationProblems::default();
    let queue = queue_settings(arguments, &mut problems);
    queue.filter(|_| problems.0.is_empty()).ok_or(problems)
}

fn edge_settings(arguments: &EdgeArguments, problems: &mut ConfigurationProblems) -> Option<EdgeSettings> {
    let url = problems.require_url(arguments.url.clone(), "--edge-url (EDGE_URL)");
    let text = problems.require_secret("ORIGIN_KEY")?;
    let key = OriginKey::parse(text.expose_secret());
    problems.reject_if(key.is_none(), "ORIGIN_KEY is not an origin key that the edge created (cgo_…)");
    Some(EdgeSettings { url: url?, key: key? })
}

fn queue_settings(arguments: &QueueArguments, problems: &mut ConfigurationProblems) -> Option<QueueSettings> {
    let api_base = problems.require_url(Some(arguments.api_base.clone()), "--queue-api-base (QUEUE_API_BASE)");
    let account_id = problems.require(arguments.account_id.clone(), "--queue-account-id (QUEUE_ACCOUNT_ID)");
    let id = problems.require(arguments.id.clone(), "--queue-id (QUEUE_ID)");
    let token = problems.require_secret("QUEUE_API_TOKEN");
    Some(QueueSettings {
        api_base: api_base?,
        account_id: account_id?,
        id: id?,
        dead_letter_id: arguments.dead_letter_id.clone(),
        token: token?,
    })
}

fn store_settings(arguments: &StoreArguments, problems: &mut ConfigurationProblems) -> Option<StoreSettings> {
    let endpoint = problems.require_url(arguments.s3_endpoint.clone(), "--s3-endpoint (S3_ENDPOINT)");
    let bucket = problems.require(arguments.s3_bucket.clone(), "--s3-bucket (S3_BUCKET)");
    let access_key_id = problems.require_secret("S3_ACCESS_KEY_ID");
    let secret_access_key = problems.require_secret("S3_SECRET_ACCESS_KEY");
    Some(StoreSettings {
        endpoint: endpoint?,
        bucket: bucket?,
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
    })
}

fn encoders(arguments: EncoderArguments, problems: &mut ConfigurationProblems) -> Option<Encoders> {
    let quality = Quality::new(arguments.quality);
    problems.reject_if(quality.is_none(), "--quality (QUALITY) is not between 18 and 32");
    let second_codec = match arguments.second_codec {
        SecondCodecName::None => None,
        SecondCodecName::Av1 => Some(SecondCodec::Av1),
        SecondCodecName::Hevc => Some(SecondCodec::Hevc),
    };
    let hardware = hardware(arguments, problems);
    Some(Encoders { h264: Encoder { preset: arguments.preset, quality: quality?, hardware }, second_codec })
}

fn hardware(arguments: EncoderArguments, problems: &mut ConfigurationProblems) -> Option<Hardware> {
    let render_node = arguments.render_node;
    problems.reject_if(render_node < 128, "--render-node (RENDER_NODE) is not between 128 and 255");
    match arguments.h264_encoder {
        H264EncoderName::X264 => None,
        H264EncoderName::Vaapi => Some(Hardware::Vaapi { render_node, low_power: false }),
        H264EncoderName::VaapiLowPower => Some(Hardware::Vaapi { render_node, low_power: true }),
        H264EncoderName::Nvenc => Some(Hardware::Nvenc),
    }
}

fn service_settings(arguments: &RunArguments, problems: &mut ConfigurationProblems) -> Option<ServiceSettings> {
    let name = problems.require(arguments.name.clone(), "--name (ORIGIN_NAME)");
    let work_dir = problems.require(arguments.work_dir.clone(), "--work-dir (WORK_DIR)");
    problems.reject_if(!(1..=100).contains(&arguments.jobs), "--jobs (JOBS) is not between 1 and 100");
    let encoders = encoders(arguments.encoders, problems);
    let job_timeout = Duration::from_secs(arguments.job_timeout_seconds);
    problems.reject_if(
        !(MIN_JOB_TIMEOUT..=MAX_JOB_TIMEOUT).contains(&job_timeout),
        "--job-timeout-seconds (JOB_TIMEOUT_SECONDS) is not between 10 and 43080",
    );
    problems.reject_if(arguments.poll_ms == 0, "--poll-ms (POLL_MS) is 0. Set it to at least 1");
    let classifier = match &arguments.classifier_url {
        None => None,
        Some(url) => Some(ClassifierSettings {
            url: problems.require_url(Some(url.clone()), "--classifier-url (CLASSIFIER_URL)")?,
            token: problems.optional_secret("CLASSIFIER_TOKEN"),
        }),
    };
    let collector = match arguments.otlp_endpoint.as_deref() {
        // The standard says that an empty variable is an unset one.
        None | Some("") => None,
        Some(url) => Some(problems.require_url(Some(url.to_owned()), "--otlp-endpoint (OTEL_EXPORTER_OTLP_ENDPOINT)")?),
    };
    Some(ServiceSettings {
        name: name?,
        work_dir: work_dir?,
        jobs: arguments.jobs,
        encoders: encoders?,
        job_timeout,
        shutdown_grace: Duration::from_secs(arguments.shutdown_seconds),
        poll_interval: Duration::from_millis(arguments.poll_ms),
        min_free_bytes: arguments.min_free_mb.saturating_mul(1_000_000 * u64::from(arguments.jobs)),
        listen: arguments.listen,
        classifier,
        collector,
    })
}
