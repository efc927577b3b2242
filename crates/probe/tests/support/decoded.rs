//! The frames that ffmpeg decodes from the vectors, as a table in the repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub use fixtures::decoded::{DecodedFile, decode};

use super::vectors::MediaVector;

/// The measured frames of all vectors, which `make docs` writes, because decoding them takes a minute.
pub fn of_vectors(vectors: &[MediaVector]) -> BTreeMap<String, DecodedFile> {
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let measured: BTreeMap<_, _> =
            vectors.iter().filter_map(|vector| Some((vector.name.clone(), decode(&vector.path)?))).collect();
        let mut text = String::from("span_ms,open_ms,reach_ms,pictures,sounds,has_errors,name\n");
        for (name, file) in &measured {
            let DecodedFile { span_ms, open_ms, pictures, sounds, reach_ms, has_errors } = file;
            writeln!(text, "{span_ms},{open_ms},{reach_ms},{pictures},{sounds},{has_errors},{name}")
                .expect("writing to a string succeeds");
        }
        std::fs::write(table(), text).expect("the table can be written");
        return measured;
    }
    std::fs::read_to_string(table()).unwrap_or_default().lines().skip(1).filter_map(read).collect()
}

fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/decoded.csv")
}

fn read(line: &str) -> Option<(String, DecodedFile)> {
    let mut fields = line.splitn(7, ',');
    let (span_ms, open_ms) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let reach_ms = fields.next()?.parse().ok()?;
    let (pictures, sounds) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let has_errors = fields.next()? == "true";
    let file = DecodedFile { span_ms, open_ms, pictures, sounds, reach_ms, has_errors };
    Some((fields.next()?.to_owned(), file))
}
