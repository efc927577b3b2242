//! After a full run, no key, session or token is in any store or log.

use crate::test_stack::TestStack;
use anyhow::{Result, ensure};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files in which the stack keeps its own secrets, readable only by their owner.
const SECRET_FILES: [&str; 5] = ["secrets.json", "worker-secrets.env", ".dev.vars", "wrangler.json", "stack.env"];
/// The extension of the files in which the stack keeps the keys of its origins.
const KEY_EXTENSION: &str = "key";
/// Every secret has at least this many characters.
const SHORTEST: usize = 40;

/// Searches every file of the stack for every secret that was handed out.
pub async fn no_secret_is_left_behind(stack: Arc<TestStack>) -> Result<String> {
    let mut secrets = stack.secrets();
    let tokens = ["SERVICE_TOKEN", "ADMIN_TOKEN", "WATCH_TOKEN", "S3_SECRET_ACCESS_KEY", "QUEUE_API_TOKEN"];
    secrets.extend(tokens.map(|name| stack.env().get(name).to_owned()));
    let search = SecretSearch::new(&secrets)?;
    let (mut files, mut bytes) = (0, 0);
    for path in files_below(stack.folder())? {
        let is_key = path.extension().is_some_and(|extension| extension == KEY_EXTENSION);
        if is_key || SECRET_FILES.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            // The runtime removes its temporary files at any time.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error.into()),
        };
        files += 1;
        bytes += content.len();
        ensure!(!search.finds_any_in(&content), "a secret is in {}", path.display());
    }
    ensure!(files > 3 && bytes > 10_000, "there was nothing to search");
    Ok(format!("secrecy: 0 of {} secrets found in {files} files, {bytes} bytes", secrets.len()))
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// The secrets by their first characters, so that one pass finds all of them.
struct SecretSearch<'a> {
    by_start: HashMap<&'a [u8], Vec<&'a [u8]>>,
    /// Whether any secret's first four characters have this number. Hardly any text passes, so the slower search in the
    /// map is rare.
    is_start: Vec<bool>,
}

/// Returns a number below 65,536 that depends on the first four characters.
fn start_number(text: &[u8]) -> usize {
    let first = text.first_chunk().map_or(0, |four| u32::from_le_bytes(*four));
    (first.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

impl<'a> SecretSearch<'a> {
    fn new(secrets: &'a [String]) -> Result<Self> {
        let mut by_start: HashMap<_, Vec<_>> = HashMap::new();
        let mut is_start = vec![false; 1 << 16];
        for secret in secrets.iter().map(String::as_bytes) {
            ensure!(secret.len() >= SHORTEST, "a secret is too short to be searched for");
            by_start.entry(&secret[..SHORTEST]).or_default().push(secret);
            is_start[start_number(secret)] = true;
        }
        Ok(Self { by_start, is_start })
    }

    fn finds_any_in(&self, content: &[u8]) -> bool {
        long_runs(content).any(|run| (0..=run.len() - SHORTEST).any(|start| self.finds_at(&run[start..])))
    }

    fn finds_at(&self, text: &[u8]) -> bool {
        if !self.is_start[start_number(text)] {
            return false;
        }
        let candidates = self.by_start.get(&text[..SHORTEST]);
        candidates.is_some_and(|candidates| candidates.iter().any(|secret| text.starts_with(secret)))
    }
}

/// Returns the runs of characters that secrets consist of, if they are long enough for a secret.
///
/// Looks only at every fortieth byte: a long run cannot lie between two of them. Most of the content is video.
fn long_runs(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = SHORTEST - 1;
    std::iter::from_fn(move || {
        while at < content.len() {
            if !is_part(&content[at]) {
                at += SHORTEST;
                continue;
            }
            let (before, after) = content.split_at(at);
            let start = before.iter().rposition(|byte| !is_part(byte)).map_or(0, |last| last + 1);
            let end = after.iter().position(|byte| !is_part(byte)).map_or(content.len(), |first| at + first);
            at = end + SHORTEST;
            if end - start >= SHORTEST {
                return Some(&content[start..end]);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::{SHORTEST, SecretSearch, long_runs};

    #[test]
    fn every_long_run_is_found_wherever_it_is() {
        for offset in 0..2 * SHORTEST {
            let content = [" ".repeat(offset), "x".repeat(SHORTEST), " ".to_owned(), "y".repeat(SHORTEST + 7)].concat();
            let runs: Vec<_> = long_runs(content.as_bytes()).map(<[u8]>::len).collect();
            assert_eq!(runs, [SHORTEST, SHORTEST + 7], "{offset}");
        }
        assert_eq!(long_runs("x".repeat(SHORTEST - 1).as_bytes()).count(), 0);
    }

    #[test]
    fn a_secret_is_found_anywhere_and_only_whole() {
        let secrets = ["0123456789abcdef0123456789abcdef0123456789abcdef".to_owned()];
        let search = SecretSearch::new(&secrets).unwrap();
        assert!(search.finds_any_in(format!("key=xx{}yy;", secrets[0]).as_bytes()));
        assert!(!search.finds_any_in(format!("key={};", &secrets[0][..47]).as_bytes()));
        assert!(!search.finds_any_in(b"short"));
    }
}
