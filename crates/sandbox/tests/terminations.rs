//! A confined program ends, with everything that it started, when its service ends, when its guard is dropped and when
//! its time is up.
//!
//! The program in these tests starts a child and a daemon. All three hold the output open, so the output ends when the
//! last of them has ended. Depending on its first argument, this binary is the test suite, the service that gets
//! killed, or the program.

use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid, pause, setsid};
use sandbox::{KillGuard, Layer, Limits, Policy, Sandbox, Support, Termination};

const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    cpu_seconds: 20,
    file_bytes: 1 << 20,
    threads: 16,
    open_files: 64,
    wall_time: Duration::from_mins(1),
};
/// The number of milliseconds that an immediate end may take.
const IMMEDIATELY_MS: u16 = 5_000;
/// The number of milliseconds for which a process that must not end is watched.
const WATCH_MS: u16 = 300;
/// The number of processes: the program, its child and its daemon.
const FAMILY: usize = 3;

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("family") => family(),
        Some("single") => announce_and_stay(),
        Some("service") => service(arguments.next().as_deref() == Some("confined")),
        _ => run_tests(),
    }
}

fn run_tests() {
    let support = Support::detect();
    let mut trials = vec![Trial::test("without_the_sandbox_a_daemon_outlives_its_service", daemon_without_the_sandbox)];
    if support.has(Layer::Namespaces) {
        trials.extend([
            Trial::test("killing_the_service_ends_the_program_and_everything_that_it_started", killed_service),
            Trial::test("dropping_the_guard_ends_everything_before_the_drop_returns", dropped_guard),
            Trial::test("killing_the_supervisor_ends_everything", killed_supervisor),
            Trial::test("reaching_the_wall_time_limit_ends_everything", wall_time_limit),
        ]);
    } else {
        println!("SKIPPED: the tests of processes that a program starts, because this machine has no namespaces");
    }
    trials.extend([
        Trial::test("a_program_outlives_the_thread_that_started_it", outlives_its_thread),
        Trial::test("dropping_the_guard_ends_the_program_without_namespaces_too", dropped_guard_without_namespaces),
        Trial::test("dropping_a_guard_without_a_program_returns_at_once", unused_guard),
        Trial::test("a_command_cannot_be_spawned_after_its_guard_was_dropped", spawn_after_drop),
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn daemon_without_the_sandbox() -> Result<(), Failed> {
    let (mut service, mut output, members) = start_service("unconfined")?;
    service.kill()?;
    service.wait()?;
    let survived = !has_ended(&output, WATCH_MS)?;
    for member in members {
        let _ = kill(member, Signal::SIGKILL);
    }
    output.read_to_end(&mut Vec::new())?;
    check(survived, "the daemon ended, so the other tests prove nothing")
}

fn killed_service() -> Result<(), Failed> {
    let (mut service, output, _) = start_service("confined")?;
    let killed = Instant::now();
    service.kill()?;
    let is_gone = has_ended(&output, IMMEDIATELY_MS)?;
    println!("everything ended {} us after the service was killed", killed.elapsed().as_micros());
    service.wait()?;
    check(is_gone, "a process outlived the service")
}

fn dropped_guard() -> Result<(), Failed> {
    let (mut program, output, guard) = start(&all_except(Layer::SystemCallFilter), "family", LIMITS)?;
    guard.kill();
    check(has_ended(&output, 0)?, "a process was still running after the drop")?;
    expect(Termination::from(program.wait()?), Termination::Killed)
}

fn killed_supervisor() -> Result<(), Failed> {
    let (mut program, output, _guard) = start(&all_except(Layer::SystemCallFilter), "family", LIMITS)?;
    program.kill()?;
    check(has_ended(&output, IMMEDIATELY_MS)?, "a process outlived the supervisor")?;
    expect(Termination::from(program.wait()?), Termination::Killed)
}

fn wall_time_limit() -> Result<(), Failed> {
    let limits = Limits { wall_time: Duration::from_millis(300), ..LIMITS };
    let (mut program, output, _guard) = start(&all_except(Layer::SystemCallFilter), "family", limits)?;
    check(has_ended(&output, IMMEDIATELY_MS)?, "a process outlived the time limit")?;
    expect(Termination::from(program.wait()?), Termination::WallTimeLimit)
}

fn outlives_its_thread() -> Result<(), Failed> {
    let started = std::thread::spawn(|| start(&Support::detect(), "single", LIMITS)).join();
    let (mut program, output, guard) = started.map_err(|_| "the thread panicked")??;
    check(!has_ended(&output, WATCH_MS)?, "the program ended with the thread")?;
    guard.kill();
    expect(Termination::from(program.wait()?), Termination::Killed)
}

fn dropped_guard_without_namespaces() -> Result<(), Failed> {
    let (mut program, output, guard) = start(&all_except(Layer::Namespaces), "single", LIMITS)?;
    guard.kill();
    check(has_ended(&output, 0)?, "the program was still running after the drop")?;
    expect(Termination::from(program.wait()?), Termination::Killed)
}

fn unused_guard() -> Result<(), Failed> {
    let started = Instant::now();
    let (_folder, mut command) = command("single")?;
    Sandbox::best_effort().confine(&mut command, &policy(LIMITS))?.kill();
    check(started.elapsed() < Duration::from_secs(4), "the drop waited although there was no program")
}

fn spawn_after_drop() -> Result<(), Failed> {
    let (_folder, mut command) = command("single")?;
    drop(Sandbox::best_effort().confine(&mut command, &policy(LIMITS))?);
    check(command.spawn().is_err(), "a program was started without a guard")
}

/// Starts a service that starts the family. Returns the members once all of them are running.
fn start_service(kind: &str) -> Result<(Child, BufReader<ChildStdout>, Vec<Pid>), Failed> {
    let mut service = Command::new(std::env::current_exe()?).args(["service", kind]).stdout(Stdio::piped()).spawn()?;
    let (output, members) = wait_for(&mut service, FAMILY)?;
    Ok((service, output, members))
}

fn start(support: &Support, role: &str, limits: Limits) -> Result<(Child, BufReader<ChildStdout>, KillGuard), Failed> {
    let (_folder, mut command) = command(role)?;
    let guard = Sandbox::with(support.clone()).confine(&mut command, &policy(limits))?;
    let mut program = command.stdout(Stdio::piped()).spawn()?;
    let members = if role == "family" { FAMILY } else { 1 };
    let (output, _) = wait_for(&mut program, members)?;
    Ok((program, output, guard))
}

fn wait_for(child: &mut Child, members: usize) -> Result<(BufReader<ChildStdout>, Vec<Pid>), Failed> {
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut line = String::new();
    let mut pids = Vec::new();
    while pids.len() < members && output.read_line(&mut line)? > 0 {
        pids.push(Pid::from_raw(line.trim().parse()?));
        line.clear();
    }
    check(pids.len() == members, "a member of the family did not start")?;
    Ok((output, pids))
}

/// Whether every process that holds the output open has ended.
fn has_ended(output: &BufReader<ChildStdout>, within_ms: u16) -> Result<bool, Failed> {
    let mut watched = [PollFd::new(output.get_ref().as_fd(), PollFlags::POLLHUP)];
    Ok(poll(&mut watched, within_ms)? == 1)
}

/// Returns a command for a copy of this binary that every user can execute.
fn command(role: &str) -> Result<(tempfile::TempDir, Command), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let program: PathBuf = folder.path().join("program");
    // Another process copies it: a child started by a concurrent test could inherit this process's descriptor, and the
    // kernel executes no file that is open for writing.
    let copied = Command::new("cp").arg(std::env::current_exe()?).arg(&program).status()?;
    if !copied.success() {
        return Err(format!("cp: {copied}").into());
    }
    let mut command = Command::new(program);
    command.arg(role).stdin(Stdio::null());
    Ok((folder, command))
}

fn policy(limits: Limits) -> Policy {
    Policy { readable: Vec::new(), writable: None, devices: Vec::new(), limits }
}

fn all_except(layer: Layer) -> Support {
    let mut support = Support::detect();
    support.layers.remove(&layer);
    support
}

/// Runs the service that a test kills.
fn service(confined: bool) {
    let (_folder, mut command) = command("family").unwrap_or_else(|error| panic!("{error:?}"));
    let sandbox = Sandbox::with(all_except(Layer::SystemCallFilter));
    let guard = confined.then(|| sandbox.confine(&mut command, &policy(LIMITS)).expect("confined"));
    let child = command.spawn().expect("the family");
    pause();
    drop((guard, child));
}

/// A program that starts a child and a daemon. It runs without the system call filter, which would not allow that.
#[expect(unsafe_code, reason = "fork, in a process of one thread")]
fn family() {
    use nix::unistd::fork;
    // SAFETY: this process has one thread, so the child may do anything.
    if unsafe { fork() }.expect("a child").is_child() {
        announce_and_stay();
    }
    // SAFETY: as above.
    if unsafe { fork() }.expect("a child").is_child() {
        setsid().expect("a session");
        // SAFETY: as above.
        if unsafe { fork() }.expect("a daemon").is_parent() {
            std::process::exit(0);
        }
    }
    announce_and_stay();
}

fn announce_and_stay() {
    println!("{}", getpid());
    loop {
        pause();
    }
}

fn check(condition: bool, failure: &str) -> Result<(), Failed> {
    if condition { Ok(()) } else { Err(failure.into()) }
}

fn expect(actual: Termination, expected: Termination) -> Result<(), Failed> {
    if actual == expected { Ok(()) } else { Err(format!("{actual:?}, expected {expected:?}").into()) }
}
