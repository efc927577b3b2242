//! The programs that read the OpenAPI documents: validators, generators of clients, and a fuzzer. `ops/dev/setup tests`
//! installs them.

use crate::project;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// An OpenAPI document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Document {
    Public,
    Internal,
}

impl Document {
    pub const ALL: [Self; 2] = [Self::Public, Self::Internal];

    pub fn path(self) -> PathBuf {
        project().join(match self {
            Self::Public => "edge/site/openapi.json",
            Self::Internal => "docs/internal-openapi.json",
        })
    }
}

/// Returns a command of a JavaScript tool in `tests/description/`.
pub fn node_tool(name: &str) -> Command {
    let mut command = Command::new(project().join("node_modules/.bin/node"));
    command.arg(project().join("tests/description/node_modules/.bin").join(name)).current_dir(project());
    command
}

/// Returns a command of a Python program. Python is optional: returns `None` if the program is not installed.
pub fn python_tool(name: &str) -> Option<Command> {
    let program = project().join(".dev/python/bin").join(name);
    if !program.exists() {
        println!("{name} is not installed and is not tested. Install it with `ops/dev/setup tests`.");
        return None;
    }
    let mut command = Command::new(program);
    command.current_dir(project());
    Some(command)
}

/// Runs a tool to its end. Fails with what it printed if it fails.
pub fn run_tool(command: &mut Command) -> Result<Output> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("{command:?}"))?;
    let printed = [output.stdout.as_slice(), &output.stderr].concat();
    ensure!(output.status.success(), "{command:?}:\n{}", String::from_utf8_lossy(&printed));
    Ok(output)
}

/// The clients that are generated from the public document, each with a program in `tests/description/` that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedClient {
    TypeScript,
    Python,
}

impl GeneratedClient {
    /// Generates the client into `target/description/`, and returns the command of its program. Returns `None` if the
    /// generator is not installed.
    pub fn generate(self) -> Result<Option<Command>> {
        let folder = project().join("target/description");
        std::fs::create_dir_all(&folder)?;
        let document = Document::Public.path();
        match self {
            Self::TypeScript => {
                let types = folder.join("clipgate-api.ts");
                run_tool(node_tool("openapi-typescript").arg(document).arg("--output").arg(types))?;
                let mut program = Command::new(project().join("node_modules/.bin/node"));
                program.arg(project().join("tests/description/life_cycle.ts"));
                Ok(Some(program))
            }
            Self::Python => {
                let (Some(mut generator), Some(mut program)) =
                    (python_tool("openapi-python-client"), python_tool("python"))
                else {
                    return Ok(None);
                };
                generator.args(["generate", "--meta", "none", "--overwrite", "--fail-on-warning", "--config"]);
                generator.arg(project().join("tests/description/python_client.yaml")).arg("--path").arg(document);
                run_tool(generator.arg("--output-path").arg(folder.join("clipgate_api")))?;
                program.arg(project().join("tests/description/life_cycle.py")).env("PYTHONPATH", folder);
                program.env("PYTHONDONTWRITEBYTECODE", "1");
                Ok(Some(program))
            }
        }
    }
}
