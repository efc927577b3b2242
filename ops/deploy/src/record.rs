//! The record of deployments from this machine: the names of created resources, and the values of secrets, which
//! Cloudflare never shows again. Only the owner of the file can read it.

use crate::worker_config::{PEPPER, SECOND_PEPPER};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// The record of one environment.
#[derive(Default, Serialize, Deserialize)]
pub struct Record {
    #[serde(default)]
    pub created: BTreeSet<String>,
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    /// Set while the pepper is being replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pepper_change: Option<PepperChange>,
    /// Peppers that are no longer accepted. A database restored from an older backup needs the pepper of its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retired_peppers: Vec<String>,
    #[serde(skip)]
    path: PathBuf,
}

/// The state of the replacement of the pepper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PepperChange {
    pub begun_at_unix: u64,
    pub is_switched: bool,
}

impl fmt::Debug for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Record").field("created", &self.created).finish_non_exhaustive()
    }
}

impl Record {
    /// Reads the record of an environment of an account. Without a file it is empty.
    pub fn read(folder: &Path, environment: &str) -> Result<Self> {
        let path = folder.join(format!("{environment}.json"));
        let mut record = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::default(),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        record.path = path;
        Ok(record)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records the name of a resource before it is created. If the answer to that request is lost, the next deployment
    /// still recognises the resource.
    pub fn remember_created(&mut self, name: &str) -> Result<()> {
        if self.created.insert(name.to_owned()) { self.write() } else { Ok(()) }
    }

    /// Returns values for these secrets. New values are recorded before anything else uses them.
    pub fn secrets(&mut self, names: &[String]) -> Result<BTreeMap<String, String>> {
        let known = self.secrets.len();
        for name in names {
            if !self.secrets.contains_key(name) {
                self.secrets.insert(name.clone(), dev::random_hex::<32>()?);
            }
        }
        if self.secrets.len() > known {
            self.write()?;
        }
        Ok(self.secrets.iter().filter(|(name, _)| names.contains(name)).map(|(n, v)| (n.clone(), v.clone())).collect())
    }

    /// Records the time since which the Worker accepts the new pepper. A repetition keeps the first time.
    pub fn begin_pepper_change(&mut self, now_unix: u64) -> Result<()> {
        self.pepper_change.get_or_insert(PepperChange { begun_at_unix: now_unix, is_switched: false });
        self.write()
    }

    /// Swaps `KEY_PEPPER` and `KEY_PEPPER_SECOND`. A repetition changes nothing.
    pub fn switch_peppers(&mut self) -> Result<()> {
        let change = self.pepper_change.as_mut().context("the record has no new pepper")?;
        if change.is_switched {
            return Ok(());
        }
        change.is_switched = true;
        let second = self.secrets.remove(SECOND_PEPPER).context("the record has no KEY_PEPPER_SECOND")?;
        let old = self.secrets.insert(PEPPER.to_owned(), second).context("the record has no KEY_PEPPER")?;
        self.secrets.insert(SECOND_PEPPER.to_owned(), old);
        self.write()
    }

    /// Retires the old pepper. A repetition changes nothing.
    pub fn end_pepper_change(&mut self) -> Result<()> {
        self.pepper_change = None;
        self.retired_peppers.extend(self.secrets.remove(SECOND_PEPPER));
        self.write()
    }

    /// Replaces the file atomically: a truncated file would lose the secrets.
    fn write(&self) -> Result<()> {
        let folder = self.path.parent().context("the record has no folder")?;
        std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let unfinished = self.path.with_extension("unfinished");
        let file = dev::write_private(&unfinished, &serde_json::to_string_pretty(self)?)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, &self.path).with_context(|| format!("writing {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::Record;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_generated_secret_is_kept_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["SERVICE_TOKEN".to_owned()];
        let mut record = Record::read(folder.path(), "production").unwrap();
        let first = record.secrets(&names).unwrap();
        let again = Record::read(folder.path(), "production").unwrap().secrets(&names).unwrap();
        assert!(first == again && first["SERVICE_TOKEN"].len() == 64);
        assert_eq!(std::fs::metadata(record.path()).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!format!("{record:?}").contains(&first["SERVICE_TOKEN"]));
    }

    #[test]
    fn names_are_recorded_before_resources_are_created() {
        let folder = tempfile::tempdir().unwrap();
        Record::read(folder.path(), "staging").unwrap().remember_created("clipgate-media").unwrap();
        assert!(Record::read(folder.path(), "staging").unwrap().created.contains("clipgate-media"));
        assert!(Record::read(folder.path(), "production").unwrap().created.is_empty());
    }
}
