//! The command-line arguments. Each option can also be set by an environment variable.
//!
//! Secrets come from the environment or from files, never from the command line, which every user of the machine can
//! read.

use crate::build;
use crate::media::encoders::{Preset, Quality};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use contract::limits::DEFAULT_MAX_RESUMABLE_BYTES;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Clipgate's media processor: pulls jobs from the queue, turns uploads into renditions with ffmpeg in a sandbox, and
/// reports the outcome to the edge.
///
/// Any number of origins can run at the same time, on any Linux machine. Each option below can also be set by its
/// environment variable. Secrets are read only from the environment: set NAME to the secret, or NAME_FILE to a file
/// that contains it.
#[derive(Debug, Parser)]
#[command(name = "clipgate-origin", version = build::text())]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Pull and process jobs until SIGTERM or Ctrl-C.
    Run(RunArguments),
    /// Check everything that `run` needs, and list what is missing.
    Doctor(RunArguments),
    /// Inspect a video file as the service does: print its properties, or why it is rejected.
    Probe(ProbeArguments),
    /// Manage dead letters: jobs that were abandoned although their files may be valid.
    Dlq {
        #[command(subcommand)]
        command: DlqCommand,
    },
    /// Manage the job of a video.
    Job {
        #[command(subcommand)]
        command: JobCommand,
    },
}

#[derive(Debug, Subcommand)]
pub enum DlqCommand {
    /// List all dead letters, each with the last error of its job.
    List(DlqListArguments),
    /// Show one dead letter.
    Show(DeadLetterArguments),
    /// Create a new job for the video of a dead letter, and remove the dead letter.
    Retry(DeadLetterArguments),
    /// Remove a dead letter. Its video stays failed.
    Drop(DeadLetterArguments),
}

const DLQ_SECRETS: &str = "Secrets (set NAME, or NAME_FILE to a file that contains the secret):
  QUEUE_API_TOKEN  API token that may read and edit queues
  ADMIN_TOKEN      the Worker's admin token, for `dlq list`, `dlq retry` and `dlq drop`";

#[derive(Debug, Args)]
#[command(after_help = DLQ_SECRETS)]
pub struct DlqListArguments {
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub edge: EdgeArguments,
    /// List the messages of the dead-letter queue instead, including messages that are not jobs. Uses up one of the 100
    /// retries of each.
    #[arg(long)]
    pub pull: bool,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = DLQ_SECRETS)]
pub struct DeadLetterArguments {
    /// UUID of the video, or the ID of the message. A message without a valid job can only be named by its ID.
    #[arg(value_name = "UUID")]
    pub name: String,
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub edge: EdgeArguments,
}

#[derive(Debug, Subcommand)]
pub enum JobCommand {
    /// Create a new job for a video that failed or does not finish.
    #[command(after_help = "Secrets (set NAME, or NAME_FILE to a file that contains the secret):
  ADMIN_TOKEN  the Worker's admin token")]
    Requeue {
        /// UUID of the video.
        #[arg(value_name = "UUID")]
        content_uuid: String,
        #[command(flatten)]
        edge: EdgeArguments,
    },
}

#[derive(Debug, Args)]
pub struct EdgeArguments {
    /// Base URL of the edge. Required by `run`, `doctor`, `job requeue` and the `dlq` commands except `show`.
    #[arg(long = "edge-url", env = "EDGE_URL", value_name = "URL")]
    pub url: Option<String>,
}

/// The largest source, and a gigabyte for renditions: those of two minutes in two codecs have less.
const DEFAULT_MIN_FREE_MB: u64 = DEFAULT_MAX_RESUMABLE_BYTES / 1_000_000 + 1_000;

const CLOUDFLARE_API: &str = "https://api.cloudflare.com/client/v4";

#[derive(Debug, Args)]
pub struct QueueArguments {
    /// Base URL of Cloudflare's API.
    #[arg(long = "queue-api-base", env = "QUEUE_API_BASE", value_name = "URL", default_value = CLOUDFLARE_API)]
    pub api_base: String,
    /// ID of the Cloudflare account that owns the queues. Required.
    #[arg(long = "queue-account-id", env = "QUEUE_ACCOUNT_ID", value_name = "ID")]
    pub account_id: Option<String>,
    /// ID of the job queue. Required.
    #[arg(long = "queue-id", env = "QUEUE_ID", value_name = "ID")]
    pub id: Option<String>,
    /// ID of the dead-letter queue. Required by the `dlq` commands.
    #[arg(long = "queue-dead-id", env = "QUEUE_DEAD_ID", value_name = "ID")]
    pub dead_letter_id: Option<String>,
}

#[derive(Debug, Args)]
pub struct StoreArguments {
    /// R2's S3 endpoint: `https://ACCOUNT_ID.r2.cloudflarestorage.com`. Required.
    #[arg(long, env = "S3_ENDPOINT", value_name = "URL")]
    pub s3_endpoint: Option<String>,
    /// Name of the bucket in which the Worker stores uploads. Required.
    #[arg(long, env = "S3_BUCKET", value_name = "NAME")]
    pub s3_bucket: Option<String>,
}

#[derive(Debug, Args)]
pub struct ToolArguments {
    /// Path of ffmpeg, or its name if it is in PATH.
    #[arg(long, env = "FFMPEG", value_name = "PATH", default_value = "ffmpeg")]
    pub ffmpeg: PathBuf,
    /// Path of ffprobe, or its name if it is in PATH.
    #[arg(long, env = "FFPROBE", value_name = "PATH", default_value = "ffprobe")]
    pub ffprobe: PathBuf,
    /// Process files even if this kernel does not support the whole sandbox. A malicious file may then access
    /// everything that this user can. The environment variable takes `true` or `false`.
    #[arg(long, env = "ALLOW_WEAK_SANDBOX")]
    pub allow_weak_sandbox: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct EncoderArguments {
    /// x264 preset. Slower presets make smaller files (docs/origin.md).
    #[arg(long, env = "PRESET", value_name = "NAME", default_value = Preset::default().as_str(), value_parser = preset())]
    pub preset: Preset,
    /// Picture quality as x264's rate factor, 18 to 32. Lower values give better quality and larger files.
    #[arg(long, env = "QUALITY", value_name = "NUMBER", default_value_t = Quality::default().factor())]
    pub quality: u8,
    /// Encoder of the H.264 renditions: x264, or a graphics card's. If the card fails during a job, x264 encodes the
    /// video (docs/origin.md).
    #[arg(long, env = "H264_ENCODER", value_enum, value_name = "NAME", default_value_t = H264EncoderName::X264)]
    pub h264_encoder: H264EncoderName,
    /// Number of the graphics card for `vaapi`: 128 for /dev/dri/renderD128.
    #[arg(long, env = "RENDER_NODE", value_name = "NUMBER", default_value_t = 128)]
    pub render_node: u8,
    /// Codec of additional renditions, for players that can decode it. Halves the bytes that viewers load, and roughly
    /// triples the duration of a job (docs/media.md).
    #[arg(long, env = "SECOND_CODEC", value_enum, value_name = "CODEC", default_value_t = SecondCodecName::None)]
    pub second_codec: SecondCodecName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum H264EncoderName {
    X264,
    /// Cards of Intel and AMD
    Vaapi,
    /// Intel's newest cards
    VaapiLowPower,
    /// Cards of NVIDIA
    Nvenc,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SecondCodecName {
    None,
    Av1,
    Hevc,
}

/// The default time limits of slower jobs. The first that applies counts.
const LONGER_TIMEOUTS: [(&str, &str, &str); 5] = [
    ("second_codec", "av1", "3000"),
    ("second_codec", "hevc", "3000"),
    ("h264_encoder", "vaapi", "1500"),
    ("h264_encoder", "vaapi-low-power", "1500"),
    ("h264_encoder", "nvenc", "1500"),
];

fn preset() -> impl TypedValueParser<Value = Preset> {
    PossibleValuesParser::new(Preset::ALL.map(Preset::as_str)).try_map(|name| name.parse::<Preset>())
}

#[derive(Debug, Args)]
pub struct ProbeArguments {
    /// The video file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub tools: ToolArguments,
    /// Print JSON instead of text.
    #[arg(long)]
    pub json: bool,
}

/// Shown by `run --help` and `doctor --help`, because a missing secret is the most common problem of a new origin.
const RUN_SECRETS: &str = "Secrets (set NAME, or NAME_FILE to a file that contains the secret):
  ORIGIN_KEY            signs requests to the edge; created by the edge for this origin's name
  S3_ACCESS_KEY_ID      access key ID of an R2 token for the bucket
  S3_SECRET_ACCESS_KEY  secret access key of the same R2 token
  QUEUE_API_TOKEN       API token that may read and edit queues
  CLASSIFIER_TOKEN      bearer token for the classifier (optional)";

#[derive(Debug, Args)]
#[command(after_help = RUN_SECRETS)]
pub struct RunArguments {
    #[command(flatten)]
    pub edge: EdgeArguments,
    #[command(flatten)]
    pub queue: QueueArguments,
    #[command(flatten)]
    pub store: StoreArguments,
    #[command(flatten)]
    pub tools: ToolArguments,
    #[command(flatten)]
    pub encoders: EncoderArguments,
    /// Name of this origin. Each origin needs a different name. Required.
    #[arg(long, env = "ORIGIN_NAME", value_name = "NAME")]
    pub name: Option<String>,
    /// Folder for the files of running jobs. Each origin needs its own folder. Leftovers of a crash are removed at
    /// startup. Required.
    #[arg(long, env = "WORK_DIR", value_name = "PATH")]
    pub work_dir: Option<PathBuf>,
    /// Maximum number of concurrent jobs, 1 to 100.
    #[arg(long, env = "JOBS", value_name = "NUMBER", default_value_t = 1)]
    pub jobs: u32,
    /// Time limit of a job in seconds, 10 to 43080. A job that exceeds it is stopped and retried. The default is 3000
    /// if there is a second codec, and 1500 with a graphics card.
    #[arg(long, env = "JOB_TIMEOUT_SECONDS", value_name = "SECONDS", default_value_t = 900)]
    #[arg(default_value_ifs(LONGER_TIMEOUTS))]
    pub job_timeout_seconds: u64,
    /// The number of seconds that running jobs may continue after SIGTERM before they are returned to the queue.
    #[arg(long, env = "SHUTDOWN_SECONDS", value_name = "SECONDS", default_value_t = 25)]
    pub shutdown_seconds: u64,
    /// Pause in milliseconds before an empty queue is pulled again. At least 1.
    #[arg(long, env = "POLL_MS", value_name = "MILLISECONDS", default_value_t = 2000)]
    pub poll_ms: u64,
    /// Minimum free disk space in megabytes for each concurrent job: the largest source and its outputs. Below it, no
    /// jobs are pulled.
    #[arg(long, env = "MIN_FREE_MB", value_name = "MEGABYTES", default_value_t = DEFAULT_MIN_FREE_MB)]
    pub min_free_mb: u64,
    /// IP address and port that serve /healthz, /readyz and /metrics.
    #[arg(long, env = "LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:9600")]
    pub listen: SocketAddr,
    /// URL of an external classifier (docs/classifier.md). Without it, the content of videos is not checked.
    #[arg(long, env = "CLASSIFIER_URL", value_name = "URL")]
    pub classifier_url: Option<String>,
    /// URL of an OpenTelemetry collector that receives job spans by OTLP over HTTP. Without it, none are sent.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,
    /// Log JSON, one object per line, instead of text. The environment variable takes `true` or `false`.
    #[arg(long, env = "LOG_JSON")]
    pub log_json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command as ClapCommand, CommandFactory};

    /// Options that only choose the output of one command.
    const WITHOUT_VARIABLE: [&str; 4] = ["help", "version", "json", "pull"];

    fn check_options(command: &ClapCommand) {
        for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let id = option.get_id().as_str();
            assert!(option.get_help().is_some(), "{}: --{id} has no help text", command.get_name());
            let has_variable = option.get_env().is_some() || WITHOUT_VARIABLE.contains(&id);
            assert!(has_variable, "{}: --{id} has no environment variable", command.get_name());
        }
        command.get_subcommands().for_each(check_options);
    }

    #[test]
    fn every_option_has_a_help_text_and_an_environment_variable() {
        let mut command = Arguments::command();
        command.build();
        check_options(&command);
    }

    #[test]
    fn a_second_encode_gives_jobs_more_time_by_default() {
        let timeout = |words: &[&str]| {
            let words = [&["clipgate-origin", "run"], words].concat();
            match Arguments::try_parse_from(words).unwrap().command {
                Command::Run(arguments) => arguments.job_timeout_seconds,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(timeout(&["--second-codec", "none"]), 900);
        assert_eq!(timeout(&["--second-codec", "av1"]), 3000);
        for name in ["vaapi", "vaapi-low-power", "nvenc"] {
            assert_eq!(timeout(&["--h264-encoder", name]), 1500);
            assert_eq!(timeout(&["--h264-encoder", name, "--second-codec", "hevc"]), 3000);
        }
        assert_eq!(timeout(&["--second-codec", "hevc", "--job-timeout-seconds", "60"]), 60);
    }

    #[test]
    fn the_help_of_an_option_with_a_unit_names_the_unit() {
        let command = Arguments::command();
        let run = command.find_subcommand("run").unwrap();
        for (id, unit) in [
            ("job_timeout_seconds", "seconds"),
            ("shutdown_seconds", "seconds"),
            ("poll_ms", "milliseconds"),
            ("min_free_mb", "megabytes"),
        ] {
            let option = run.get_arguments().find(|argument| argument.get_id() == id).unwrap();
            assert!(option.get_help().unwrap().to_string().contains(unit), "{id}");
            assert!(!option.get_default_values().is_empty(), "{id}");
        }
    }
}
