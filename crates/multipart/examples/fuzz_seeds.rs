//! Writes the bodies of the conformance suite as the initial corpus of the fuzz targets.
//!
//! `cargo run -p multipart --example fuzz_seeds`. Writes nothing if the suite is not installed.

#[path = "../tests/support/vectors.rs"]
mod vectors;

use std::path::Path;
use std::{fs, io};

/// Longer bodies slow the fuzzer down and add no coverage.
const MAX_SEED_BYTES: usize = 4096;

fn main() -> io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let (splits, model) = (corpus.join("split_invariance"), corpus.join("form_model"));
    fs::create_dir_all(&splits)?;
    fs::create_dir_all(&model)?;
    let vectors = vectors::load().unwrap_or_default();
    let short = vectors.iter().filter(|vector| vector.body.len() <= MAX_SEED_BYTES);
    for vector in short {
        let whole = [vector.content_type.as_bytes(), b"\n", &vector.body].concat();
        fs::write(splits.join(&vector.id), whole)?;
        fs::write(model.join(&vector.id), with_boundary_b(&vector.content_type, &vector.body))?;
    }
    println!("seeds written to {}", corpus.display());
    Ok(())
}

/// Replaces the boundary of a body by `b`, the boundary that the form model uses.
fn with_boundary_b(content_type: &str, body: &[u8]) -> Vec<u8> {
    let boundary = multipart::Boundary::from_content_type(content_type);
    let Ok(boundary) = boundary else {
        return body.to_vec();
    };
    let dashed = format!("--{}", boundary.as_str());
    let mut replaced = Vec::new();
    let mut rest = body;
    while let Some((first, after)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(dashed.as_bytes()) {
            replaced.extend_from_slice(b"--b");
            rest = after;
        } else {
            replaced.push(*first);
            rest = after;
        }
    }
    replaced
}
