//! One tool on one file, with options, sandbox or both.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use sandbox::{Ended, Limits, Policy, Sandbox};
use serde_json::{Value, json};

use crate::support;
use crate::tools::{self, Tool};
use crate::trace;

pub(crate) const LIMITS: Limits = Limits {
    cpu_seconds: 8,
    wall: Duration::from_secs(4),
    memory_bytes: 3 << 30,
    ..support::LIMITS
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The control: shows that the files do reach out where they can.
    Neither,
    Flags,
    Sandbox,
    Both,
}

impl Mode {
    pub(crate) const ALL: [Self; 4] = [Self::Neither, Self::Flags, Self::Sandbox, Self::Both];

    fn flags(self) -> Vec<&'static str> {
        match self {
            Self::Flags | Self::Both => tools::flags().to_vec(),
            Self::Neither | Self::Sandbox => tools::CARELESS.to_vec(),
        }
    }

    pub(crate) fn has_sandbox(self) -> bool {
        matches!(self, Self::Sandbox | Self::Both)
    }
}

/// What one run did.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) ended: String,
    pub(crate) seconds: f64,
    pub(crate) resident_mib: u64,
    /// None where strace is not there to tell.
    pub(crate) opened: Option<BTreeSet<String>>,
    pub(crate) connects: Option<usize>,
    /// All that it wrote, to files and to its streams.
    pub(crate) written: Vec<u8>,
}

/// Runs the service of one file, traced where that is possible.
pub(crate) fn run(tool: Tool, mode: Mode, file: &Path, strace: bool) -> Report {
    let folder = support::folder();
    let name = file.file_name().expect("a file");
    let input = folder.path().join(name);
    fs::copy(file, &input).expect("copied");
    let (output, log) = (folder.path().join("output"), folder.path().join("trace"));
    fs::create_dir(&output).expect("a folder");
    let program = std::env::current_exe().expect("this program");
    let mut command = if strace {
        traced(&log, &program)
    } else {
        Command::new(program)
    };
    command
        .args(["service", tool.name(), &format!("{mode:?}")])
        .arg(&input)
        .arg(&output);
    let answer = command.stdin(Stdio::null()).output().expect("started");
    let told: Value = serde_json::from_slice(&answer.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&answer.stderr)));
    let log = strace.then(|| fs::read_to_string(&log).expect("a log"));
    let own = folder.path().to_string_lossy().into_owned();
    Report {
        ended: told["ended"].as_str().unwrap_or("?").to_owned(),
        seconds: told["seconds"].as_f64().unwrap_or(f64::MAX),
        resident_mib: told["resident_mib"].as_u64().unwrap_or(u64::MAX),
        opened: log.as_deref().map(|log| {
            trace::opened(log)
                .into_iter()
                .filter(|path| !path.starts_with(&own))
                .collect()
        }),
        connects: log.as_deref().map(trace::connects),
        written: written(&output),
    }
}

fn traced(log: &Path, program: &Path) -> Command {
    let mut command = Command::new("strace");
    let calls = "trace=open,openat,openat2,connect";
    command
        .args([
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-e",
            calls,
            "-e",
            "signal=none",
            "-o",
        ])
        .arg(log)
        .arg(program);
    command
}

fn written(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).expect("a folder");
    files
        .flat_map(|file| fs::read(file.expect("a file").path()).expect("readable"))
        .collect()
}

/// The service: runs the tool and tells how it went.
pub(crate) fn serve(arguments: &[String]) -> ExitCode {
    let [tool, mode, input, output] = arguments else {
        return ExitCode::FAILURE;
    };
    let tool = Tool::ALL
        .into_iter()
        .find(|other| other.name() == tool)
        .expect("a tool");
    let mode = Mode::ALL
        .into_iter()
        .find(|other| format!("{other:?}") == *mode)
        .expect("a mode");
    let (input, output) = (PathBuf::from(input), PathBuf::from(output));
    let started = Instant::now();
    let ended = end(tool, mode, &input, &output);
    let seconds = started.elapsed().as_secs_f64();
    let resident = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss()) / 1024;
    println!(
        "{}",
        json!({"ended": format!("{ended:?}"), "seconds": seconds, "resident_mib": resident})
    );
    ExitCode::SUCCESS
}

fn end(tool: Tool, mode: Mode, input: &Path, output: &Path) -> Ended {
    let mut command = Command::new(support::tool(tool.name()).expect("a tool"));
    command
        .args(tool.arguments(&mode.flags(), input))
        .current_dir(output)
        .stdin(Stdio::null());
    for (stream, name) in [
        (
            Command::stdout as fn(&mut Command, fs::File) -> &mut Command,
            "stdout",
        ),
        (Command::stderr, "stderr"),
    ] {
        stream(
            &mut command,
            fs::File::create(output.join(name)).expect("a file"),
        );
    }
    let policy = Policy {
        readable: vec![input.to_owned()],
        writable: Some(output.to_owned()),
        limits: LIMITS,
    };
    if !mode.has_sandbox() {
        return within(&mut command, LIMITS.wall);
    }
    let sandbox = Sandbox::without_missing_parts();
    sandbox.hand_over(output).expect("handed over");
    let leash = sandbox.confine(&mut command, &policy).expect("confined");
    let status = command.status().expect("started");
    drop(leash);
    status.into()
}

/// Without the sandbox it is the suite that ends what takes too long.
fn within(command: &mut Command, wall: Duration) -> Ended {
    let mut child = command.spawn().expect("started");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("waited") {
            return status.into();
        }
        if started.elapsed() > wall {
            child.kill().expect("killed");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
