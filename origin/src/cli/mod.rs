//! The command line: parses arguments, checks the configuration, and runs one command.
//!
//! It builds everything the other folders need. They receive finished values and must not read arguments or the
//! environment; no other folder imports this one.

mod arguments;
mod commands;
mod configuration;
mod secret;

pub use arguments::Arguments;
pub use commands::execute;
