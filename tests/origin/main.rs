//! Real origins on the real runtime: what they make of uploads, and what is left when they are killed.
//!
//! Each test has a stack of its own, because every origin of a stack pulls from its one queue.

#[path = "../e2e/channel.rs"]
#[expect(dead_code, reason = "shared with the tests of the edge")]
mod channel;
#[path = "../e2e/harness.rs"]
#[expect(dead_code, reason = "shared with the tests of the edge")]
mod harness;

mod bridge;
mod clips;
mod fleet;
mod outputs;

mod client;
mod commands;
mod crashes;
mod ending;
mod formats;
mod moderation;
mod poison;
mod refusals;
mod status_pages;

use harness::Suite;
use libtest_mimic::Arguments;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // ffmpeg is busy most of the time; two tests at once would only wait for each other.
    arguments.test_threads = arguments.test_threads.or(Some(1));
    let mut suite = Suite::new(None);
    commands::register(&mut suite);
    status_pages::register(&mut suite);
    refusals::register(&mut suite);
    client::register(&mut suite);
    formats::register(&mut suite);
    moderation::register(&mut suite);
    ending::register(&mut suite);
    poison::register(&mut suite);
    crashes::register(&mut suite);
    libtest_mimic::run(&arguments, suite.trials).exit_code()
}
