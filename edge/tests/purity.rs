//! `bindings/` talks to the platform and `routes/` joins it to the rest: nothing else, which is all that thinks, names
//! the platform, a clock or a random source.

use std::path::{Path, PathBuf};

const FORBIDDEN: [&str; 8] = [
    "worker::",
    "js_sys",
    "wasm_bindgen",
    "SystemTime::now",
    "Instant::now",
    "getrandom",
    "Date::now",
    "crate::bindings",
];

/// `lib.rs` holds the entry points that the platform calls, and `router.rs` the table of the routes.
const JOINTS: [&str; 5] = ["bindings", "routes", "lib.rs", "router.rs", "openapi.rs"];

#[test]
fn the_thinking_files_name_no_platform() {
    let mut files = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        for word in FORBIDDEN {
            assert!(!text.contains(word), "{} names {word}", path.display());
        }
    }
    for folder in [
        "intake",
        "jobs",
        "contents",
        "delivery",
        "moderation",
        "publication",
    ] {
        let is_in = |path: &PathBuf| path.components().any(|part| part.as_os_str() == folder);
        assert!(files.iter().any(is_in), "nothing of {folder} was read");
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if JOINTS.iter().any(|joint| path.ends_with(joint)) {
            continue;
        }
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
