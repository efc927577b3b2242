//! The public document breaks no client that was written for the last release. docs/publish/versions.md says what
//! counts.
//!
//! Written by hand, because no kept tool that reads OpenAPI 3.1 is in a package registry: oasdiff is a Go program,
//! openapi-changes downloads a binary from elsewhere, and npm's openapi-diff reads 3.0 only.

mod changes;
mod schemas;
mod webhooks;

use changes::breaking_changes;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The version in the name of a released document, in the order of versions.
fn version(path: &Path) -> Option<Vec<u64>> {
    let version = path.file_name()?.to_str()?.strip_prefix("openapi-")?.strip_suffix(".json")?;
    version.split('.').map(|number| number.parse().ok()).collect()
}

/// Returns the document of the newest version.
fn newest(files: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    files.into_iter().filter(|path| version(path).is_some()).max_by_key(|path| version(path))
}

/// Returns the document of the last release, if there was one: the folder begins to exist with the first.
fn last_release() -> Option<Value> {
    let files = std::fs::read_dir(project().join("docs/releases")).ok()?;
    newest(files.map(|file| file.unwrap().path())).map(|path| read(&path))
}

fn current() -> Value {
    read(&project().join("edge/site/openapi.json"))
}

/// Before the first release, the document is compared with itself, so that the comparison understands all of it.
#[test]
fn the_document_breaks_no_client_of_the_last_release() {
    let broken = breaking_changes(&last_release().unwrap_or_else(current), &current());
    assert!(broken.is_empty(), "These changes break clients (docs/publish/versions.md):\n{}", broken.join("\n"));
}

#[test]
fn neither_an_operation_nor_an_event_of_the_document_can_go_unnoticed() {
    let current = current();
    for (section, least) in [("paths", 20), ("webhooks", 10)] {
        let names: Vec<_> = current[section].as_object().unwrap().keys().collect();
        assert!(names.len() >= least, "{section}: {names:?}");
        for name in names {
            let mut without = current.clone();
            without[section].as_object_mut().unwrap().remove(name);
            assert!(!breaking_changes(&current, &without).is_empty(), "{name}");
        }
    }
}

#[test]
fn the_last_release_is_the_one_with_the_greatest_version() {
    let newest = |names: &[&str]| newest(names.iter().map(PathBuf::from));
    let names = ["openapi-0.9.0.json", "openapi-0.10.0.json", "README.md", "openapi-a.json"];
    assert_eq!(newest(&names), Some(PathBuf::from("openapi-0.10.0.json")));
    assert_eq!(newest(&names[2..]), None);
}
