//! The Makefile rebuilds the Worker when anything changes that is compiled or bundled into it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that are compiled into the Worker.
const CRATES: [&str; 6] =
    ["edge", "crates/contract", "crates/multipart", "crates/probe", "crates/similar_hashes", "crates/subtitles"];

#[test]
fn a_changed_source_file_rebuilds_the_worker() {
    assert_rebuilt(&sources());
}

#[test]
fn a_changed_embedded_file_rebuilds_the_worker() {
    let embedded: Vec<_> = sources().iter().flat_map(|source| embedded_files(source)).collect();
    assert!(embedded.contains(&root().join("edge/site/page.css")), "the scan misses the style sheet: {embedded:?}");
    assert_rebuilt(&embedded);
}

#[test]
fn a_changed_entry_module_or_manifest_rebuilds_the_worker() {
    let others = [
        "edge/entry.js",
        "edge/cache.js",
        "edge/webhook.js",
        "edge/page-script/page.js",
        "edge/page-script/player.js",
        "edge/Cargo.toml",
        "Cargo.toml",
        "Cargo.lock",
        "package-lock.json",
        "ops/dev/build-worker",
    ];
    assert_rebuilt(&others.map(|path| root().join(path)));
}

fn assert_rebuilt(paths: &[PathBuf]) {
    let output = Command::new("make").args(["--silent", "worker-sources"]).current_dir(root()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let known: BTreeSet<PathBuf> = text.split_whitespace().map(|path| root().join(path)).collect();
    let missing: Vec<_> = paths.iter().filter(|path| !known.contains(*path)).collect();
    assert!(missing.is_empty(), "not in WORKER_SOURCES: {missing:?}");
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().canonicalize().unwrap()
}

/// Returns all Rust files below the `src` folders of the Worker's crates, without `tests` modules.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in CRATES {
        collect(&root().join(name).join("src"), &mut files);
    }
    assert!(files.len() > 100, "found only {} files", files.len());
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

/// Returns the files that a source file embeds with `include_str!` or `include_bytes!`.
fn embedded_files(source: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(source).unwrap();
    let paths = ["include_str!(\"", "include_bytes!(\""].into_iter().flat_map(|call| text.split(call).skip(1));
    paths.filter_map(|rest| Some(source.parent()?.join(rest.split_once('"')?.0).canonicalize().unwrap())).collect()
}
