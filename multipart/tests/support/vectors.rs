//! Finds and loads the conformance suite, which lies beside the checkout and not in it.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Index {
    vectors: Vec<Vector>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Vector {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) content_type: String,
    pub(crate) class: Class,
    pub(crate) tags: Vec<String>,
    pub(crate) consensus_parts: Option<Vec<ExpectedPart>>,
    pub(crate) reference: BTreeMap<String, String>,
    #[serde(skip)]
    pub(crate) body: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Class {
    MustAccept,
    MustReject,
    Harden,
    Policy,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ExpectedPart {
    pub(crate) name: String,
    pub(crate) len: usize,
    pub(crate) sha256_12: String,
}

impl Vector {
    /// Written for MIME in general: its parts have no form headers.
    pub(crate) fn is_mime_level(&self) -> bool {
        self.tags.iter().any(|tag| tag == "mime-level")
    }

    /// How many of the reference parsers accept it.
    pub(crate) fn accepting_peers(&self) -> usize {
        self.reference
            .values()
            .filter(|verdict| *verdict == "accept")
            .count()
    }
}

/// The whole suite, or nothing, said in one visible line, where it is not installed.
pub(crate) fn load() -> Option<Vec<Vector>> {
    let folder = folder();
    let Ok(text) = std::fs::read_to_string(folder.join("index.json")) else {
        // Not through `eprintln!`, which the test harness hides when a test passes.
        let line = "multipart vectors: not found (set CLIPGATE_VECTORS); the suite is skipped";
        writeln!(std::io::stderr(), "{line}").expect("stderr takes a line");
        return None;
    };
    let index: Index = serde_json::from_str(&text).expect("the suite's index is readable");
    let mut vectors = index.vectors;
    for vector in &mut vectors {
        vector.body = std::fs::read(folder.join(&vector.file)).expect("each vector has its body");
    }
    Some(vectors)
}

fn folder() -> PathBuf {
    let beside_checkout = || workspace().join("../shared/vectors");
    std::env::var_os("CLIPGATE_VECTORS")
        .map_or_else(beside_checkout, PathBuf::from)
        .join("multipart")
}

/// The workspace's root.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
