//! Webhooks: the addresses to which a signed-in owner wants the channel's events sent, and the deliveries.

use crate::base::ids::ChannelId;
use crate::base::paging::page_length;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, SignedInUser};
use crate::http::query::read_query;
use crate::people::keys::daily_changes::AccountChange;
use crate::platform::entropy::Entropy;
use crate::webhooks::address::without_path;
use crate::webhooks::deliveries::{deliveries_page, list_deliveries};
use crate::webhooks::send_again::{Selection, send_again};
use crate::webhooks::store::{self, OwnedWebhook, StoredWebhook, WebhookChanges};
use crate::webhooks::{TestOutcome, send_test};
use axum::Json;
use axum::http::{HeaderMap, Uri};
use contract::ErrorCode;
use contract::api::{
    CreateWebhook, EventType, EventsSentAgain, Member, NamedWebhook, SendEventsAgain, UpdateWebhook, Webhook,
    WebhookChanged, WebhookDeleted, WebhookDeliveries, WebhookTested, Webhooks,
};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

const DEFAULT_PAGE_LENGTH: u32 = 100;

/// Lists the webhooks of the account's channel.
///
/// 403 `csrf_rejected`, 401 `session_required`, 429 `rate_limited`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::LIST_WEBHOOKS, tag = "webhooks",
    responses((status = 200, description = "All webhooks, oldest first.", body = Webhooks))
))]
#[worker::send]
pub async fn list_webhooks(app: App, SignedInUser(session): SignedInUser) -> Result<Json<Webhooks>, Refusal> {
    read_webhooks(&app, session.channel_id).await.map(Json)
}

/// Lists the webhooks of the key's channel, with only the hosts of their URLs. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::WEBHOOKS, tag = "webhooks",
    responses(
        (status = 200, description = "All webhooks, oldest first.", body = Webhooks,
            example = json!(Webhooks::example_for_key())),
    )
))]
#[worker::send]
pub async fn list_webhooks_by_key(app: App, owner: ChannelOwner) -> Result<(HeaderMap, Json<Webhooks>), Refusal> {
    let mut found = read_webhooks(&app, owner.0.channel_id).await?;
    for webhook in &mut found.webhooks {
        webhook.url = without_path(&webhook.url).to_owned();
    }
    Ok(owner.answer(&app, found))
}

/// Creates a webhook and returns its signing secret. The secret is shown only once. A channel can have at most 5
/// webhooks.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 422 `webhook_url_invalid`, 409 `webhook_limit_reached`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::CREATE_WEBHOOK, tag = "webhooks",
    request_body = CreateWebhook,
    responses((status = 200, description = "The webhook and, in this response only, its signing secret.",
        body = WebhookChanged))
))]
#[worker::send]
pub async fn create_webhook(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<CreateWebhook>,
) -> Result<Json<WebhookChanged>, Refusal> {
    require_allowed(&app, &request.url)?;
    let event_types = request.event_types.map(|types| write_types(&types)).transpose()?;
    let uuid = generate_uuid(&app);
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &uuid };
    let created = store::create(&app.database()?, webhook, &request.url, event_types, app.now()).await?;
    let Some(created) = created else {
        let is_exceeded = AccountChange::Webhook.is_exceeded(&app.database()?, session.channel_id, app.now()).await?;
        return Err(if is_exceeded { too_many_changes(&app) } else { Refusal::new(ErrorCode::WebhookLimitReached) });
    };
    with_secret(&app, &uuid, created)
}

/// Changes the given fields of a webhook. Pending events are sent to the new URL. Repeating the request has no further
/// effect.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 422 `webhook_url_invalid`, 404 `webhook_not_found`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::UPDATE_WEBHOOK, tag = "webhooks",
    request_body = UpdateWebhook,
    responses(
        (status = 200, description = "The webhook after the change.", body = WebhookChanged,
            example = json!(WebhookChanged { secret: None, ..WebhookChanged::example() })),
    )
))]
#[worker::send]
pub async fn update_webhook(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<UpdateWebhook>,
) -> Result<Json<WebhookChanged>, Refusal> {
    if let Some(url) = &request.url {
        require_allowed(&app, url)?;
    }
    let event_types = match &request.event_types {
        Member::Missing => Member::Missing,
        Member::Null => Member::Null,
        Member::Value(types) => Member::Value(write_types(types)?),
    };
    let changes = WebhookChanges { url: request.url, event_types, is_active: request.is_active };
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let changed = store::update(&app.database()?, webhook, &changes, app.now()).await?;
    let Some(changed) = changed else { return Err(refuse_change(&app, webhook).await?) };
    Ok(Json(WebhookChanged { success: true, webhook: changed.read()?, secret: None }))
}

/// Deletes a webhook and its delivery history. No more events are sent to its endpoint, except for a request that is
/// already in progress.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `webhook_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DELETE_WEBHOOK, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The webhook is deleted.", body = WebhookDeleted))
))]
#[worker::send]
pub async fn delete_webhook(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<NamedWebhook>,
) -> Result<Json<WebhookDeleted>, Refusal> {
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let deleted = store::delete(&app.database()?, webhook).await?;
    deleted.then_some(Json(WebhookDeleted { success: true })).ok_or_else(not_found)
}

/// Rotates a webhook's signing secret and returns the new one. For 24 hours, requests are signed with both secrets, so
/// that your server can accept them while you replace the old one.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `webhook_not_found`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::ROTATE_WEBHOOK_SECRET, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The webhook and, in this response only, its new signing secret.",
        body = WebhookChanged))
))]
#[worker::send]
pub async fn rotate_webhook_secret(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<NamedWebhook>,
) -> Result<Json<WebhookChanged>, Refusal> {
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let rotated = store::rotate_secret(&app.database()?, webhook, app.now()).await?;
    let Some(rotated) = rotated else { return Err(refuse_change(&app, webhook).await?) };
    with_secret(&app, webhook.uuid, rotated)
}

/// Sends a test event to a webhook, even if the webhook is switched off, and returns the endpoint's response. The event
/// is sent once and is not in the log. A webhook can be tested every 5 seconds.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `webhook_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::TEST_WEBHOOK, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The endpoint's response.", body = WebhookTested))
))]
#[worker::send]
pub async fn test_webhook(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<NamedWebhook>,
) -> Result<Json<WebhookTested>, Refusal> {
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let settings = app.webhook_settings()?;
    match send_test(&app.platform()?, &settings, webhook, &mut app.entropy()).await? {
        TestOutcome::Tested(tested) => Ok(Json(tested)),
        TestOutcome::UnknownWebhook => Err(not_found()),
        TestOutcome::TooSoon { retry_after_seconds } => {
            let detail = format!(
                "This webhook was tested less than {retry_after_seconds} seconds ago. Test it again after `Retry-After` seconds."
            );
            Err(Refusal::new(ErrorCode::RateLimited).with_retry_after(retry_after_seconds).with_detail(detail))
        }
    }
}

/// Lists the events that were or will be sent to a webhook, newest first, with the response to the last attempt. Each
/// is kept for 30 days.
///
/// 403 `csrf_rejected`, 401 `session_required`, 429 `rate_limited`, 400 `request_malformed`, 404 `webhook_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::WEBHOOK_DELIVERIES, tag = "webhooks",
    params(
        ("webhook_uuid" = String, Query, format = "uuid"),
        ("before" = Option<u64>, Query, nullable = false, maximum = 9_007_199_254_740_991_i64,
            description = "Only events with a smaller `sequence`. By default, the list starts with the newest event."),
        ("limit" = Option<u32>, Query, nullable = false, minimum = 1, maximum = 100, description = "Events per page. The default is 100."),
    ),
    responses((status = 200, description = "A page of deliveries.", body = WebhookDeliveries))
))]
#[worker::send]
pub async fn list_webhook_deliveries(
    app: App,
    SignedInUser(session): SignedInUser,
    uri: Uri,
) -> Result<Json<WebhookDeliveries>, Refusal> {
    let request = PageRequest::read(&app, &uri)?;
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let database = app.database()?;
    let found = list_deliveries(&database, webhook, request.before, request.limit + 1).await?;
    if found.is_empty() {
        store::find(&database, webhook).await?.ok_or_else(not_found)?;
    }
    Ok(Json(deliveries_page(found, request.limit)))
}

/// Resends events to a webhook: one event, or all undelivered events since a given time. Each is delivered and retried
/// like a new event, with the same `id`. Events that are no longer in the log cannot be resent.
///
/// 403 `csrf_rejected`, 415 `json_content_type_required`, 401 `session_required`, 429 `rate_limited`,
/// 400 `request_malformed`, 404 `webhook_not_found`, 409 `webhook_inactive`, 404 `event_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::SEND_EVENTS_AGAIN, tag = "webhooks",
    request_body = SendEventsAgain,
    responses((status = 200, description = "The events are queued and will be sent within a minute.",
        body = EventsSentAgain))
))]
#[worker::send]
pub async fn send_events_again(
    app: App,
    SignedInUser(session): SignedInUser,
    JsonBody(request): JsonBody<SendEventsAgain>,
) -> Result<Json<EventsSentAgain>, Refusal> {
    let (after, include_delivered) = (request.after.unwrap_or_default(), request.include_delivered);
    let selection = match (&request.event_id, request.since_unix) {
        (Some(id), None) => Selection::One(id),
        (None, Some(unix)) => Selection::Since { unix, after, include_delivered },
        _ => return Err(Refusal::malformed("Send either `event_id` or `since_unix`.")),
    };
    let webhook = OwnedWebhook { channel_id: session.channel_id, uuid: &request.webhook_uuid };
    let database = app.database()?;
    let found = store::find(&database, webhook).await?.ok_or_else(not_found)?;
    if !found.is_active() {
        return Err(Refusal::new(ErrorCode::WebhookInactive));
    }
    let outcome =
        send_again(&database, webhook, selection).await?.ok_or_else(|| Refusal::new(ErrorCode::EventNotFound))?;
    Ok(Json(outcome))
}

async fn read_webhooks(app: &App, channel_id: ChannelId) -> Result<Webhooks, Refusal> {
    let stored = store::list(&app.database()?, channel_id).await?;
    let webhooks: Vec<Webhook> = stored.into_iter().map(StoredWebhook::read).collect::<Result<_, _>>()?;
    Ok(Webhooks { success: true, webhooks })
}

fn require_allowed(app: &App, url: &str) -> Result<(), Refusal> {
    let invalid = || Refusal::new(ErrorCode::WebhookUrlInvalid).with_field("url");
    app.settings().address_rules.allow(url).then_some(()).ok_or_else(invalid)
}

/// Returns the types in their stored form. Parsing has refused unknown types, so only their number can be wrong.
fn write_types(types: &[EventType]) -> Result<String, Refusal> {
    if types.is_empty() || types.len() > EventType::ALL.len() {
        let detail = "`event_types` must list at least one type, each once. Omit it to get all types.";
        return Err(Refusal::malformed(detail).with_field("event_types"));
    }
    serde_json::to_string(types).map_err(Refusal::internal)
}

fn generate_uuid(app: &App) -> String {
    let mut random = [0; 16];
    app.entropy().fill(&mut random);
    uuid::Builder::from_random_bytes(random).into_uuid().to_string()
}

fn with_secret(app: &App, uuid: &str, webhook: StoredWebhook) -> Result<Json<WebhookChanged>, Refusal> {
    let secret = app.webhook_settings()?.current_secret(uuid, webhook.secret_version);
    Ok(Json(WebhookChanged { success: true, webhook: webhook.read()?, secret }))
}

/// Returns the reason why a webhook was not changed: there is none, or the account made too many changes today.
async fn refuse_change(app: &App, webhook: OwnedWebhook<'_>) -> Result<Refusal, Refusal> {
    let database = app.database()?;
    let is_found = store::find(&database, webhook).await?.is_some();
    let is_exceeded = AccountChange::Webhook.is_exceeded(&database, webhook.channel_id, app.now()).await?;
    Ok(if is_found && is_exceeded { too_many_changes(app) } else { not_found() })
}

fn too_many_changes(app: &App) -> Refusal {
    Refusal::too_many_account_changes(AccountChange::Webhook.max(), app.now())
}

fn not_found() -> Refusal {
    Refusal::new(ErrorCode::WebhookNotFound).with_field("webhook_uuid")
}

/// A request for a page of deliveries.
struct PageRequest {
    webhook_uuid: String,
    before: u64,
    limit: u32,
}

impl PageRequest {
    fn read(app: &App, uri: &Uri) -> Result<Self, Refusal> {
        #[derive(Deserialize)]
        struct Parameters {
            webhook_uuid: String,
            before: Option<String>,
            limit: Option<String>,
        }
        let Parameters { webhook_uuid, before, limit } = read_query(app.unknown_fields(), uri)?;
        let malformed = |field: &str, detail: &str| Refusal::malformed(detail).with_field(field);
        let before = before.map_or(Some(MAX_SAFE_INTEGER), |before| before.parse().ok());
        let before = before.filter(|before| *before <= MAX_SAFE_INTEGER);
        let before = before.ok_or_else(|| malformed("before", "`before` must be the `sequence` of an event."))?;
        let limit = page_length(limit.as_deref(), DEFAULT_PAGE_LENGTH)?;
        Ok(Self { webhook_uuid, before, limit })
    }
}
