//! Forks of a process with many threads. A fork copies locks that other threads hold, and the child must not wait for
//! them.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sandbox::{Limits, Policy, Sandbox, Support, Termination};

const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    cpu_seconds: 20,
    file_bytes: 1 << 20,
    threads: 16,
    open_files: 64,
    wall_time: Duration::from_secs(20),
};
const ROUNDS: usize = 100;

/// Runs `work` while other threads constantly allocate memory, and start and end threads.
fn among_busy_threads(work: impl Fn()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::thread::spawn(|| drop(vec![0_u8; 100_000])).join().expect("a thread");
                }
            });
        }
        (0..ROUNDS).for_each(|_| work());
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn detection_gives_the_same_result_among_busy_threads() {
    let expected = Support::detect();
    among_busy_threads(|| assert_eq!(Support::detect(), expected));
}

#[test]
fn a_program_starts_and_ends_among_busy_threads() {
    let sandbox = Sandbox::best_effort();
    let program = std::fs::canonicalize("/bin/true").expect("every system has it");
    let policy = Policy { readable: Vec::new(), writable: None, devices: Vec::new(), limits: LIMITS };
    among_busy_threads(|| {
        let mut command = Command::new(&program);
        let guard = sandbox.confine(&mut command, &policy).expect("confined");
        assert_eq!(Termination::from(command.status().expect("started")), Termination::Exited(0));
        guard.kill();
    });
}
