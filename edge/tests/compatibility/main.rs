//! The public document breaks no client that was written for the last release. docs/versions.md says what counts.
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

/// Returns the document of the last release.
fn last_release() -> Value {
    let files = std::fs::read_dir(project().join("docs/releases")).unwrap().map(|file| file.unwrap().path());
    let last = files.filter(|path| version(path).is_some()).max_by_key(|path| version(path));
    read(&last.expect("docs/releases has a document"))
}

#[test]
fn the_document_breaks_no_client_of_the_last_release() {
    let current = read(&project().join("edge/site/openapi.json"));
    let broken = breaking_changes(&last_release(), &current);
    assert!(broken.is_empty(), "These changes break clients (docs/versions.md):\n{}", broken.join("\n"));
}

#[test]
fn an_event_of_the_last_release_cannot_go_unnoticed() {
    let last = last_release();
    let events: Vec<_> = last["webhooks"].as_object().unwrap().keys().collect();
    assert!(!events.is_empty());
    for event in events {
        let mut without = last.clone();
        without["webhooks"].as_object_mut().unwrap().remove(event);
        assert_eq!(breaking_changes(&last, &without).len(), 1, "{event}");
    }
}

#[test]
fn versions_are_ordered_by_number() {
    let [old, new] = ["openapi-0.9.0.json", "openapi-0.10.0.json"].map(|name| version(Path::new(name)));
    assert!(old.is_some() && old < new);
    assert_eq!(version(Path::new("README.md")), None);
}
