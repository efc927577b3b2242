//! The jobs: what the origins call, signed; and the media team's wish for a new one.

use super::input::{read_json, require_admin_token, signed_json};
use crate::bindings::App;
use crate::error::ApiError;
use crate::jobs::renew::Requeued;
use crate::jobs::{claim, progress, release, renew, report, soundness};
use crate::outbox::send_job;
use axum::body::Body;
use axum::http::Request;
use axum::{Extension, Json};
use contract::api::{JobRequeued, RequeueJob};
use contract::job::{
    ClaimAnswer, JobClaim, JobId, JobProgress, JobReport, ProgressAnswer, ReleaseAnswer,
    ReportAnswer,
};
use contract::{ErrorCode, JOB_VERSION, JobMessage};

/// Gives a job to an origin, unless another has it or it is over.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/jobs/claim", tag = "origins", security(("origin_signature" = [])),
    request_body = JobClaim,
    responses(
        (status = 200, description = "The work, or whether to look again later.", body = ClaimAnswer),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn claim_job(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ClaimAnswer>, ApiError> {
    let (wanted, heard): (JobClaim, _) = signed_json(&app, request).await?;
    require_sound(&wanted.id)?;
    Ok(Json(claim::claim(&app.database()?, &wanted, heard).await?))
}

/// A sign of life of the origin that has the job: renews its claim and tells how far it is.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/jobs/progress", tag = "origins", security(("origin_signature" = [])),
    request_body = JobProgress,
    responses(
        (status = 200, description = "Whether to go on.", body = ProgressAnswer),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn note_progress(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ProgressAnswer>, ApiError> {
    let (made, heard): (JobProgress, _) = signed_json(&app, request).await?;
    require_sound(&made.id)?;
    Ok(Json(
        progress::progress(&app.database()?, &made, heard).await?,
    ))
}

/// Takes a job back that its origin cannot end now: another need not wait until the claim is over.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/jobs/release", tag = "origins", security(("origin_signature" = [])),
    request_body = JobId,
    responses(
        (status = 200, description = "Whether the origin had it.", body = ReleaseAnswer),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn release_job(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ReleaseAnswer>, ApiError> {
    let (id, heard): (JobId, _) = signed_json(&app, request).await?;
    require_sound(&id)?;
    Ok(Json(release::release(&app.database()?, &id, heard).await?))
}

/// Takes what came of a job. The findings decide whether the content is shown.
///
/// 401 `signature_invalid`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/jobs/report", tag = "origins", security(("origin_signature" = [])),
    request_body = JobReport,
    responses(
        (status = 200, description = "Whether it was accepted, and where the content stands.", body = ReportAnswer),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn report_job(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<ReportAnswer>, ApiError> {
    let (made, heard): (JobReport, _) = signed_json(&app, request).await?;
    if let Some(fault) = soundness::fault(&made) {
        return Err(ApiError::malformed(fault));
    }
    let answer = report::report(&app.database()?, &made, heard.now_unix).await?;
    tracing::info!(
        content = made.id.content_uuid,
        generation = made.id.generation,
        origin = made.id.origin,
        accepted = answer.accepted,
        state = answer.state.map(contract::ContentState::as_str),
        "a job was reported"
    );
    Ok(Json(answer))
}

/// Makes a new job for a content that failed, or overtakes the one that is under way.
///
/// 401 `admin_token_invalid`, 400 `request_malformed`, 404 `content_not_found`, 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/internal/jobs/requeue", tag = "origins", security(("admin_token" = [])),
    request_body = RequeueJob,
    responses(
        (status = 200, description = "The content is processing, with a new job.", body = JobRequeued),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn requeue_job(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<Json<JobRequeued>, ApiError> {
    require_admin_token(&app, request.headers())?;
    let RequeueJob { content_uuid } = read_json(request).await?;
    match renew::requeue(&app.database()?, &content_uuid, app.now_unix()).await? {
        Requeued::Unknown => Err(ApiError::new(ErrorCode::ContentNotFound)),
        Requeued::Conflict(state) => Err(ApiError::new(ErrorCode::ContentStateConflict)
            .with_detail(format!("The content is `{}`.", state.as_str()))),
        Requeued::Job {
            content_id,
            generation,
        } => {
            let job = JobMessage {
                version: JOB_VERSION,
                content_id,
                content_uuid: content_uuid.clone(),
                generation,
            };
            if let Err(error) = send_job(&app.platform()?, &job).await {
                tracing::warn!(content = content_uuid, cause = %error, "a new job is left to the sweep");
            }
            Ok(Json(JobRequeued {
                success: true,
                content_uuid,
                generation,
            }))
        }
    }
}

fn require_sound(id: &JobId) -> Result<(), ApiError> {
    id.is_sound()
        .then_some(())
        .ok_or_else(|| ApiError::malformed("`generation` or `origin` is not one."))
}
