//! `stack.env`: the addresses and credentials of a running stack, as shell `KEY=value` lines.
//!
//! A stack holds a lock on its file for as long as it runs. The lock distinguishes the file of a running stack, which
//! must not be overwritten, from a stale file that a killed stack has left behind.

use crate::secrets::write_private;
use anyhow::{Context, Result};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The variables of the file, in order.
#[derive(Clone)]
pub struct StackEnv(pub Vec<(&'static str, String)>);

impl StackEnv {
    /// Returns the value of a variable, or an empty string if there is no such variable.
    pub fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    fn text(&self) -> String {
        self.0.iter().fold(String::new(), |text, (key, value)| text + key + "=" + value + "\n")
    }
}

impl std::fmt::Debug for StackEnv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("StackEnv(redacted)")
    }
}

/// The locked `stack.env` files of a running stack. Dropping them removes them.
#[derive(Debug)]
pub(crate) struct StackEnvFiles(Vec<(PathBuf, File)>);

impl StackEnvFiles {
    /// Writes the file to each path that does not belong to another running stack.
    pub(crate) fn write(env: &StackEnv, paths: Vec<PathBuf>) -> Result<Self> {
        let mut files = Self(Vec::new());
        for path in paths {
            if !is_locked(&path) {
                let file = write_locked(&path, &env.text()).with_context(|| format!("writing {}", path.display()))?;
                files.0.push((path, file));
            }
        }
        Ok(files)
    }

    /// Returns the last of the paths that were written.
    pub(crate) fn last_path(&self) -> Option<&Path> {
        self.0.last().map(|(path, _)| path.as_path())
    }
}

impl Drop for StackEnvFiles {
    fn drop(&mut self) {
        for (path, _lock) in &self.0 {
            // Fails only if the file was removed already.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether the file belongs to a running stack.
pub(crate) fn is_locked(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Removes the file if it was left behind by a stack that was killed. Otherwise a script that waits for the file of the
/// new stack would read the old one.
pub(crate) fn remove_stale(path: &Path) {
    if !is_locked(path) {
        // Fails if there is no file, which is the usual case.
        let _ = std::fs::remove_file(path);
    }
}

/// Writes the file under a temporary name and renames it once it is complete and locked.
fn write_locked(path: &Path, text: &str) -> Result<File> {
    let temporary = path.with_extension("env.new");
    let file = write_private(&temporary, text)?;
    file.lock()?;
    std::fs::rename(&temporary, path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(value: &str) -> StackEnv {
        StackEnv(vec![("A", value.to_owned())])
    }

    fn folder(name: &str) -> PathBuf {
        let name = format!("clipgate-stack-env-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_file_of_a_running_stack_is_not_overwritten() {
        let folder = folder("running");
        let (shared, own) = (folder.join("stack.env"), folder.join("own.env"));
        let first = StackEnvFiles::write(&env("1"), vec![shared.clone()]).unwrap();
        let second = StackEnvFiles::write(&env("2"), vec![own.clone(), shared.clone()]).unwrap();
        assert_eq!(second.last_path(), Some(own.as_path()));
        remove_stale(&shared);
        drop(second);
        assert_eq!(std::fs::read_to_string(&shared).unwrap(), "A=1\n");
        drop(first);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_stale_file_of_a_killed_stack_is_removed() {
        let folder = folder("killed");
        let path = folder.join("stack.env");
        std::fs::write(&path, "A=0\n").unwrap();
        assert!(!is_locked(&path));
        remove_stale(&path);
        assert!(!path.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
