//! A request is refused and changes nothing unless an origin has just signed it in exactly this form.

use anyhow::{Context, Result, ensure};
use contract::job::{MAX_JOB_BODY_BYTES, ReportAnswer};
use contract::signature::BodyHash;
use contract::{ContentState, paths};
use reqwest::Method;
use std::sync::Arc;
use tests::{HttpAnswer, SignedMessage, Signer, TestJob, TestStack, e2e, ensure_refused, now_unix, processed};

/// Returns a valid report about a claimed job, from which the forgeries are made.
async fn valid_report(job: &TestJob) -> Result<SignedMessage> {
    job.claim_granted().await?;
    job.store(&processed(&[])).await?;
    let report = job.report_message(processed(&[]));
    SignedMessage::new(&job.signer().await?, paths::JOB_REPORT, &report)
}

/// Makes a forgery from a valid request and its signer.
type Forge = fn(&SignedMessage, &Signer) -> Result<SignedMessage>;

/// Each forgery is made just before it is sent, because some depend on the time.
const FORGERIES: [(&str, Forge); 20] = [
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
    ("another path", |valid, _| changed(valid, |forgery| paths::JOB_PROGRESS.clone_into(&mut forgery.path))),
    ("another query", |valid, _| changed(valid, |forgery| forgery.path.push_str("?force=true"))),
    ("another host", |valid, signer| {
        let host = "staging.clipgate.example".to_owned();
        SignedMessage::at(&Signer { host, ..signer.clone() }, &valid.path, valid.body.clone(), now_unix())
    }),
    ("another key id", |valid, _| changed(valid, |forgery| "999999999".clone_into(&mut forgery.key_id))),
    ("a key id in another form", |valid, _| changed(valid, |forgery| forgery.key_id.insert(0, '0'))),
    ("no key id", |valid, _| changed(valid, |forgery| forgery.key_id.clear())),
    // The limit is 300 s. The rest allows for the time until the request arrives.
    ("too old", |valid, signer| signed_at(valid, signer, now_unix() - 302)),
    ("too new", |valid, signer| signed_at(valid, signer, now_unix() + 305)),
    ("a key that the edge did not make", |valid, signer| {
        let key = format!("cgo_{}_{}", valid.key_id, "5".repeat(64));
        signed_at(valid, &Signer { key, ..signer.clone() }, now_unix())
    }),
];

#[expect(clippy::unnecessary_wraps, reason = "an entry of the table of forgeries")]
fn changed(valid: &SignedMessage, change: impl FnOnce(&mut SignedMessage)) -> Result<SignedMessage> {
    let mut forgery = valid.clone();
    change(&mut forgery);
    Ok(forgery)
}

fn signed_at(valid: &SignedMessage, signer: &Signer, time: u64) -> Result<SignedMessage> {
    SignedMessage::at(signer, &valid.path, valid.body.clone(), time)
}

/// Returns everything in an answer except what identifies the request.
fn fingerprint(answer: &HttpAnswer) -> (u16, Vec<u8>) {
    (answer.status.as_u16(), answer.bytes.clone())
}

#[e2e]
async fn every_forged_request_is_refused_and_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let valid = valid_report(&job).await?;
    let signer = job.signer().await?;
    let before = job.row()?;
    let mut answers = Vec::new();
    for (name, forge) in FORGERIES {
        let answer = forge(&valid, &signer)?.send(&stack).await?;
        ensure_refused(&answer, 401, "signature_invalid").context(name)?;
        answers.push(fingerprint(&answer));
    }
    answers.dedup();
    ensure!(answers.len() == 1, "the answers differ: {answers:?}");
    let mut by_put = valid.clone();
    by_put.method = Method::PUT;
    ensure_refused(&by_put.send(&stack).await?, 405, "method_not_allowed")?;
    let huge = SignedMessage::at(&signer, &valid.path, vec![b' '; MAX_JOB_BODY_BYTES + 1], now_unix())?;
    ensure_refused(&huge.send(&stack).await?, 400, "request_malformed")?;
    ensure!(job.row()? == before, "a forgery changed something");
    let accepted: ReportAnswer = serde_json::from_slice(&valid.send(&stack).await?.bytes)?;
    ensure!(accepted.accepted, "the valid request itself is refused");
    println!("forgeries: {} refused, 0 accepted", FORGERIES.len() + 1);
    Ok(())
}

#[e2e]
async fn a_report_in_the_name_of_another_origin_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?.as_origin("origin-honest");
    job.claim_granted().await?;
    job.store(&processed(&[])).await?;
    let before = job.row()?;
    let thief = Signer { key: stack.origin_key("origin-thief").await?, ..job.signer().await? };
    let report = job.report_message(processed(&[]));
    let forged = SignedMessage::new(&thief, paths::JOB_REPORT, &report)?;
    ensure_refused(&forged.send(&stack).await?, 401, "signature_invalid")?;
    let forged = SignedMessage::new(&thief, paths::JOB_RELEASE, &job.id())?;
    ensure_refused(&forged.send(&stack).await?, 401, "signature_invalid")?;
    ensure!(job.row()? == before, "another origin's job was changed");
    Ok(())
}

#[e2e]
async fn a_stale_or_replayed_request_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let mut job = TestJob::new(&stack).await?;
    let signer = job.signer().await?;
    let claim = SignedMessage::at(&signer, paths::JOB_CLAIM, serde_json::to_vec(&job.id())?, now_unix() - 200)?;
    ensure!(claim.send(&stack).await?.json()?["answer"] == "granted");
    let report = job.report_message(processed(&[]));
    let report = SignedMessage::new(&signer, paths::JOB_REPORT, &report)?;
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
