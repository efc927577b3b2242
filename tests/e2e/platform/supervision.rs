//! `make run` restarts a part of the system that was killed or no longer responds.

use anyhow::{Context, Result, bail, ensure};
use dev::{OriginOptions, Stack, StackOptions, WorkerVariant};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tests::{TestStack, e2e, until};

/// On a busy machine, the start of the Worker takes most of this time.
const TIMEOUT: Duration = Duration::from_mins(4);

/// A state folder that is removed with this value.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn options(state: &Path) -> Result<StackOptions> {
    Ok(StackOptions {
        port: dev::free_port()?,
        has_cache: false,
        state: state.to_owned(),
        variant: WorkerVariant::Development,
        vars: Vec::new(),
        rates: Vec::new(),
        has_completions_queue: false,
        origins: vec![OriginOptions { name: "supervised".to_owned(), vars: Vec::new() }],
        shared_stack_env: None,
    })
}

#[e2e]
async fn a_killed_origin_and_a_worker_without_its_runtime_are_started_again(shared: Arc<TestStack>) -> Result<()> {
    let folder = Folder(std::env::temp_dir().join(format!("clipgate-{}-supervised", std::process::id())));
    let mut stack = Stack::boot(options(&folder.0)?, |_| {}).await?;
    let (worker, origin) = (stack.worker_id(), stack.origins.first().context("no origin")?.id());
    let health = format!("{}{}", stack.worker_address, contract::paths::HEALTH);
    let said = Mutex::new(Vec::new());
    let is_said = |what: &str| said.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|text| text == what);
    let check = async {
        kill(&[origin])?;
        until_said(|| is_said("the origin supervised runs again")).await?;
        // wrangler keeps running without its runtime, and nothing responds.
        let runtimes = children(worker)?;
        ensure!(!runtimes.is_empty(), "wrangler has no runtime");
        kill(&runtimes)?;
        until_said(|| is_said("the Worker runs again")).await?;
        ensure!(shared.client.get(&health).send().await?.status() == 200);
        Ok(())
    };
    let say = |text: &str| said.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
    tokio::select! {
        ended = stack.supervise(say) => bail!("the supervision ended: {ended:?}"),
        checked = check => checked,
    }
}

async fn until_said(is_said: impl Fn() -> bool) -> Result<()> {
    until(TIMEOUT, async || Ok(is_said().then_some(())), || "a part was not started again".to_owned()).await
}

fn kill(processes: &[u32]) -> Result<()> {
    let status = Command::new("kill").arg("-9").args(processes.iter().map(u32::to_string)).status()?;
    ensure!(status.success(), "{status}");
    Ok(())
}

/// Returns the processes that a process has started.
fn children(parent: u32) -> Result<Vec<u32>> {
    let mut children = Vec::new();
    for process in std::fs::read_dir("/proc")? {
        let path = process?.path();
        let Ok(stat) = std::fs::read_to_string(path.join("stat")) else { continue };
        // The name, in parentheses, may contain spaces. After it come the state and the parent.
        let is_child =
            stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok()) == Some(parent);
        let id = path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
        children.extend(id.filter(|_| is_child));
    }
    Ok(children)
}
