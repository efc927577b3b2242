//! What a spawn costs with the sandbox and without: medians of 100 runs of `/bin/true`, or of the program that is named.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use sandbox::{Limits, Policy, Sandbox};

const RUNS: usize = 100;
const LIMITS: Limits = Limits {
    memory_bytes: 4 << 30,
    cpu_seconds: 60,
    file_bytes: 1 << 30,
    processes: 256,
    open_files: 256,
    wall: Duration::from_mins(1),
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
    println!("detection, once at the start: {:?}", started.elapsed());
    let command = || {
        let mut command = Command::new(&program);
        command
            .args(&arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let policy = Policy {
        readable: Vec::new(),
        writable: None,
        limits: LIMITS,
    };
    // Turn by turn, so that what else the machine does meets both alike.
    let (mut free, mut confined) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        free.push(time(|| command().status()));
        confined.push(time(|| {
            let mut command = command();
            let leash = sandbox
                .confine(&mut command, &policy)
                .map_err(std::io::Error::other)?;
            let status = command.status();
            leash.kill();
            status
        }));
    }
    let (free, confined) = (median(free), median(confined));
    println!(
        "{program}: {free:?} without, {confined:?} with the sandbox, {:?} more",
        confined.saturating_sub(free)
    );
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
