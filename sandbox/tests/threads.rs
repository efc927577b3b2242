//! A service of many threads: a fork copies the locks that the others hold, and nothing after it may wait for them.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sandbox::{Ended, Limits, Policy, Sandbox, Support};

const LIMITS: Limits = Limits {
    memory_bytes: 1 << 30,
    cpu_seconds: 20,
    file_bytes: 1 << 20,
    processes: 16,
    open_files: 64,
    wall: Duration::from_secs(20),
};
const ROUNDS: usize = 100;

/// Does the work while other threads allocate, and start and end threads, all the time.
fn amid_threads(work: impl Fn()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::thread::spawn(|| drop(vec![0_u8; 100_000]))
                        .join()
                        .expect("a thread");
                }
            });
        }
        (0..ROUNDS).for_each(|_| work());
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn detection_gives_the_same_answer_whatever_other_threads_do() {
    let alone = Support::detect();
    amid_threads(|| assert_eq!(Support::detect(), alone));
}

#[test]
fn a_program_starts_and_ends_whatever_other_threads_do() {
    let sandbox = Sandbox::without_missing_parts();
    let program = std::fs::canonicalize("/bin/true").expect("every system has it");
    let policy = Policy {
        readable: Vec::new(),
        writable: None,
        limits: LIMITS,
    };
    amid_threads(|| {
        let mut command = Command::new(&program);
        let leash = sandbox.confine(&mut command, &policy).expect("confined");
        assert_eq!(
            Ended::from(command.status().expect("started")),
            Ended::Exited(0)
        );
        leash.kill();
    });
}
