//! Webhooks: where the events of a channel are sent, and what came of each.

#[cfg(feature = "openapi")]
use super::Event;
use super::{EventType, Member, member};
#[cfg(feature = "openapi")]
use crate::example::{HOOK, NOW, WEBHOOK_UUID};
use crate::whole_number;
use serde::{Deserialize, Serialize};

/// Whether events are sent to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WebhookState {
    Active,
    /// You have switched the webhook off.
    Disabled,
    /// The service has stopped sending events; `pause_reason` says why. Switch the webhook on again when it works.
    Paused,
}

/// The reason why the service has stopped sending events to a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// An event could not be delivered for three days, and no other was delivered since its first attempt.
    Failing,
    /// The webhook answered 410.
    Gone,
}

/// An address that events are sent to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    /// For an API key only the host: the rest of an address may be a secret.
    pub url: String,
    /// The types of events that are sent. Null: all types, and those that will be added.
    #[cfg_attr(feature = "openapi", schema(required, value_type = Option<Vec<EventType>>))]
    pub event_types: Option<Vec<String>>,
    pub state: WebhookState,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub pause_reason: Option<PauseReason>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub paused_at_unix: Option<u64>,
    pub created_at_unix: u64,
    /// Until then, requests are also signed with the secret before the last rotation.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub previous_secret_ends_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_delivered_at_unix: Option<u64>,
    /// The failed attempts since then.
    pub failures: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Webhooks {
    pub success: bool,
    pub webhooks: Vec<Webhook>,
}

/// A webhook after a change.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookChanged {
    pub success: bool,
    pub webhook: Webhook,
    /// The secret with which requests are signed. Only in the answers that create it and rotate it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub secret: Option<String>,
}

impl std::fmt::Debug for WebhookChanged {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("WebhookChanged").field("webhook", &self.webhook).finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct CreateWebhook {
    /// Begins with `https://` and a domain name. Other ports than 443 are not possible.
    #[cfg_attr(feature = "openapi", schema(max_length = 2048))]
    pub url: String,
    /// The types of events to send. Without it: all types, and those that will be added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 20))]
    pub event_types: Option<Vec<EventType>>,
}

/// The changes to a webhook. A field that is not sent stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({ "webhook_uuid": WEBHOOK_UUID, "is_active": true })))]
pub struct UpdateWebhook {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    #[serde(default, deserialize_with = "member::not_null")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_length = 2048))]
    pub url: Option<String>,
    /// Null: all types.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(
        value_type = Option<Vec<EventType>>, required = false, min_items = 1, max_items = 20
    ))]
    pub event_types: Member<Vec<EventType>>,
    /// False switches the webhook off and cancels what is pending. True switches it on, also after a pause.
    #[serde(default, deserialize_with = "member::not_null")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_active: Option<bool>,
}

/// The webhook that a request is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct NamedWebhook {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookDeleted {
    pub success: bool,
}

/// The answer to a request that was sent to a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookResponse {
    /// The HTTP status, if there was an answer. Only 200 to 299 is a success.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub status: Option<u16>,
    /// The reason why there was no answer: `timeout`, `unreachable`, or `address_refused`.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub failure: Option<String>,
    pub latency_ms: u64,
    /// The first bytes of the answer's body, at most 1 KiB.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub body_start: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookTested {
    pub success: bool,
    /// The id of the test event. It is not in the event log.
    pub event_id: String,
    /// Whether the answer's status is 200 to 299.
    pub is_delivered: bool,
    pub response: WebhookResponse,
}

/// Whether an event has reached a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It will be sent, for the first time or again, or waits for an earlier event of its video.
    Pending,
    Delivered,
    /// It was tried for three days.
    Failed,
    /// The webhook was switched off or paused before.
    Canceled,
}

/// An event and what came of sending it to a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookDelivery {
    pub event_id: String,
    #[cfg_attr(feature = "openapi", schema(value_type = EventType))]
    pub event_type: String,
    /// The `sequence` of the event.
    pub sequence: u64,
    pub state: DeliveryState,
    pub attempts: u32,
    /// Null if the event is not pending, or waits for an earlier one of its video. In the past: as soon as possible.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_attempt_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_attempt_at_unix: Option<u64>,
    /// The answer to the last attempt.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub response: Option<WebhookResponse>,
}

/// A page of the deliveries, the newest events first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookDeliveries {
    pub success: bool,
    pub deliveries: Vec<WebhookDelivery>,
    /// Send it as `before` to get the next page. Null: this is the last one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_before: Option<u64>,
}

/// The events to send again: the one with `event_id`, or all since `since_unix`. Null is the same as not sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({ "webhook_uuid": WEBHOOK_UUID, "since_unix": NOW })))]
pub struct SendEventsAgain {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    #[serde(default)]
    pub event_id: Option<String>,
    /// Events that happened at this time or later, as long as they are in the log and have one of the webhook's types.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 9_007_199_254_740_991_i64))]
    pub since_unix: Option<u64>,
    /// With `since_unix`: only events after this `sequence`. For the next request, if an answer has a `next_after`.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 9_007_199_254_740_991_i64))]
    pub after: Option<u64>,
    /// With `since_unix`: whether to send also the events that were delivered.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub include_delivered: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EventsSentAgain {
    pub success: bool,
    /// The events that were queued. Those that were pending already do not count; they are tried now.
    pub queued: u64,
    /// If it is not null, there are more events: send the request again with this `after`.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_after: Option<u64>,
}

#[cfg(feature = "openapi")]
impl Webhook {
    pub fn example() -> Self {
        Self {
            webhook_uuid: WEBHOOK_UUID.to_owned(),
            url: HOOK.to_owned(),
            event_types: None,
            state: WebhookState::Active,
            pause_reason: None,
            paused_at_unix: None,
            created_at_unix: NOW,
            previous_secret_ends_at_unix: None,
            last_delivered_at_unix: Some(NOW + 21),
            failures: 0,
        }
    }
}

#[cfg(feature = "openapi")]
impl Webhooks {
    pub fn example() -> Self {
        Self { success: true, webhooks: vec![Webhook::example()] }
    }

    /// Returns what a key sees: only the host of the address.
    pub fn example_for_key() -> Self {
        let url = "https://hooks.shop.example".to_owned();
        Self { success: true, webhooks: vec![Webhook { url, ..Webhook::example() }] }
    }
}

#[cfg(feature = "openapi")]
impl WebhookChanged {
    pub fn example() -> Self {
        Self { success: true, webhook: Webhook::example(), secret: Some("whsec_…".to_owned()) }
    }
}

#[cfg(feature = "openapi")]
impl CreateWebhook {
    pub fn example() -> Self {
        Self { url: HOOK.to_owned(), event_types: None }
    }
}

#[cfg(feature = "openapi")]
impl NamedWebhook {
    pub fn example() -> Self {
        Self { webhook_uuid: WEBHOOK_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl WebhookDeleted {
    pub fn example() -> Self {
        Self { success: true }
    }
}

#[cfg(feature = "openapi")]
impl WebhookResponse {
    pub fn example() -> Self {
        Self { status: Some(200), failure: None, latency_ms: 84, body_start: Some("ok".to_owned()) }
    }
}

#[cfg(feature = "openapi")]
impl WebhookTested {
    pub fn example() -> Self {
        let event_id = "evt_test_4gC1sYH0q7vJb2kLmN8pRt".to_owned();
        Self { success: true, event_id, is_delivered: true, response: WebhookResponse::example() }
    }
}

#[cfg(feature = "openapi")]
impl WebhookDeliveries {
    pub fn example() -> Self {
        let Event { id, kind, sequence, .. } = Event::example();
        let delivery = WebhookDelivery {
            event_id: id,
            event_type: kind,
            sequence,
            state: DeliveryState::Delivered,
            attempts: 1,
            next_attempt_at_unix: None,
            last_attempt_at_unix: Some(NOW + 21),
            response: Some(WebhookResponse::example()),
        };
        Self { success: true, deliveries: vec![delivery], next_before: None }
    }
}

#[cfg(feature = "openapi")]
impl EventsSentAgain {
    pub fn example() -> Self {
        Self { success: true, queued: 3, next_after: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debug_form_of_a_change_shows_the_webhook_but_no_secret() {
        let webhook = serde_json::json!({
            "webhook_uuid": "w", "url": "https://b.example", "event_types": null, "state": "active",
            "pause_reason": null, "paused_at_unix": null, "created_at_unix": 1, "previous_secret_ends_at_unix": null,
            "last_delivered_at_unix": null, "failures": 0,
        });
        let changed = WebhookChanged {
            success: true,
            webhook: serde_json::from_value(webhook).unwrap(),
            secret: Some("not to be shown".to_owned()),
        };
        let text = format!("{changed:?}");
        assert!(text.contains("https://b.example") && !text.contains("not to be shown"), "{text}");
    }

    #[test]
    fn a_change_to_null_is_refused_where_null_would_mean_nothing() {
        for field in ["url", "is_active"] {
            let change = format!(r#"{{"webhook_uuid":"w","{field}":null}}"#);
            assert!(serde_json::from_str::<UpdateWebhook>(&change).is_err(), "{field}");
        }
        let unchanged: UpdateWebhook = serde_json::from_str(r#"{"webhook_uuid":"w"}"#).unwrap();
        assert_eq!((unchanged.url, unchanged.is_active, unchanged.event_types), (None, None, Member::Missing));
        let moved: UpdateWebhook = serde_json::from_str(r#"{"webhook_uuid":"w","url":"https://b.example"}"#).unwrap();
        assert_eq!((moved.url.as_deref(), moved.is_active), (Some("https://b.example"), None));
    }
}
