//! `stack.env`: where a running stack is and what opens it, as shell `KEY=value` lines.
//!
//! The stack holds a lock on its file, so that the file of a living stack is left alone and one that a killed
//! stack has left behind is known as such.

use crate::secrets::write_private;
use anyhow::{Context, Result};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The file's lines, in its order.
#[derive(Clone)]
pub struct StackEnv(pub Vec<(&'static str, String)>);

impl StackEnv {
    pub fn get(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| *key == name)
            .map_or("", |(_, value)| value)
    }

    fn text(&self) -> String {
        self.0.iter().fold(String::new(), |text, (key, value)| {
            text + key + "=" + value + "\n"
        })
    }
}

impl std::fmt::Debug for StackEnv {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("StackEnv(redacted)")
    }
}

/// The files of a running stack; they go when this goes.
#[derive(Debug)]
pub struct Published(Vec<(PathBuf, File)>);

impl Published {
    /// Writes the file wherever no other living stack has its own.
    pub fn write(env: &StackEnv, paths: Vec<PathBuf>) -> Result<Self> {
        let mut written = Self(Vec::new());
        for path in paths {
            if !is_held(&path) {
                let file = publish(&path, &env.text())
                    .with_context(|| format!("writing {}", path.display()))?;
                written.0.push((path, file));
            }
        }
        Ok(written)
    }

    /// The last of the files that were written.
    pub fn path(&self) -> Option<&Path> {
        self.0.last().map(|(path, _)| path.as_path())
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        for (path, _held) in &self.0 {
            // Gone already is as good as removed.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether a living stack has its file here.
pub fn is_held(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Removes the file of a stack that was killed, so that whoever waits for the new one is not misled.
pub fn remove_stale(path: &Path) {
    if !is_held(path) {
        // Most often there is none.
        let _ = std::fs::remove_file(path);
    }
}

/// The file appears whole and locked, or not at all.
fn publish(path: &Path, text: &str) -> Result<File> {
    let unfinished = path.with_extension("env.new");
    let file = write_private(&unfinished, text)?;
    file.lock()?;
    std::fs::rename(&unfinished, path)?;
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
    fn the_file_of_a_living_stack_is_left_alone() {
        let folder = folder("living");
        let (shared, own) = (folder.join("stack.env"), folder.join("own.env"));
        let first = Published::write(&env("1"), vec![shared.clone()]).unwrap();
        let second = Published::write(&env("2"), vec![own.clone(), shared.clone()]).unwrap();
        assert_eq!(second.path(), Some(own.as_path()));
        remove_stale(&shared);
        drop(second);
        assert_eq!(std::fs::read_to_string(&shared).unwrap(), "A=1\n");
        drop(first);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_file_of_a_killed_stack_is_removed() {
        let folder = folder("killed");
        let path = folder.join("stack.env");
        std::fs::write(&path, "A=0\n").unwrap();
        assert!(!is_held(&path));
        remove_stale(&path);
        assert!(!path.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
