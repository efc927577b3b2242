//! One content with all its evidence, who is looking at it, and the rules that a decision can name.

use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Decide, Look, Moderator, Operate};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::moderation::review_claims::{self, Claimed, claim_of_another};
use crate::moderation::{case, policies};
use axum::Json;
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{
    AUTOMATIC_POLICY, ClaimContent, ClaimReleased, ContentClaimed, ModerationCase, OTHER_POLICY, Policies, Policy,
    ReleaseClaim, ReviewClaim, SetPolicies,
};
use serde::Deserialize;
use std::collections::HashSet;

const MAX_POLICIES: usize = 100;
const MAX_CODE_LENGTH: usize = 40;
const MAX_NAME_CHARACTERS: usize = 60;
const MAX_TEXT_CHARACTERS: usize = 500;

/// Returns everything that a moderator needs to know about one video, in any state.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_CASE, tag = "moderation",
    params(("content_uuid" = String, Query, description = "The UUID of the video.")),
    responses(
        (status = 200, description = "The video with its evidence.", body = ModerationCase),
    )
))]
#[worker::send]
pub async fn get_case(app: App, moderator: Moderator<Look>, uri: Uri) -> Result<Json<ModerationCase>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        content_uuid: String,
    }
    let Parameters { content_uuid } = read_query(app.unknown_fields(), &uri)?;
    let review = moderator.review_addresses(&app);
    let case = case::find(&app.database()?, &app.media(), &ContentUuid::new(content_uuid), review, app.now()).await?;
    case.map(Json).ok_or_else(|| Refusal::new(ErrorCode::ContentNotFound))
}

/// Claims a video for five minutes, so that no other moderator decides on it.
///
/// Repeat the request to renew the claim. With `take_over`, it ends another moderator's claim.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`, 409 `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_CLAIM, tag = "moderation",
    request_body = ClaimContent,
    responses(
        (status = 200, description = "The claim.", body = ContentClaimed),
    )
))]
#[worker::send]
pub async fn claim_content(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ClaimContent>,
) -> Result<Json<ContentClaimed>, Refusal> {
    let content_uuid = ContentUuid::new(request.content_uuid);
    let by = moderator.name.as_str();
    match review_claims::claim(&app.database()?, &content_uuid, by, request.take_over, app.now()).await? {
        Claimed::Done(claim) => {
            Ok(Json(ContentClaimed { success: true, content_uuid: content_uuid.into_string(), claim }))
        }
        Claimed::ByAnother(claim) => Err(claimed(&claim)),
        Claimed::UnknownContent => Err(Refusal::new(ErrorCode::ContentNotFound)),
    }
}

/// Releases your claim on a video, so that another moderator can take it. Releasing a claim that you do not have
/// succeeds.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `content_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_RELEASE_CLAIM, tag = "moderation",
    request_body = ReleaseClaim,
    responses(
        (status = 200, description = "You have no claim on the video.", body = ClaimReleased),
    )
))]
#[worker::send]
pub async fn release_claim(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ReleaseClaim>,
) -> Result<Json<ClaimReleased>, Refusal> {
    let content_uuid = ContentUuid::new(request.content_uuid);
    let is_found = review_claims::release(&app.database()?, &content_uuid, &moderator.name).await?;
    let released = Json(ClaimReleased { success: true, content_uuid: content_uuid.into_string() });
    is_found.then_some(released).ok_or_else(|| Refusal::new(ErrorCode::ContentNotFound))
}

/// Lists the rules that a rejection or a removal can name, in the operator's order.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_POLICIES, tag = "moderation",
    responses(
        (status = 200, description = "The policies.", body = Policies),
    )
))]
#[worker::send]
pub async fn list_policies(app: App, _: Moderator<Look>) -> Result<Json<Policies>, Refusal> {
    Ok(Json(Policies { success: true, policies: policies::list(&app.database()?).await? }))
}

/// Replaces the list of rules. Earlier decisions keep the codes and the texts that they named.
///
/// The list must have the policy `other`, which applies to decisions that name no policy.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    put, path = contract::paths::MODERATION_POLICIES, tag = "moderation",
    request_body = SetPolicies,
    responses(
        (status = 200, description = "The new policies.", body = Policies),
    )
))]
#[worker::send]
pub async fn set_policies(
    app: App,
    operator: Moderator<Operate>,
    JsonBody(SetPolicies { policies }): JsonBody<SetPolicies>,
) -> Result<Json<Policies>, Refusal> {
    validate(&policies)?;
    policies::replace(&app.recording_database()?, &policies, &operator.name).await?;
    tracing::info!(policies = policies.len(), by = operator.name, "the policies were set");
    Ok(Json(Policies { success: true, policies }))
}

/// Refuses a decision about a content that another moderator is looking at.
pub(super) async fn require_no_other_claim(app: &App, content_uuid: &ContentUuid, by: &str) -> Result<(), Refusal> {
    let other = claim_of_another(&app.database()?, content_uuid, by, app.now()).await?;
    other.map_or(Ok(()), |claim| Err(claimed(&claim)))
}

fn claimed(claim: &ReviewClaim) -> Refusal {
    let ReviewClaim { by, until_unix } = claim;
    let detail = format!("{by} is looking at this video until {until_unix}. Claim it with `take_over` to decide.");
    Refusal::new(ErrorCode::ContentClaimed).with_detail(detail)
}

fn validate(policies: &[Policy]) -> Result<(), Refusal> {
    let refuse = |detail: String| Err(Refusal::malformed(detail).with_field("policies"));
    if policies.len() > MAX_POLICIES {
        return refuse(format!("`policies` must have at most {MAX_POLICIES} entries."));
    }
    let codes: HashSet<&str> = policies.iter().map(|policy| policy.policy_code.as_str()).collect();
    if codes.len() < policies.len() || !codes.contains(OTHER_POLICY) || codes.contains(AUTOMATIC_POLICY) {
        let detail = "Each `policy_code` must be there once, `other` must be there, and `automatic` must not.";
        return refuse(detail.to_owned());
    }
    for policy in policies {
        require_text(&policy.name, "name", MAX_NAME_CHARACTERS)?;
        require_text(&policy.text, "text", MAX_TEXT_CHARACTERS)?;
        let code = &policy.policy_code;
        if !is_code(code) {
            return refuse(format!(
                "A `policy_code` must have 1 to {MAX_CODE_LENGTH} small letters, digits and underscores, and begin with \
                 a letter."
            ));
        }
        if !(1..=3).contains(&policy.severity) {
            return refuse(format!("The `severity` of `{code}` must be 1, 2 or 3."));
        }
    }
    Ok(())
}

fn is_code(code: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    code.starts_with(|first: char| first.is_ascii_lowercase())
        && code.len() <= MAX_CODE_LENGTH
        && code.bytes().all(is_part)
}
