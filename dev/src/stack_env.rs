//! `stack.env`: where a running stack is and what opens it, as shell `KEY=value` lines.

use crate::secrets::write_private;
use anyhow::Result;
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

/// The written files; they go when this goes, unless another stack has put its own in their place.
#[derive(Debug)]
pub struct Published {
    paths: Vec<PathBuf>,
    text: String,
}

impl Published {
    pub fn write(env: &StackEnv, paths: Vec<PathBuf>) -> Result<Self> {
        let text = env.text();
        for path in &paths {
            write_private(path, &text)?;
        }
        Ok(Self { paths, text })
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        for path in &self.paths {
            if holds(path, &self.text) {
                // Gone already is as good as removed.
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

fn holds(path: &Path, text: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|found| found == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_removed_by_its_own_stack_alone() {
        let folder =
            std::env::temp_dir().join(format!("clipgate-stack-env-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("stack.env");
        let first =
            Published::write(&StackEnv(vec![("A", "1".to_owned())]), vec![path.clone()]).unwrap();
        let second =
            Published::write(&StackEnv(vec![("A", "2".to_owned())]), vec![path.clone()]).unwrap();
        drop(first);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "A=2\n");
        drop(second);
        assert!(!path.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
