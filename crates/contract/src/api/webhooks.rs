//! Webhooks: where the events of a channel are sent, and what came of each.

#[cfg(feature = "openapi")]
use super::Event;
use super::{EventType, Member, member};
#[cfg(feature = "openapi")]
use crate::example::{HOOK, NOW, WEBHOOK_UUID};
use crate::whole_number;
use serde::{Deserialize, Serialize};

/// The state of a webhook.
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

/// The reason why a webhook is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// An event could not be delivered for three days, and no other was delivered since its first attempt.
    Failing,
    /// The webhook answered 410.
    Gone,
}

/// An endpoint to which events are sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Webhook {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    /// With an API key, only the host is returned, because the rest of the URL may be secret.
    pub url: String,
    /// The types of events that are sent. Null means all types, including future ones.
    #[cfg_attr(feature = "openapi", schema(required, value_type = Option<Vec<EventType>>))]
    pub event_types: Option<Vec<String>>,
    pub state: WebhookState,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub pause_reason: Option<PauseReason>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub paused_at_unix: Option<u64>,
    pub created_at_unix: u64,
    /// Until this time, requests are also signed with the previous secret.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub previous_secret_ends_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_delivered_at_unix: Option<u64>,
    /// The number of failed attempts since the last delivery, or since the webhook was last switched on or off.
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
    /// The signing secret. Present only in the responses that create and rotate it.
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
    /// The URL of the endpoint: `https://` and a domain name, with no port other than 443.
    #[cfg_attr(feature = "openapi", schema(max_length = 2048))]
    pub url: String,
    /// The types of events to send. If omitted, all types are sent, including future ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 20))]
    pub event_types: Option<Vec<EventType>>,
}

/// The changes to a webhook. An omitted field stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({ "webhook_uuid": WEBHOOK_UUID, "is_active": true })))]
pub struct UpdateWebhook {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    #[serde(default, deserialize_with = "member::not_null")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_length = 2048))]
    pub url: Option<String>,
    /// The types of events to send. Null means all types.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(
        value_type = Option<Vec<EventType>>, required = false, min_items = 1, max_items = 20
    ))]
    pub event_types: Member<Vec<EventType>>,
    /// False switches the webhook off and cancels pending deliveries. True switches it on, even after a pause.
    #[serde(default, deserialize_with = "member::not_null")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_active: Option<bool>,
}

/// The webhook to which the request applies.
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

/// The response to a request that was sent to a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WebhookResponse {
    /// The HTTP status, if there was a response. Only 200 to 299 is a success.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub status: Option<u16>,
    /// The reason why there was no response: `timeout`, `unreachable`, or `address_refused`.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub failure: Option<String>,
    pub latency_ms: u64,
    /// The first bytes of the response body, at most 1 KiB.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub body_start: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookTested {
    pub success: bool,
    /// The id of the test event. It is not in the event log.
    pub event_id: String,
    /// Whether the status of the response is 200 to 299.
    pub is_delivered: bool,
    pub response: WebhookResponse,
}

/// The state of the delivery of an event to a webhook.
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

/// The delivery of an event to a webhook.
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
    /// Null if the event is not pending, or is waiting for an earlier event of its video. A time in the past means as
    /// soon as possible.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_attempt_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_attempt_at_unix: Option<u64>,
    /// The response to the last attempt.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub response: Option<WebhookResponse>,
}

/// A page of deliveries, newest events first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct WebhookDeliveries {
    pub success: bool,
    pub deliveries: Vec<WebhookDelivery>,
    /// Send it as `before` to get the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_before: Option<u64>,
}

/// The events to resend: the one with `event_id`, or all since `since_unix`. Null counts as omitted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!({ "webhook_uuid": WEBHOOK_UUID, "since_unix": NOW })))]
pub struct SendEventsAgain {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub webhook_uuid: String,
    #[serde(default)]
    pub event_id: Option<String>,
    /// Resends the events since this time that are still in the log and have one of the webhook's types.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 9_007_199_254_740_991_i64))]
    pub since_unix: Option<u64>,
    /// With `since_unix`: only events after this `sequence`. Send the `next_after` of the previous response here.
    #[serde(default, deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 9_007_199_254_740_991_i64))]
    pub after: Option<u64>,
    /// With `since_unix`: whether to also resend events that were delivered.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub include_delivered: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EventsSentAgain {
    pub success: bool,
    /// The number of events that were queued. Events that were already pending do not count; they are tried now.
    pub queued: u64,
    /// If not null, there are more events: repeat the request with this value as `after`.
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
