//! Every origin has its own key: two may overlap, and a revoked key no longer works.

use anyhow::{Context, Result, ensure};
use contract::job::ClaimAnswer;
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{
    HttpAnswer, SignedMessage, Signer, TestJob, TestStack, e2e, ensure_refused, moderator_request, processed, send,
};

/// Returns the answer to a claim of the job that this key signs.
async fn claim_with(job: &TestJob, key: &str) -> Result<HttpAnswer> {
    let signer = Signer { key: key.to_owned(), ..job.signer().await? };
    SignedMessage::new(&signer, paths::JOB_CLAIM, &job.id())?.send(job.stack()).await
}

/// Revokes a key, as the operator does.
async fn end(stack: &TestStack, key: &str) -> Result<HttpAnswer> {
    let key_id: u64 = key.split('_').nth(1).context("not a key")?.parse()?;
    send(moderator_request(stack, Method::DELETE, paths::ORIGIN_KEYS).json(&json!({ "key_id": key_id }))).await
}

#[e2e]
async fn two_keys_of_an_origin_overlap_and_the_ended_one_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?.as_origin("origin-rotating");
    let old = stack.origin_key(&job.origin).await?;
    let new = stack.new_origin_key(&job.origin).await?;
    ensure!(claim_with(&job, &old).await?.json()?["answer"] == "granted");
    ensure!(claim_with(&job, &new).await?.status == 200);
    println!("rotation: an origin with a running job gets a second key; both work");
    ensure!(end(&stack, &old).await?.status == 200);
    ensure_refused(&claim_with(&job, &old).await?, 401, "signature_invalid")?;
    // The origin still has a key, so it keeps its job.
    ensure!(job.row()?["claimed_by"] == "origin-rotating");
    let signer = Signer { key: new, ..job.signer().await? };
    job.store(&processed(&[])).await?;
    let report = SignedMessage::new(&signer, paths::JOB_REPORT, &job.report_message(processed(&[])))?;
    ensure!(report.send(&stack).await?.json()?["accepted"] == true);
    println!("rotation: its old key is ended and refused; with the new one it finishes its job");
    // Revoking it twice succeeds and changes nothing.
    ensure!(end(&stack, &old).await?.status == 200);
    let answer = send(moderator_request(&stack, Method::GET, paths::ORIGIN_KEYS)).await?.json()?;
    let keys = answer["keys"].as_array().context("no list")?;
    let ended = keys.iter().filter(|key| key["name"] == "origin-rotating").map(|key| !key["ended_at_unix"].is_null());
    ensure!(ended.collect::<Vec<_>>() == [false, true], "{keys:?}");
    Ok(())
}

#[e2e]
async fn a_revoked_origin_gets_nothing_and_its_jobs_go_to_others(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?.as_origin("origin-revoked");
    let key = stack.origin_key(&job.origin).await?;
    job.claim_granted().await?;
    job.store(&processed(&[])).await?;
    ensure!(end(&stack, &key).await?.status == 200);
    let signer = job.signer().await?;
    let report = SignedMessage::new(&signer, paths::JOB_REPORT, &job.report_message(processed(&[])))?;
    ensure_refused(&report.send(&stack).await?, 401, "signature_invalid")?;
    ensure_refused(&claim_with(&job, &key).await?, 401, "signature_invalid")?;
    // Without the revocation, this claim would have to wait for the other to end.
    let job = job.as_origin("origin-heir");
    let answer = job.claim().await?;
    ensure!(matches!(answer, ClaimAnswer::Granted(_)), "{answer:?}");
    let actions = stack.texts("SELECT action FROM trail WHERE subject = 'origin:origin-revoked'")?;
    ensure!(actions == ["origin_key_created", "origin_key_ended"].map(str::to_owned).into(), "{actions:?}");
    Ok(())
}

#[e2e]
async fn an_origin_key_needs_a_name_and_an_unknown_one_cannot_be_ended(stack: Arc<TestStack>) -> Result<()> {
    for name in ["", "two words", "\u{e9}", &"x".repeat(101)] {
        let request = moderator_request(&stack, Method::POST, paths::ORIGIN_KEYS).json(&json!({ "name": name }));
        let answer = send(request).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == "name", "{answer:?}");
    }
    ensure_refused(&end(&stack, "cgo_999999999_").await?, 404, "origin_key_not_found")
}
