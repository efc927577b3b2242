//! A confined program ends with whoever started it, with its leash and with its time, and takes all that it started along.
//!
//! The program here starts a child and a daemon, and all of them hold the output open: at its end, the end of the
//! last of them has come. This file is the tests, the service that is killed, and the program, by its first argument.

use std::io::{BufRead, BufReader, Read};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid, pause, setsid};
use sandbox::{Ended, Leash, Limits, Part, Policy, Sandbox, Support};

const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    cpu_seconds: 20,
    file_bytes: 1 << 20,
    processes: 16,
    open_files: 64,
    wall: Duration::from_mins(1),
};
/// How long an end may take that comes at once, in milliseconds.
const SOON: u16 = 5_000;
/// How long the daemon of the control is watched.
const WHILE: u16 = 300;
/// The program, its child and its daemon.
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
    let mut trials = vec![Trial::test(
        "without_the_sandbox_a_daemon_outlives_its_service",
        without_the_sandbox,
    )];
    if support.has(Part::Namespaces) {
        trials.extend([
            Trial::test(
                "a_killed_service_takes_the_program_and_all_that_it_started_along",
                killed_service,
            ),
            Trial::test(
                "a_dropped_leash_takes_all_along_before_the_drop_returns",
                dropped_leash,
            ),
            Trial::test("a_killed_supervisor_takes_all_along", killed_supervisor),
            Trial::test("the_end_of_its_time_takes_all_along", end_of_time),
        ]);
    } else {
        println!(
            "SKIPPED: this machine gives no namespaces, so the tests of what a program starts"
        );
    }
    trials.extend([
        Trial::test(
            "a_program_outlives_the_thread_that_started_it",
            outlives_its_thread,
        ),
        Trial::test(
            "without_namespaces_too_a_dropped_leash_ends_the_program",
            dropped_leash_without_namespaces,
        ),
        Trial::test(
            "a_leash_that_never_held_anything_is_dropped_at_once",
            empty_leash,
        ),
        Trial::test(
            "a_command_cannot_be_spawned_after_its_leash_was_dropped",
            spawned_too_late,
        ),
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn without_the_sandbox() -> Result<(), Failed> {
    let (mut service, mut output, members) = start_service("free")?;
    service.kill()?;
    service.wait()?;
    let survived = !ended(&output, WHILE)?;
    for member in members {
        let _ = kill(member, Signal::SIGKILL);
    }
    output.read_to_end(&mut Vec::new())?;
    check(
        survived,
        "the daemon did not survive, so the other tests show nothing",
    )
}

fn killed_service() -> Result<(), Failed> {
    let (mut service, output, _) = start_service("confined")?;
    let killed = Instant::now();
    service.kill()?;
    let gone = ended(&output, SOON)?;
    println!(
        "gone {} us after the service was killed",
        killed.elapsed().as_micros()
    );
    service.wait()?;
    check(gone, "something outlived the service")
}

fn dropped_leash() -> Result<(), Failed> {
    let (mut program, output, leash) = start(&without(Part::SystemCallFilter), "family", LIMITS)?;
    leash.kill();
    check(ended(&output, 0)?, "something was there after the drop")?;
    expect(Ended::from(program.wait()?), Ended::Killed)
}

fn killed_supervisor() -> Result<(), Failed> {
    let (mut program, output, _leash) = start(&without(Part::SystemCallFilter), "family", LIMITS)?;
    program.kill()?;
    check(ended(&output, SOON)?, "something outlived the supervisor")?;
    expect(Ended::from(program.wait()?), Ended::Killed)
}

fn end_of_time() -> Result<(), Failed> {
    let limits = Limits {
        wall: Duration::from_millis(300),
        ..LIMITS
    };
    let (mut program, output, _leash) = start(&without(Part::SystemCallFilter), "family", limits)?;
    check(ended(&output, SOON)?, "something had more time")?;
    expect(Ended::from(program.wait()?), Ended::WallTime)
}

fn outlives_its_thread() -> Result<(), Failed> {
    let started = std::thread::spawn(|| start(&Support::detect(), "single", LIMITS)).join();
    let (mut program, output, leash) = started.map_err(|_| "the thread panicked")??;
    check(!ended(&output, WHILE)?, "the program ended with the thread")?;
    leash.kill();
    expect(Ended::from(program.wait()?), Ended::Killed)
}

fn dropped_leash_without_namespaces() -> Result<(), Failed> {
    let (mut program, output, leash) = start(&without(Part::Namespaces), "single", LIMITS)?;
    leash.kill();
    check(ended(&output, 0)?, "the program was there after the drop")?;
    expect(Ended::from(program.wait()?), Ended::Killed)
}

fn empty_leash() -> Result<(), Failed> {
    let started = Instant::now();
    let (_folder, mut command) = command("single")?;
    Sandbox::without_missing_parts()
        .confine(&mut command, &policy(LIMITS))?
        .kill();
    check(
        started.elapsed() < Duration::from_secs(4),
        "the drop waited for nobody",
    )
}

fn spawned_too_late() -> Result<(), Failed> {
    let (_folder, mut command) = command("single")?;
    drop(Sandbox::without_missing_parts().confine(&mut command, &policy(LIMITS))?);
    check(command.spawn().is_err(), "a program runs that nobody holds")
}

/// Starts a service which starts the family, and tells its members, once all of them are there.
fn start_service(kind: &str) -> Result<(Child, BufReader<ChildStdout>, Vec<Pid>), Failed> {
    let mut service = Command::new(std::env::current_exe()?)
        .args(["service", kind])
        .stdout(Stdio::piped())
        .spawn()?;
    let (output, members) = wait_for(&mut service, FAMILY)?;
    Ok((service, output, members))
}

fn start(
    support: &Support,
    role: &str,
    limits: Limits,
) -> Result<(Child, BufReader<ChildStdout>, Leash), Failed> {
    let (_folder, mut command) = command(role)?;
    let leash = Sandbox::using(support.clone()).confine(&mut command, &policy(limits))?;
    let mut program = command.stdout(Stdio::piped()).spawn()?;
    let members = if role == "family" { FAMILY } else { 1 };
    let (output, _) = wait_for(&mut program, members)?;
    Ok((program, output, leash))
}

fn wait_for(
    child: &mut Child,
    members: usize,
) -> Result<(BufReader<ChildStdout>, Vec<Pid>), Failed> {
    let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut line = String::new();
    let mut found = Vec::new();
    while found.len() < members && output.read_line(&mut line)? > 0 {
        found.push(Pid::from_raw(line.trim().parse()?));
        line.clear();
    }
    check(found.len() == members, "the family is not complete")?;
    Ok((output, found))
}

/// Whether the output ended, which it does when nobody holds it open.
fn ended(output: &BufReader<ChildStdout>, within: u16) -> Result<bool, Failed> {
    let mut watched = [PollFd::new(output.get_ref().as_fd(), PollFlags::POLLHUP)];
    Ok(poll(&mut watched, within)? == 1)
}

/// This program, where every user can reach it.
fn command(role: &str) -> Result<(tempfile::TempDir, Command), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let program: PathBuf = folder.path().join("program");
    std::fs::copy(std::env::current_exe()?, &program)?;
    let mut command = Command::new(program);
    command.arg(role).stdin(Stdio::null());
    Ok((folder, command))
}

fn policy(limits: Limits) -> Policy {
    Policy {
        readable: Vec::new(),
        writable: None,
        limits,
    }
}

fn without(part: Part) -> Support {
    let mut support = Support::detect();
    support.parts.remove(&part);
    support
}

/// The service that is to be killed.
fn service(confined: bool) {
    let (_folder, mut command) = command("family").unwrap_or_else(|error| panic!("{error:?}"));
    let sandbox = Sandbox::using(without(Part::SystemCallFilter));
    let leash = confined.then(|| {
        sandbox
            .confine(&mut command, &policy(LIMITS))
            .expect("confined")
    });
    let child = command.spawn().expect("the family");
    pause();
    drop((leash, child));
}

/// A program that starts a child and a daemon: the filter of system calls would not let it.
#[expect(unsafe_code, reason = "fork, in a process of one thread")]
fn family() {
    use nix::unistd::fork;
    // SAFETY: this process has one thread.
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

fn check(holds: bool, otherwise: &str) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

fn expect(found: Ended, wanted: Ended) -> Result<(), Failed> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{found:?}, not {wanted:?}").into())
    }
}
