//! The programs in the documents, exactly as they are printed there.

use crate::channel::Channel;
use crate::project;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;

/// Returns the program of this language in a document of `docs/`.
pub fn documented_program(document: &str, language: &str) -> Result<String> {
    let text = std::fs::read_to_string(project().join("docs").join(document))?;
    let (_, from) = text.split_once(&format!("```{language}\n")).context("the document has no program")?;
    let (program, _) = from.split_once("```").context("the program has no end")?;
    Ok(program.to_owned())
}

/// A language of the samples in the documents. Each has a tab on the documentation site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleLanguage {
    Curl,
    /// The command-line client, which is called from a shell.
    Clipgate,
    Node,
    Python,
}

impl SampleLanguage {
    pub const ALL: [Self; 4] = [Self::Curl, Self::Clipgate, Self::Node, Self::Python];

    /// Returns a command that runs a sample. Returns `None` if the language is not installed.
    pub fn command(self, sample: &str) -> Option<Command> {
        let python = project().join(".dev/python/bin/python");
        let (program, flags): (PathBuf, &[&str]) = match self {
            Self::Curl | Self::Clipgate => ("sh".into(), &["-euc"]),
            Self::Node => (project().join("node_modules/.bin/node"), &["--input-type=module", "--eval"]),
            Self::Python if python.exists() => (python, &["-c"]),
            Self::Python => return None,
        };
        let mut command = Command::new(program);
        command.args(flags).arg(sample).stdin(Stdio::null()).kill_on_drop(true);
        Some(command)
    }

    /// Returns the language and the other marks of a sample from the words after its fence. Returns `None` if the block
    /// is not a sample, such as a program that another test runs.
    fn of<'a>(words: &'a [&'a str]) -> Option<(Self, &'a [&'a str])> {
        match words {
            ["sh", "clipgate", marks @ ..] => Some((Self::Clipgate, marks)),
            ["sh", marks @ ..] => Some((Self::Curl, marks)),
            ["js", "sample", marks @ ..] => Some((Self::Node, marks)),
            ["python", "sample", marks @ ..] => Some((Self::Python, marks)),
            _ => None,
        }
    }
}

/// A sample in a document, such as a call of the API with curl.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentedSample {
    pub text: String,
    /// The text that the output must have. By default, it must be the response of a success.
    pub expected: Option<String>,
}

/// Returns the samples of a language in a document of `docs/` in order, except those marked as `setup`, which set
/// variables or install programs.
pub fn documented_samples(document: &str, language: SampleLanguage) -> Result<Vec<DocumentedSample>> {
    let text = std::fs::read_to_string(project().join("docs").join(document))?;
    let mut found = Vec::new();
    for block in fenced_blocks(&text) {
        let Some((info, sample)) = block.split_once('\n') else { continue };
        let words = info.split_whitespace().collect::<Vec<_>>();
        let Some((sample_language, marks)) = SampleLanguage::of(&words) else { continue };
        if marks == ["setup"] {
            ensure!(!sample.contains("curl "), "{document}: a call of the API is not run:\n{sample}");
            continue;
        }
        let expected = match marks {
            [] => None,
            [mark] => Some(mark.strip_prefix("expect=").with_context(|| format!("{document}: unknown mark: {mark}"))?),
            _ => anyhow::bail!("{document}: too many marks: {info}"),
        };
        if sample_language == language {
            found.push(DocumentedSample { text: sample.to_owned(), expected: expected.map(str::to_owned) });
        }
    }
    Ok(found)
}

/// Returns the scripts for web pages in a document of `docs/`, in order.
pub fn documented_scripts(document: &str) -> Result<Vec<String>> {
    let text = std::fs::read_to_string(project().join("docs").join(document))?;
    let script = |block: String| block.strip_prefix("js browser\n").map(str::to_owned);
    Ok(fenced_blocks(&text).into_iter().filter_map(script).collect())
}

/// Returns the blocks between lines that begin with three backticks, which may be indented. Each begins with its
/// language.
fn fenced_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let fence = line.trim_start().strip_prefix("```");
        open = match (open, fence) {
            (None, Some(info)) => Some(format!("{info}\n")),
            (Some(block), Some(_)) => {
                blocks.push(block);
                None
            }
            (Some(block), None) => Some(format!("{block}{line}\n")),
            (None, None) => None,
        };
    }
    blocks
}

/// A client program in `docs/publish/programs.md`.
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
        command.env("CLIPGATE", channel.stack.url("")).env("API_KEY", &channel.key);
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
                command.args(["-c", &documented_program("publish/programs.md", "python")?]);
                Ok(Some(command))
            }
            Self::Node => {
                let program = clip.with_extension("mjs");
                std::fs::write(&program, documented_program("publish/programs.md", "js")?)?;
                let mut command = Command::new(project().join("node_modules/.bin/node"));
                command.arg(program);
                Ok(Some(command))
            }
        }
    }
}
