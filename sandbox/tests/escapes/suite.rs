//! Runs every attempt, with the sandbox, with parts of it, and without it.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Output, Stdio};

use sandbox::{Ended, Part, Policy, Sandbox, Support};

use crate::arena::Stage;
use crate::attempts;
use crate::limits::{LIMITS, THREADS};

const NAME_OF_AN_UNPRIVILEGED_RUN: &str = "unprivileged";
/// Set, the suite also shows what each wall holds by itself, which takes a while.
const EACH_WALL: &str = "EACH_WALL";
const UNPRIVILEGED: u32 = 65533;
/// What the attempts must reach without the sandbox for the suite to mean something: root may do nearly everything.
const LEAST_ESCAPES: (usize, usize) = (70, 50);

pub(crate) fn run() -> ExitCode {
    let root = nix::unistd::geteuid().is_root();
    let stage = Stage::new().expect("a stage");
    let support = Support::detect();
    println!(
        "escapes: {}, Landlock ABI {}, parts {:?}",
        if root { "as root" } else { "as a user" },
        support.landlock_abi,
        support.parts
    );
    for part in Part::ALL.into_iter().filter(|&part| !support.has(part)) {
        println!("SKIPPED: this machine lacks {part}");
    }
    let walls_hold = support.check().is_err() || walls_hold(&stage, &support);
    let second_run = std::env::args().any(|argument| argument == NAME_OF_AN_UNPRIVILEGED_RUN);
    if std::env::var_os(EACH_WALL).is_some() {
        each_wall_alone(&stage, &support);
    }
    let control = suite_can_fail(&stage, root);
    let user = !root || second_run || again_as_a_user(&stage);
    if walls_hold && control && user {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// With all parts, and with all but the namespaces, which many machines forbid.
fn walls_hold(stage: &Stage, support: &Support) -> bool {
    let mut without_namespaces = support.clone();
    without_namespaces.parts.remove(&Part::Namespaces);
    let machines = [
        ("in the sandbox", support.clone()),
        ("in the sandbox, without namespaces", without_namespaces),
    ];
    machines.into_iter().all(|(title, support)| {
        let counts_threads = support.has(Part::Namespaces);
        let escaped = escapes(stage, Some(&Sandbox::using(support)));
        let known = |line: &&String| !counts_threads && line.starts_with(THREADS);
        for line in &escaped {
            let verdict = if known(&line) {
                "not counted without namespaces"
            } else {
                "ESCAPED"
            };
            println!("{verdict}: {line}");
        }
        let all = attempts::all().count();
        println!("{title}: {} of {all} denied", all - escaped.len());
        let connections = stage.connections();
        println!("{title}: {connections} connections arrived");
        escaped.iter().all(|line| known(&line)) && connections == 0
    })
}

/// How much each wall holds by itself: nothing is asserted, it is what documents quote.
fn each_wall_alone(stage: &Stage, support: &Support) {
    for part in Part::ALL.into_iter().filter(|&part| support.has(part)) {
        let alone = Support {
            parts: [part].into(),
            landlock_abi: support.landlock_abi,
        };
        let escaped = escapes(stage, Some(&Sandbox::using(alone))).len();
        let all = attempts::all().count();
        println!("{part:?} alone: {} of {all} denied", all - escaped);
    }
    stage.connections();
}

fn suite_can_fail(stage: &Stage, root: bool) -> bool {
    let escaped = escapes(stage, None);
    let all = attempts::all().count();
    println!(
        "without the sandbox: {} of {all} denied",
        all - escaped.len()
    );
    for (name, _) in
        attempts::all().filter(|(name, _)| !escaped.iter().any(|line| line.starts_with(name)))
    {
        println!("  denied without it too: {name}");
    }
    let least = if root {
        LEAST_ESCAPES.0
    } else {
        LEAST_ESCAPES.1
    };
    let connections = stage.connections();
    println!("without the sandbox: {connections} connections arrived");
    escaped.len() >= least && connections > 0
}

/// Each attempt that was not denied, with its outcome.
fn escapes(stage: &Stage, sandbox: Option<&Sandbox>) -> Vec<String> {
    let mut escaped = Vec::new();
    for (name, _) in attempts::all() {
        stage.set().expect("the stage is set");
        let output =
            run_one(stage, sandbox, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let ended = Ended::from(output.status);
        if std::env::var_os("VERBOSE").is_some() {
            println!(
                "  {name}: {ended:?} {}",
                String::from_utf8_lossy(&output.stdout).trim()
            );
        }
        let limit = matches!(
            ended,
            Ended::WallTime | Ended::ProcessorTime | Ended::FileSize | Ended::ForbiddenCall
        );
        // A program that could not even be loaded was not stopped by the wall that it tried.
        let denied =
            matches!(ended, Ended::Exited(code) if code == i32::from(crate::DENIED) || code == 127);
        if !(limit || denied) {
            escaped.push(format!(
                "{name}: {ended:?} {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
    }
    escaped
}

fn run_one(stage: &Stage, sandbox: Option<&Sandbox>, name: &str) -> io::Result<Output> {
    let mut command = Command::new(&stage.program);
    command
        .arg("attempt")
        .arg(name)
        .args(stage.arena.arguments());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Some(sandbox) = sandbox else {
        let child = command.process_group(0).spawn()?;
        let group =
            nix::unistd::Pid::from_raw(-i32::try_from(child.id()).map_err(io::Error::other)?);
        return finish(child, || {
            let _ = nix::sys::signal::kill(group, nix::sys::signal::Signal::SIGKILL);
        });
    };
    let policy = Policy {
        readable: vec![stage.arena.input()],
        writable: Some(stage.arena.job()),
        limits: LIMITS,
    };
    sandbox.hand_over(&stage.arena.job())?;
    let leash = sandbox
        .confine(&mut command, &policy)
        .map_err(io::Error::other)?;
    let child = command.spawn()?;
    finish(child, || leash.kill())
}

/// What an attempt left running holds its output open, so it is ended before the output is read.
fn finish(mut child: std::process::Child, end: impl FnOnce()) -> io::Result<Output> {
    child.wait()?;
    end();
    child.wait_with_output()
}

fn again_as_a_user(stage: &Stage) -> bool {
    let folder = stage.folder().join("user");
    std::fs::create_dir(&folder).expect("a folder");
    std::os::unix::fs::chown(&folder, Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("handed over");
    let status = Command::new(&stage.program)
        .arg(NAME_OF_AN_UNPRIVILEGED_RUN)
        .env("TMPDIR", &folder)
        .current_dir(&folder)
        .uid(UNPRIVILEGED)
        .gid(UNPRIVILEGED)
        .status();
    status.is_ok_and(|status| status.success())
}
