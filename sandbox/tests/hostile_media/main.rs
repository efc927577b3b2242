//! Hostile files: neither the tools' own options nor the sandbox, nor both, let them reach the network or another file.
//!
//! The files stand beside the checkout and are no part of it. This program is the suite and, by its first argument, the
//! service that runs one tool on one file, which the suite traces.

#[path = "../support/mod.rs"]
mod support;

mod run;
mod table;
mod tools;
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "service" => run::serve(rest),
        _ => suite(),
    }
}

fn suite() -> ExitCode {
    let folder = vectors();
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "SKIPPED: no hostile media (set CLIPGATE_VECTORS, or put them at ../shared/vectors)"
        );
        return ExitCode::SUCCESS;
    };
    if ["ffmpeg", "ffprobe"]
        .into_iter()
        .any(|name| support::tool(name).is_none())
    {
        return ExitCode::SUCCESS;
    }
    let mut files: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    if table::all_hold(&files) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn vectors() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    std::env::var_os("CLIPGATE_VECTORS")
        .map_or_else(beside, PathBuf::from)
        .join("hostile-media")
}
