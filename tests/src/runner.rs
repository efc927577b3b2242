//! Runs the tests of a suite in one process, because the stack must outlive every test and end with the last one, even
//! if a test panics.

use crate::browser::BrowserStack;
use crate::durations::{DurationRecorder, recorded_durations};
use crate::registry::{BrowserTest, RunningTest, StackTest, ensure_unique, full_name};
use crate::repeats::Repeats;
use crate::stacks::Stacks;
use crate::test_stack::TestStack;
use anyhow::Result;
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// A check of the shared stack after the last test. Returns a line to print.
type FinalCheck = fn(Arc<TestStack>) -> std::pin::Pin<Box<dyn Future<Output = Result<String>>>>;

/// A suite whose tests need stacks.
#[derive(Debug)]
pub struct StackSuite {
    runner: Arc<Runner>,
    stacks: Arc<Stacks>,
}

/// A suite whose tests need a browser.
#[derive(Debug)]
pub struct BrowserSuite {
    runner: Arc<Runner>,
    stack: Arc<OnceCell<Arc<BrowserStack>>>,
}

#[derive(Debug)]
struct Runner {
    suite: &'static str,
    arguments: Arguments,
    runtime: Runtime,
    durations: DurationRecorder,
    repeats: Repeats,
}

impl StackSuite {
    /// Returns the suite of this name, with this many tests at once unless the command line says otherwise.
    pub fn new(suite: &'static str, threads: usize) -> Result<Self> {
        Ok(Self { runner: Arc::new(Runner::new(suite, threads)?), stacks: Arc::new(Stacks::new(suite)) })
    }

    /// Runs every registered test, then the checks of the shared stack one after the other.
    pub fn run(self, final_checks: &[FinalCheck]) -> Result<ExitCode> {
        let trials = inventory::iter::<StackTest>.into_iter().map(|test| self.trial(test)).collect();
        let conclusion = self.runner.run(trials)?;
        if let Some(stack) = self.stacks.shared() {
            for check in final_checks {
                println!("{}", self.runner.runtime.block_on(check(Arc::clone(stack)))?);
            }
        }
        Ok(conclusion.exit_code())
    }

    fn trial(&self, test: &'static StackTest) -> Trial {
        let (runner, stacks) = (Arc::clone(&self.runner), Arc::clone(&self.stacks));
        let name = full_name(test.module, test.name);
        let is_skipped = test.stack.needs_cache() && !dev::is_cache_installed();
        if is_skipped {
            println!("{name} is skipped, because Varnish is not installed (ops/dev/setup tests)");
        }
        let trial = Trial::test(name.clone(), move || {
            let run = || {
                let taken = runner.runtime.block_on(stacks.take(test.stack))?;
                let outcome = runner.measure(&name, (test.run)(Arc::clone(&taken.stack)));
                runner.runtime.block_on(stacks.give_back(taken, outcome.is_ok()));
                outcome
            };
            runner.repeats.run(&name, run).map_err(describe)
        });
        trial.with_ignored_flag(is_skipped)
    }
}

impl BrowserSuite {
    pub fn new(suite: &'static str, threads: usize) -> Result<Self> {
        Ok(Self { runner: Arc::new(Runner::new(suite, threads)?), stack: Arc::default() })
    }

    /// Runs every registered test.
    pub fn run(self) -> Result<ExitCode> {
        let trials = inventory::iter::<BrowserTest>.into_iter().map(|test| self.trial(test)).collect();
        Ok(self.runner.run(trials)?.exit_code())
    }

    fn trial(&self, test: &'static BrowserTest) -> Trial {
        let (runner, stack) = (Arc::clone(&self.runner), Arc::clone(&self.stack));
        let name = full_name(test.module, test.name);
        Trial::test(name.clone(), move || {
            let booted = stack.get_or_try_init(async || BrowserStack::boot().await.map(Arc::new));
            let stack = runner.runtime.block_on(booted).map_err(describe)?;
            let run = || runner.measure(&name, (test.run)(Arc::clone(stack)));
            runner.repeats.run(&name, run).map_err(describe)
        })
    }
}

impl Runner {
    fn new(suite: &'static str, threads: usize) -> Result<Self> {
        let mut arguments = Arguments::from_args();
        arguments.test_threads = arguments.test_threads.or(Some(threads));
        let repeats = Repeats::new(arguments.filter.is_none());
        Ok(Self { suite, arguments, runtime: Runtime::new()?, durations: DurationRecorder::default(), repeats })
    }

    /// Runs the tests: new ones first, then the slowest of the previous run.
    fn run(&self, mut trials: Vec<Trial>) -> Result<Conclusion> {
        let names: Vec<String> = trials.iter().map(|trial| trial.name().to_owned()).collect();
        let before = recorded_durations()?;
        let seconds = |trial: &Trial| {
            let mut own = before.iter().filter(|one| one.suite == self.suite && one.name == trial.name());
            own.next().map_or(f64::MAX, |one| one.seconds)
        };
        trials.sort_by(|left, right| {
            let by_time = seconds(right).total_cmp(&seconds(left));
            by_time.then_with(|| left.name().cmp(right.name()))
        });
        trials.push(Trial::test("every_test_has_a_name_of_its_own", move || {
            ensure_unique(names.iter().map(String::as_str)).map_err(describe)
        }));
        let conclusion = libtest_mimic::run(&self.arguments, trials);
        if conclusion.num_filtered_out == 0 && !self.arguments.list {
            self.durations.write(self.suite)?;
        }
        Ok(conclusion)
    }

    fn measure(&self, name: &str, test: RunningTest) -> Result<()> {
        let started = Instant::now();
        let outcome = self.runtime.block_on(test);
        self.durations.record(name, started.elapsed());
        outcome
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
fn describe(error: anyhow::Error) -> Failed {
    format!("{error:#}").into()
}
