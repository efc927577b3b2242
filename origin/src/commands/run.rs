//! `run`: the service itself.

use super::setup::{all, http_client, queue_client, tools};
use crate::arguments::RunArguments;
use crate::configuration::{self, Configuration};
use crate::edge::EdgeClient;
use crate::job::Origin;
use crate::moderation::classifier::{ClassifierClient, Patience};
use crate::service::{Pulling, Service};
use crate::status_page::{self, Readiness};
use crate::store::ObjectStore;
use crate::work_folder::WorkFolder;
use crate::{logging, measure};
use anyhow::{Context, Result};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

pub async fn run(arguments: RunArguments) -> Result<ExitCode> {
    logging::start(arguments.log_json);
    let configuration = configuration::of_run(&arguments).map_err(all)?;
    let origin = Arc::new(origin(&configuration, &arguments)?);
    let queue = queue_client(&configuration.queue, &configuration.queue.id)?;
    let end = on_signal()?;
    let readiness = Readiness::default();
    let listener = TcpListener::bind(configuration.service.listen)
        .await
        .with_context(|| format!("listening on {}", configuration.service.listen))?;
    let metrics = measure::install().context("the metrics")?;
    let pages = tokio::spawn(status_page::serve(
        listener,
        readiness.clone(),
        metrics,
        end.clone(),
    ));
    tracing::info!(
        name = origin.name,
        jobs = configuration.service.jobs,
        listen = %configuration.service.listen,
        "waiting for jobs"
    );
    let service = Service::new(origin, queue, pulling(&configuration), readiness);
    let ended = service.run(end.clone()).await;
    end.cancel();
    pages
        .await
        .context("the status pages")?
        .context("the status pages")?;
    ended?;
    Ok(ExitCode::SUCCESS)
}

fn origin(configuration: &Configuration, arguments: &RunArguments) -> Result<Origin> {
    let service = &configuration.service;
    Ok(Origin {
        name: service.name.clone(),
        edge: EdgeClient::new(http_client()?, configuration.edge.clone()),
        store: ObjectStore::new(&configuration.store),
        tools: tools(&arguments.tools, service.jobs)?,
        classifier: classifier(configuration)?,
        folder: WorkFolder::open(&service.work_dir)?,
        job_timeout: service.job_timeout,
    })
}

fn classifier(configuration: &Configuration) -> Result<Option<ClassifierClient>> {
    let Some(classifier) = configuration.service.classifier.clone() else {
        return Ok(None);
    };
    let client = ClassifierClient::new(http_client()?, classifier, Patience::default());
    Ok(Some(client))
}

fn pulling(configuration: &Configuration) -> Pulling {
    let service = &configuration.service;
    Pulling {
        jobs: service.jobs,
        visibility: service.visibility(),
        poll: service.poll,
        min_free_bytes: service.min_free_bytes,
        shutdown: service.shutdown,
    }
}

/// Cancelled by SIGTERM or Ctrl-C.
fn on_signal() -> Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    let end = CancellationToken::new();
    let ends = end.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        ends.cancel();
    });
    Ok(end)
}
