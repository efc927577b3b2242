//! From an upload to its end, as an origin makes it and its owner sees it.

use crate::channel::Channel;
use crate::harness::{Harness, Suite, ensure_refused, send};
use crate::origin::{Job, now_unix, processed};
use anyhow::{Context, Result, ensure};
use contract::job::{ClaimAnswer, JobOutcome};
use contract::moderation::Verdict;
use contract::{ContentState, ErrorCode, Stage, paths};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("job_life::what_passes_is_published", published);
    suite.add("job_life::what_passes_early_is_scheduled", scheduled);
    suite.add("job_life::what_is_refused_says_why", refused);
    suite.add("job_life::what_needs_a_person_waits_for_one", waits);
    suite.add("job_life::what_failed_can_be_tried_again", retried);
    suite.add("job_life::two_origins_share_no_job", shared);
    suite.add("job_life::what_is_given_back_is_anothers_at_once", released);
    suite.add(
        "job_life::a_check_that_could_not_be_made_is_made_again",
        checked_again,
    );
    suite.add("job_life::only_the_admin_token_requeues", admin_token);
    suite.add(
        "job_life::a_report_that_makes_no_sense_changes_nothing",
        nonsense,
    );
    suite.add("job_life::rejected_objects_are_swept", swept);
}

async fn published(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let status = job.status().await?;
    ensure!(
        status["stage"] == "queued" && status["progress_percent"] == 0,
        "{status}"
    );
    let details = job.take().await?;
    ensure!(!details.is_last_attempt, "{details:?}");
    let source = harness.object_bytes(&details.source_key).await?;
    ensure!(source.len() as u64 == details.size_bytes);
    ensure!(crate::channel::sha256(&source) == details.file_sha256);
    ensure!(job.progress(Stage::Transcode, 50).await?);
    let status = job.status().await?;
    ensure!(
        status["stage"] == "transcode" && status["progress_percent"] == 47,
        "{status}"
    );
    for _ in 0..2 {
        let told = job.report(processed(&[Verdict::Pass])).await?;
        ensure!(
            told.accepted && told.state == Some(ContentState::Published),
            "{told:?}"
        );
    }
    ensure!(!job.progress(Stage::Store, 100).await?);
    ensure!(job.claim(2).await? == ClaimAnswer::Over);
    let status = job.status().await?;
    let site = harness.env().get("SITE_URL");
    let stem = status["media_name"]
        .as_str()
        .context("no name")?
        .trim_end_matches(".mp4");
    let slug = status["slug_url"].as_str().context("no slug")?;
    ensure!(
        status["state"] == "published" && status["stage"].is_null(),
        "{status}"
    );
    ensure!(
        status["check_after_seconds"].is_null() && status["detail"].is_null(),
        "{status}"
    );
    ensure!(
        status["width"] == 640 && status["duration_ms"] == 5_000,
        "{status}"
    );
    let urls = json!({
        "page": format!("{site}/meme/{slug}"),
        "video": format!("{site}/media/{stem}.mp4"),
        "hls": format!("{site}/media/{stem}/hls/master.m3u8"),
        "poster": format!("{site}/media/{stem}/poster.jpg"),
    });
    ensure!(status["urls"] == urls, "{status}");
    let thumbnail =
        json!({ "width": 320, "url": format!("{site}/media/{stem}/thumbnail-320.jpg") });
    ensure!(status["thumbnails"][0] == thumbnail, "{status}");
    Ok(())
}

async fn scheduled(harness: Arc<Harness>) -> Result<()> {
    let time = now_unix() + 3_600;
    let channel = Channel::new(&harness).await?;
    let job = Job::of(channel, |form| {
        form.text("scheduled_publish_at_unix", &time.to_string())
    });
    let job = job.await?;
    job.take().await?;
    let told = job.report(processed(&[])).await?;
    ensure!(told.state == Some(ContentState::Scheduled), "{told:?}");
    let status = job.status().await?;
    ensure!(
        status["state"] == "scheduled" && status["urls"].is_null(),
        "{status}"
    );
    ensure!(status["scheduled_publish_at_unix"] == time, "{status}");
    ensure!(status["published_at_unix"].is_null(), "{status}");
    ensure!(
        status["check_after_seconds"].as_u64() > Some(3_000),
        "{status}"
    );
    Ok(())
}

async fn refused(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    job.take().await?;
    let code = ErrorCode::ContentVideoDurationInvalid;
    let detail = "It plays for 1,990 ms.".to_owned();
    let told = job.report(JobOutcome::Refused { code, detail }).await?;
    ensure!(
        told.accepted && told.state == Some(ContentState::Rejected),
        "{told:?}"
    );
    let status = job.status().await?;
    ensure!(status["error_message_code"] == code.as_str(), "{status}");
    ensure!(status["detail"] == "It plays for 1,990 ms.", "{status}");
    let judged = Job::new(&harness).await?;
    judged.take().await?;
    judged.report(processed(&[Verdict::Reject])).await?;
    let status = judged.status().await?;
    ensure!(
        status["error_message_code"] == "content_moderation_rejected",
        "{status}"
    );
    ensure!(
        status["urls"].is_null() && status["thumbnails"] == json!([]),
        "{status}"
    );
    ensure_refused(&judged.requeue().await?, 409, "content_state_conflict")
}

async fn waits(harness: Arc<Harness>) -> Result<()> {
    for verdict in [Verdict::Review, Verdict::Wait] {
        let job = Job::new(&harness).await?;
        job.take().await?;
        let told = job.report(processed(&[verdict])).await?;
        ensure!(
            told.accepted && told.state == Some(ContentState::Processing),
            "{told:?}"
        );
        let status = job.status().await?;
        ensure!(
            status["stage"] == "moderate" && status["detail"].is_string(),
            "{status}"
        );
        ensure!(
            status["urls"].is_null() && status["error_message_code"].is_null(),
            "{status}"
        );
        let kept = harness.count(
            "SELECT count(*) FROM frame_hashes WHERE content_id = ?1",
            job.content_id,
        )?;
        let found = harness.count(
            "SELECT count(*) FROM findings WHERE content_id = ?1",
            job.content_id,
        )?;
        ensure!((kept, found) == (1, 1));
    }
    Ok(())
}

async fn retried(harness: Arc<Harness>) -> Result<()> {
    let mut job = Job::new(&harness).await?;
    job.take().await?;
    let detail = "ffmpeg was killed.".to_owned();
    job.report(JobOutcome::Failed { detail }).await?;
    let status = job.status().await?;
    ensure!(
        status["state"] == "failed" && status["detail"] == "ffmpeg was killed.",
        "{status}"
    );
    ensure!(
        status["error_message_code"] == "content_processing_failed",
        "{status}"
    );
    let answer = job.requeue().await?;
    ensure!(
        answer.status == 200 && answer.json()?["generation"] == 2,
        "{answer:?}"
    );
    let status = job.status().await?;
    ensure!(
        status["state"] == "processing" && status["error_message_code"].is_null(),
        "{status}"
    );
    ensure!(job.claim(1).await? == ClaimAnswer::Over);
    job.generation = 2;
    job.take().await?;
    // Once more while it is under way: the running job is overtaken.
    ensure!(job.requeue().await?.json()?["generation"] == 3);
    ensure!(!job.progress(Stage::Store, 1).await?);
    ensure!(!job.report(processed(&[])).await?.accepted);
    job.generation = 3;
    job.take().await?;
    ensure!(job.report(processed(&[])).await?.accepted);
    // Each new job has reached the queue.
    let sql = "SELECT count(*) FROM outbox WHERE content_id = ?1";
    ensure!(harness.count(sql, job.content_id)? == 0);
    Ok(())
}

async fn shared(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    job.take().await?;
    job.take().await?;
    let job = job.seen_by("origin-b");
    let ClaimAnswer::Busy {
        retry_after_seconds,
    } = job.claim(1).await?
    else {
        anyhow::bail!("two origins have one job");
    };
    ensure!((1..=60).contains(&retry_after_seconds));
    ensure!(!job.progress(Stage::Store, 100).await?);
    let told = job.report(processed(&[])).await?;
    ensure!(
        !told.accepted && told.state == Some(ContentState::Processing),
        "{told:?}"
    );
    Ok(())
}

async fn released(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    ensure!(!job.release().await?, "nobody has it yet");
    job.take().await?;
    ensure!(job.release().await?);
    let other = job.seen_by("origin-b");
    let deadline = now_unix() + 5;
    // What is signed within the second of the release is taken for a repetition.
    while !matches!(other.claim(2).await?, ClaimAnswer::Work(_)) {
        ensure!(now_unix() < deadline, "{:?}", other.row()?);
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    ensure!(other.report(processed(&[Verdict::Pass])).await?.accepted);
    Ok(())
}

async fn checked_again(harness: Arc<Harness>) -> Result<()> {
    let mut job = Job::new(&harness).await?;
    job.take().await?;
    job.report(processed(&[Verdict::Wait])).await?;
    ensure!(job.row()?["waits_for"] == "check");
    let id = job.content_id;
    harness
        .change(format!(
            "UPDATE contents SET waits_since_unix = 1 WHERE id = {id}"
        ))
        .await?;
    harness.sweep().await?;
    ensure!(job.row()?["generation"] == 2, "{:?}", job.row()?);
    // Its new job has reached the queue.
    let unsent = "SELECT count(*) FROM outbox WHERE content_id = ?1";
    ensure!(harness.count(unsent, id)? == 0);
    job.generation = 2;
    job.take().await?;
    job.report(processed(&[Verdict::Pass])).await?;
    ensure!(job.status().await?["state"] == "published");
    Ok(())
}

async fn admin_token(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let before = job.row()?;
    let body = json!({ "content_uuid": job.content_uuid });
    let request = harness
        .service(Method::POST, paths::JOB_REQUEUE)
        .json(&body);
    ensure_refused(&send(request).await?, 401, "admin_token_invalid")?;
    ensure!(job.row()? == before);
    let unknown = harness
        .request(Method::POST, paths::JOB_REQUEUE)
        .bearer_auth(harness.env().get("ADMIN_TOKEN"))
        .json(&json!({ "content_uuid": "nobody" }));
    ensure_refused(&send(unknown).await?, 404, "content_not_found")
}

async fn nonsense(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    job.take().await?;
    let before = job.row()?;
    let mut wrong_files = processed(&[]);
    if let JobOutcome::Processed { media, .. } = &mut wrong_files {
        "../../sources/x/video".clone_into(&mut media.files[0].name);
    }
    let wrong_code = JobOutcome::Refused {
        code: ErrorCode::InternalError,
        detail: String::new(),
    };
    for outcome in [wrong_files, wrong_code] {
        let report = job.report_of(outcome);
        let signed = crate::origin::Signed::new(job.secret(), paths::JOB_REPORT, &report)?;
        ensure_refused(&signed.send(&harness).await?, 400, "request_malformed")?;
    }
    ensure!(job.row()? == before);
    Ok(())
}

async fn swept(harness: Arc<Harness>) -> Result<()> {
    let job = Job::new(&harness).await?;
    let details = job.take().await?;
    harness
        .put_object(
            &format!("media/{}/1/video.mp4", job.content_uuid),
            &b"made"[..],
        )
        .await?;
    job.report(processed(&[Verdict::Reject])).await?;
    let sweep = || send(harness.service(Method::POST, paths::SWEEP));
    ensure!(sweep().await?.status == 200);
    let is_own = |key: &str| key == details.source_key || key.contains(&job.content_uuid);
    let own = || -> Result<usize> {
        Ok(harness
            .objects()?
            .iter()
            .filter(|object| is_own(&object.key))
            .count())
    };
    ensure!(own()? == 2, "they rest first");
    let rested = format!(
        "UPDATE cleanups SET noticed_at_unix = 1 WHERE content_id = (SELECT id FROM contents WHERE uuid = '{}')",
        job.content_uuid
    );
    harness.change(rested).await?;
    let swept: Value = sweep().await?.json()?;
    ensure!(swept["cleaned_contents"].as_u64() >= Some(1), "{swept}");
    ensure!(own()? == 0);
    Ok(())
}
