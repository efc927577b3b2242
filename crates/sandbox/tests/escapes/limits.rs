//! Attempts to use more than the policy of this suite allows.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::time::{ClockId, clock_gettime};
use sandbox::Limits;

use crate::arena::Arena;
use crate::attempt::{Attempt, Outcome};

/// The limits that the attempts below exceed.
pub(crate) const LIMITS: Limits = Limits {
    memory_bytes: 512 << 20,
    cpu_seconds: 1,
    file_bytes: 64 << 20,
    threads: 32,
    open_files: 64,
    wall_time: Duration::from_millis(2500),
};

/// Without a user namespace, the limit applies to all threads of the user and is much higher.
pub(crate) const START_THREADS: &str = "start 200 threads";

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("allocate 600 MiB of memory", |_| {
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(600 << 20)?;
        // Touching only a part is enough; touching all of it would take seconds.
        memory.resize(16 << 20, 1);
        Ok(())
    }),
    ("write a file of 80 MiB", |arena| {
        let mut file = File::create(arena.job().join("large"))?;
        Ok((0..80).try_for_each(|_| file.write_all(&[1; 1 << 20]))?)
    }),
    ("create a file of a terabyte", |arena| Ok(File::create(arena.job().join("large"))?.set_len(1 << 40)?)),
    ("compute for 1.5 s", compute),
    ("run for 3 s", |_| {
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    }),
    (START_THREADS, |_| {
        let threads: std::io::Result<Vec<_>> = (0..200).map(|_| small_thread()).collect();
        Ok(threads.map(drop)?)
    }),
    ("open 200 files", |arena| {
        let files: Result<Vec<_>, _> = (0..200).map(|_| File::open(arena.input())).collect();
        Ok(files.map(drop)?)
    }),
    ("raise its own limits", |_| {
        let (soft, _) = getrlimit(Resource::RLIMIT_FSIZE)?;
        Ok(setrlimit(Resource::RLIMIT_FSIZE, soft, nix::libc::RLIM_INFINITY)?)
    }),
];

fn compute(_: &Arena) -> Outcome {
    let started = Instant::now();
    while Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?) < Duration::from_millis(1500) {
        if started.elapsed() > Duration::from_secs(20) {
            return Err("the machine is too busy".into());
        }
    }
    Ok(())
}

fn small_thread() -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().stack_size(64 << 10).spawn(std::thread::park)
}
