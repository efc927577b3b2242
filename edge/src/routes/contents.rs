//! What an owner does with a content: `POST …/developer/delete_content` and `…/reschedule_content`.

use super::input::{key_use, read_json};
use crate::bindings::App;
use crate::error::ApiError;
use crate::key_store::KeyUse;
use crate::publication::{self, Changed, Owned};
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use axum::{Extension, Json};
use contract::ErrorCode;
use contract::api::{ContentChanged, DeleteContent, RescheduleContent};

/// Deletes a content of the key's channel, whatever its state. Nothing of it is served from the answer on, and it
/// cannot be brought back; deleting it again is no failure. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`, 404 `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/developer/delete_content", tag = "uploads", security(("api_key" = [])),
    request_body = DeleteContent,
    responses(
        (status = 200, description = "It is deleted.", body = ContentChanged),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn delete_content(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<(HeaderMap, Json<ContentChanged>), ApiError> {
    let owner = key_use(&app, request.headers()).await?;
    let answer = delete(&app, owner.channel_id, request).await;
    with_usage(&app, owner, answer)
}

/// Another time of publication for a content that is not public yet, or none: then it is published with its approval,
/// at once if it has it. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`, 422 `content_schedule_invalid`, 404 `content_not_found`,
/// 409 `content_state_conflict`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = "/api/php/developer/reschedule_content", tag = "uploads", security(("api_key" = [])),
    request_body = RescheduleContent,
    responses(
        (status = 200, description = "It has its new time, or is published.", body = ContentChanged),
        (status = "4XX", description = "Refused; `error_message_code` says why.", body = contract::api::Failure),
        (status = "5XX", description = "Failed on our side.", body = contract::api::Failure),
    )
))]
#[worker::send]
pub async fn reschedule_content(
    Extension(app): Extension<App>,
    request: Request<Body>,
) -> Result<(HeaderMap, Json<ContentChanged>), ApiError> {
    let owner = key_use(&app, request.headers()).await?;
    let answer = reschedule(&app, owner.channel_id, request).await;
    with_usage(&app, owner, answer)
}

async fn delete(
    app: &App,
    channel_id: u64,
    request: Request<Body>,
) -> Result<ContentChanged, ApiError> {
    let DeleteContent { content_uuid } = read_json(request).await?;
    let owned = Owned {
        channel_id,
        content_uuid: &content_uuid,
    };
    let changed = publication::delete(&app.database()?, owned, app.now_unix()).await?;
    told(changed, &content_uuid)
}

async fn reschedule(
    app: &App,
    channel_id: u64,
    request: Request<Body>,
) -> Result<ContentChanged, ApiError> {
    let wanted: RescheduleContent = read_json(request).await?;
    let owned = Owned {
        channel_id,
        content_uuid: &wanted.content_uuid,
    };
    let (database, now_unix) = (app.database()?, app.now_unix());
    let changed = match wanted.scheduled_publish_at_unix {
        None => publication::publish_now(&database, owned, now_unix).await?,
        Some(time) if publication::is_schedule(time, now_unix) => {
            publication::reschedule(&database, owned, time).await?
        }
        Some(_) => {
            let invalid = ApiError::new(ErrorCode::ContentScheduleInvalid);
            return Err(invalid.with_field("scheduled_publish_at_unix"));
        }
    };
    told(changed, &wanted.content_uuid)
}

/// Every answer to a key tells of the channel's day.
fn with_usage(
    app: &App,
    owner: KeyUse,
    answer: Result<ContentChanged, ApiError>,
) -> Result<(HeaderMap, Json<ContentChanged>), ApiError> {
    let now_unix = app.now_unix();
    let answer = answer.map_err(|error| error.with_usage(owner.usage, now_unix))?;
    let mut headers = HeaderMap::new();
    owner.usage.add_headers(now_unix, &mut headers);
    Ok((headers, Json(answer)))
}

fn told(changed: Changed, content_uuid: &str) -> Result<ContentChanged, ApiError> {
    match changed {
        Changed::Unknown => {
            Err(ApiError::new(ErrorCode::ContentNotFound).with_field("content_uuid"))
        }
        Changed::Conflict(state) => Err(ApiError::new(ErrorCode::ContentStateConflict)
            .with_detail(format!("The content is `{}`.", state.as_str()))),
        Changed::Done(standing) => Ok(ContentChanged {
            success: true,
            content_uuid: content_uuid.to_owned(),
            state: standing.state,
            scheduled_publish_at_unix: standing.scheduled_publish_at_unix,
            published_at_unix: standing.published_at_unix,
        }),
    }
}
