//! Webhooks: the addresses to which the owner of a channel wants its events sent, and the deliveries. A program manages
//! them with the API key, and a user in the console.

use crate::base::paging::page_length;
use crate::base::refusal::Refusal;
use crate::http::App;
use crate::http::body::JsonBody;
use crate::http::callers::{ChannelOwner, OwnerResponse, PresentedOwner};
use crate::http::query::read_query;
use crate::people::keys::daily_changes::AccountChange;
use crate::people::owner::SignedBy;
use crate::platform::entropy::Entropy;
use crate::webhooks::address::without_path;
use crate::webhooks::deliveries::{deliveries_page, list_deliveries};
use crate::webhooks::send_again::{Selection, send_again};
use crate::webhooks::store::{self, OwnedWebhook, StoredWebhook, WebhookChanges};
use crate::webhooks::{TestOutcome, send_test};
use axum::http::Uri;
use contract::ErrorCode;
use contract::api::{
    CreateWebhook, EventType, EventsSentAgain, Member, NamedWebhook, SendEventsAgain, UpdateWebhook, Webhook,
    WebhookChanged, WebhookDeleted, WebhookDeliveries, WebhookTested, Webhooks,
};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

const DEFAULT_PAGE_LENGTH: u32 = 100;

/// Lists the webhooks of the key's channel. With a key, the URLs are those of the hosts only, because the rest of an
/// address may be secret. Counts as a use of the key.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::WEBHOOKS, tag = "webhooks",
    responses(
        (status = 200, description = "All webhooks, oldest first.", body = Webhooks,
            example = json!(Webhooks::example_for_key())),
    )
))]
#[worker::send]
pub async fn list_webhooks(app: App, owner: ChannelOwner) -> OwnerResponse<Webhooks> {
    let listed = list(&app, &owner).await;
    owner.respond(&app, listed)
}

async fn list(app: &App, owner: &ChannelOwner) -> Result<Webhooks, Refusal> {
    let stored = store::list(&app.database()?, owner.0.channel_id).await?;
    let webhooks = stored.into_iter().map(|webhook| reveal(owner, webhook)).collect::<Result<_, _>>()?;
    Ok(Webhooks { success: true, webhooks })
}

/// Returns a webhook as its owner may see it. The holder of the key need not know the path, which may be secret.
fn reveal(owner: &ChannelOwner, webhook: StoredWebhook) -> Result<Webhook, Refusal> {
    let mut webhook = webhook.read()?;
    if owner.1 == SignedBy::Key {
        webhook.url = without_path(&webhook.url).to_owned();
    }
    Ok(webhook)
}

/// Creates a webhook and returns its signing secret. The secret is shown only once. A channel can have at most 5
/// webhooks.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422
/// `webhook_url_invalid`, 409 `webhook_limit_reached`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::CREATE_WEBHOOK, tag = "webhooks",
    request_body = CreateWebhook,
    responses((status = 200, description = "The webhook and, in this response only, its signing secret.",
        body = WebhookChanged))
))]
#[worker::send]
pub async fn create_webhook(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<CreateWebhook>, Refusal>,
) -> OwnerResponse<WebhookChanged> {
    owner.respond(&app, create(&app, &owner, request).await)
}

async fn create(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<CreateWebhook>, Refusal>,
) -> Result<WebhookChanged, Refusal> {
    let JsonBody(request) = request?;
    require_allowed(app, &request.url)?;
    let event_types = request.event_types.map(|types| write_types(&types)).transpose()?;
    let uuid = generate_uuid(app);
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &uuid };
    let created =
        store::create(&app.recording_database()?, webhook, owner.1, &request.url, event_types, app.now()).await?;
    let Some(created) = created else {
        let is_exceeded = AccountChange::Webhook.is_exceeded(&app.database()?, owner.0.channel_id, app.now()).await?;
        return Err(if is_exceeded { too_many_changes(app) } else { Refusal::new(ErrorCode::WebhookLimitReached) });
    };
    with_secret(app, owner, &uuid, created)
}

/// Changes the given fields of a webhook. Pending events are sent to the new URL. Repeating the request has no further
/// effect.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 422
/// `webhook_url_invalid`, 404 `webhook_not_found`, 429 `daily_change_limit_reached`.
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
    owner: ChannelOwner,
    request: Result<JsonBody<UpdateWebhook>, Refusal>,
) -> OwnerResponse<WebhookChanged> {
    owner.respond(&app, update(&app, &owner, request).await)
}

async fn update(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<UpdateWebhook>, Refusal>,
) -> Result<WebhookChanged, Refusal> {
    let JsonBody(request) = request?;
    if let Some(url) = &request.url {
        require_allowed(app, url)?;
    }
    let event_types = match &request.event_types {
        Member::Missing => Member::Missing,
        Member::Null => Member::Null,
        Member::Value(types) => Member::Value(write_types(types)?),
    };
    let changes = WebhookChanges { url: request.url, event_types, is_active: request.is_active };
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let updated = store::update(&app.recording_database()?, webhook, owner.1, &changes, app.now()).await?;
    let Some(updated) = updated else { return Err(refuse_change(app, webhook).await?) };
    Ok(WebhookChanged { success: true, webhook: reveal(owner, updated)?, secret: None })
}

/// Deletes a webhook and its delivery history. No more events are sent to its endpoint, except for a request that is
/// already in progress.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `webhook_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::DELETE_WEBHOOK, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The webhook is deleted.", body = WebhookDeleted))
))]
#[worker::send]
pub async fn delete_webhook(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> OwnerResponse<WebhookDeleted> {
    owner.respond(&app, delete(&app, &owner, request).await)
}

async fn delete(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> Result<WebhookDeleted, Refusal> {
    let JsonBody(request) = request?;
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let deleted = store::delete(&app.recording_database()?, webhook, owner.1).await?;
    deleted.then_some(WebhookDeleted { success: true }).ok_or_else(not_found)
}

/// Rotates a webhook's signing secret and returns the new one. For 24 hours, requests are signed with both secrets, so
/// that your server can accept them while you replace the old one.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `webhook_not_found`, 429 `daily_change_limit_reached`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::ROTATE_WEBHOOK_SECRET, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The webhook and, in this response only, its new signing secret.",
        body = WebhookChanged))
))]
#[worker::send]
pub async fn rotate_webhook_secret(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> OwnerResponse<WebhookChanged> {
    owner.respond(&app, rotate(&app, &owner, request).await)
}

async fn rotate(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> Result<WebhookChanged, Refusal> {
    let JsonBody(request) = request?;
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let rotated = store::rotate_secret(&app.recording_database()?, webhook, owner.1, app.now()).await?;
    let Some(rotated) = rotated else { return Err(refuse_change(app, webhook).await?) };
    with_secret(app, owner, webhook.uuid, rotated)
}

/// Sends a test event to a webhook, even if the webhook is switched off, and returns the endpoint's response. The event
/// is sent once and is not in the log. A webhook can be tested every 5 seconds.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `webhook_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::TEST_WEBHOOK, tag = "webhooks",
    request_body = NamedWebhook,
    responses((status = 200, description = "The endpoint's response.", body = WebhookTested))
))]
#[worker::send]
pub async fn test_webhook(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> OwnerResponse<WebhookTested> {
    owner.respond(&app, test(&app, &owner, request).await)
}

async fn test(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<NamedWebhook>, Refusal>,
) -> Result<WebhookTested, Refusal> {
    let JsonBody(request) = request?;
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let settings = app.webhook_settings()?;
    match send_test(&app.platform()?, &settings, webhook, &mut app.entropy()).await? {
        TestOutcome::Tested(tested) => Ok(tested),
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
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `webhook_not_found`.
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
    presented: PresentedOwner,
    uri: Uri,
) -> OwnerResponse<WebhookDeliveries> {
    let owner = presented.identify(&app).await?;
    let listed = deliveries(&app, &owner, &uri).await;
    owner.respond(&app, listed)
}

async fn deliveries(app: &App, owner: &ChannelOwner, uri: &Uri) -> Result<WebhookDeliveries, Refusal> {
    let request = PageRequest::read(app, uri)?;
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let database = app.database()?;
    let found = list_deliveries(&database, webhook, request.before, request.limit + 1).await?;
    if found.is_empty() {
        store::find(&database, webhook).await?.ok_or_else(not_found)?;
    }
    Ok(deliveries_page(found, request.limit))
}

/// Resends events to a webhook: one event, or all undelivered events since a given time. Each is delivered and retried
/// like a new event, with the same `id`. Events that are no longer in the log cannot be resent.
///
/// 401 `api_key_invalid`, 403 `channel_suspended`, 429 `rate_limited`, 400 `request_malformed`, 404
/// `webhook_not_found`, 409 `webhook_inactive`, 404 `event_not_found`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    post, path = contract::paths::SEND_EVENTS_AGAIN, tag = "webhooks",
    request_body = SendEventsAgain,
    responses((status = 200, description = "The events are queued and will be sent within a minute.",
        body = EventsSentAgain))
))]
#[worker::send]
pub async fn send_events_again(
    app: App,
    owner: ChannelOwner,
    request: Result<JsonBody<SendEventsAgain>, Refusal>,
) -> OwnerResponse<EventsSentAgain> {
    owner.respond(&app, resend(&app, &owner, request).await)
}

async fn resend(
    app: &App,
    owner: &ChannelOwner,
    request: Result<JsonBody<SendEventsAgain>, Refusal>,
) -> Result<EventsSentAgain, Refusal> {
    let JsonBody(request) = request?;
    let (after, include_delivered) = (request.after.unwrap_or_default(), request.include_delivered);
    let selection = match (&request.event_id, request.since_unix) {
        (Some(id), None) => Selection::One(id),
        (None, Some(unix)) => Selection::Since { unix, after, include_delivered },
        _ => return Err(Refusal::malformed("Send either `event_id` or `since_unix`.")),
    };
    let webhook = OwnedWebhook { channel_id: owner.0.channel_id, uuid: &request.webhook_uuid };
    let database = app.database()?;
    let found = store::find(&database, webhook).await?.ok_or_else(not_found)?;
    if !found.is_active() {
        return Err(Refusal::new(ErrorCode::WebhookInactive));
    }
    send_again(&database, webhook, selection).await?.ok_or_else(|| Refusal::new(ErrorCode::EventNotFound))
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

fn with_secret(app: &App, owner: &ChannelOwner, uuid: &str, webhook: StoredWebhook) -> Result<WebhookChanged, Refusal> {
    let secret = app.webhook_settings()?.current_secret(uuid, webhook.secret_version);
    Ok(WebhookChanged { success: true, webhook: reveal(owner, webhook)?, secret })
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
