//! Describes enums that may grow: the field accepts any string, and a separate type lists the known values.
//!
//! A closed enum would make generated clients fail when a value is added. Generators turn `anyOf` with a named enum
//! into usable types: openapi-typescript exports the known values as `KnownErrorCode` and the field as `KnownErrorCode
//! | string`; openapi-python-client makes an enum class and keeps an unknown value as a plain string. From `examples`
//! or an `x-` field both make only a bare string.

use super::reference;
use serde_json::{Value, json};

const MAY_GROW: [&str; 12] = [
    "ErrorCode",
    "ContentState",
    "Stage",
    "EventType",
    "DropReason",
    "WebhookState",
    "PauseReason",
    "DeliveryState",
    "ThumbnailChange",
    "CaptionsChange",
    "ResumableState",
    "PresentedCredential",
];

pub(super) fn open(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    for name in MAY_GROW {
        let Some(closed) = schemas.get_mut(name).map(Value::take) else { continue };
        let known = format!("Known{name}");
        let description = closed["description"].as_str().unwrap_or_default();
        schemas[name] = json!({
            "description": format!("{description} New values may be added."),
            "anyOf": [{ "$ref": reference("schemas", &known) }, { "type": "string" }],
        });
        schemas[known] = closed;
    }
}
