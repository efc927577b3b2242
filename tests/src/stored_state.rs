//! The stored state of a stack in miniflare's files, which a test can read and change while the stack does not run.

use anyhow::{Context, Result};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const D1: &str = "d1/miniflare-D1DatabaseObject";
pub(crate) const R2: &str = "r2/miniflare-R2BucketObject";
pub(crate) const KV: &str = "kv/miniflare-KVNamespaceObject";

/// The stored state of a stack.
#[derive(Clone, Debug)]
pub struct TestStackState {
    folder: PathBuf,
}

impl TestStackState {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Returns the peppers of the Worker: the current one and, if it is not empty, the second one.
    pub fn peppers(&self) -> Result<[String; 2]> {
        let secrets = self.secrets()?;
        let pepper = |name: &str| secrets[name].as_str().map(str::to_owned).with_context(|| format!("no {name}"));
        Ok([pepper("key_pepper")?, pepper("key_pepper_second")?])
    }

    /// Replaces the peppers of the Worker, which must not run.
    pub fn set_peppers(&self, [current, second]: [&str; 2]) -> Result<()> {
        let mut secrets = self.secrets()?;
        secrets["key_pepper"] = Value::from(current);
        secrets["key_pepper_second"] = Value::from(second);
        Ok(std::fs::write(self.secrets_file(), secrets.to_string())?)
    }

    fn secrets(&self) -> Result<Value> {
        Ok(serde_json::from_str(&std::fs::read_to_string(self.secrets_file())?)?)
    }

    fn secrets_file(&self) -> PathBuf {
        self.folder.join("secrets.json")
    }

    /// Copies the database, as it is at this moment.
    pub fn back_up_database(&self) -> Result<()> {
        let connection = Connection::open_with_flags(self.database()?, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        let backup = self.backup();
        connection.execute("VACUUM INTO ?1", [backup.to_str().context("the folder is not UTF-8")?])?;
        Ok(())
    }

    /// Deletes the database, and puts its copy in its place. The stack must not run.
    pub fn restore_database(&self) -> Result<()> {
        let database = self.database()?;
        for suffix in ["-wal", "-shm"] {
            let mut name = database.clone().into_os_string();
            name.push(suffix);
            let name = PathBuf::from(name);
            if name.exists() {
                std::fs::remove_file(name)?;
            }
        }
        std::fs::remove_file(&database)?;
        std::fs::rename(self.backup(), database)?;
        Ok(())
    }

    fn backup(&self) -> PathBuf {
        self.folder.join("backup.sqlite")
    }

    fn database(&self) -> Result<PathBuf> {
        self.store_path(D1)?.context("D1 has no local file")
    }

    /// Returns the file in which miniflare keeps a service. A service that was never used has none.
    pub(crate) fn store_path(&self, service: &str) -> Result<Option<PathBuf>> {
        let folder = self.folder.join("storage/v3").join(service);
        let mut files = std::fs::read_dir(&folder)?.filter_map(|file| file.ok().map(|file| file.path()));
        Ok(files.find(|path| is_database(path)))
    }
}

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "sqlite") && !path.ends_with("metadata.sqlite")
}
