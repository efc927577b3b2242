//! From curl to a playing video: the whole system, with its origin, seen through a real browser.
//!
//! A harness of its own, because the stack must outlive every test and end with the last, panics included.

mod network;
mod scene;
mod webdriver;

mod playing;
mod previews;
mod taking_away;

use anyhow::Result;
use libtest_mimic::{Arguments, Trial};
use scene::Scene;
use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::runtime::Runtime;

struct Suite {
    /// None while the tests are only listed.
    stage: Option<Arc<Stage>>,
    trials: Vec<Trial>,
}

struct Stage {
    scene: Arc<Scene>,
    runtime: Runtime,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::from_args();
    if arguments.list {
        return Ok(libtest_mimic::run(&arguments, trials(None)).exit_code());
    }
    let runtime = Runtime::new()?;
    let scene = Arc::new(runtime.block_on(Scene::set())?);
    let stage = Arc::new(Stage { scene, runtime });
    Ok(libtest_mimic::run(&arguments, trials(Some(stage))).exit_code())
}

fn trials(stage: Option<Arc<Stage>>) -> Vec<Trial> {
    let mut suite = Suite {
        stage,
        trials: Vec::new(),
    };
    playing::register(&mut suite);
    previews::register(&mut suite);
    taking_away::register(&mut suite);
    suite.trials
}

impl Suite {
    fn add<Test, Running>(&mut self, name: &str, test: Test)
    where
        Test: FnOnce(Arc<Scene>) -> Running + Send + 'static,
        Running: Future<Output = Result<()>>,
    {
        let stage = self.stage.clone();
        self.trials.push(Trial::test(name, move || {
            let stage = stage.ok_or("the tests are only listed")?;
            let running = test(Arc::clone(&stage.scene));
            let outcome = stage.runtime.block_on(running);
            outcome.map_err(|error| format!("{error:#}").into())
        }));
    }
}
