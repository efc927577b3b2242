//! One id leads from the request of a client to the publication of its video: through the log of the Worker, the log of
//! the origin, and the spans that the origin sends to a collector.

use crate::span_collector::SpanCollector;
use anyhow::{Context, Result, ensure};
use contract::{TRACEPARENT, TraceContext, paths};
use fixtures::Form;
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tests::{AcceptedUpload, Clip, OriginFleet, TestStack, e2e, send, until};

const TIMEOUT: Duration = Duration::from_mins(1);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const CAPTION: &str = "a caption that no span shows";
/// Batches are sent soon instead of every five seconds.
const SOON: (&str, &str) = ("OTEL_BSP_SCHEDULE_DELAY", "100");

/// Uploads a video in a request that has a `traceparent` header.
async fn upload(fleet: &OriginFleet, video: &[u8]) -> Result<AcceptedUpload> {
    let form = Form::new().text("caption", CAPTION).file("file", "a.mp4", video);
    let request = fleet.channel.upload_request().header("Content-Type", Form::content_type());
    let answer = send(request.header(TRACEPARENT, HEADER).body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(serde_json::from_value(answer.json()?)?)
}

/// Returns the spans of the Worker's log lines about this content at this path, once there are this many.
async fn logged(fleet: &OriginFleet, path: &str, count: usize, upload: &AcceptedUpload) -> Result<Vec<Value>> {
    let lines = fleet.stack.logged_about(path, count).await?;
    let spans = lines.into_iter().map(|mut line| line["span"].take());
    Ok(spans.filter(|span| span["content"] == *upload.content_uuid).collect())
}

/// Returns the lines of an origin's log that belong to the trace.
fn traced_lines(log: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(log)?;
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(lines.filter(|line| line["span"]["trace_id"] == TRACE).collect())
}

#[e2e(Own)]
async fn one_id_leads_from_the_upload_to_the_publication(stack: Arc<TestStack>) -> Result<()> {
    let collector = SpanCollector::start().await?;
    let mut fleet = OriginFleet::new(&stack).await?;
    let url = format!("{}/", collector.url);
    fleet.start("traced", &[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), SOON, ("LOG_JSON", "true")]).await?;
    let accepted = upload(&fleet, &Clip::mp4("a.mp4").make(&fleet.folder)?).await?;
    fleet.until_published(&accepted, TIMEOUT).await?;

    // A short job sends no progress.
    for path in [paths::UPLOAD_VIDEO, paths::JOB_CLAIM, paths::JOB_REPORT] {
        let spans = logged(&fleet, path, 1, &accepted).await?;
        ensure!(!spans.is_empty() && spans.iter().all(|span| span["trace_id"] == TRACE), "{path}: {spans:?}");
        let is_complete = |span: &Value| span["origin"] == "traced" && span["generation"] == 1;
        ensure!(path == paths::UPLOAD_VIDEO || spans.iter().all(is_complete), "{path}: {spans:?}");
    }
    ensure_origin_log(&fleet, &accepted).await?;
    ensure_spans(&collector, &accepted).await?;
    ensure_no_secret(&fleet, &collector)
}

/// Checks that the origin's log tells the whole job, with all ids.
async fn ensure_origin_log(fleet: &OriginFleet, upload: &AcceptedUpload) -> Result<()> {
    let log = fleet.origins.first().context("no origin")?.log().to_owned();
    let message = |line: &Value| line["fields"]["message"].as_str().unwrap_or_default().to_owned();
    let look = async || {
        let lines = traced_lines(&log)?;
        Ok(lines.iter().any(|line| message(line) == "job ended").then_some(lines))
    };
    let lines = until(TIMEOUT, look, || std::fs::read_to_string(&log).unwrap_or_default()).await?;
    let messages: BTreeSet<_> = lines.iter().map(message).collect();
    ensure!(messages.contains("job begins") && messages.contains("stage ended"), "{messages:?}");
    for line in lines {
        let span = &line["span"];
        ensure!(span["content_uuid"] == *upload.content_uuid && span["origin"] == "traced", "{line}");
        ensure!(span["generation"] == 1 && span["delivery_attempt"] == 1, "{line}");
    }
    Ok(())
}

/// Checks that the collector got the job as a child of the client's span, and each step as a child of the job.
async fn ensure_spans(collector: &SpanCollector, upload: &AcceptedUpload) -> Result<()> {
    let trace = TraceContext::parse(HEADER).context("no trace")?;
    let look = async || {
        let spans = collector.spans(trace)?;
        Ok(spans.iter().any(|span| span.name == "job").then_some(spans))
    };
    let spans = until(TIMEOUT, look, || "no span of the job has arrived".to_owned()).await?;
    let named = |name: &str| spans.iter().find(|span| span.name == name).with_context(|| format!("no span {name}"));
    let job = named("job")?;
    ensure!(trace.recorded_parent().is_some_and(|parent| job.parent_span_id == parent), "{job:?}");
    ensure!(format!("{:?}", job.attributes).contains(&upload.content_uuid), "{job:?}");
    for name in ["claim", "download", "inspect", "encode", "moderate", "verify", "upload", "report"] {
        let step = named(name)?;
        ensure!(step.parent_span_id == job.span_id && step.span_id != job.span_id, "{step:?}");
        ensure!(step.status.as_ref().is_none_or(|status| status.code == 0), "{step:?}");
        let within = |step: &Span| {
            job.start_time_unix_nano <= step.start_time_unix_nano
                && step.start_time_unix_nano <= step.end_time_unix_nano
                && step.end_time_unix_nano <= job.end_time_unix_nano
        };
        ensure!(within(step), "{step:?}");
    }
    ensure!(spans.len() == 9, "{spans:?}");
    Ok(())
}

/// Checks that no span has a secret, the caption or an address.
fn ensure_no_secret(fleet: &OriginFleet, collector: &SpanCollector) -> Result<()> {
    let env = fleet.stack.env();
    let sent: Vec<u8> = collector.bodies().concat();
    let sent = String::from_utf8_lossy(&sent);
    let secrets = [env.get("QUEUE_API_TOKEN"), env.get("S3_SECRET_ACCESS_KEY"), &fleet.channel.key];
    for text in secrets.into_iter().chain([CAPTION, "http://", "X-Amz"]) {
        ensure!(!sent.contains(text), "a span contains {text}");
    }
    Ok(())
}

#[e2e(Own)]
async fn a_redelivered_job_keeps_its_trace(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (640, 360), milliseconds: 6_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let index = fleet.start("crashed", &[]).await?;
    let accepted = upload(&fleet, &clip).await?;
    fleet.until_row(&accepted, TIMEOUT, |row| row["attempt"] == 1).await?;
    fleet.crash(index)?;
    fleet.until_published(&accepted, TIMEOUT).await?;
    let look = async || {
        let claims = logged(&fleet, paths::JOB_CLAIM, 1, &accepted).await?;
        Ok((claims.len() >= 2).then_some(claims))
    };
    let claims = until(TIMEOUT, look, || "there was no second claim".to_owned()).await?;
    ensure!(claims.iter().all(|claim| claim["trace_id"] == TRACE), "{claims:?}");
    let log = std::fs::read_to_string(fleet.origins.first().context("no origin")?.log())?;
    ensure!(log.contains(TRACE), "{log}");
    Ok(())
}

#[e2e(Own)]
async fn without_a_collector_nothing_is_sent_and_a_dead_one_harms_no_job(stack: Arc<TestStack>) -> Result<()> {
    // It accepts connections and never answers.
    let silent = TcpListener::bind(("127.0.0.1", 0))?;
    let silent_url = format!("http://{}", silent.local_addr()?);
    let dead_url = format!("http://127.0.0.1:{}", dev::free_port()?);
    let collector = SpanCollector::start().await?;
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (160, 90), milliseconds: 2_000, ..Clip::mp4("a.mp4") };
    let clip = clip.make(&fleet.folder)?;
    let endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";
    for (name, vars, jobs, warnings) in [
        ("off", vec![SOON], 1, 0),
        ("empty", vec![(endpoint, ""), SOON], 1, 0),
        ("dead", vec![(endpoint, dead_url.as_str()), SOON], 2, 1),
        ("silent", vec![(endpoint, silent_url.as_str()), SOON], 2, 0),
    ] {
        let index = fleet.start(name, &vars).await?;
        for _ in 0..jobs {
            let accepted = upload(&fleet, &clip).await?;
            fleet.until_published(&accepted, TIMEOUT).await?;
        }
        // No job is running, so the origin waits only for the collector, two seconds at most.
        let status = fleet.stop(index, Duration::from_secs(10)).await?;
        let log = std::fs::read_to_string(fleet.origins.get(index).context("no origin")?.log())?;
        ensure!(status.success(), "{name}: {log}");
        let warned = log.matches("spans cannot be exported").count();
        ensure!(warned == warnings || name == "silent" && warned == 1, "{name}: {warned} warnings\n{log}");
    }
    ensure!(collector.bodies().is_empty());
    Ok(())
}
