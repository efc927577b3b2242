//! What the command line says. Each flag has its environment variable; secrets come from the environment or from
//! files, never from the command line, which the whole machine can read.

use clap::{Args, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Turns uploads into renditions: pulls jobs, works on them with ffmpeg in a sandbox, reports.
///
/// Start as many as you like, on any Linux machine. Secrets are read from the environment (ORIGIN_SECRET,
/// S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, QUEUE_API_TOKEN, ADMIN_TOKEN, CLASSIFIER_TOKEN) or from the file that
/// the same name with _FILE names.
#[derive(Debug, Parser)]
#[command(name = "clipgate-origin", version)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Pull jobs and work on them until SIGTERM.
    Run(RunArguments),
    /// Check everything that `run` needs, and say what is missing.
    Doctor(RunArguments),
    /// Say what production would say of a video file: its facts, or why it is refused.
    Probe(ProbeArguments),
    /// The jobs that were given up.
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// The job of one content.
    Job {
        #[command(subcommand)]
        command: JobCommand,
    },
}

#[derive(Debug, Subcommand)]
pub enum DlqCommand {
    /// List them all.
    List(DlqArguments),
    /// Show one, by its content or its message's id.
    Show(OneDeadLetter),
    /// Have one tried again, and take it off the list.
    Retry(OneDeadLetter),
    /// Take one off the list, by its content or its message's id; its content stays failed.
    Drop(OneDeadLetter),
}

#[derive(Debug, Args)]
pub struct DlqArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OneDeadLetter {
    /// The content that the job is about; of a letter that is no job, the message's id.
    #[arg(value_name = "UUID")]
    pub name: String,
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub edge: EdgeArguments,
}

#[derive(Debug, Subcommand)]
pub enum JobCommand {
    /// Make a new job for a content that failed or hangs. Needs ADMIN_TOKEN.
    Requeue {
        content_uuid: String,
        #[command(flatten)]
        edge: EdgeArguments,
    },
}

#[derive(Debug, Args)]
pub struct EdgeArguments {
    /// The edge's base address.
    #[arg(long = "edge-url", env = "EDGE_URL", value_name = "URL")]
    pub url: Option<String>,
}

#[derive(Debug, Args)]
pub struct QueueArguments {
    /// Where Cloudflare's API is.
    #[arg(
        long,
        env = "QUEUE_API_BASE",
        value_name = "URL",
        default_value = "https://api.cloudflare.com/client/v4"
    )]
    pub queue_api_base: String,
    /// The account that the queue belongs to.
    #[arg(long, env = "QUEUE_ACCOUNT_ID", value_name = "ID")]
    pub queue_account_id: Option<String>,
    /// The queue of the jobs.
    #[arg(long, env = "QUEUE_ID", value_name = "ID")]
    pub queue_id: Option<String>,
    /// Its dead-letter queue.
    #[arg(long, env = "QUEUE_DEAD_ID", value_name = "ID")]
    pub queue_dead_id: Option<String>,
}

#[derive(Debug, Args)]
pub struct StoreArguments {
    /// R2's S3 endpoint: `https://<account>.r2.cloudflarestorage.com`.
    #[arg(long, env = "S3_ENDPOINT", value_name = "URL")]
    pub s3_endpoint: Option<String>,
    /// The bucket that the Worker stores uploads in.
    #[arg(long, env = "S3_BUCKET", value_name = "NAME")]
    pub s3_bucket: Option<String>,
}

#[derive(Debug, Args)]
pub struct ToolArguments {
    /// Which ffmpeg.
    #[arg(long, env = "FFMPEG", value_name = "PATH", default_value = "ffmpeg")]
    pub ffmpeg: PathBuf,
    /// Which ffprobe.
    #[arg(long, env = "FFPROBE", value_name = "PATH", default_value = "ffprobe")]
    pub ffprobe: PathBuf,
    /// Work although this kernel cannot give the whole sandbox. A stranger's file may then reach what this user can
    /// reach.
    #[arg(long, env = "ALLOW_WEAK_SANDBOX")]
    pub allow_weak_sandbox: bool,
}

#[derive(Debug, Args)]
pub struct ProbeArguments {
    /// The video.
    pub file: PathBuf,
    #[command(flatten)]
    pub tools: ToolArguments,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Said again below `run --help` and `doctor --help`: a secret that is missing is what a new origin stumbles over.
const SECRETS: &str = "Secrets, each from the environment or from the file that NAME_FILE names:
  ORIGIN_SECRET          what requests to the edge are signed with
  S3_ACCESS_KEY_ID       an R2 token for the bucket, and
  S3_SECRET_ACCESS_KEY   its secret
  QUEUE_API_TOKEN        an API token that may read and write queues
  CLASSIFIER_TOKEN       what the classifier is asked with, if it wants one";

#[derive(Debug, Args)]
#[command(after_help = SECRETS)]
pub struct RunArguments {
    #[command(flatten)]
    pub edge: EdgeArguments,
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub store: StoreArguments,
    #[command(flatten)]
    pub tools: ToolArguments,
    /// What this origin is called. Two origins must have two names.
    #[arg(long, env = "ORIGIN_NAME", value_name = "NAME")]
    pub name: Option<String>,
    /// The folder for jobs under way; this origin's alone. What a crash left in it is cleared at the start.
    #[arg(long, env = "WORK_DIR", value_name = "PATH")]
    pub work_dir: Option<PathBuf>,
    /// How many jobs run at once.
    #[arg(long, env = "JOBS", value_name = "NUMBER", default_value_t = 1)]
    pub jobs: u32,
    /// A job that takes longer is stopped and tried again.
    #[arg(
        long,
        env = "JOB_TIMEOUT_SECONDS",
        value_name = "SECONDS",
        default_value_t = 900
    )]
    pub job_timeout_seconds: u64,
    /// How long jobs under way may go on after SIGTERM before they are given back.
    #[arg(
        long,
        env = "SHUTDOWN_SECONDS",
        value_name = "SECONDS",
        default_value_t = 25
    )]
    pub shutdown_seconds: u64,
    /// How long to wait before asking an empty queue again.
    #[arg(
        long,
        env = "POLL_MS",
        value_name = "MILLISECONDS",
        default_value_t = 2000
    )]
    pub poll_ms: u64,
    /// Pull nothing while less than this is free for each job.
    #[arg(
        long,
        env = "MIN_FREE_MB",
        value_name = "MEGABYTES",
        default_value_t = 2000
    )]
    pub min_free_mb: u64,
    /// Where /healthz, /readyz and /metrics are.
    #[arg(
        long,
        env = "LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:9600"
    )]
    pub listen: SocketAddr,
    /// An external classifier (docs/classifier.md). Without it, no check of the pictures' meaning is made.
    #[arg(long, env = "CLASSIFIER_URL", value_name = "URL")]
    pub classifier_url: Option<String>,
    /// Log as JSON, one object a line.
    #[arg(long, env = "LOG_JSON")]
    pub log_json: bool,
}
