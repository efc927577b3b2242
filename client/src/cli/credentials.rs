//! The API keys on disk: one for each service, in a file that only its owner can read.

use anyhow::{Context as _, Result};
use client::{ApiKey, ServiceUrl};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The contents of the credentials file. A key is sent only to the service that it was stored for.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Credentials {
    /// The service of the last login.
    pub default_service: Option<String>,
    keys: BTreeMap<String, String>,
}

/// There is no key, or no service.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct MissingKey(pub String);

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Credentials(redacted)")
    }
}

impl Credentials {
    /// Reads the file. A missing one has no keys.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        // The error's text could contain a part of a key.
        let damaged = || MissingKey(format!("{} is damaged. Run `clipgate login` again", path.display()));
        serde_json::from_slice(&bytes).map_err(|_| damaged().into())
    }

    /// Replaces the file.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let writing = || format!("writing {}", path.display());
        DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(writing)?;
        // Temporary files have mode 0600 from their first moment.
        let mut file = NamedTempFile::new_in(folder).with_context(writing)?;
        file.write_all(&serde_json::to_vec_pretty(self)?).with_context(writing)?;
        file.as_file().sync_all().with_context(writing)?;
        file.persist(path).map(drop).with_context(writing)
    }

    pub(crate) fn key(&self, service: &ServiceUrl) -> Option<ApiKey> {
        self.keys.get(&service.to_string())?.parse().ok()
    }

    /// Stores the key, and makes its service the default.
    pub(crate) fn store(&mut self, service: &ServiceUrl, key: &ApiKey) {
        self.keys.insert(service.to_string(), key.expose().to_owned());
        self.default_service = Some(service.to_string());
    }

    /// Removes the key of a service. Returns whether there was one.
    pub(crate) fn forget(&mut self, service: &ServiceUrl) -> bool {
        self.keys.remove(&service.to_string()).is_some()
    }
}

/// Returns the file of the keys, below the folder for configuration.
pub(crate) fn path(config: &Path) -> PathBuf {
    config.join("clipgate").join("credentials.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn service(url: &str) -> ServiceUrl {
        url.parse().unwrap()
    }

    fn key() -> ApiKey {
        "cgk_AbCd0123456789".parse().unwrap()
    }

    #[test]
    fn a_key_is_stored_for_one_service_and_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = path(folder.path());
        let mut credentials = Credentials::read(&path).unwrap();
        credentials.store(&service("https://a.b"), &key());
        credentials.write(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        credentials.write(&path).unwrap();
        let mut read = Credentials::read(&path).unwrap();
        assert_eq!(read.key(&service("https://a.b/")).unwrap().expose(), key().expose());
        assert!(read.key(&service("https://b.c")).is_none());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(read.forget(&service("https://a.b")) && !read.forget(&service("https://a.b")));
    }

    #[test]
    fn a_damaged_file_is_an_error_that_does_not_repeat_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        std::fs::write(&path, r#"{"keys":{"https://a.b":"cgk_AbCd0123456789""#).unwrap();
        let error = format!("{:?}", Credentials::read(&path).unwrap_err());
        assert!(error.contains("clipgate login") && !error.contains("AbCd"), "{error}");
    }

    #[test]
    fn a_key_is_never_printed() {
        let mut credentials = Credentials::default();
        credentials.store(&service("https://a.b"), &key());
        assert_eq!(format!("{credentials:?}"), "Credentials(redacted)");
    }
}
