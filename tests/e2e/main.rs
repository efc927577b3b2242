//! End to end: one private stack on a free port, every promise tried on it at once, everything ended afterwards.
//!
//! A harness of its own, because the stack must outlive every test and end with the last, panics included.

mod channel;
mod harness;
mod origin;
mod shown;

mod answers;
mod boundaries;
mod content_races;
mod cost;
mod csrf;
mod delivery;
mod faulty_network;
mod gate;
mod hostile_network;
mod job_forgeries;
mod job_life;
mod key_life;
mod key_rate;
mod leaks;
mod moderation;
mod overload;
mod pages;
mod panics;
mod publication;
mod queue_bridge;
mod races;
mod raw;
mod real_clients;
mod revocation;
mod secrecy;
mod sessions;
mod sweeping;
mod uniform_refusal;
mod upload_limit;
mod upload_limits;
mod upload_refusals;
mod upload_result;
mod upload_status;
mod upload_token;

use harness::{Harness, Suite};
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = Arguments::from_args();
    // The tests wait for the network most of the time; workerd is what is busy.
    arguments.test_threads = arguments.test_threads.or(Some(8));
    if arguments.list {
        return Ok(libtest_mimic::run(&arguments, trials(None)).exit_code());
    }
    let harness = Arc::new(Harness::start("shared")?);
    let conclusion = libtest_mimic::run(&arguments, trials(Some(Arc::clone(&harness))));
    // Last and alone: it looks through everything that the others have left behind.
    println!("{}", leaks::nothing_is_left_behind(&harness)?);
    println!("{}", secrecy::nothing_secret_is_left_behind(&harness)?);
    Ok(conclusion.exit_code())
}

fn trials(harness: Option<Arc<Harness>>) -> Vec<Trial> {
    let mut suite = Suite::new(harness);
    answers::register(&mut suite);
    boundaries::register(&mut suite);
    content_races::register(&mut suite);
    cost::register(&mut suite);
    delivery::register(&mut suite);
    gate::register(&mut suite);
    moderation::register(&mut suite);
    pages::register(&mut suite);
    publication::register(&mut suite);
    hostile_network::register(&mut suite);
    overload::register(&mut suite);
    real_clients::register(&mut suite);
    sweeping::register(&mut suite);
    upload_limit::register(&mut suite);
    upload_refusals::register(&mut suite);
    upload_token::register(&mut suite);
    csrf::register(&mut suite);
    key_life::register(&mut suite);
    panics::register(&mut suite);
    queue_bridge::register(&mut suite);
    races::register(&mut suite);
    revocation::register(&mut suite);
    sessions::register(&mut suite);
    uniform_refusal::register(&mut suite);
    upload_limits::register(&mut suite);
    upload_result::register(&mut suite);
    upload_status::register(&mut suite);
    job_life::register(&mut suite);
    key_rate::register(&mut suite);
    job_forgeries::register(&mut suite);
    suite.trials
}
