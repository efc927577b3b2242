//! Ninety and more escapes: all of them fail in the sandbox, and most of them succeed without it.
//!
//! This program is both sides: started with the name of an attempt it tries it and tells by its exit code; else it starts
//! itself for each attempt. Where it is root it does all of that a second time as a user who is not.

mod arena;
mod attempts;
mod files;
mod kernel;
mod kernel_parts;
mod limits;
mod network;
mod processes;
mod suite;

use std::process::ExitCode;

use arena::Arena;

const DENIED: u8 = 42;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((first, _)) if first == "nothing" => ExitCode::SUCCESS,
        Some((first, [name, rest @ ..])) if first == "attempt" => attempt(name, rest),
        _ => suite::run(),
    }
}

fn attempt(name: &str, arena: &[String]) -> ExitCode {
    let arena = Arena::parse(arena).expect("the suite passes an arena");
    let (_, attempt) = attempts::all()
        .find(|(other, _)| *other == name)
        .expect("the suite knows the attempt");
    match attempt(&arena) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("{reason}");
            ExitCode::from(DENIED)
        }
    }
}
