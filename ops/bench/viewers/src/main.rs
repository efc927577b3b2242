//! Measures how many viewers of one HLS video a local stack serves, and how much they slow down keys and uploads.
//!
//! The load is an open model: every request is sent at its due time, whether or not earlier requests have been
//! answered, and its latency counts from that time. So a server that falls behind cannot hide it by slowing the load
//! down.
//!
//! `CACHE=off` measures the Worker without a cache in front of it.

#![forbid(unsafe_code)]

mod playlist;
mod probes;
mod service;
mod timings;
mod viewers;

use anyhow::{Context, Result};
use clap::Parser;
use probes::Probes;
use service::Service;
use std::time::Duration;
use timings::Timings;
use viewers::{Audience, Rung};

#[derive(Parser)]
#[command(name = "viewers")]
struct Arguments {
    /// The number of concurrent viewers.
    #[arg(long, default_value_t = 1000)]
    viewers: u32,
    /// The time for which they watch.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// The time for which keys and uploads are measured without viewers.
    #[arg(long, default_value_t = 120)]
    idle_seconds: u64,
    /// The rendition that all viewers watch.
    #[arg(long, value_enum, default_value_t = Rung::Smallest)]
    rung: Rung,
    /// `off` leaves out the cache in front of the Worker.
    #[arg(long, env = "CACHE", default_value = "on", value_parser = ["on", "off"])]
    cache: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let service = Service::start(arguments.cache == "on").await?;
    let audience = Audience::of(&service, arguments.viewers, arguments.rung).await?;
    println!("{} viewers of {} for {} s, cache {}", arguments.viewers, audience, arguments.seconds, arguments.cache);

    let idle_time = Duration::from_secs(arguments.idle_seconds);
    let idle = Probes::run(&service, idle_time).await?;

    let log_before = service.log()?.len();
    let watch_time = Duration::from_secs(arguments.seconds);
    let (busy, watched) = tokio::join!(Probes::run(&service, watch_time), audience.watch(watch_time));
    let (busy, watched) = (busy?, watched?);

    let log = service.log()?;
    let runs = playlist::runs_per_file(log.get(log_before..).context("the log became shorter")?);
    report(&idle, &busy, &watched, &runs, arguments.seconds);
    Ok(())
}

fn report(idle: &Probes, busy: &Probes, watched: &Timings, runs: &[(String, u64)], seconds: u64) {
    println!("\n| | requests | errors | p50 | p99 | p99 / idle |\n|---|---|---|---|---|---|");
    for (name, timings, base) in [
        ("key, idle", &idle.keys, None),
        ("key, while they watch", &busy.keys, Some(&idle.keys)),
        ("upload, idle", &idle.uploads, None),
        ("upload, while they watch", &busy.uploads, Some(&idle.uploads)),
        ("viewers", watched, None),
    ] {
        println!("| {name} | {} | {} |", timings.row(), timings.ratio(base));
    }
    let total: u64 = runs.iter().map(|(_, runs)| runs).sum();
    let most = runs.iter().map(|(_, runs)| *runs).max().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "these numbers are small")]
    let per_minute = most as f64 * 60.0 / seconds as f64;
    println!(
        "\nThe Worker ran {total} times for {} files, each run one D1 read: at most {per_minute:.2} a minute for one file.",
        runs.len()
    );
    for (file, runs) in runs.iter().take(5) {
        println!("  {runs} {file}");
    }
    for error in watched.errors() {
        println!("  error: {error}");
    }
}
