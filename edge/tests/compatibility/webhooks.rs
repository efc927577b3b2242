//! Compares the requests that the service sends to webhooks. Here the client is the receiver: the service must continue
//! to send what a receiver reads, and to accept its responses.

use crate::schemas::{Comparison, Direction, members};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) fn compare_webhooks(comparison: &mut Comparison<'_>) {
    let (old, new) = (&comparison.old["webhooks"], &comparison.new["webhooks"]);
    for (event, item) in members(old) {
        for (method, before) in members(item) {
            let place = format!("webhook {event}");
            match new[event].get(method) {
                Some(now) => compare_requests(comparison, &place, before, now),
                None if before["deprecated"] == true => {}
                None => comparison.report(&place, "is gone, and was not deprecated"),
            }
        }
    }
}

fn compare_requests(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    compare_headers(comparison, place, old, new);
    let (before, now) = (&old["requestBody"], &new["requestBody"]);
    comparison.compare_contents(Direction::Response, place, &before["content"], &now["content"]);
    for (status, _) in members(&old["responses"]) {
        if new["responses"].get(status).is_none() {
            comparison.report(place, &format!("is no longer answered by {status}"));
        }
    }
}

/// A header that a receiver reads must still be sent, and in its form.
fn compare_headers(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    let (old, new) = (headers(comparison.old, old), headers(comparison.new, new));
    for (name, before) in &old {
        let place = format!("{place} header {name}");
        let Some(now) = new.get(name) else {
            comparison.report(&place, "is gone");
            continue;
        };
        if before["required"] == true && now["required"] != true {
            comparison.report(&place, "is no longer always there");
        }
        comparison.compare(Direction::Response, &place, &before["schema"], &now["schema"]);
    }
}

fn headers<'a>(document: &'a Value, request: &'a Value) -> BTreeMap<&'a str, &'a Value> {
    let all = request["parameters"].as_array().into_iter().flatten();
    let all = all.map(|header| match header["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).expect("the reference has a target"),
        None => header,
    });
    all.filter_map(|header| Some((header["name"].as_str()?, header))).collect()
}

#[cfg(test)]
mod tests {
    use crate::changes::breaking_changes;
    use crate::changes::tests::broken_after;
    use serde_json::{Value, json};

    fn document() -> Value {
        json!({
            "paths": {},
            "webhooks": { "video.done": { "post": {
                "parameters": [{ "$ref": "#/components/parameters/id" }],
                "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Done" } } } },
                "responses": { "2XX": {}, "410": {} },
            } } },
            "components": {
                "parameters": { "id": { "name": "id", "in": "header", "required": true, "schema": { "type": "string" } } },
                "schemas": { "Done": { "type": "object", "required": ["type", "data"], "properties": {
                    "type": { "type": "string", "const": "video.done" },
                    "data": { "type": "object", "required": ["id"], "properties": {
                        "id": { "type": "integer" }, "note": { "type": "string" },
                    } },
                } } },
            },
        })
    }

    const EVENT: &str = "/webhooks/video.done";
    const HEADER: &str = "/components/parameters/id";
    const DATA: &str = "/components/schemas/Done/properties/data";

    #[test]
    fn each_of_these_changes_breaks_receivers() {
        let cases = [
            (EVENT.to_owned(), json!(null), "webhook video.done: is gone"),
            (format!("{EVENT}/post/parameters"), json!([]), "header id: is gone"),
            (format!("{HEADER}/required"), json!(false), "header id: is no longer always there"),
            (format!("{HEADER}/schema"), json!({ "type": "integer" }), "header id: may be integer"),
            (format!("{EVENT}/post/requestBody/content"), json!({ "text/plain": {} }), "no longer application/json"),
            (format!("{EVENT}/post/responses"), json!({ "200": {}, "410": {} }), "no longer answered by 2XX"),
            (format!("{DATA}/properties/id"), json!(null), "data id: is gone"),
            (format!("{DATA}/properties/note"), json!(null), "data note: is gone"),
            (
                format!("{DATA}/properties"),
                json!({ "number": { "type": "integer" }, "note": { "type": "string" } }),
                "data id: is gone",
            ),
            (format!("{DATA}/required"), json!([]), "data id: is no longer always there"),
            (format!("{DATA}/properties/id/type"), json!("string"), "data id: may be string"),
            (format!("{DATA}/properties/id/type"), json!(["integer", "null"]), "data id: may be null"),
            (
                "/components/schemas/Done/properties/type/const".to_owned(),
                json!("video.finished"),
                "video.done type: has new values",
            ),
        ];
        for (place, value, expected) in cases {
            let broken = broken_after(&document(), &place, value).join("\n");
            assert!(broken.contains(expected), "{place}: expected {expected:?}, found {broken:?}");
        }
    }

    #[test]
    fn none_of_these_changes_breaks_receivers() {
        let cases = [
            ("/webhooks/video.liked".to_owned(), json!({ "post": { "responses": { "2XX": {} } } })),
            (format!("{DATA}/properties/width"), json!({ "type": "integer" })),
            (format!("{DATA}/required"), json!(["id", "note"])),
            (format!("{DATA}/properties/note/maxLength"), json!(20)),
            (
                format!("{EVENT}/post/parameters"),
                json!([{ "$ref": "#/components/parameters/id" }, { "name": "time", "in": "header", "required": true }]),
            ),
            (format!("{EVENT}/post/responses/429"), json!({})),
        ];
        for (place, value) in cases {
            assert_eq!(broken_after(&document(), &place, value), Vec::<String>::new(), "{place}");
        }
    }

    #[test]
    fn a_deprecated_event_may_go() {
        let mut old = document();
        old["webhooks"]["video.done"]["post"]["deprecated"] = json!(true);
        assert_eq!(breaking_changes(&old, &json!({ "paths": {} })), Vec::<String>::new());
    }
}
