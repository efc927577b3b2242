//! `run`: the service itself.

use super::setup::{configuration_error, http_client, media_tools, queue_client, try_encoders};
use crate::build;
use crate::cli::arguments::RunArguments;
use crate::cli::configuration::{self, Configuration, ServiceSettings};
use crate::clients::classifier::{ClassifierClient, RetryTiming};
use crate::clients::collector::CollectorClient;
use crate::clients::edge::EdgeClient;
use crate::clients::store::ObjectStore;
use crate::job::JobContext;
use crate::job::work_folder::WorkFolder;
use crate::media::Tools;
use crate::service::{PullSettings, Service};
use crate::telemetry::status_page::{self, Readiness};
use crate::telemetry::{SpanExport, logging, metrics, service_manager};
use anyhow::{Context, Result};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Prometheus reads the metrics about as often.
const BACKLOG_INTERVAL: Duration = Duration::from_secs(15);

pub(super) async fn run_service(arguments: RunArguments) -> Result<ExitCode> {
    logging::start(arguments.log_json);
    let configuration = configuration::for_run(&arguments).map_err(configuration_error)?;
    let context = Arc::new(job_context(&configuration, &arguments)?);
    let queue = queue_client(&configuration.queue, &configuration.queue.id)?;
    let shutdown = shutdown_on_signal()?;
    let readiness = Readiness::default();
    let address = configuration.service.listen;
    let listener = TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?;
    let metrics = metrics::install().context("cannot start the metrics")?;
    let status_pages = tokio::spawn(status_page::serve(listener, readiness.clone(), metrics, shutdown.clone()));
    tracing::info!(
        version = build::VERSION,
        commit = build::COMMIT,
        name = context.origin,
        jobs = configuration.service.jobs,
        listen = %address,
        "waiting for jobs"
    );
    let spans = context.spans.clone();
    let service = Service::new(context, queue, pull_settings(&configuration), readiness);
    let service_manager = tokio::spawn(service_manager::report(service.pulse(), shutdown.clone()));
    let result = service.run(shutdown.clone()).await;
    spans.shut_down().await;
    shutdown.cancel();
    service_manager.await.context("the task for systemd panicked")?;
    status_pages.await.context("the status pages panicked")?.context("the status pages failed")?;
    result?;
    Ok(ExitCode::SUCCESS)
}

fn job_context(configuration: &Configuration, arguments: &RunArguments) -> Result<JobContext> {
    let service = &configuration.service;
    let tools = Tools { encoders: service.encoders, ..media_tools(&arguments.tools, service.jobs)? };
    let folder = WorkFolder::open(&service.work_dir)?;
    try_encoders(&tools, &folder)?;
    Ok(JobContext {
        origin: service.name.clone(),
        edge: EdgeClient::new(http_client()?, configuration.edge.clone()),
        store: ObjectStore::new(&configuration.store),
        tools,
        classifier: classifier(configuration)?,
        folder,
        job_timeout: service.job_timeout,
        suspects: tokio::sync::Semaphore::new(1),
        spans: span_export(service)?,
    })
}

fn span_export(service: &ServiceSettings) -> Result<SpanExport> {
    let Some(endpoint) = &service.collector else {
        return Ok(SpanExport::default());
    };
    let client = CollectorClient::new().context("cannot create the HTTP client")?;
    SpanExport::start(endpoint, &service.name, client)
}

fn classifier(configuration: &Configuration) -> Result<Option<ClassifierClient>> {
    let Some(settings) = configuration.service.classifier.clone() else {
        return Ok(None);
    };
    let client = ClassifierClient::new(http_client()?, settings, RetryTiming::default());
    Ok(Some(client))
}

fn pull_settings(configuration: &Configuration) -> PullSettings {
    let service = &configuration.service;
    PullSettings {
        jobs: service.jobs,
        visibility: service.visibility(),
        poll_interval: service.poll_interval,
        min_free_bytes: service.min_free_bytes,
        shutdown_grace: service.shutdown_grace,
        backlog_interval: BACKLOG_INTERVAL,
    }
}

/// Returns a token that SIGTERM and Ctrl-C cancel.
fn shutdown_on_signal() -> Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let shutdown = CancellationToken::new();
    let token = shutdown.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        token.cancel();
    });
    Ok(shutdown)
}
