//! Measures what the sandbox adds to a spawn: medians of 100 runs of `/bin/true`, or of the program given as arguments.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use sandbox::{Limits, Policy, Sandbox};

const RUNS: usize = 100;
const LIMITS: Limits = Limits {
    memory_bytes: 4 << 30,
    cpu_seconds: 60,
    file_bytes: 1 << 30,
    threads: 256,
    open_files: 256,
    wall_time: Duration::from_mins(1),
};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let program = arguments.next().unwrap_or_else(|| "/bin/true".to_owned());
    let arguments: Vec<_> = arguments.collect();
    let started = Instant::now();
    let sandbox = match Sandbox::required() {
        Ok(sandbox) => sandbox,
        Err(missing) => {
            eprintln!("{missing}");
            return ExitCode::FAILURE;
        }
    };
    println!("detection, once at startup: {:?}", started.elapsed());
    let command = || {
        let mut command = Command::new(&program);
        command.args(&arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let policy = Policy { readable: Vec::new(), writable: None, devices: Vec::new(), limits: LIMITS };
    // The two kinds of runs alternate, so that other work on the machine affects both in the same way.
    let (mut unconfined, mut confined) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        unconfined.push(time(|| command().status()));
        confined.push(time(|| {
            let mut command = command();
            let guard = sandbox.confine(&mut command, &policy).map_err(std::io::Error::other)?;
            let status = command.status();
            guard.kill();
            status
        }));
    }
    let (unconfined, confined) = (median(unconfined), median(confined));
    let added = confined.saturating_sub(unconfined);
    println!("{program}: {unconfined:?} without the sandbox, {confined:?} with it, {added:?} added");
    ExitCode::SUCCESS
}

fn time(run: impl FnOnce() -> std::io::Result<std::process::ExitStatus>) -> Duration {
    let started = Instant::now();
    let status = run().expect("the program starts");
    assert!(status.success(), "{status}");
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
