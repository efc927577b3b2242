//! Hostile files cannot reach the network or another file, whether the tools' own options, the sandbox or both protect
//! against them.
//!
//! The files are not part of the repository. This binary is the suite and, depending on its first argument, the service
//! that runs one tool on one file. The suite traces that service.

#[path = "../support/mod.rs"]
mod support;

mod samples;
mod table;
mod tool_run;
mod tools;
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, rest)) if first == "service" => tool_run::serve(rest),
        _ => suite(),
    }
}

fn suite() -> ExitCode {
    if ["ffmpeg", "ffprobe"].into_iter().any(|name| support::tool(name).is_none()) {
        return ExitCode::SUCCESS;
    }
    let folder = support::folder();
    let mut files = samples::make_manifests(folder.path());
    match std::fs::read_dir(vectors()) {
        Ok(entries) => {
            files.extend(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())));
        }
        Err(_) => println!(
            "SKIPPED: the hostile media are missing. Set CLIPGATE_VECTORS, or put the test vectors at ../shared/vectors"
        ),
    }
    files.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    let are_contained = table::all_are_contained(&files);
    let are_accepted = samples::each_container_is_accepted(folder.path());
    if are_contained && are_accepted { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn vectors() -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    std::env::var_os("CLIPGATE_VECTORS").map_or_else(default, PathBuf::from).join("hostile-media")
}
