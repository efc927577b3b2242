//! The trace of a request is its client's, or a new one. The log names it, as does every message about the job of an
//! upload.

use anyhow::{Context, Result, ensure};
use contract::{JobMessage, TRACEPARENT, TraceContext, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, TestQueue, TestStack, e2e, send};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const HEADER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Sends a request with these headers, and returns the trace that the log names.
async fn logged_trace(stack: &TestStack, headers: &[&str]) -> Result<String> {
    let mut request = stack.request(Method::GET, paths::UPLOAD_LIMITS);
    for header in headers {
        request = request.header(TRACEPARENT, *header);
    }
    let answer = send(request).await?;
    ensure!(answer.status == 401 && answer.header(TRACEPARENT).is_empty(), "{answer:?}");
    let logged = stack.logged(answer.header("x-request-id")).await?;
    Ok(logged["span"]["trace_id"].as_str().with_context(|| format!("no trace: {logged}"))?.to_owned())
}

#[e2e]
async fn the_log_names_the_client_s_trace_and_a_new_one_if_its_header_is_invalid(stack: Arc<TestStack>) -> Result<()> {
    let later_version = format!("cc{}-what-comes-later", HEADER.get(2..).unwrap_or_default());
    for header in [HEADER, &later_version] {
        ensure!(logged_trace(&stack, &[header]).await? == TRACE, "{header}");
    }
    let (upper, long) = (HEADER.to_uppercase(), later_version.clone() + &"-".repeat(300));
    let zeros = HEADER.replace(TRACE, &"0".repeat(32));
    let version_ff = format!("ff{}", HEADER.get(2..).unwrap_or_default());
    let invalid: [&[&str]; 8] =
        [&[], &["garbage<script>"], &[&upper], &[&zeros], &[&version_ff], &[&long], &[""], &[HEADER, HEADER]];
    let mut new = HashSet::new();
    for headers in invalid {
        let trace = logged_trace(&stack, headers).await?;
        let as_header = format!("00-{trace}-00f067aa0ba902b7-00");
        ensure!(trace != TRACE && TraceContext::parse(&as_header).is_some(), "{headers:?}: {trace}");
        ensure!(new.insert(trace), "a new trace was used twice");
    }
    Ok(())
}

/// Uploads a video, and returns the number of its content.
async fn upload(channel: &Channel, header: &str) -> Result<(u64, String)> {
    let form = Form::new().file("file", "a.mp4", &fixtures::mp4(5_000, 2_000, 7));
    let request = channel.upload_request().header("Content-Type", Form::content_type()).header(TRACEPARENT, header);
    let answer = send(request.body(form.body())).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let logged = channel.stack.logged(answer.header("x-request-id")).await?;
    let result = answer.json()?;
    let (id, uuid) = (result["content_id"].as_u64(), result["content_uuid"].as_str());
    ensure!(logged["span"]["content"] == result["content_uuid"], "{logged}");
    ensure!(logged["span"]["upload"].as_str().is_some_and(|upload| upload.len() == 36), "{logged}");
    Ok((id.context("no content_id")?, uuid.context("no content_uuid")?.to_owned()))
}

/// Returns the next messages of the queue, once there are this many.
async fn messages(queue: &TestQueue, count: u64) -> Result<Vec<JobMessage>> {
    let look = async || Ok((queue.depth().await? >= count).then_some(()));
    tests::until(Duration::from_secs(10), look, || format!("not {count} messages")).await?;
    let pulled = queue.client.pull(10, Duration::from_mins(1)).await?.messages;
    let leases = pulled.iter().map(|message| message.lease.clone()).collect::<Vec<_>>();
    queue.client.settle(&leases, &[]).await?;
    let jobs = pulled.into_iter().map(|message| Ok(message.job?)).collect::<Result<Vec<_>>>()?;
    ensure!(jobs.len() as u64 == count, "{jobs:?}");
    Ok(jobs)
}

#[e2e(Own)]
async fn every_message_about_a_job_names_the_trace_of_its_upload(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let queue = TestQueue::of_jobs(&stack)?;
    let third_trace = HEADER.replace("4bf92f35", "bbbbbbbb");
    let (first, uuid) = upload(&channel, HEADER).await?;
    let (second, _) = upload(&channel, "garbage").await?;
    let (third, _) = upload(&channel, &third_trace).await?;
    let jobs = messages(&queue, 2).await?;
    let trace_of = |jobs: &[JobMessage], id: u64| {
        let job = jobs.iter().find(|job| job.content_id == id);
        job.and_then(|job| job.traceparent.clone()).with_context(|| format!("{id}: {jobs:?}"))
    };
    ensure!(trace_of(&jobs, first)? == HEADER, "{jobs:?}");
    let new = trace_of(&jobs, second)?;
    ensure!(TraceContext::parse(&new).is_some_and(|new| new.recorded_parent().is_none()), "{new}");
    ensure!(!new.contains(TRACE), "{new}");

    // The third job is held until the others are claimed.
    stack.pretend_claims("true").await?;
    stack.sweep().await?;
    let jobs = messages(&queue, 1).await?;
    ensure!(trace_of(&jobs, third)? == third_trace, "{jobs:?}");

    let body = json!({ "content_uuid": uuid });
    let request = stack.request(Method::POST, paths::JOB_REQUEUE).bearer_auth(stack.env().get("ADMIN_TOKEN"));
    let answer = send(request.json(&body)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let jobs = messages(&queue, 1).await?;
    ensure!(jobs.iter().all(|job| job.generation == 2) && trace_of(&jobs, first)? == HEADER, "{jobs:?}");

    // A message that could not be sent: the sweep sends it.
    stack.change_rows(format!("UPDATE jobs SET due_at_unix = 0 WHERE content_id = {third}")).await?;
    stack.sweep().await?;
    let jobs = messages(&queue, 1).await?;
    ensure!(trace_of(&jobs, third)? == third_trace, "{jobs:?}");
    Ok(())
}
