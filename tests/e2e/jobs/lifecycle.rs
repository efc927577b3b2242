//! A job from the upload to its outcome, as an origin works on it and as its owner sees it.

use anyhow::{Context, Result, ensure};
use contract::job::{ClaimAnswer, JobOutcome};
use contract::moderation::Recommendation;
use contract::{ContentState, ErrorCode, Stage, paths};
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, SignedMessage, TestJob, TestStack, e2e, ensure_refused, now_unix, processed, send, sha256};

#[e2e]
async fn a_video_that_passes_is_published(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let status = job.status().await?;
    ensure!(status["stage"] == "queued" && status["progress_percent"] == 0, "{status}");
    let details = job.claim_granted().await?;
    ensure!(!details.is_suspect, "{details:?}");
    let source = stack.object_bytes(&details.source_key).await?;
    ensure!(source.len() as u64 == details.size_bytes);
    ensure!(sha256(&source) == details.file_sha256);
    ensure!(job.progress(Stage::Transcode, 50).await?);
    let status = job.status().await?;
    ensure!(status["stage"] == "transcode" && status["progress_percent"] == 47, "{status}");
    for _ in 0..2 {
        let answer = job.report(processed(&[Recommendation::Pass])).await?;
        ensure!(answer.accepted && answer.state == Some(ContentState::Published), "{answer:?}");
    }
    ensure!(!job.progress(Stage::Store, 100).await?);
    ensure!(job.claim().await? == ClaimAnswer::Obsolete);
    let status = job.status().await?;
    let site = stack.env().get("SITE_URL");
    let stem = status["media_name"].as_str().context("no name")?.trim_end_matches(".mp4");
    let slug = status["slug_url"].as_str().context("no slug")?;
    ensure!(status["state"] == "published" && status["stage"].is_null(), "{status}");
    ensure!(status["check_after_seconds"].is_null() && status["detail"].is_null(), "{status}");
    ensure!(status["width"] == 640 && status["duration_ms"] == 5_000, "{status}");
    let urls = json!({
        "page": format!("{site}/meme/{slug}"),
        "video": format!("{site}/media/{stem}.mp4"),
        "hls": format!("{site}/media/{stem}/hls/master.m3u8"),
        "dash": null,
        "poster": format!("{site}/media/{stem}/poster.jpg"),
    });
    for (name, url) in urls.as_object().context("no object")? {
        ensure!(status["urls"][name] == *url, "{name}: {status}");
    }
    let thumbnail = json!({ "width": 320, "url": format!("{site}/media/{stem}/thumbnail-320.jpg") });
    ensure!(status["thumbnails"][0] == thumbnail, "{status}");
    Ok(())
}

#[e2e]
async fn a_scheduled_video_that_passes_waits_for_its_time(stack: Arc<TestStack>) -> Result<()> {
    let time = now_unix() + 3_600;
    let channel = Channel::new(&stack).await?;
    let job = TestJob::upload(channel, |form| form.text("scheduled_publish_at_unix", &time.to_string()));
    let job = job.await?;
    job.claim_granted().await?;
    let answer = job.report(processed(&[])).await?;
    ensure!(answer.state == Some(ContentState::Scheduled), "{answer:?}");
    let status = job.status().await?;
    ensure!(status["state"] == "scheduled" && status["urls"].is_null(), "{status}");
    ensure!(status["scheduled_publish_at_unix"] == time, "{status}");
    ensure!(status["published_at_unix"].is_null(), "{status}");
    ensure!(status["check_after_seconds"].as_u64() > Some(3_000), "{status}");
    Ok(())
}

#[e2e]
async fn a_refused_video_reports_the_reason(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    job.claim_granted().await?;
    let code = ErrorCode::ContentVideoDurationInvalid;
    let detail = "It plays for 1,990 ms.".to_owned();
    let answer = job.report(JobOutcome::Refused { code, detail }).await?;
    ensure!(answer.accepted && answer.state == Some(ContentState::Rejected), "{answer:?}");
    let status = job.status().await?;
    ensure!(status["error_message_code"] == code.as_str(), "{status}");
    ensure!(status["detail"] == "It plays for 1,990 ms.", "{status}");
    let rejected = TestJob::new(&stack).await?;
    rejected.claim_granted().await?;
    rejected.report(processed(&[Recommendation::Reject])).await?;
    let status = rejected.status().await?;
    ensure!(status["error_message_code"] == "content_moderation_rejected", "{status}");
    ensure!(status["urls"].is_null() && status["thumbnails"] == json!([]), "{status}");
    ensure_refused(&rejected.requeue().await?, 409, "content_state_conflict")
}

#[e2e]
async fn a_video_that_needs_review_waits_for_a_person(stack: Arc<TestStack>) -> Result<()> {
    for recommendation in [Recommendation::Review, Recommendation::Wait] {
        let job = TestJob::new(&stack).await?;
        job.claim_granted().await?;
        let answer = job.report(processed(&[recommendation])).await?;
        ensure!(answer.accepted && answer.state == Some(ContentState::Processing), "{answer:?}");
        let status = job.status().await?;
        ensure!(status["stage"] == "moderate" && status["detail"].is_string(), "{status}");
        ensure!(status["urls"].is_null() && status["error_message_code"].is_null(), "{status}");
        let hashes = stack.count("SELECT count(*) FROM frame_hashes WHERE content_id = ?1", job.content_id)?;
        let findings = stack.count("SELECT count(*) FROM findings WHERE content_id = ?1", job.content_id)?;
        ensure!((hashes, findings) == (1, 1));
    }
    Ok(())
}

#[e2e]
async fn a_failed_job_can_be_requeued(stack: Arc<TestStack>) -> Result<()> {
    let mut job = TestJob::new(&stack).await?;
    job.claim_granted().await?;
    let detail = "ffmpeg: [h264 @ 0x55d0c8] killed".to_owned();
    job.report(JobOutcome::Failed { detail }).await?;
    let status = job.status().await?;
    ensure!(status["state"] == "failed", "{status}");
    ensure!(status["detail"].as_str() == Some(ErrorCode::ContentProcessingFailed.text()), "{status}");
    ensure!(status["error_message_code"] == "content_processing_failed", "{status}");
    let answer = job.requeue().await?;
    ensure!(answer.status == 200 && answer.json()?["generation"] == 2, "{answer:?}");
    job.ensure_sent()?;
    let status = job.status().await?;
    ensure!(status["state"] == "processing" && status["error_message_code"].is_null(), "{status}");
    ensure!(job.claim().await? == ClaimAnswer::Obsolete);
    job.generation = 2;
    job.claim_granted().await?;
    ensure_in_trail(&job)?;
    // Requeued again while it runs: the running job becomes obsolete.
    ensure!(job.requeue().await?.json()?["generation"] == 3);
    job.ensure_sent()?;
    ensure!(!job.progress(Stage::Store, 1).await?);
    ensure!(!job.report(processed(&[])).await?.accepted);
    job.generation = 3;
    job.claim_granted().await?;
    ensure!(job.report(processed(&[])).await?.accepted);
    Ok(())
}

/// Checks that the trail says who requested the new job, and by which route.
fn ensure_in_trail(job: &TestJob) -> Result<()> {
    let sql = "SELECT actor, action, detail, route FROM trail JOIN trail_places ON trail_id = trail.id
        WHERE subject = 'content:' || (SELECT uuid FROM contents WHERE id = ?1)";
    let entry = job.stack().row(sql, job.content_id)?;
    ensure!(entry["actor"] == "operator" && entry["action"] == "job_requeued", "{entry:?}");
    ensure!(entry["detail"] == "failed: content_processing_failed", "{entry:?}");
    ensure!(entry["route"] == format!("POST {}", paths::JOB_REQUEUE), "{entry:?}");
    Ok(())
}

#[e2e]
async fn two_origins_never_hold_the_same_job(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    job.claim_granted().await?;
    let job = job.as_origin("origin-b");
    let ClaimAnswer::Busy { retry_after_seconds } = job.claim().await? else {
        anyhow::bail!("two origins hold one job");
    };
    ensure!((1..=60).contains(&retry_after_seconds));
    ensure!(!job.progress(Stage::Store, 100).await?);
    let answer = job.report(processed(&[])).await?;
    ensure!(!answer.accepted && answer.state == Some(ContentState::Processing), "{answer:?}");
    Ok(())
}

#[e2e]
async fn a_released_job_can_be_claimed_by_another_origin_at_once(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    ensure!(!job.release().await?, "no origin holds it yet");
    job.claim_granted().await?;
    ensure!(job.release().await?);
    let other = job.as_origin("origin-b");
    ensure!(matches!(other.claim().await?, ClaimAnswer::Granted(_)), "{:?}", other.row()?);
    ensure!(other.report(processed(&[Recommendation::Pass])).await?.accepted);
    Ok(())
}

#[e2e]
async fn a_check_that_could_not_run_is_repeated(stack: Arc<TestStack>) -> Result<()> {
    let mut job = TestJob::new(&stack).await?;
    job.claim_granted().await?;
    job.report(processed(&[Recommendation::Wait])).await?;
    ensure!(job.row()?["waits_for"] == "check");
    let id = job.content_id;
    let due = "UPDATE jobs SET due_at_unix = 1 WHERE state = 'waiting' AND content_id =";
    stack.change_rows(format!("{due} {id}")).await?;
    stack.sweep().await?;
    ensure!(job.row()?["generation"] == 2, "{:?}", job.row()?);
    job.ensure_sent()?;
    job.generation = 2;
    job.claim_granted().await?;
    job.report(processed(&[Recommendation::Pass])).await?;
    ensure!(job.status().await?["state"] == "published");
    Ok(())
}

#[e2e]
async fn only_the_admin_token_can_requeue_a_job(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let before = job.row()?;
    let body = json!({ "content_uuid": job.content_uuid });
    let request = stack.service_request(Method::POST, paths::JOB_REQUEUE).json(&body);
    ensure_refused(&send(request).await?, 401, "admin_token_invalid")?;
    ensure!(job.row()? == before);
    let unknown = stack
        .request(Method::POST, paths::JOB_REQUEUE)
        .bearer_auth(stack.env().get("ADMIN_TOKEN"))
        .json(&json!({ "content_uuid": "unknown" }));
    ensure_refused(&send(unknown).await?, 404, "content_not_found")
}

#[e2e]
async fn an_invalid_report_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    job.claim_granted().await?;
    let before = job.row()?;
    let mut wrong_files = processed(&[]);
    if let JobOutcome::Processed { media, .. } = &mut wrong_files {
        "../../sources/x/video".clone_into(&mut media.files[0].name);
    }
    let wrong_code = JobOutcome::Refused { code: ErrorCode::InternalError, detail: String::new() };
    for outcome in [wrong_files, wrong_code] {
        let report = job.report_message(outcome);
        let signed = SignedMessage::new(&job.signer().await?, paths::JOB_REPORT, &report)?;
        ensure_refused(&signed.send(&stack).await?, 400, "request_malformed")?;
    }
    ensure!(job.row()? == before);
    Ok(())
}

#[e2e]
async fn the_objects_of_a_rejected_video_are_swept(stack: Arc<TestStack>) -> Result<()> {
    let job = TestJob::new(&stack).await?;
    let details = job.claim_granted().await?;
    job.report(processed(&[Recommendation::Reject])).await?;
    stack.sweep().await?;
    let is_own = |key: &str| key == details.source_key || key.contains(&job.content_uuid);
    let own = || -> Result<usize> { Ok(stack.objects()?.iter().filter(|object| is_own(&object.key)).count()) };
    // The source, five files of the job, and the hashes of its frames.
    ensure!(own()? == 7, "rejected objects are kept for a while");
    let expire = format!(
        "UPDATE cleanups SET due_at_unix = 1 WHERE content_id = (SELECT id FROM contents WHERE uuid = '{}')",
        job.content_uuid
    );
    let report = stack.change_rows_and_sweep(expire).await?;
    ensure!(report["cleaned_contents"].as_u64() >= Some(1), "{report}");
    ensure!(own()? == 0);
    Ok(())
}
