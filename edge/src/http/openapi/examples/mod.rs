//! Examples of requests and answers. They are values of the types that the Worker reads and writes, so they cannot
//! differ from what is sent.

mod internal;
mod public;

pub(super) use public::{event_data, example_event as event};
use serde::Serialize;
use serde_json::Value;

const CONTENT_UUID: &str = "0a6f0f6a-2f43-4d4b-9a53-7d2c9a1be0c4";
const NOW: u64 = 1_795_207_125;

/// The JSON bodies of an operation.
struct Example {
    request: Option<Value>,
    answer: Option<Value>,
}

impl Example {
    fn answer(answer: impl Serialize) -> Self {
        Self { request: None, answer: serde_json::to_value(answer).ok() }
    }

    fn request(self, request: impl Serialize) -> Self {
        Self { request: serde_json::to_value(request).ok(), ..self }
    }
}

pub(super) fn describe(operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default();
    if let Some(Example { request, answer }) = public::of(id).or_else(|| internal::of(id)) {
        put(operation, "/requestBody/content", request);
        put(operation, "/responses/200/content", answer);
    }
}

fn put(operation: &mut Value, content: &str, example: Option<Value>) {
    let json = operation.pointer_mut(content).and_then(|content| content.get_mut("application/json"));
    if let (Some(json), Some(example)) = (json, example) {
        json["example"] = example;
    }
}
