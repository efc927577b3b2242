//! Hostile files: neither the tools' own options nor the sandbox, nor both, let them reach the network or another file.
//!
//! The files stand beside the checkout and are no part of it. This program is the suite and, by its first argument, the
//! service that runs one tool on one file, which the suite traces.

#[path = "../support/mod.rs"]
mod support;

mod made;
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
    if ["ffmpeg", "ffprobe"]
        .into_iter()
        .any(|name| support::tool(name).is_none())
    {
        return ExitCode::SUCCESS;
    }
    let folder = support::folder();
    let mut files = made::hostile(folder.path());
    match std::fs::read_dir(vectors()) {
        Ok(entries) => {
            files.extend(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())));
        }
        Err(_) => println!(
            "SKIPPED: the hostile media (set CLIPGATE_VECTORS, or put them at ../shared/vectors)"
        ),
    }
    files.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    let holds = table::all_hold(&files);
    let taken = made::each_container_is_taken(folder.path());
    if holds && taken {
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
