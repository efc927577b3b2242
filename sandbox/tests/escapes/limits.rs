//! Escapes by excess: more of everything than the policy of this suite allows.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::time::{ClockId, clock_gettime};
use sandbox::Limits;

use crate::arena::Arena;
use crate::attempts::{Attempt, Outcome};

/// What the attempts below exceed.
pub(crate) const LIMITS: Limits = Limits {
    memory_bytes: 512 << 20,
    cpu_seconds: 1,
    file_bytes: 64 << 20,
    processes: 32,
    open_files: 64,
    wall: Duration::from_millis(2500),
};

/// Where there is no user namespace, the limit is one of the whole user, and much higher.
pub(crate) const THREADS: &str = "start 200 threads";

pub(crate) const ATTEMPTS: &[Attempt] = &[
    ("ask for 600 MiB of memory", |_| {
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(600 << 20)?;
        // Touching all of it takes a machine seconds, and shows no more.
        memory.resize(16 << 20, 1);
        Ok(())
    }),
    ("write a file of 80 MiB", |arena| {
        let mut file = File::create(arena.job().join("large"))?;
        Ok((0..80).try_for_each(|_| file.write_all(&[1; 1 << 20]))?)
    }),
    ("make a file of a terabyte", |arena| {
        Ok(File::create(arena.job().join("large"))?.set_len(1 << 40)?)
    }),
    ("compute for 1.5 s", compute),
    ("live for 3 s", |_| {
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    }),
    (THREADS, |_| {
        let threads: std::io::Result<Vec<_>> = (0..200).map(|_| small_thread()).collect();
        Ok(threads.map(drop)?)
    }),
    ("open 200 files", |arena| {
        let files: Result<Vec<_>, _> = (0..200).map(|_| File::open(arena.input())).collect();
        Ok(files.map(drop)?)
    }),
    ("raise its limits", |_| {
        let (soft, _) = getrlimit(Resource::RLIMIT_FSIZE)?;
        Ok(setrlimit(
            Resource::RLIMIT_FSIZE,
            soft,
            nix::libc::RLIM_INFINITY,
        )?)
    }),
];

fn compute(_: &Arena) -> Outcome {
    let longest = Instant::now();
    while Duration::from(clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?)
        < Duration::from_millis(1500)
    {
        if longest.elapsed() > Duration::from_secs(20) {
            return Err("the machine is too busy".into());
        }
    }
    Ok(())
}

fn small_thread() -> std::io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new()
        .stack_size(64 << 10)
        .spawn(std::thread::park)
}
