//! Runs one tool on one file, with the options, the sandbox, both or neither.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use sandbox::{Limits, Policy, Sandbox, Termination};
use serde_json::{Value, json};

use crate::support;
use crate::tools::{self, Tool};
use crate::trace;

pub(crate) const LIMITS: Limits =
    Limits { cpu_seconds: 8, wall_time: Duration::from_secs(4), memory_bytes: 3 << 30, ..support::LIMITS };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The control: shows that the files do connect and read if nothing stops them.
    Neither,
    Options,
    Sandbox,
    Both,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [Self::Neither, Self::Options, Self::Sandbox, Self::Both];

    fn options(self) -> Vec<&'static str> {
        match self {
            Self::Options | Self::Both => tools::safe_options().to_vec(),
            Self::Neither | Self::Sandbox => tools::CARELESS_OPTIONS.to_vec(),
        }
    }

    pub(crate) fn has_sandbox(self) -> bool {
        matches!(self, Self::Sandbox | Self::Both)
    }
}

/// The results of one run.
#[derive(Debug)]
pub(crate) struct Report {
    /// The `Termination`, printed for debugging.
    pub(crate) termination: String,
    pub(crate) seconds: f64,
    pub(crate) resident_mib: u64,
    /// The paths that were opened, or `None` without strace.
    pub(crate) opened: Option<BTreeSet<String>>,
    /// The number of connection attempts, or `None` without strace.
    pub(crate) connects: Option<usize>,
    /// Everything that the tool wrote to files and to its streams.
    pub(crate) written: Vec<u8>,
}

/// Runs the service on one file, and traces it if strace is available.
pub(crate) fn run(tool: Tool, mode: Mode, file: &Path, strace: bool) -> Report {
    let folder = support::folder();
    let name = file.file_name().expect("a file");
    let input = folder.path().join(name);
    fs::copy(file, &input).expect("copied");
    let (output, log) = (folder.path().join("output"), folder.path().join("trace"));
    fs::create_dir(&output).expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let mut command = if strace { traced(&log, &program) } else { Command::new(program) };
    command.args(["service", tool.name(), &format!("{mode:?}")]).arg(&input).arg(&output);
    let answer = command.stdin(Stdio::null()).output().expect("started");
    let summary: Value = serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&answer.stderr)));
    let log = strace.then(|| fs::read_to_string(&log).expect("a log"));
    let own = folder.path().to_string_lossy().into_owned();
    Report {
        termination: summary["termination"].as_str().unwrap_or("?").to_owned(),
        seconds: summary["seconds"].as_f64().unwrap_or(f64::MAX),
        resident_mib: summary["resident_mib"].as_u64().unwrap_or(u64::MAX),
        opened: log
            .as_deref()
            .map(|log| trace::opened(log).into_iter().filter(|path| !path.starts_with(&own)).collect()),
        connects: log.as_deref().map(trace::connects),
        written: read_all(&output),
    }
}

fn traced(log: &Path, program: &Path) -> Command {
    let mut command = Command::new("strace");
    let calls = "trace=open,openat,openat2,connect";
    command.args(["-f", "-qq", "--seccomp-bpf", "-e", calls, "-e", "signal=none", "-o"]).arg(log).arg(program);
    command
}

fn read_all(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).expect("a folder");
    files.flat_map(|file| fs::read(file.expect("a file").path()).expect("readable")).collect()
}

/// The service: runs the tool and prints a summary.
pub(crate) fn serve(arguments: &[String]) -> ExitCode {
    let [tool, mode, input, output] = arguments else {
        return ExitCode::FAILURE;
    };
    let tool = Tool::ALL.into_iter().find(|other| other.name() == tool).expect("a tool");
    let mode = Mode::ALL.into_iter().find(|other| format!("{other:?}") == *mode).expect("a mode");
    let (input, output) = (PathBuf::from(input), PathBuf::from(output));
    let started = Instant::now();
    let termination = run_tool(tool, mode, &input, &output);
    let seconds = started.elapsed().as_secs_f64();
    let resident = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss()) / 1024;
    println!("{}", json!({"termination": format!("{termination:?}"), "seconds": seconds, "resident_mib": resident}));
    ExitCode::SUCCESS
}

fn run_tool(tool: Tool, mode: Mode, input: &Path, output: &Path) -> Termination {
    let mut command = Command::new(support::tool(tool.name()).expect("a tool"));
    command.args(tool.arguments(&mode.options(), input)).current_dir(output).stdin(Stdio::null());
    for (stream, name) in
        [(Command::stdout as fn(&mut Command, fs::File) -> &mut Command, "stdout"), (Command::stderr, "stderr")]
    {
        stream(&mut command, fs::File::create(output.join(name)).expect("a file"));
    }
    let policy = Policy {
        readable: vec![input.to_owned()],
        writable: Some(output.to_owned()),
        devices: Vec::new(),
        limits: LIMITS,
    };
    if !mode.has_sandbox() {
        return run_unconfined(&mut command, LIMITS.wall_time);
    }
    let sandbox = Sandbox::best_effort();
    sandbox.hand_over(output).expect("a writable folder");
    let guard = sandbox.confine(&mut command, &policy).expect("confined");
    let status = command.status().expect("started");
    drop(guard);
    status.into()
}

/// Runs the command without the sandbox, and kills it after the wall time.
fn run_unconfined(command: &mut Command, wall_time: Duration) -> Termination {
    let mut child = command.spawn().expect("started");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waited") {
            return status.into();
        }
        if started.elapsed() > wall_time {
            child.kill().expect("killed");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
