//! Runs every attempt with the sandbox, with some of its layers, and without it.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output, Stdio};

use sandbox::{Layer, Policy, Sandbox, Support, Termination};

use crate::arena::Targets;
use crate::attempt::DENIED;
use crate::device::{self, DEVICE};
use crate::limits::{LIMITS, START_THREADS};
use crate::processes::SEE_SERVICE;
use crate::table::attempts;

/// The argument of the run as another user.
const UNPRIVILEGED_RUN: &str = "unprivileged";
/// If this variable is set, the suite also prints what each layer denies by itself, which takes a while.
const EACH_LAYER: &str = "EACH_LAYER";
const UNPRIVILEGED_USER: u32 = 65533;
/// The number of attempts that must succeed without the sandbox, or the suite proves nothing. Root can do nearly
/// everything.
const MIN_ESCAPES_AS_ROOT: usize = 70;
const MIN_ESCAPES_AS_USER: usize = 50;

pub(crate) fn run() -> ExitCode {
    let is_root = nix::unistd::geteuid().is_root();
    let targets = Targets::new().expect("the targets");
    let support = Support::detect();
    println!(
        "escapes: {}, Landlock ABI {}, layers {:?}",
        if is_root { "as root" } else { "as a user" },
        support.landlock_abi,
        support.layers
    );
    for layer in Layer::ALL.into_iter().filter(|&layer| !support.has(layer)) {
        println!("SKIPPED: this machine does not have {layer}");
    }
    let all_denied = support.check().is_err() || sandbox_denies_all(&targets, &support);
    if std::env::var_os(EACH_LAYER).is_some() {
        print_each_layer(&targets, &support);
    }
    let most_succeed = most_succeed_without_sandbox(&targets, is_root);
    let user_run_passes = !is_root || is_second_run() || passes_as_user(&targets);
    if all_denied && most_succeed && user_run_passes { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether the test started this process as an unprivileged user.
fn is_second_run() -> bool {
    std::env::args().any(|argument| argument == UNPRIVILEGED_RUN)
}

/// The sandbox with some of its layers, for programs that may control these devices.
struct Form {
    title: &'static str,
    sandbox: Sandbox,
    devices: Vec<PathBuf>,
}

impl Form {
    fn new(title: &'static str, support: Support) -> Self {
        Self { title, sandbox: Sandbox::with(support), devices: Vec::new() }
    }

    fn policy(&self, targets: &Targets) -> Policy {
        let (readable, writable) = (vec![targets.arena.input()], Some(targets.arena.job()));
        Policy { readable, writable, devices: self.devices.clone(), limits: LIMITS }
    }

    /// Whether an escape is known and documented for this form.
    fn is_expected(&self, line: &str) -> bool {
        let has_namespaces = self.sandbox.support().has(Layer::Namespaces);
        let sees_processes = !has_namespaces || !self.devices.is_empty();
        (!has_namespaces && line.starts_with(START_THREADS)) || (sees_processes && line.starts_with(SEE_SERVICE))
    }
}

/// Runs every attempt with all layers, and in each weaker form: without namespaces, which many machines forbid, with
/// the Landlock of older kernels, and for programs that control a device. In the run as another user, only a deep run
/// tries the older kernels too.
fn sandbox_denies_all(targets: &Targets, support: &Support) -> bool {
    let mut without_namespaces = support.clone();
    without_namespaces.layers.remove(&Layer::Namespaces);
    let older = |landlock_abi| Support { landlock_abi, ..without_namespaces.clone() };
    let with_device = Form { devices: vec![DEVICE.into()], ..Form::new("with a device", support.clone()) };
    let controls_device = device::is_controlled(targets, &with_device.sandbox);
    let mut runs = vec![Form::new("in the sandbox", support.clone()), with_device];
    let older_kernels = [("without namespaces, Landlock 6", 6), ("without namespaces, Landlock 3", 3)];
    runs.extend(
        older_kernels
            .into_iter()
            .filter(|(_, abi)| *abi < support.landlock_abi && (!is_second_run() || fixtures::cases(false, true)))
            .map(|(title, abi)| Form::new(title, older(abi))),
    );
    runs.push(Form::new("without namespaces", without_namespaces));
    let denied: Vec<_> = runs.iter().map(|form| denies_all(targets, form)).collect();
    controls_device && denied.into_iter().all(|denied| denied)
}

fn denies_all(targets: &Targets, form: &Form) -> bool {
    let escaped = escapes(targets, Some(form));
    for line in &escaped {
        let label = if form.is_expected(line) { "expected in this form" } else { "ESCAPED" };
        println!("{label}: {line}");
    }
    print_denied(form.title, &escaped);
    let connections = targets.connections();
    println!("{}: {connections} connections arrived", form.title);
    escaped.iter().all(|line| form.is_expected(line)) && connections == 0
}

/// Prints how much each layer denies by itself. Asserts nothing.
fn print_each_layer(targets: &Targets, support: &Support) {
    for layer in Layer::ALL.into_iter().filter(|&layer| support.has(layer)) {
        let alone = Support { layers: [layer].into(), landlock_abi: support.landlock_abi };
        print_denied(&format!("{layer:?} alone"), &escapes(targets, Some(&Form::new("alone", alone))));
    }
    targets.connections();
}

/// The control: shows that the suite would notice an escape.
fn most_succeed_without_sandbox(targets: &Targets, is_root: bool) -> bool {
    let escaped = escapes(targets, None);
    print_denied("without the sandbox", &escaped);
    for (name, _) in attempts().filter(|(name, _)| !escaped.iter().any(|line| line.starts_with(name))) {
        println!("  denied without the sandbox too: {name}");
    }
    let min_escapes = if is_root { MIN_ESCAPES_AS_ROOT } else { MIN_ESCAPES_AS_USER };
    let connections = targets.connections();
    println!("without the sandbox: {connections} connections arrived");
    escaped.len() >= min_escapes && connections > 0
}

fn print_denied(title: &str, escaped: &[String]) {
    let all = attempts().count();
    println!("{title}: {} of {all} denied", all - escaped.len());
}

/// Returns a line for each attempt that was not denied.
fn escapes(targets: &Targets, form: Option<&Form>) -> Vec<String> {
    let mut escaped = Vec::new();
    for (name, _) in attempts() {
        targets.reset().expect("the targets are reset");
        let output = run_one(targets, form, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let termination = Termination::from(output.status);
        if std::env::var_os("VERBOSE").is_some() {
            println!("  {name}: {termination:?} {}", String::from_utf8_lossy(&output.stdout).trim());
        }
        if !was_denied(termination) {
            escaped.push(format!("{name}: {termination:?} {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
    }
    escaped
}

fn was_denied(termination: Termination) -> bool {
    match termination {
        // With 127 a loader reports that it could not load the program that the attempt executed.
        Termination::Exited(code) => code == i32::from(DENIED) || code == 127,
        Termination::WallTimeLimit
        | Termination::CpuTimeLimit
        | Termination::FileSizeLimit
        | Termination::ForbiddenSystemCall => true,
        Termination::Killed | Termination::Crashed(_) => false,
    }
}

fn run_one(targets: &Targets, form: Option<&Form>, name: &str) -> io::Result<Output> {
    let mut command = Command::new(&targets.program);
    command.arg("attempt").arg(name).args(targets.arena.arguments());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Some(form) = form else {
        let child = command.process_group(0).spawn()?;
        let group = nix::unistd::Pid::from_raw(-i32::try_from(child.id()).map_err(io::Error::other)?);
        return finish(child, || {
            let _ = nix::sys::signal::kill(group, nix::sys::signal::Signal::SIGKILL);
        });
    };
    form.sandbox.hand_over(&targets.arena.job())?;
    let guard = form.sandbox.confine(&mut command, &form.policy(targets)).map_err(io::Error::other)?;
    let child = command.spawn()?;
    finish(child, || guard.kill())
}

/// Kills what the attempt left running before reading the output, because that may still hold the output open.
fn finish(mut child: std::process::Child, kill: impl FnOnce()) -> io::Result<Output> {
    child.wait()?;
    kill();
    child.wait_with_output()
}

/// Repeats the whole suite as an unprivileged user.
fn passes_as_user(targets: &Targets) -> bool {
    let folder = targets.folder().join("user");
    std::fs::create_dir(&folder).expect("a folder");
    std::os::unix::fs::chown(&folder, Some(UNPRIVILEGED_USER), Some(UNPRIVILEGED_USER)).expect("a folder of the user");
    let status = Command::new(&targets.program)
        .arg(UNPRIVILEGED_RUN)
        .env("TMPDIR", &folder)
        .current_dir(&folder)
        .uid(UNPRIVILEGED_USER)
        .gid(UNPRIVILEGED_USER)
        .status();
    status.is_ok_and(|status| status.success())
}
