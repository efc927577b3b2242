//! The secrets of a local stack: generated at its first start, readable by their owner only, never committed.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// All secrets of one stack.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    pub key_pepper: String,
    /// A second pepper, which the Worker accepts while the pepper is being replaced. Usually empty.
    #[serde(default)]
    pub key_pepper_second: String,
    pub service_token: String,
    pub admin_token: String,
    /// For Prometheus: it may read metrics and nothing else.
    pub watch_token: String,
    pub origin_secret: String,
    pub webhook_secret: String,
    pub s3_access_key_id: String,
    pub s3_secret_access_key: String,
    /// The bearer token of the queue bridge.
    pub queue_token: String,
}

impl Secrets {
    /// Reads the secrets of a state folder, and generates missing ones. Existing secrets are kept, so that API keys and
    /// sessions stay valid after a restart. A secret can be missing because the folder is older than this program.
    pub fn load_or_generate(state: &Path) -> Result<Self> {
        let path = state.join("secrets.json");
        let mut secrets = serde_json::to_value(Self::generate()?)?;
        let file = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let existing: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&file).with_context(|| format!("reading {}", path.display()))?;
        for (name, secret) in existing {
            secrets[name] = secret;
        }
        write_private(&path, &serde_json::to_string_pretty(&secrets)?)?;
        serde_json::from_value(secrets).with_context(|| format!("reading {}", path.display()))
    }

    fn generate() -> Result<Self> {
        Ok(Self {
            key_pepper: random_hex::<32>()?,
            key_pepper_second: String::new(),
            service_token: random_hex::<32>()?,
            admin_token: random_hex::<32>()?,
            watch_token: random_hex::<32>()?,
            origin_secret: random_hex::<32>()?,
            webhook_secret: random_hex::<32>()?,
            s3_access_key_id: random_hex::<16>()?,
            s3_secret_access_key: random_hex::<32>()?,
            queue_token: random_hex::<32>()?,
        })
    }

    /// Writes the file that passes the secrets to the Worker, and returns its path. Arguments would be visible to every
    /// user of the machine.
    pub fn write_worker_file(&self, state: &Path) -> Result<PathBuf> {
        let path = state.join("worker-secrets.env");
        let secrets = [
            ("KEY_PEPPER", &self.key_pepper),
            ("KEY_PEPPER_SECOND", &self.key_pepper_second),
            ("SERVICE_TOKEN", &self.service_token),
            ("ADMIN_TOKEN", &self.admin_token),
            ("WATCH_TOKEN", &self.watch_token),
            ("ORIGIN_SECRET", &self.origin_secret),
            ("WEBHOOK_SECRET", &self.webhook_secret),
        ];
        let text: String = secrets.map(|(name, secret)| format!("{name}={secret}\n")).concat();
        write_private(&path, &text)?;
        Ok(path)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secrets(redacted)")
    }
}

/// Writes a file that only its owner can read, and returns it open.
pub fn write_private(path: &Path, text: &str) -> Result<File> {
    let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    let mut file = opened.with_context(|| format!("writing {}", path.display()))?;
    // `mode` above applies to new files only.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Returns random bytes in hexadecimal.
pub fn random_hex<const BYTES: usize>() -> Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).context("reading random bytes from the system")?;
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Ok(digits.filter_map(|digit| char::from_digit(u32::from(digit), 16)).collect())
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
    fn a_folder_with_missing_secrets_keeps_the_others_and_gets_the_missing_ones() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secrets.json"), r#"{"key_pepper":"old"}"#).unwrap();
        let first = Secrets::load_or_generate(folder.path()).unwrap();
        assert_eq!(first.key_pepper, "old");
        let second = Secrets::load_or_generate(folder.path()).unwrap();
        assert_eq!(first.origin_secret, second.origin_secret);
    }
}
