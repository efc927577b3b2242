//! `doctor`: checks everything that `run` needs, item by item.

use super::setup::{configuration_error, http_client, media_tools, queue_client, try_encoders};
use crate::cli::arguments::RunArguments;
use crate::cli::configuration::{self, Configuration};
use crate::clients::edge::EdgeClient;
use crate::clients::store::ObjectStore;
use crate::job::work_folder::WorkFolder;
use crate::media::encode::requirements::{ENCODERS, FILTERS, missing};
use crate::media::encoders::SecondCodec;
use crate::media::{Hardware, Tools};
use crate::retry::random_bytes;
use anyhow::{Context, Result, ensure};
use contract::TraceContext;
use contract::job::ClaimAnswer;
use sandbox::{Sandbox, Support};
use std::process::{Command, ExitCode};

pub(super) async fn check_all(arguments: RunArguments) -> Result<ExitCode> {
    let mut checklist = Checklist::default();
    let sandbox = Sandbox::best_effort();
    let weak_is_allowed = arguments.tools.allow_weak_sandbox;
    checklist.record("sandbox", check_sandbox(sandbox.support(), weak_is_allowed));
    let tools = media_tools(&arguments.tools, 1);
    let tools = tools.and_then(|tools| check_ffmpeg(&tools).map(|found| (found, tools)));
    let (found, tools) = tools.map_or_else(|error| (Err(error), None), |(found, tools)| (Ok(found), Some(tools)));
    checklist.record("ffmpeg", found);
    match configuration::for_run(&arguments).map_err(configuration_error) {
        Err(problems) => checklist.record("configuration", Err(problems)),
        Ok(configuration) => {
            checklist.record("configuration", Ok("complete".to_owned()));
            checklist.record("work folder", check_work_folder(&configuration));
            // Without ffmpeg there is no encoder to try.
            if let Some(tools) = tools {
                checklist.record("encoders", check_encoders(tools, &configuration));
            }
            checklist.record("object store", check_object_store(&configuration).await);
            checklist.record("queue", check_queues(&configuration).await);
            checklist.record("edge", check_edge(&configuration).await);
        }
    }
    Ok(checklist.exit_code)
}

/// Prints one line per item, and fails if any item is missing.
struct Checklist {
    exit_code: ExitCode,
}

impl Default for Checklist {
    fn default() -> Self {
        Self { exit_code: ExitCode::SUCCESS }
    }
}

impl Checklist {
    fn record(&mut self, item: &str, result: Result<String>) {
        match result {
            Ok(detail) => println!("ok       {item}: {detail}"),
            Err(error) => {
                println!("MISSING  {item}: {error:#}");
                self.exit_code = ExitCode::FAILURE;
            }
        }
    }
}

/// Applies the same rule as `run`, which accepts an incomplete sandbox if `--allow-weak-sandbox` is set.
fn check_sandbox(support: &Support, weak_is_allowed: bool) -> Result<String> {
    match support.check() {
        Err(missing) if weak_is_allowed => {
            return Ok(format!("weak, which --allow-weak-sandbox accepts: {missing}"));
        }
        result => result?,
    }
    let weaknesses = support.weaknesses();
    let strength = if weaknesses.is_empty() { "strong".to_owned() } else { format!("WEAK: {}", weaknesses.join("; ")) };
    Ok(format!("all required layers, Landlock version {}, {strength}", support.landlock_abi))
}

/// Checks that this build of ffmpeg has everything that a job can use.
fn check_ffmpeg(tools: &Tools) -> Result<String> {
    let ffmpeg = tools.ffmpeg.display();
    let encoders = missing(&ENCODERS, &ffmpeg_list(tools, "-encoders")?);
    let filters = missing(&FILTERS, &ffmpeg_list(tools, "-filters")?);
    ensure!(encoders.is_empty() && filters.is_empty(), "{ffmpeg} lacks {}", [encoders, filters].concat().join(", "));
    Ok(format!("{ffmpeg} has {} and all filters", ENCODERS.join(", ")))
}

fn ffmpeg_list(tools: &Tools, option: &str) -> Result<String> {
    let output = Command::new(&tools.ffmpeg)
        .args(["-hide_banner", "-loglevel", "error", option])
        .output()
        .with_context(|| format!("cannot start {}", tools.ffmpeg.display()))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn check_work_folder(configuration: &Configuration) -> Result<String> {
    let folder = WorkFolder::open(&configuration.service.work_dir)?;
    let (free, required) = (folder.free_bytes()?, configuration.service.min_free_bytes);
    ensure!(free >= required, "{} MB are free, {} MB are required", free / 1_000_000, required / 1_000_000);
    Ok(format!("{} MB are free", free / 1_000_000))
}

/// Tries the encoders that the operator chose, as `run` does before it starts.
fn check_encoders(tools: Tools, configuration: &Configuration) -> Result<String> {
    let tools = Tools { encoders: configuration.service.encoders, ..tools };
    try_encoders(&tools, &WorkFolder::open(&configuration.service.work_dir)?)?;
    let second = tools.encoders.second_codec.map_or("no second codec", SecondCodec::encoder);
    let h264 = tools.encoders.h264.hardware.map_or("libx264", Hardware::encoder);
    Ok(format!("{h264}, {second}"))
}

async fn check_object_store(configuration: &Configuration) -> Result<String> {
    ObjectStore::new(&configuration.store).check_access().await?;
    Ok(format!("the bucket {} is readable", configuration.store.bucket))
}

async fn check_queues(configuration: &Configuration) -> Result<String> {
    let queue = &configuration.queue;
    queue_client(queue, &queue.id)?.check_access().await?;
    if let Some(dead_letter_id) = &queue.dead_letter_id {
        queue_client(queue, dead_letter_id)?.check_access().await.context("the dead-letter queue")?;
    }
    Ok("reachable, and accepts the token".to_owned())
}

async fn check_edge(configuration: &Configuration) -> Result<String> {
    let edge = EdgeClient::new(http_client()?, configuration.edge.clone());
    let answer = edge.check_access(&configuration.service.name, TraceContext::begin(random_bytes())).await?;
    ensure!(answer == ClaimAnswer::Obsolete, "it reports a video that cannot exist. Check --edge-url (EDGE_URL)");
    Ok("reachable, and accepts the signature".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandbox::Layer;

    #[test]
    fn a_weak_sandbox_passes_only_if_it_is_allowed_and_the_missing_layers_are_listed() {
        let no_support = Support { layers: std::collections::BTreeSet::new(), landlock_abi: 0 };
        assert!(check_sandbox(&no_support, false).is_err());
        let detail = check_sandbox(&no_support, true).unwrap();
        assert!(detail.contains("weak") && detail.contains("Landlock"), "{detail}");
    }

    #[test]
    fn a_sandbox_that_lets_something_through_is_called_weak() {
        let detail = |layers: &[Layer], landlock_abi| {
            let support = Support { layers: layers.iter().copied().collect(), landlock_abi };
            check_sandbox(&support, false).unwrap()
        };
        let without_namespaces: Vec<_> = Layer::ALL.into_iter().filter(|layer| layer.is_required()).collect();
        assert!(detail(&Layer::ALL, 7).contains("strong"));
        assert!(detail(&without_namespaces, 7).contains("WEAK: without namespaces"));
        assert!(detail(&Layer::ALL, 5).contains("WEAK: without Landlock 6"));
    }
}
