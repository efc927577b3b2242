//! What is not signed by an origin, now, over exactly this, is refused and changes nothing.

use crate::harness::{Answer, Harness, PREVIOUS_ORIGIN_SECRET, Suite, ensure_refused};
use crate::origin::{Job, Signed, now_unix, processed};
use anyhow::{Result, ensure};
use contract::job::{MAX_JOB_BODY_BYTES, ReportAnswer};
use contract::{ContentState, paths};
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "job_forgeries::none_is_accepted_and_nothing_changes",
        forgeries,
    );
    suite.add(
        "job_forgeries::two_secrets_are_good_while_one_is_replaced",
        rotation,
    );
    suite.add(
        "job_forgeries::what_is_stale_or_comes_again_changes_nothing",
        replays,
    );
}

/// A good report of a claimed job, for forgers to begin with.
async fn good(job: &Job) -> Result<Signed> {
    job.take().await?;
    let report = job.report_of(processed(&[]));
    Signed::new(job.secret(), paths::JOB_REPORT, &report)
}

fn forged(good: &Signed, secret: &str) -> Result<Vec<(&'static str, Signed)>> {
    let with = |change: fn(&mut Signed)| {
        let mut forgery = good.clone();
        change(&mut forgery);
        forgery
    };
    let at = |time: u64| Signed::at(secret, good.path, good.body.clone(), time);
    let now = now_unix();
    let huge = vec![b' '; MAX_JOB_BODY_BYTES + 1];
    Ok(vec![
        ("no signature", with(|forgery| forgery.signature.clear())),
        (
            "a bad signature",
            with(|forgery| forgery.signature.replace_range(3..7, "0000")),
        ),
        (
            "a short signature",
            with(|forgery| forgery.signature.truncate(35)),
        ),
        (
            "another time",
            with(|forgery| forgery.timestamp = (now_unix() + 1).to_string()),
        ),
        ("no time", with(|forgery| forgery.timestamp.clear())),
        ("another id", with(|forgery| forgery.id.push('x'))),
        ("another body", with(|forgery| forgery.body.push(b' '))),
        ("an empty body", with(|forgery| forgery.body.clear())),
        (
            "another path",
            with(|forgery| forgery.path = paths::JOB_PROGRESS),
        ),
        // A second later the machine may be in the next one: then it is 302.
        ("too old", at(now - 302)?),
        ("too new", at(now + 305)?),
        (
            "a strange secret",
            Signed::at(&"s".repeat(64), good.path, good.body.clone(), now)?,
        ),
        ("huge", Signed::at(secret, good.path, huge, now)?),
    ])
}

/// Everything of an answer but what names the very request.
fn fingerprint(answer: &Answer) -> (u16, Vec<u8>) {
    (answer.status.as_u16(), answer.bytes.clone())
}

async fn forgeries(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let good = good(&job).await?;
    let before = job.row()?;
    let forged = forged(&good, job.secret())?;
    let mut answers = Vec::new();
    for (name, forgery) in &forged {
        let answer = forgery.send(&harness).await?;
        ensure_refused(&answer, 401, "signature_invalid").map_err(|error| error.context(*name))?;
        answers.push(fingerprint(&answer));
    }
    answers.dedup();
    ensure!(answers.len() == 1, "the answers differ: {answers:?}");
    let mut by_put = good.clone();
    by_put.method = Method::PUT;
    ensure_refused(&by_put.send(&harness).await?, 405, "method_not_allowed")?;
    ensure!(job.row()? == before, "a forgery changed something");
    let accepted: ReportAnswer = serde_json::from_slice(&good.send(&harness).await?.bytes)?;
    ensure!(accepted.accepted, "what they forged was good");
    println!("forgeries: {} refused, 0 accepted", forged.len() + 1);
    Ok(())
}

async fn rotation(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    for secret in [PREVIOUS_ORIGIN_SECRET, job.secret()] {
        let signed = Signed::new(secret, paths::JOB_CLAIM, &job.claim_of(1))?;
        let answer = signed.send(&harness).await?;
        ensure!(
            answer.status == 200 && answer.json()?["answer"] == "work",
            "{answer:?}"
        );
    }
    let older = Signed::new(&"o".repeat(64), paths::JOB_CLAIM, &job.claim_of(1))?;
    ensure_refused(&older.send(&harness).await?, 401, "signature_invalid")
}

async fn replays(harness: Arc<Harness>) -> Result<()> {
    let mut job = Job::new(&harness).await?;
    let claim = Signed::at(
        job.secret(),
        paths::JOB_CLAIM,
        serde_json::to_vec(&job.claim_of(1))?,
        now_unix() - 200,
    )?;
    ensure!(claim.send(&harness).await?.json()?["answer"] == "work");
    let report = job.report_of(processed(&[]));
    let report = Signed::new(job.secret(), paths::JOB_REPORT, &report)?;
    ensure!(job.requeue().await?.status == 200);
    let fresh = job.row()?;
    // Both are signed well, and of a generation that was overtaken.
    ensure!(claim.send(&harness).await?.json()?["answer"] == "over");
    let told: ReportAnswer = serde_json::from_slice(&report.send(&harness).await?.bytes)?;
    ensure!(
        !told.accepted && told.state == Some(ContentState::Processing),
        "{told:?}"
    );
    ensure!(job.row()? == fresh, "a stale generation changed something");
    job.generation = 2;
    let report = good(&job).await?;
    report.send(&harness).await?;
    let ended = job.row()?;
    for _ in 0..3 {
        let told: ReportAnswer = serde_json::from_slice(&report.send(&harness).await?.bytes)?;
        ensure!(
            told.accepted && told.state == Some(ContentState::Published),
            "{told:?}"
        );
        ensure!(claim.send(&harness).await?.json()?["answer"] == "over");
    }
    ensure!(job.row()? == ended, "a replay changed something");
    Ok(())
}
