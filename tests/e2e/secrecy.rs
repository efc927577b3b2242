//! After a full run, no key, session or token stands in any store or log.

use crate::harness::Harness;
use anyhow::{Result, ensure};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where the stack keeps its own secrets on purpose, for its owner alone.
const SECRETS_LIVE_HERE: [&str; 4] = [
    "secrets.json",
    "worker-secrets.env",
    "wrangler.json",
    "stack.env",
];

pub fn nothing_secret_is_left_behind(harness: &Harness) -> Result<String> {
    let mut secrets = harness.secrets();
    let tokens = [
        "SERVICE_TOKEN",
        "ADMIN_TOKEN",
        "ORIGIN_SECRET",
        "S3_SECRET_ACCESS_KEY",
    ];
    secrets.extend(tokens.map(|name| harness.env().get(name).to_owned()));
    ensure!(
        secrets.iter().all(|secret| secret.len() >= 40),
        "a secret is too short to be searched for"
    );
    let (mut files, mut bytes) = (0, 0);
    for path in files_below(harness.folder())? {
        if SECRETS_LIVE_HERE.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            // The runtime removes its temporary files when it likes.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        files += 1;
        bytes += content.len();
        ensure!(
            !contains_any(&content, &secrets),
            "a secret stands in {}",
            path.display()
        );
    }
    ensure!(
        files > 3 && bytes > 10_000,
        "there was nothing to look through"
    );
    Ok(format!(
        "secrecy: 0 of {} secrets found in {files} files, {bytes} bytes",
        secrets.len()
    ))
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.extend(files_below(&entry.path())?);
        } else {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Every secret is alphanumeric with `_`, so only runs of those need a look.
fn contains_any(content: &[u8], secrets: &[String]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let runs = content
        .split(|byte| !is_part(byte))
        .filter(|run| run.len() >= 40);
    runs.into_iter().any(|run| {
        secrets.iter().any(|secret| {
            run.windows(secret.len())
                .any(|part| part == secret.as_bytes())
        })
    })
}
