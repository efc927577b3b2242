//! Finds and loads the conformance suite, which is stored outside the checkout.

#![allow(dead_code, reason = "each test binary uses only some of it")]

use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct VectorIndex {
    vectors: Vec<FormVector>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct FormVector {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) content_type: String,
    pub(crate) class: VectorClass,
    pub(crate) tags: Vec<String>,
    pub(crate) consensus_parts: Option<Vec<ExpectedPart>>,
    pub(crate) reference: BTreeMap<String, String>,
    #[serde(skip)]
    pub(crate) body: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VectorClass {
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

impl FormVector {
    /// Whether the vector is written for MIME in general: its parts have no form headers.
    pub(crate) fn is_mime_level(&self) -> bool {
        self.tags.iter().any(|tag| tag == "mime-level")
    }

    /// Returns how many of the reference parsers accept it.
    pub(crate) fn accepting_parsers(&self) -> usize {
        self.reference.values().filter(|verdict| *verdict == "accept").count()
    }
}

/// Returns the whole suite, or prints a line and returns `None` if it is not installed.
pub(crate) fn load() -> Option<Vec<FormVector>> {
    let folder = folder();
    let Ok(text) = std::fs::read_to_string(folder.join("index.json")) else {
        // The test harness hides the output of `eprintln!` if a test passes.
        let line = "SKIPPED: multipart vectors not found (set CLIPGATE_VECTORS)";
        writeln!(std::io::stderr(), "{line}").expect("standard error is writable");
        return None;
    };
    let index: VectorIndex = serde_json::from_str(&text).expect("the suite's index is readable");
    let mut vectors = index.vectors;
    for vector in &mut vectors {
        vector.body = std::fs::read(folder.join(&vector.file)).expect("each vector has its body");
    }
    Some(vectors)
}

fn folder() -> PathBuf {
    let beside_checkout = || workspace().join("../shared/vectors");
    std::env::var_os("CLIPGATE_VECTORS").map_or_else(beside_checkout, PathBuf::from).join("multipart")
}

/// Returns the root of the workspace.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
