//! The parts of a stack, and the addresses and folders that it uses.

use crate::origin_process::OriginOptions;
use std::path::PathBuf;

/// The build of the Worker to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerVariant {
    /// The build that is deployed.
    Release,
    /// The release build plus the routes that only tests need.
    Development,
}

impl WorkerVariant {
    /// Returns the entry file, relative to the project's root.
    pub fn entry_file(self) -> &'static str {
        match self {
            Self::Release => "build/release/index.js",
            Self::Development => "build/development/index.js",
        }
    }
}

/// The options of one stack.
#[derive(Clone, Debug)]
pub struct StackOptions {
    /// The API's loopback port: the cache's if there is one, otherwise the Worker's.
    pub port: u16,
    /// Whether a cache is in front of the Worker, as in production.
    pub has_cache: bool,
    /// The folder that keeps databases, objects, logs and secrets.
    pub state: PathBuf,
    pub variant: WorkerVariant,
    /// Variables for the Worker, in addition to its addresses.
    pub vars: Vec<(String, String)>,
    /// The rate limits that differ from production's: the name of each binding, and its requests in ten seconds.
    pub rates: Vec<(&'static str, u32)>,
    /// Whether completion jobs have a queue of their own.
    pub has_completions_queue: bool,
    /// The origins to start.
    pub origins: Vec<OriginOptions>,
    /// A second place for `stack.env`, besides the state folder. It is skipped while another running stack has its file
    /// there.
    pub shared_stack_env: Option<PathBuf>,
}

impl StackOptions {
    /// Whether the Worker answers operators only.
    pub(crate) fn is_closed(&self) -> bool {
        self.vars.iter().any(|(name, value)| name == "CLOSED" && value == "true")
    }

    /// Returns the base URL of the stack.
    pub fn address(&self) -> String {
        format!("http://{}", self.host())
    }

    /// Returns the host of the stack's API, with its port.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}
