//! Real origins on the real runtime: their publications, and the leftovers when they are killed.
//!
//! Each test has a stack to itself, because every origin of a stack pulls from its one queue.

mod captions;
mod commands;
mod completion;
mod costs;
mod crashes;
mod documented_client;
mod documented_samples;
mod fairness;
mod formats;
mod image;
mod moderation;
mod monitoring;
mod outages;
mod package;
mod poison_jobs;
mod quick_start;
mod refusals;
mod shutdown;
mod span_collector;
mod status_pages;
mod thumbnails;
mod traces;
mod trial;
mod watch_files;

use std::process::ExitCode;
use tests::StackSuite;

/// Some tests keep ffmpeg busy while others wait for leases.
const THREADS: usize = 3;

fn main() -> anyhow::Result<ExitCode> {
    StackSuite::new("origin", THREADS)?.run(&[])
}
