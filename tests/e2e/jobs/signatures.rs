//! Unless an origin signed a request just now, in exactly this form, it is refused and changes nothing.

use anyhow::{Context, Result, ensure};
use contract::job::{MAX_JOB_BODY_BYTES, ReportAnswer};
use contract::signature::BodyHash;
use contract::{ContentState, paths};
use reqwest::Method;
use std::sync::Arc;
use tests::{
    HttpAnswer, PREVIOUS_ORIGIN_SECRET, SignedMessage, TestJob, TestStack, e2e, ensure_refused, now_unix, processed,
};

/// Returns a valid report about a claimed job, from which the forgeries are made.
async fn valid_report(job: &TestJob) -> Result<SignedMessage> {
    job.claim_granted().await?;
    job.store(&processed(&[])).await?;
    let report = job.report_message(processed(&[]));
    SignedMessage::new(job.secret(), paths::JOB_REPORT, &report)
}

/// Makes a forgery from a valid request and the secret.
type Forge = fn(&SignedMessage, &str) -> Result<SignedMessage>;

/// Each forgery is made just before it is sent, because some depend on the time.
const FORGERIES: [(&str, Forge); 15] = [
    ("no signature", |valid, _| changed(valid, |forgery| forgery.signature.clear())),
    ("a bad signature", |valid, _| changed(valid, |forgery| forgery.signature.replace_range(3..7, "0000"))),
    ("a short signature", |valid, _| changed(valid, |forgery| forgery.signature.truncate(35))),
    ("another time", |valid, _| changed(valid, |forgery| forgery.timestamp = (now_unix() + 1).to_string())),
    ("no time", |valid, _| changed(valid, |forgery| forgery.timestamp.clear())),
    ("another id", |valid, _| changed(valid, |forgery| forgery.id.push('x'))),
    ("another body", |valid, _| changed(valid, |forgery| forgery.body.push(b' '))),
    ("another body with its own hash", |valid, _| {
        changed(valid, |forgery| {
            forgery.body.push(b' ');
            forgery.body_hash = BodyHash::of(&forgery.body).to_string();
        })
    }),
    ("no hash", |valid, _| changed(valid, |forgery| forgery.body_hash.clear())),
    ("a hash in upper case", |valid, _| changed(valid, |forgery| forgery.body_hash.make_ascii_uppercase())),
    ("an empty body", |valid, _| changed(valid, |forgery| forgery.body.clear())),
    ("another path", |valid, _| changed(valid, |forgery| forgery.path = paths::JOB_PROGRESS)),
    // The limit is 300 s. The rest allows for the time until the request arrives.
    ("too old", |valid, secret| signed_at(valid, secret, now_unix() - 302)),
    ("too new", |valid, secret| signed_at(valid, secret, now_unix() + 305)),
    ("an unknown secret", |valid, _| signed_at(valid, &"s".repeat(64), now_unix())),
];

#[expect(clippy::unnecessary_wraps, reason = "an entry of the table of forgeries")]
fn changed(valid: &SignedMessage, change: impl FnOnce(&mut SignedMessage)) -> Result<SignedMessage> {
    let mut forgery = valid.clone();
    change(&mut forgery);
    Ok(forgery)
}

fn signed_at(valid: &SignedMessage, secret: &str, time: u64) -> Result<SignedMessage> {
    SignedMessage::at(secret, valid.path, valid.body.clone(), time)
}

/// Returns everything in an answer except what identifies the request.
fn fingerprint(answer: &HttpAnswer) -> (u16, Vec<u8>) {
    (answer.status.as_u16(), answer.bytes.clone())
}

#[e2e]
async fn every_forged_request_is_refused_and_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let valid = valid_report(&job).await?;
    let before = job.row()?;
    let mut answers = Vec::new();
    for (name, forge) in FORGERIES {
        let answer = forge(&valid, job.secret())?.send(&stack).await?;
        ensure_refused(&answer, 401, "signature_invalid").context(name)?;
        answers.push(fingerprint(&answer));
    }
    answers.dedup();
    ensure!(answers.len() == 1, "the answers differ: {answers:?}");
    let mut by_put = valid.clone();
    by_put.method = Method::PUT;
    ensure_refused(&by_put.send(&stack).await?, 405, "method_not_allowed")?;
    let huge = SignedMessage::at(job.secret(), valid.path, vec![b' '; MAX_JOB_BODY_BYTES + 1], now_unix())?;
    ensure_refused(&huge.send(&stack).await?, 400, "request_malformed")?;
    ensure!(job.row()? == before, "a forgery changed something");
    let accepted: ReportAnswer = serde_json::from_slice(&valid.send(&stack).await?.bytes)?;
    ensure!(accepted.accepted, "the valid request itself is refused");
    println!("forgeries: {} refused, 0 accepted", FORGERIES.len() + 1);
    Ok(())
}

#[e2e]
async fn both_origin_secrets_are_accepted_during_a_rotation(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    for secret in [PREVIOUS_ORIGIN_SECRET, job.secret()] {
        let signed = SignedMessage::new(secret, paths::JOB_CLAIM, &job.claim_message(1))?;
        let answer = signed.send(&stack).await?;
        ensure!(answer.status == 200 && answer.json()?["answer"] == "granted", "{answer:?}");
    }
    let older = SignedMessage::new(&"o".repeat(64), paths::JOB_CLAIM, &job.claim_message(1))?;
    ensure_refused(&older.send(&stack).await?, 401, "signature_invalid")
}

#[e2e]
async fn a_stale_or_replayed_request_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let mut job = TestJob::new(&stack).await?;
    let claim = SignedMessage::at(
        job.secret(),
        paths::JOB_CLAIM,
        serde_json::to_vec(&job.claim_message(1))?,
        now_unix() - 200,
    )?;
    ensure!(claim.send(&stack).await?.json()?["answer"] == "granted");
    let report = job.report_message(processed(&[]));
    let report = SignedMessage::new(job.secret(), paths::JOB_REPORT, &report)?;
    ensure!(job.requeue().await?.status == 200);
    let fresh = job.row()?;
    // Both have valid signatures and belong to an earlier generation.
    ensure!(claim.send(&stack).await?.json()?["answer"] == "obsolete");
    let answer: ReportAnswer = serde_json::from_slice(&report.send(&stack).await?.bytes)?;
    ensure!(!answer.accepted && answer.state == Some(ContentState::Processing), "{answer:?}");
    ensure!(job.row()? == fresh, "an earlier generation changed something");
    job.generation = 2;
    let report = valid_report(&job).await?;
    report.send(&stack).await?;
    let ended = job.row()?;
    for _ in 0..3 {
        let answer: ReportAnswer = serde_json::from_slice(&report.send(&stack).await?.bytes)?;
        ensure!(answer.accepted && answer.state == Some(ContentState::Published), "{answer:?}");
        ensure!(claim.send(&stack).await?.json()?["answer"] == "obsolete");
    }
    ensure!(job.row()? == ended, "a replay changed something");
    Ok(())
}
