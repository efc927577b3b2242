//! More than ninety escape attempts. In the sandbox all of them must fail; without it, most of them must succeed.
//!
//! This binary is both sides. With the name of an attempt as argument, it tries that attempt and reports the outcome in
//! its exit code. Otherwise it starts itself once for each attempt. If it runs as root, it then repeats everything as
//! another user.

mod arena;
mod attempt;
mod device;
mod files;
mod kernel_features;
mod limits;
mod network;
mod processes;
mod raw_calls;
mod suite;
mod table;

use std::process::ExitCode;

use arena::Arena;
use attempt::DENIED;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, _)) if first == "nothing" => ExitCode::SUCCESS,
        Some((first, [name, rest @ ..])) if first == "attempt" => try_escape(name, rest),
        Some((first, [path])) if first == device::CONTROL => device::control(path),
        _ => suite::run(),
    }
}

fn try_escape(name: &str, arena: &[String]) -> ExitCode {
    let arena = Arena::parse(arena).expect("the suite passes an arena");
    let (_, attempt) = table::attempts().find(|(other, _)| *other == name).expect("a known attempt");
    match attempt(&arena) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("{reason}");
            ExitCode::from(DENIED)
        }
    }
}
