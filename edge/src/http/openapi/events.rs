//! The `webhooks` section: the request for each type of event, and the effect of the receiver's response.
//!
//! `contract` describes the members of events. This file lists the members of each type.

use super::reference;
use contract::api::{Event, EventData, EventType};
use contract::{WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP};
use serde_json::{Map, Value, json};

const TAG: &str = "webhook_events";

/// The headers of a request, each with its description and an example.
const HEADERS: [(&str, &str, &str); 3] = [
    (WEBHOOK_ID, "The `id` of the event. It is the same in every attempt.", "evt_0b9c2b62a1f24f6f8e5ab1d2c3f40516"),
    (WEBHOOK_TIMESTAMP, "The time of the attempt in Unix seconds.", "1795207145"),
    (
        WEBHOOK_SIGNATURE,
        "One or more signatures, separated by spaces. Each is `v1,` and the base64-encoded HMAC-SHA256 of the id, the \
         timestamp and the body, joined with dots. The request is genuine if one of the signatures matches.",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    ),
];

const OF_CONTENT: [&str; 3] = ["content_id", "content_uuid", "slug_url"];
const REASON: &[&str] = &["error_message_code", "detail", "policy_code"];

/// Adds the section and the schemas that it refers to.
pub(super) fn describe(document: &mut Value) {
    let schemas = &document["components"]["schemas"];
    let (event, data) = (schemas["Event"].clone(), schemas["EventData"].clone());
    for kind in EventType::ALL {
        let sent = SentEvent::new(kind);
        document["components"]["schemas"][sent.schema_name()] = sent.schema(&event, &data);
        document["webhooks"][&sent.name] = json!({ "post": sent.request() });
    }
    for (name, description, example) in HEADERS {
        document["components"]["parameters"][name] = json!({
            "name": name,
            "in": "header",
            "required": true,
            "description": description,
            "schema": { "type": "string" },
            "example": example,
        });
    }
}

/// The events of one type.
struct SentEvent {
    name: String,
    summary: &'static str,
    is_of_content: bool,
    /// The required members of `data`.
    always: Vec<&'static str>,
    /// The optional members of `data`.
    sometimes: Vec<&'static str>,
}

impl SentEvent {
    fn new(kind: EventType) -> Self {
        let (always, sometimes) = members(kind);
        let name = json!(kind).as_str().unwrap_or_default().to_owned();
        if name.starts_with("content.") {
            let always = [&OF_CONTENT, always].concat();
            let sometimes = [&["external_id", "is_test"], sometimes].concat();
            Self { name, summary: summary(kind), is_of_content: true, always, sometimes }
        } else {
            let (always, sometimes) = (always.to_vec(), sometimes.to_vec());
            Self { name, summary: summary(kind), is_of_content: false, always, sometimes }
        }
    }

    /// Returns `ContentTakenDownEvent` for `content.taken_down`.
    fn schema_name(&self) -> String {
        let capitalized = |word: &str| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        };
        self.name.split(['.', '_']).map(capitalized).collect::<String>() + "Event"
    }

    fn schema(&self, event: &Value, data: &Value) -> Value {
        let mut schema = event.clone();
        schema["description"] = json!(self.summary);
        schema["properties"]["type"] = json!({ "type": "string", "const": self.name });
        let member = |name: &&str| ((*name).to_owned(), data["properties"][*name].clone());
        let members: Map<_, _> = self.always.iter().chain(&self.sometimes).map(member).collect();
        schema["properties"]["data"] = json!({ "type": "object", "required": self.always, "properties": members });
        if self.is_of_content {
            schema["required"].as_array_mut().into_iter().for_each(|required| required.push(json!("content_sequence")));
        } else {
            schema["properties"].as_object_mut().and_then(|properties| properties.remove("content_sequence"));
        }
        schema
    }

    fn request(&self) -> Value {
        let headers = HEADERS.map(|(name, ..)| json!({ "$ref": reference("parameters", name) }));
        let schema = json!({ "$ref": reference("schemas", &self.schema_name()) });
        json!({
            "tags": [TAG],
            "operationId": format!("on_{}", self.name.replace('.', "_")),
            "summary": self.summary,
            "description": "Verify the signature before trusting the request, and respond within 10 seconds. An event \
                may be delivered twice, with the same `id`.",
            "security": [],
            "parameters": headers,
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": schema, "example": self.example() } },
            },
            "responses": answers(),
        })
    }

    fn example(&self) -> Value {
        let (mut event, all) = (json!(Event::example()), json!(EventData::example()));
        let member = |name: &&str| ((*name).to_owned(), all[*name].clone());
        event["data"] = self.always.iter().chain(&self.sometimes).map(member).collect();
        event["type"] = json!(self.name);
        if !self.is_of_content {
            event.as_object_mut().and_then(|members| members.remove("content_sequence"));
        }
        event
    }
}

fn summary(kind: EventType) -> &'static str {
    match kind {
        EventType::ContentPublished => "The video is public.",
        EventType::ContentCompleted => {
            "The video was published in its first quality and is now available in all others."
        }
        EventType::ContentScheduled => {
            "The video is approved and will be published at its scheduled time, or once you release it."
        }
        EventType::ContentRejected => "The video was rejected by a rule or by moderation.",
        EventType::ContentFailed => "Processing of the video failed.",
        EventType::ContentTakenDown => "A moderator removed the video.",
        EventType::ContentRestored => {
            "A moderator reversed the rejection or removal of the video. It is public again or scheduled."
        }
        EventType::ContentAppealRejected => "A moderator rejected your appeal. The video stays rejected or removed.",
        EventType::ContentDeleted => "The video was deleted.",
        EventType::ContentWaiting => "The video is waiting for a moderator, or for a check that could not run.",
        EventType::DirectUploadUsed => "A video was uploaded with a one-time token.",
        EventType::DirectUploadExpired => "A one-time token has expired without an upload.",
        EventType::KeyRotated => "The API key was replaced.",
        EventType::KeyDeleted => "The API key was deleted.",
        EventType::LimitReached => "An upload used up the daily limit.",
        EventType::WebhookPaused => "A webhook of the channel was paused, because its endpoint does not accept events.",
        EventType::WebhookTest => "A test event, which the owner of the webhook requested. It is not in the log.",
    }
}

/// Returns the required and the optional members of `data` for events of this type, besides the members that all events
/// of contents share.
fn members(kind: EventType) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        EventType::ContentPublished | EventType::ContentCompleted => (&["published_at_unix", "quality"], &[]),
        EventType::ContentScheduled => (&[], &["scheduled_publish_at_unix", "needs_release"]),
        EventType::ContentWaiting => (&["waits_for"], &[]),
        EventType::ContentRejected | EventType::ContentFailed | EventType::ContentTakenDown => (&[], REASON),
        EventType::ContentRestored => {
            (&[], &["published_at_unix", "quality", "scheduled_publish_at_unix", "needs_release"])
        }
        EventType::ContentAppealRejected => (&[], &["policy_code"]),
        EventType::ContentDeleted => (&[], &[]),
        EventType::DirectUploadUsed => (&["direct_upload_id", "content_uuid"], &["external_id"]),
        EventType::DirectUploadExpired => (&["direct_upload_id"], &["external_id"]),
        EventType::KeyRotated | EventType::KeyDeleted => (&["key_hint"], &[]),
        EventType::LimitReached => (&["limit_amount", "limit_reset_time_unix"], &[]),
        EventType::WebhookPaused => (&["webhook_uuid", "pause_reason"], &[]),
        EventType::WebhookTest => (&["webhook_uuid"], &[]),
    }
}

/// Returns the responses of a receiver, and the effect of each.
fn answers() -> Value {
    json!({
        "2XX": { "description": "The event is delivered." },
        "410": { "description": "The webhook is paused immediately and gets no more events." },
        "default": {
            "description": "The event is retried after 1, 3, 9, 27 and 81 minutes, then about every 4 to 6 hours, for \
                three days. A later time in `Retry-After` is honored, but counts for at most a day. A redirect counts \
                as a failure, and so does a response that takes longer than 10 seconds.",
        },
    })
}
