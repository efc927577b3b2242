//! The appeals of owners, for moderators.

use super::cases::require_no_other_claim;
use crate::base::ids::ContentUuid;
use crate::base::paging;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::callers::{Look, Moderator};
use crate::moderation::appeals::{self, needs_another};
use crate::moderation::decisions::DecisionKind;
use axum::Json;
use contract::ErrorCode;
use contract::api::AppealedContents;

/// Entries in the list.
const PAGE_LENGTH: u32 = 50;

/// Lists the videos whose owners have appealed their rejection or removal, oldest appeal first.
///
/// To grant an appeal, restore the video. To leave the decision as it is, reject the appeal.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_APPEALS, tag = "moderation",
    responses(
        (status = 200, description = "The oldest pending appeals.", body = AppealedContents),
    )
))]
#[worker::send]
pub async fn list_appeals(app: App, moderator: Moderator<Look>) -> Result<Json<AppealedContents>, Refusal> {
    let review = moderator.review_addresses(&app);
    let mut contents = appeals::list(&app.database()?, PAGE_LENGTH + 1, review, app.now()).await?;
    let has_more = paging::truncate(&mut contents, PAGE_LENGTH);
    Ok(Json(AppealedContents { success: true, contents, has_more }))
}

/// Refuses a decision if another moderator is looking at the content, or if the owner has appealed against a decision
/// of this moderator.
pub(super) async fn require_may_decide(
    app: &App,
    kind: DecisionKind,
    content_uuid: &ContentUuid,
    by: &str,
) -> Result<(), Refusal> {
    require_no_other_claim(app, content_uuid, by).await?;
    let is_about_appeal = matches!(kind, DecisionKind::Restore | DecisionKind::RejectAppeal);
    if is_about_appeal && needs_another(&app.database()?, content_uuid, by, app.now()).await? {
        return Err(Refusal::new(ErrorCode::AppealNeedsAnother));
    }
    Ok(())
}
