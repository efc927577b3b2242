//! The programs in the documents, exactly as they are printed there.

use crate::channel::Channel;
use crate::project;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// Returns the program of this language in a document of `docs/`.
pub fn documented_program(document: &str, language: &str) -> Result<String> {
    let text = std::fs::read_to_string(project().join("docs").join(document))?;
    let (_, from) = text.split_once(&format!("```{language}\n")).context("the document has no program")?;
    let (program, _) = from.split_once("```").context("the program has no end")?;
    Ok(program.to_owned())
}

/// A client program in `docs/clients.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentedClient {
    Python,
    Node,
}

impl DocumentedClient {
    pub const ALL: [Self; 2] = [Self::Python, Self::Node];

    /// Returns the command that posts a clip to a channel. Returns `None` if the language is not installed.
    pub fn post(self, channel: &Channel, clip: &Path) -> Result<Option<Command>> {
        let Some(mut command) = self.command(clip)? else { return Ok(None) };
        command.arg(clip).arg("From the documents").stdin(Stdio::null()).kill_on_drop(true);
        command.env("UPLOAD_URL", channel.stack.url("")).env("API_KEY", &channel.key);
        Ok(Some(command))
    }

    fn command(self, clip: &Path) -> Result<Option<Command>> {
        match self {
            Self::Python => {
                let python = project().join(".dev/python/bin/python");
                if !python.exists() {
                    println!("documented programs: the Python clients are not installed and are not tested");
                    return Ok(None);
                }
                let mut command = Command::new(python);
                command.args(["-c", &documented_program("clients.md", "python")?]);
                Ok(Some(command))
            }
            Self::Node => {
                let program = clip.with_extension("mjs");
                std::fs::write(&program, documented_program("clients.md", "js")?)?;
                let mut command = Command::new(project().join("node_modules/.bin/node"));
                command.arg(program);
                Ok(Some(command))
            }
        }
    }
}
