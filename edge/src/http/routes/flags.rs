//! Reports of viewers, and the contents that moderators look at again.

use super::cases::require_no_other_claim;
use super::moderation::{MAX_REASON_CHARACTERS, refuse_policy};
use crate::base::ids::ContentUuid;
use crate::base::paging;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{Anyone, AnyoneHere, Decide, Look, Moderator};
use crate::http::person_text::require_text;
use crate::http::query::read_query;
use crate::moderation::content_search::SoughtContent;
use crate::moderation::flags::{self, ViewerReport};
use crate::moderation::report_receipt::{self, ReportReceipt};
use crate::people::auth::client_network::client_network;
use crate::platform::cloudflare::rate_limit::{PERIOD_SECONDS, RateLimit};
use axum::Json;
use axum::http::{HeaderMap, Uri};
use contract::ErrorCode;
use contract::api::{FlagDismissed, FlaggedContents, ModerateContent, PageReported, ReportPage, ReportStatus};
use serde::Deserialize;

/// Entries in the list.
const PAGE_LENGTH: u32 = 50;
const MAX_TEXT_CHARACTERS: usize = 2_000;

/// Reports a page of the site to the moderators. No account is needed.
///
/// Each IPv4 address and each IPv6 /64 network counts once per video. A later report about the same video replaces the
/// text. The response has a receipt with which the viewer can read the outcome.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 429 `rate_limited`, 400 `request_malformed`, 404 `not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::REPORT_PAGE, tag = "site",
    request_body = ReportPage,
    responses(
        (status = 200, description = "The report was submitted to the moderators.", body = PageReported),
    )
))]
#[worker::send]
pub async fn report_page(
    app: App,
    _: AnyoneHere,
    headers: HeaderMap,
    JsonBody(report): JsonBody<ReportPage>,
) -> Result<Json<PageReported>, Refusal> {
    let network = client_network(&headers);
    require_pace(&app, &network).await?;
    if !report.text.is_empty() {
        require_text(&report.text, "text", MAX_TEXT_CHARACTERS)?;
    }
    let Some(SoughtContent::Slug(slug_url)) = SoughtContent::at_address(&report.page) else {
        let detail = "`page` is not the URL of a page or player of this site.";
        return Err(Refusal::malformed(detail).with_field("page"));
    };
    let reporter = app.settings().pepper.hash(format!("reporter:{network}").as_bytes());
    let (reporter, reason, text) = (reporter.as_str(), report.reason.as_str(), report.text.as_str());
    let viewer_report = ViewerReport { slug_url: &slug_url, reporter, reason, text };
    let reported = flags::record_report(&app.database()?, viewer_report, app.now()).await?;
    let content_id = reported.ok_or_else(|| Refusal::new(ErrorCode::NotFound))?;
    let receipt = ReportReceipt { content_id, reported_at: app.now() }.text(&app.settings().pepper);
    Ok(Json(PageReported { success: true, receipt }))
}

/// Returns the outcome of a viewer's report. Needs only the receipt, no account.
///
/// 429 `rate_limited`, 400 `request_malformed`, 404 `not_found`: unknown receipt.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::REPORT_PAGE, tag = "site",
    params(("receipt" = String, Query, description = "The `receipt` of the report.")),
    responses(
        (status = 200, description = "The outcome of the report.", body = ReportStatus),
    )
))]
#[worker::send]
pub async fn get_report(app: App, _: Anyone, headers: HeaderMap, uri: Uri) -> Result<Json<ReportStatus>, Refusal> {
    #[derive(Deserialize)]
    struct Parameters {
        receipt: String,
    }
    let Parameters { receipt } = read_query(app.unknown_fields(), &uri)?;
    require_pace(&app, &client_network(&headers)).await?;
    let receipt = ReportReceipt::parse(&receipt, &app.settings().pepper).ok_or_else(|| {
        let detail = "Unknown receipt. Send it exactly as the response to the report had it.";
        Refusal::new(ErrorCode::NotFound).with_detail(detail)
    })?;
    let outcome = report_receipt::outcome(&app.database()?, receipt).await?;
    Ok(Json(ReportStatus { success: true, outcome, reported_at_unix: receipt.reported_at.0 }))
}

/// Limits how often a network may send reports and ask about them.
async fn require_pace(app: &App, network: &str) -> Result<(), Refusal> {
    let is_within_limit = app.count(RateLimit::Address, &format!("report:{network}")).await;
    is_within_limit.then_some(()).ok_or_else(|| Refusal::new(ErrorCode::RateLimited).with_retry_after(PERIOD_SECONDS))
}

/// Lists the approved videos that need another review: viewers reported them, or a frame was blocked later.
///
/// Published videos come first, then the most reported. A video that its owner has deleted since stays in the list
/// until a moderator decides or the retention of its evidence ends.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::MODERATION_FLAGGED, tag = "moderation",
    responses(
        (status = 200, description = "The first flagged videos.", body = FlaggedContents),
    )
))]
#[worker::send]
pub async fn list_flagged(app: App, moderator: Moderator<Look>) -> Result<Json<FlaggedContents>, Refusal> {
    let review = moderator.review_addresses(&app);
    let mut contents = flags::list(&app.database()?, PAGE_LENGTH + 1, review, app.now()).await?;
    let has_more = paging::truncate(&mut contents, PAGE_LENGTH);
    Ok(Json(FlaggedContents { success: true, contents, has_more }))
}

/// Dismisses a flag and leaves the video as it is.
///
/// Its reports are deleted. New reports or a new hash flag it again. To remove the video, take it down instead. If its
/// owner has deleted the video, its evidence is deleted too.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`, 429 `rate_limited`, 400 `request_malformed`,
/// 404 `content_not_found`, 409 `content_claimed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::MODERATION_DISMISS, tag = "moderation",
    request_body = ModerateContent,
    responses(
        (status = 200, description = "The video is no longer flagged.", body = FlagDismissed),
    )
))]
#[worker::send]
pub async fn dismiss_flag(
    app: App,
    moderator: Moderator<Decide>,
    JsonBody(request): JsonBody<ModerateContent>,
) -> Result<Json<FlagDismissed>, Refusal> {
    require_text(&request.reason, "reason", MAX_REASON_CHARACTERS)?;
    refuse_policy(request.policy_code.as_deref())?;
    let content_uuid = ContentUuid::new(request.content_uuid);
    require_no_other_claim(&app, &content_uuid, &moderator.name).await?;
    let is_found = flags::dismiss(&app.recording_database()?, &content_uuid, &request.reason, &moderator.name).await?;
    let dismissed = Json(FlagDismissed { success: true, content_uuid: content_uuid.into_string() });
    is_found.then_some(dismissed).ok_or_else(|| Refusal::new(ErrorCode::ContentNotFound))
}
