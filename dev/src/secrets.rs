//! Local secrets: made at the first start, kept in the state folder for its owner alone, never committed.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    pub key_pepper: String,
    pub service_token: String,
    pub admin_token: String,
    pub origin_secret: String,
    pub s3_access_key_id: String,
    pub s3_secret_access_key: String,
    /// Opens the queue bridge.
    pub queue_token: String,
}

impl Secrets {
    /// The state folder's secrets, made if it has none: a restart must find its keys and sessions alive. One that it
    /// does not have yet, because it is older than this program, is made too.
    pub fn of(state: &Path) -> Result<Self> {
        let path = state.join("secrets.json");
        let mut all = serde_json::to_value(Self::generate()?)?;
        let kept = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let kept: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&kept).with_context(|| format!("reading {}", path.display()))?;
        for (name, secret) in kept {
            all[name] = secret;
        }
        write_private(&path, &serde_json::to_string_pretty(&all)?)?;
        serde_json::from_value(all).with_context(|| format!("reading {}", path.display()))
    }

    fn generate() -> Result<Self> {
        Ok(Self {
            key_pepper: random_text::<32>()?,
            service_token: random_text::<32>()?,
            admin_token: random_text::<32>()?,
            origin_secret: random_text::<32>()?,
            s3_access_key_id: random_text::<16>()?,
            s3_secret_access_key: random_text::<32>()?,
            queue_token: random_text::<32>()?,
        })
    }

    /// The file that hands the Worker its secrets: an argument list would show them to the whole machine.
    pub fn write_worker_file(&self, state: &Path) -> Result<PathBuf> {
        let path = state.join("worker-secrets.env");
        let text = format!(
            "KEY_PEPPER={}\nSERVICE_TOKEN={}\nADMIN_TOKEN={}\nORIGIN_SECRET={}\n",
            self.key_pepper, self.service_token, self.admin_token, self.origin_secret
        );
        write_private(&path, &text)?;
        Ok(path)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secrets(redacted)")
    }
}

/// Writes a file that only its owner can read.
pub fn write_private(path: &Path, text: &str) -> Result<File> {
    let opened = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path);
    let mut file = opened.with_context(|| format!("writing {}", path.display()))?;
    // A file that was already there keeps its old mode otherwise.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

fn random_text<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).context("the system has no randomness")?;
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits
        .filter_map(|digit| char::from_digit(u32::from(digit), 16))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_never_printed() {
        let secrets = Secrets::generate().unwrap();
        assert_eq!(format!("{secrets:?}"), "Secrets(redacted)");
    }

    #[test]
    fn an_older_folder_keeps_its_secrets_and_gets_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            folder.path().join("secrets.json"),
            r#"{"key_pepper":"old"}"#,
        )
        .unwrap();
        let first = Secrets::of(folder.path()).unwrap();
        assert_eq!(first.key_pepper, "old");
        let second = Secrets::of(folder.path()).unwrap();
        assert_eq!(first.origin_secret, second.origin_secret);
    }
}
