//! `doctor`: everything that `run` needs, checked one by one.

use super::setup::{all, http_client, queue_client, tools};
use crate::arguments::RunArguments;
use crate::configuration::{self, Configuration};
use crate::edge::EdgeClient;
use crate::media::Tools;
use crate::media::needs::{ENCODERS, FILTERS, missing};
use crate::store::ObjectStore;
use crate::work_folder::WorkFolder;
use anyhow::{Context, Result, ensure};
use contract::job::ClaimAnswer;
use sandbox::{Part, Sandbox, Support};
use std::process::{Command, ExitCode};

pub async fn examine(arguments: RunArguments) -> Result<ExitCode> {
    let mut patient = Patient::default();
    let sandbox = Sandbox::without_missing_parts();
    let weak_is_allowed = arguments.tools.allow_weak_sandbox;
    patient.check("sandbox", sandbox_parts(sandbox.support(), weak_is_allowed));
    let tools = tools(&arguments.tools, 1);
    patient.check("ffmpeg", tools.and_then(|tools| abilities(&tools)));
    match configuration::of_run(&arguments).map_err(all) {
        Err(problems) => patient.check("configuration", Err(problems)),
        Ok(configuration) => {
            patient.check("configuration", Ok("complete".to_owned()));
            patient.check("work folder", work_folder(&configuration));
            patient.check("object store", object_store(&configuration).await);
            patient.check("queue", queue(&configuration).await);
            patient.check("edge", edge(&configuration).await);
        }
    }
    Ok(patient.code)
}

struct Patient {
    code: ExitCode,
}

impl Default for Patient {
    fn default() -> Self {
        Self {
            code: ExitCode::SUCCESS,
        }
    }
}

impl Patient {
    fn check(&mut self, what: &str, found: Result<String>) {
        match found {
            Ok(fact) => println!("ok       {what}: {fact}"),
            Err(error) => {
                println!("MISSING  {what}: {error:#}");
                self.code = ExitCode::FAILURE;
            }
        }
    }
}

/// As `run` judges them: where a weak sandbox is allowed, it starts with what there is.
fn sandbox_parts(support: &Support, weak_is_allowed: bool) -> Result<String> {
    match support.check() {
        Err(missing) if weak_is_allowed => {
            return Ok(format!("weak, as was asked for: {missing}"));
        }
        found => found?,
    }
    let namespaces = if support.has(Part::Namespaces) {
        "with"
    } else {
        "without"
    };
    Ok(format!(
        "all required parts, {namespaces} namespaces, Landlock version {}",
        support.landlock_abi
    ))
}

/// Whether this build of ffmpeg has all that a job can ask it for.
fn abilities(tools: &Tools) -> Result<String> {
    let ffmpeg = tools.ffmpeg.display();
    let encoders = missing(&ENCODERS, &listed(tools, "-encoders")?);
    let filters = missing(&FILTERS, &listed(tools, "-filters")?);
    ensure!(
        encoders.is_empty() && filters.is_empty(),
        "{ffmpeg} lacks {}",
        [encoders, filters].concat().join(", ")
    );
    Ok(format!(
        "{ffmpeg} has {} and all filters",
        ENCODERS.join(", ")
    ))
}

fn listed(tools: &Tools, list: &str) -> Result<String> {
    let output = Command::new(&tools.ffmpeg)
        .args(["-hide_banner", "-loglevel", "error", list])
        .output()
        .with_context(|| format!("starting {}", tools.ffmpeg.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn work_folder(configuration: &Configuration) -> Result<String> {
    let folder = WorkFolder::open(&configuration.service.work_dir)?;
    let (free, wanted) = (folder.free_bytes()?, configuration.service.min_free_bytes);
    ensure!(
        free >= wanted,
        "{} MB are free, {} MB are wanted",
        free / 1_000_000,
        wanted / 1_000_000
    );
    Ok(format!("{} MB are free", free / 1_000_000))
}

async fn object_store(configuration: &Configuration) -> Result<String> {
    ObjectStore::new(&configuration.store).check().await?;
    Ok(format!(
        "the bucket {} can be read",
        configuration.store.bucket
    ))
}

/// Asks for nothing to be settled: a pull would take a job from the others.
async fn queue(configuration: &Configuration) -> Result<String> {
    let queue = &configuration.queue;
    queue_client(queue, &queue.id)?.check().await?;
    if let Some(dead) = &queue.dead_id {
        queue_client(queue, dead)?
            .check()
            .await
            .context("the dead-letter queue")?;
    }
    Ok("answers, and takes the token".to_owned())
}

async fn edge(configuration: &Configuration) -> Result<String> {
    let edge = EdgeClient::new(http_client()?, configuration.edge.clone());
    let answer = edge.check(&configuration.service.name).await?;
    ensure!(
        answer == ClaimAnswer::Over,
        "it knows a content that cannot be"
    );
    Ok("answers, and takes the signature".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weak_sandbox_is_good_enough_where_it_is_allowed_and_what_is_missing_is_told() {
        let nothing = Support {
            parts: std::collections::BTreeSet::new(),
            landlock_abi: 0,
        };
        assert!(sandbox_parts(&nothing, false).is_err());
        let fact = sandbox_parts(&nothing, true).unwrap();
        assert!(fact.contains("weak") && fact.contains("Landlock"), "{fact}");
    }
}
