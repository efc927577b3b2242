//! Bodies that arrive slowly or never. A caller without a valid credential is refused before the body is read. Any
//! other caller has ten seconds to send it.

use anyhow::{Context, Result, ensure};
use contract::{job, paths};
use futures_util::future::{join_all, try_join_all};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tests::{RawUpload, SignedMessage, TestJob, TestStack, e2e, send};

/// Connections that send unsigned bodies at once.
const STRANGERS: usize = 300;
/// The time in which all of the requests must be refused, on a busy machine. Their bodies never arrive.
const AT_ONCE: Duration = Duration::from_secs(20);
/// The time in which a body must arrive, with some allowance.
const TIME_LIMIT: std::ops::Range<f64> = 8.0..20.0;

/// Returns the head of a request with these headers and a body of this length.
fn head(stack: &TestStack, method: &str, path: &str, headers: &[(&str, &str)], content_length: usize) -> String {
    let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let address = stack.address();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {content_length}\r\nConnection: close\r\n\r\n"
    )
}

/// Sends a request whose body ends after its first bytes, and returns the answer and how long it took.
async fn stall(stack: &TestStack, head: &str, start: &[u8]) -> Result<(String, Duration)> {
    let started = Instant::now();
    let mut request = RawUpload::connect(stack.address(), head).await?;
    request.send(start).await?;
    let answer = tokio::time::timeout(Duration::from_mins(1), request.answer()).await.context("no answer")??;
    Ok((answer, started.elapsed()))
}

#[e2e]
async fn unsigned_bodies_that_arrive_slowly_are_refused_at_once_and_disturb_nobody(
    stack: Arc<TestStack>,
) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let unsigned = head(&stack, "POST", paths::JOB_REPORT, &[], job::MAX_JOB_BODY_BYTES);
    let started = Instant::now();
    let strangers = try_join_all((0..STRANGERS).map(|_| stall(&stack, &unsigned, &[b' '; 1_000])));
    let signed = join_all((0..20).map(|_| job.claim()));
    let (strangers, signed) = futures_util::future::join(strangers, signed).await;
    let all = started.elapsed();
    let strangers = strangers?;
    for (answer, _) in &strangers {
        ensure!(answer.starts_with("HTTP/1.1 401") && answer.contains("signature_invalid"), "{answer}");
    }
    signed.into_iter().collect::<Result<Vec<_>>>()?;
    let slowest = strangers.iter().map(|(_, duration)| *duration).max().unwrap_or_default();
    println!(
        "{STRANGERS} unsigned bodies: all refused within {slowest:?}; with 20 signed requests beside them {all:?}"
    );
    ensure!(slowest < AT_ONCE, "the last refusal took {slowest:?}");
    Ok(())
}

#[e2e]
async fn every_body_of_an_unknown_caller_is_refused_before_it_arrives(stack: Arc<TestStack>) -> Result<()> {
    let cases = [
        ("POST", paths::JOB_CLAIM, "signature_invalid"),
        ("POST", paths::JOB_REQUEUE, "admin_token_invalid"),
        ("POST", paths::MODERATION_APPROVE, "admin_token_invalid"),
        ("POST", paths::SESSIONS, "service_token_invalid"),
        ("PUT", paths::SERVICE_CATEGORIES, "service_token_invalid"),
        ("POST", paths::CREATE_API_KEY, "session_required"),
        ("POST", paths::DELETE_CONTENT, "api_key_invalid"),
        ("POST", paths::UPLOAD_VIDEO, "api_key_invalid"),
    ];
    let json = [("Content-Type", "application/json")];
    let requests = cases.map(|(method, path, code)| {
        let head = head(&stack, method, path, &json, 100_000);
        let stack = &stack;
        async move { Ok::<_, anyhow::Error>((path, code, stall(stack, &head, b"{").await?)) }
    });
    for (path, code, (answer, duration)) in try_join_all(requests).await? {
        ensure!(answer.contains(code), "{path}: {answer}");
        ensure!(duration < AT_ONCE, "{path} was refused after {duration:?}");
    }
    Ok(())
}

#[e2e]
async fn a_body_that_stalls_is_refused_after_ten_seconds(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let valid = SignedMessage::new(&job.signer().await?, paths::JOB_CLAIM, &job.id())?;
    let signed = head(&stack, "POST", &valid.path, &valid.headers(), valid.body.len());
    let token = format!("Bearer {}", stack.env().get("SERVICE_TOKEN"));
    let service = head(&stack, "POST", paths::SESSIONS, &[("Authorization", &token)], 100);
    let stalled = try_join_all([stall(&stack, &signed, &valid.body[..5]), stall(&stack, &service, b"{\"acc")]);
    for (answer, duration) in stalled.await? {
        ensure!(answer.starts_with("HTTP/1.1 408") && answer.contains("request_timeout"), "{answer}");
        ensure!(TIME_LIMIT.contains(&duration.as_secs_f64()), "the answer took {duration:?}");
    }
    ensure!(valid.send(&stack).await?.status == 200, "the whole request is accepted");
    Ok(())
}

#[e2e(Own)]
async fn bodies_beyond_the_shared_budget_are_told_to_retry(stack: Arc<TestStack>) -> Result<()> {
    let token = format!("Bearer {}", stack.env().get("SERVICE_TOKEN"));
    let size = 250 * 1024;
    let head = head(&stack, "PUT", paths::SERVICE_CATEGORIES, &[("Authorization", &token)], size);
    // All but the last byte of 40 bodies are more than 8 MiB together.
    let start = vec![b' '; size - 1];
    let answers = try_join_all((0..40).map(|_| stall(&stack, &head, &start))).await?;
    let count = |status: &str| answers.iter().filter(|(answer, _)| answer.starts_with(status)).count();
    let (late, overloaded) = (count("HTTP/1.1 408"), count("HTTP/1.1 503"));
    println!("40 bodies of 250 KiB that stall: {overloaded} get 503, {late} get 408");
    ensure!(late + overloaded == 40 && (28..=36).contains(&late), "{late} late, {overloaded} overloaded");
    for (answer, _) in answers.iter().filter(|(answer, _)| answer.starts_with("HTTP/1.1 503")) {
        ensure!(answer.contains("service_overloaded") && answer.to_lowercase().contains("retry-after: 5"), "{answer}");
    }
    let categories = stack.service_request(reqwest::Method::PUT, paths::SERVICE_CATEGORIES);
    let later = send(categories.json(&serde_json::json!({ "categories": [{ "id": 1, "name": "Music" }] }))).await?;
    ensure!(later.status == 200, "{later:?}");
    Ok(())
}
