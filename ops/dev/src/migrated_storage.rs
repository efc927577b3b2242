//! A storage folder with every migration applied, for the first start of a stack.
//!
//! wrangler takes a quarter of a second for each migration, which is most of a new stack's start-up time. So the
//! storage of the first stack is kept in `target` before anything else is written to it, and later stacks begin with a
//! copy. It is rebuilt when a migration, the database's configuration or wrangler changes.

use crate::{project, worker_config, wrangler};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Held while storage is made, so that stacks that start at the same time do not all make it.
static MAKING: Mutex<()> = Mutex::new(());

/// Gives a stack a database with every migration applied.
pub(crate) fn prepare(state: &Path, worker: &Path) -> Result<()> {
    let storage = wrangler::storage(state);
    if storage.exists() {
        return wrangler::migrate(state, worker);
    }
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let (kept, made_of) = (Kept::in_project(), made_of(worker)?);
    if kept.is_made_of(&made_of) && copy_folder(&kept.storage(), &storage).is_ok() {
        return Ok(());
    }
    remove_folder(&storage)?;
    wrangler::migrate(state, worker)?;
    kept.replace(&storage, &made_of)
}

/// The kept storage, and the text that it was made from.
struct Kept(PathBuf);

impl Kept {
    fn in_project() -> Self {
        Self(project::root().join("target/migrated-storage"))
    }

    fn storage(&self) -> PathBuf {
        self.0.join("storage")
    }

    fn made_of(&self) -> PathBuf {
        self.0.join("made-of")
    }

    fn is_made_of(&self, made_of: &str) -> bool {
        fs::read_to_string(self.made_of()).is_ok_and(|text| text == made_of)
    }

    /// Keeps a copy of this storage.
    fn replace(&self, storage: &Path, made_of: &str) -> Result<()> {
        let new = Self(self.0.with_extension(format!("new-{}", std::process::id())));
        remove_folder(&new.0)?;
        copy_folder(storage, &new.storage())?;
        fs::write(new.made_of(), made_of)?;
        remove_folder(&self.0)?;
        // Fails if another process has just stored its own copy, which is as good.
        Ok(fs::rename(&new.0, &self.0).or_else(|_| remove_folder(&new.0))?)
    }
}

/// Returns the database's configuration, the version of wrangler and all migrations as one text.
fn made_of(worker: &Path) -> Result<String> {
    let wrangler = project::root().join("node_modules/wrangler/package.json");
    let mut files = vec![wrangler];
    let migrations = fs::read_dir(project::root().join("edge/migrations")).context("listing the migrations")?;
    files.extend(migrations.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?);
    files[1..].sort();
    let mut texts = vec![worker_config::database(worker)?.to_string()];
    for file in files {
        let content = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        texts.extend([file.display().to_string(), content]);
    }
    Ok(texts.join("\n"))
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

fn remove_folder(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_storage_is_used_only_for_what_it_was_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let storage = folder.path().join("storage");
        fs::create_dir_all(storage.join("v3/d1")).unwrap();
        fs::write(storage.join("v3/d1/database"), "tables").unwrap();
        let kept = Kept(folder.path().join("kept"));
        assert!(!kept.is_made_of("one migration"));
        kept.replace(&storage, "one migration").unwrap();
        assert!(kept.is_made_of("one migration") && !kept.is_made_of("two migrations"));
        kept.replace(&storage, "two migrations").unwrap();
        assert!(kept.is_made_of("two migrations") && !kept.is_made_of("one migration"));
        let copy = folder.path().join("copy");
        copy_folder(&kept.storage(), &copy).unwrap();
        assert_eq!(fs::read_to_string(copy.join("v3/d1/database")).unwrap(), "tables");
    }
}
