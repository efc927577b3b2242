//! Jobs: the signed routes of origins, and the route by which the media team requests a new job.

use super::blocklist::SEGMENTS;
use super::staff::before;
use crate::base::ids::ContentUuid;
use crate::base::paging::cut;
use crate::base::refusal::Refusal;
use crate::contents::cursor;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Decide, Look, Moderator, SignedByOrigin};
use crate::jobs::dead_letters;
use crate::jobs::send_or_leave;
use crate::jobs::{self, RequeueOutcome};
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{DeadLetterDropped, DeadLetters, DropDeadLetter, JobRequeued, RequeueJob};
use contract::job::{ClaimAnswer, JobId, JobProgress, JobReport, ProgressAnswer, ReleaseAnswer, ReportAnswer};

/// Dead letters on a page.
const PAGE_LENGTH: u32 = 50;

/// Grants a job to an origin, unless another origin has it or the job is obsolete.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::JOB_CLAIM, tag = "origins",
    request_body = JobId,
    responses(
        (status = 200, description = "The job, or why it is not granted.", body = ClaimAnswer),
    )
))]
#[worker::send]
pub async fn claim_job(request: SignedByOrigin<JobId>) -> Result<Json<ClaimAnswer>, Refusal> {
    require_valid(&request.body)?;
    Ok(Json(jobs::claim(&request.app.platform()?, &request.body, request.times).await?))
}

/// Records a heartbeat of the origin that holds the job: renews its claim and stores its progress.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::JOB_PROGRESS, tag = "origins",
    request_body = JobProgress,
    responses(
        (status = 200, description = "Whether to continue.", body = ProgressAnswer),
    )
))]
#[worker::send]
pub async fn note_progress(request: SignedByOrigin<JobProgress>) -> Result<Json<ProgressAnswer>, Refusal> {
    require_valid(&request.body.id)?;
    Ok(Json(jobs::record_progress(&request.app.database()?, &request.body, request.times).await?))
}

/// Takes back a job that its origin cannot finish now, and queues it for another origin. Acknowledge the message.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::JOB_RELEASE, tag = "origins",
    request_body = JobId,
    responses(
        (status = 200, description = "Whether the origin held the job.", body = ReleaseAnswer),
    )
))]
#[worker::send]
pub async fn release_job(request: SignedByOrigin<JobId>) -> Result<Json<ReleaseAnswer>, Refusal> {
    require_valid(&request.body)?;
    Ok(Json(jobs::release(&request.app.platform()?, &request.body, request.times).await?))
}

/// Accepts the result of a job. Its findings decide whether the video is published.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::JOB_REPORT, tag = "origins",
    request_body = JobReport,
    responses(
        (status = 200, description = "Whether the report was accepted, and the state of the video.", body = ReportAnswer),
    )
))]
#[worker::send]
pub async fn report_job(request: SignedByOrigin<JobReport>) -> Result<Json<ReportAnswer>, Refusal> {
    let SignedByOrigin { app, body: report, times } = request;
    let (platform, requires_classifier) = (app.platform()?, app.settings().requires_classifier);
    let answer = jobs::report(&platform, &SEGMENTS, &report, requires_classifier, times.now).await?;
    tracing::info!(
        content = report.id.content_uuid,
        generation = report.id.generation,
        origin = report.id.origin,
        accepted = answer.accepted,
        state = answer.state.map(contract::ContentState::as_str),
        "a job was reported"
    );
    Ok(Json(answer))
}

/// Creates a new job for a video that failed, or replaces its current job.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::JOB_REQUEUE, tag = "origins",
    request_body = RequeueJob,
    responses(
        (status = 200, description = "The video is processing, with a new job.", body = JobRequeued),
    )
))]
#[worker::send]
pub async fn requeue_job(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(RequeueJob { content_uuid }): JsonBody<RequeueJob>,
) -> Result<Json<JobRequeued>, Refusal> {
    let uuid = ContentUuid::new(content_uuid.as_str());
    match jobs::requeue(&app.recording_database()?, &uuid, &moderator.name, app.now()).await? {
        RequeueOutcome::UnknownContent => Err(Refusal::new(ErrorCode::ContentNotFound)),
        RequeueOutcome::Conflict(state) => {
            Err(Refusal::new(ErrorCode::ContentStateConflict)
                .with_detail(format!("The content is `{}`.", state.as_str())))
        }
        RequeueOutcome::Requeued { job, messages } => {
            send_or_leave(&app.platform()?, &messages).await;
            Ok(Json(JobRequeued { success: true, content_uuid, generation: job.generation }))
        }
    }
}

/// Lists the jobs that were abandoned although their files may be valid, newest first, with the last error of each.
///
/// The list comes from the database. The messages in the dead-letter queue are not touched.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::DEAD_LETTERS, tag = "origins",
    params(("cursor" = Option<String>, Query, nullable = false, description = "The `next_cursor` of the previous page.")),
    responses(
        (status = 200, description = "A page of dead letters.", body = DeadLetters),
    )
))]
#[worker::send]
pub async fn list_dead_letters(app: App, _: Moderator<Look>, uri: Uri) -> Result<Json<DeadLetters>, Refusal> {
    let mut dead_letters = dead_letters::list(&app.database()?, before(&app, &uri)?, PAGE_LENGTH + 1).await?;
    let next_cursor = cut(&mut dead_letters, PAGE_LENGTH, |last| cursor::after(last.number));
    Ok(Json(DeadLetters { success: true, dead_letters, next_cursor }))
}

/// Removes a job from the list of dead letters. Its video stays as it is.
///
/// The message in the dead-letter queue is not touched; `clipgate-origin dlq drop` removes both.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DEAD_LETTER_DROP, tag = "origins",
    request_body = DropDeadLetter,
    responses(
        (status = 200, description = "The job is no longer listed.", body = DeadLetterDropped),
    )
))]
#[worker::send]
pub async fn drop_dead_letter(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(DropDeadLetter { content_uuid }): JsonBody<DropDeadLetter>,
) -> Result<Json<DeadLetterDropped>, Refusal> {
    let uuid = ContentUuid::new(content_uuid.as_str());
    if dead_letters::forget(&app.recording_database()?, &uuid, &moderator.name).await? {
        return Ok(Json(DeadLetterDropped { success: true, content_uuid }));
    }
    Err(Refusal::new(ErrorCode::ContentNotFound).with_detail("No dead letter has this `content_uuid`."))
}

fn require_valid(id: &JobId) -> Result<(), Refusal> {
    id.is_valid().then_some(()).ok_or_else(|| Refusal::malformed("`generation` or `origin` is invalid."))
}
