//! `clipgate-watch`: writes metrics for Prometheus that neither the Worker nor an origin can export.

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use deploy::cloudflare::Account;
use deploy::operate::secret_from;
use deploy::watch::canary::Canary;
use deploy::watch::traffic::Traffic;
use native::now_unix;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Writes metrics for Prometheus that neither the Worker nor an origin can export.
///
/// Run both commands every few minutes (ops/monitoring/clipgate-watch.timer), and let a node_exporter serve the
/// files.
#[derive(Parser)]
#[command(name = "clipgate-watch", version)]
struct Arguments {
    /// Write the metrics to this file instead of printing them. Its name should end with .prom.
    #[arg(long, global = true, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Upload a small clip, wait until it is published, open its page, and delete it.
    ///
    /// The API key comes from the environment variable CLIPGATE_API_KEY, or from the file that CLIPGATE_API_KEY_FILE
    /// names. Do not use its channel for anything else.
    ///
    /// Exit codes: 0 if everything succeeded, 1 otherwise.
    Canary {
        /// The URL of the upload host.
        #[arg(long, env = "CLIPGATE_URL", value_name = "URL")]
        url: String,
        /// Seconds to wait for the publication.
        #[arg(long, value_name = "SECONDS", default_value_t = 240)]
        wait: u64,
    },
    /// Read from Cloudflare the number of requests in the last 10 minutes, their duration, and the D1 rows they used.
    ///
    /// Needs the environment variables CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN, a token that may read the
    /// account's analytics.
    Traffic {
        /// The Worker's dataset: the environment's name with underscores, followed by `_requests`.
        #[arg(long, value_name = "NAME", default_value = "clipgate_requests")]
        dataset: String,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match watch(&Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clipgate-watch: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn watch(arguments: &Arguments) -> Result<()> {
    let output = arguments.output.as_deref();
    match &arguments.command {
        Command::Canary { url, wait } => {
            let key = secret_from("CLIPGATE_API_KEY", |name| std::env::var(name).ok())?;
            let canary = Canary::fly(url, &key, Duration::from_secs(*wait)).await?;
            write(output, &canary.metrics(now_unix()))?;
            canary.outcome
        }
        Command::Traffic { dataset } => {
            let traffic = Traffic::read(&Account::from_environment()?, dataset).await?;
            write(output, &traffic.metrics(now_unix())?)
        }
    }
}

/// Prints the text, or replaces a file atomically, so that no reader sees half of it.
fn write(output: Option<&Path>, text: &str) -> Result<()> {
    let Some(path) = output else {
        print!("{text}");
        return Ok(());
    };
    let unfinished = path.with_extension("unfinished");
    let written = std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, path));
    written.with_context(|| format!("writing {}", path.display()))
}
