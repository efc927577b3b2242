//! Only `platform/cloudflare` and `http` name the platform, a clock or a source of randomness: the core gets them as
//! arguments. Only `contract` spells out the paths of the HTTP interface.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FORBIDDEN: [&str; 8] = [
    "worker::",
    "js_sys",
    "wasm_bindgen",
    "SystemTime::now",
    "Instant::now",
    "getrandom",
    "Date::now",
    "platform::cloudflare",
];

/// The shell. `lib.rs` holds the entry points that the platform calls.
const SHELL: [&str; 3] = ["cloudflare", "http", "lib.rs"];

const CORE: [&str; 11] = [
    "base",
    "contents",
    "jobs",
    "journal",
    "moderation",
    "people",
    "platform",
    "upkeep",
    "uploads",
    "viewing",
    "webhooks",
];

#[test]
fn the_core_does_not_name_the_platform() {
    let mut files = Vec::new();
    collect(&crate_folder().join("src"), &SHELL, &mut files);
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
    for folder in CORE {
        assert!(files.iter().any(|path| has_part(path, folder)), "no file of {folder} was checked");
    }
}

/// The state machine of a video is pure: it reads and writes nothing.
#[test]
fn the_rules_of_a_videos_life_read_and_write_nothing() {
    let mut files = Vec::new();
    collect(
        &crate_folder().join("src/contents/life"),
        &["door", "begin.rs", "claim.rs", "testing", "tests"],
        &mut files,
    );
    for name in ["decide.rs", "consequences.rs", "rules/owner.rs", "works/video.rs"] {
        assert!(files.iter().any(|path| path.ends_with(name)), "{name} was not checked");
    }
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for word in ["async ", ".await", "Statement", "impl Database", "ObjectStore", "Platform"] {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

#[test]
fn only_the_contract_spells_out_paths() {
    let workspace = crate_folder().parent().unwrap();
    let defined = fs::read_to_string(workspace.join("crates/contract/src/paths.rs")).unwrap();
    let prefixes = path_prefixes(&defined);
    assert!(prefixes.contains("/internal/") && prefixes.contains("/healthz"), "{prefixes:?}");
    let mut files = Vec::new();
    for entry in [workspace, &workspace.join("ops")].into_iter().flat_map(|folder| fs::read_dir(folder).unwrap()) {
        let src = entry.unwrap().path().join("src");
        // The end-to-end tests spell out what clients send.
        if src.is_dir() && !src.starts_with(workspace.join("tests")) {
            collect(&src, &["tests", "tests.rs", "testing"], &mut files);
        }
    }
    for name in ["edge", "origin", "ops"] {
        assert!(files.iter().any(|path| path.starts_with(workspace.join(name))), "no file of {name} was checked");
    }
    let literals = files.iter().flat_map(|path| path_literals(path, &prefixes)).collect::<Vec<_>>();
    assert!(literals.is_empty(), "use the constants of contract::paths:\n{}", literals.join("\n"));
}

/// Returns how the paths begin: `/internal/` for `/internal/sweep`, and the whole path if it has only one segment.
fn path_prefixes(paths: &str) -> BTreeSet<String> {
    let values = paths.lines().filter_map(|line| line.strip_prefix("pub const ")?.split('"').nth(1));
    let prefix = |path: &str| path.split_inclusive('/').take(2).collect();
    // `/` is a prefix of every path.
    values.map(prefix).filter(|prefix: &String| prefix != "/").collect()
}

/// Returns the lines of the file that contain a path, without comments and unit tests.
fn path_literals(file: &Path, prefixes: &BTreeSet<String>) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let found = lines.filter(|line| prefixes.iter().any(|prefix| line.contains(prefix)));
    found.map(|line| format!("{}: {}", file.display(), line.trim())).collect()
}

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn has_part(path: &Path, name: &str) -> bool {
    path.components().any(|part| part.as_os_str() == name)
}

/// The consequences of a change are handled in one place, for every route that makes the change.
#[test]
fn no_route_does_what_follows_from_its_changes() {
    let mut files = Vec::new();
    collect(&crate_folder().join("src/http/routes"), &[], &mut files);
    assert!(files.len() > 20, "{} files were checked", files.len());
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for word in ["follow_up", "keep_new", "purge_due", "send_due", "send_or_log"] {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

/// Collects the files below a folder, without the files and folders whose path ends with a name in `skipped`.
fn collect(folder: &Path, skipped: &[&str], files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if skipped.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        if path.is_dir() {
            collect(&path, skipped, files);
        } else {
            files.push(path);
        }
    }
}
