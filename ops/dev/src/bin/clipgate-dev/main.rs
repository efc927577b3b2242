//! `clipgate-dev` runs the whole system in the foreground. `make run` calls it after the set-up.

#![forbid(unsafe_code)]

mod stop_signals;
mod welcome;

use anyhow::Result;
use clap::Parser;
use dev::{OriginOptions, QUEUE_COMPLETIONS_ID, Schedule, Stack, StackOptions, WorkerVariant, is_cache_installed};
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use stop_signals::StopSignals;

/// The interval of the Worker's scheduled work, as in `wrangler.toml`.
const SCHEDULE: Duration = Duration::from_mins(1);

/// Runs Clipgate on this machine until Ctrl-C.
///
/// The Worker runs in workerd with a local D1, KV, R2 (including its S3 endpoint) and queue. Stacks with different
/// ports and state folders can run side by side.
#[derive(Parser)]
#[command(name = "clipgate-dev", version)]
struct Arguments {
    /// The loopback port to listen on.
    #[arg(long, env = "PORT", default_value_t = 8787, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// The folder for databases, objects, logs and secrets. They are kept for the next start.
    #[arg(long, env = "STATE_DIR", default_value = DEFAULT_STATE_DIR)]
    state_dir: PathBuf,
    /// The number of origins that process uploads. With 0, uploads stay `processing`.
    #[arg(long, env = "ORIGINS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(..=8))]
    origins: u8,
    /// The number of further origins that only complete published videos. They have a queue of their own.
    #[arg(long, env = "COMPLETION_ORIGINS", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=8))]
    completion_origins: u8,
    /// Whether a cache is in front of the Worker, as in production. Needs Varnish, which the set-up installs.
    #[arg(long, env = "CACHE", default_value = "on", value_parser = ["on", "off"])]
    cache: String,
    /// Closes the Worker to all but operators, as during a restore.
    #[arg(long, env = "CLOSED")]
    closed: bool,
    /// A second file for the addresses and credentials, besides `stack.env` in the state folder. Skipped while it
    /// belongs to another running stack. With the default state folder, this is `.dev/stack.env`.
    #[arg(long)]
    stack_env: Option<PathBuf>,
}

const DEFAULT_STATE_DIR: &str = ".dev/state";
/// The file that README.md names. Only the stack with the default state folder uses it.
const DEFAULT_STACK_ENV: &str = ".dev/stack.env";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("clipgate: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let options = stack_options(Arguments::parse());
    let mut stop_signals = StopSignals::listen()?;
    let mut stack = tokio::select! {
        booted = Stack::boot(options, report_progress) => booted?,
        () = stop_signals.wait() => return Ok(()),
    };
    let _schedule = Schedule::start(&stack.worker_address, SCHEDULE);
    print!("{}", welcome::text(&stack));
    tokio::select! {
        () = stop_signals.wait() => report_progress("stopping"),
        supervised = stack.supervise(|what| eprintln!("clipgate: {what}")) => return supervised,
    }
    Ok(())
}

fn stack_options(arguments: Arguments) -> StackOptions {
    let completers = (1..=arguments.completion_origins).map(completer);
    let origins = (1..=arguments.origins).map(origin).chain(completers);
    let is_usual = arguments.state_dir == Path::new(DEFAULT_STATE_DIR);
    StackOptions {
        port: arguments.port,
        has_cache: arguments.cache == "on" && has_varnish(),
        state: arguments.state_dir,
        variant: WorkerVariant::Release,
        vars: arguments.closed.then(|| ("CLOSED".to_owned(), "true".to_owned())).into_iter().collect(),
        rates: Vec::new(),
        has_completions_queue: arguments.completion_origins > 0,
        origins: origins.collect(),
        shared_stack_env: arguments.stack_env.or_else(|| is_usual.then(|| DEFAULT_STACK_ENV.into())),
    }
}

fn has_varnish() -> bool {
    let is_installed = is_cache_installed();
    if !is_installed {
        eprintln!("clipgate: Varnish is not installed, so no cache is in front of the Worker. See docs/serving.md.");
    }
    is_installed
}

fn origin(number: u8) -> OriginOptions {
    let name = match number {
        1 => "origin".to_owned(),
        number => format!("origin-{number}"),
    };
    OriginOptions { name, vars: Vec::new() }
}

fn completer(number: u8) -> OriginOptions {
    let queue = ("QUEUE_ID".to_owned(), QUEUE_COMPLETIONS_ID.to_owned());
    OriginOptions { name: format!("completer-{number}"), vars: vec![queue] }
}

/// Prints a step to a terminal. A program that starts the stack waits for `stack.env` instead.
fn report_progress(step: &str) {
    if stderr().is_terminal() {
        eprintln!("clipgate: {step} …");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_system_leaves_the_stack_env_of_the_first_alone() {
        let shared = |arguments: &[&str]| {
            let arguments = ["clipgate-dev"].iter().chain(arguments);
            stack_options(Arguments::parse_from(arguments)).shared_stack_env
        };
        assert_eq!(shared(&["--state-dir", ".dev/state"]), Some(DEFAULT_STACK_ENV.into()));
        assert_eq!(shared(&["--state-dir", "/tmp/second"]), None);
        assert_eq!(shared(&["--state-dir", "/tmp/second", "--stack-env", "/tmp/env"]), Some("/tmp/env".into()));
    }
}
