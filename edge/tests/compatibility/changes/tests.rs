//! Each kind of change, made to a small document.

use super::*;

fn document() -> Value {
    json!({
        "paths": { "/videos": { "post": {
            "security": [{ "api_key": [] }],
            "servers": [{ "url": "{upload_url}" }],
            "parameters": [{ "in": "query", "name": "limit", "schema": { "type": "integer", "maximum": 100 } }],
            "requestBody": { "required": true, "content": { "application/json": { "schema": {
                "type": "object",
                "required": ["file"],
                "properties": { "file": { "type": "string" }, "caption": { "type": "string", "maxLength": 2200 } },
            } } } },
            "responses": {
                "200": {
                    "headers": { "ETag": {} },
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Video" } } },
                },
                "404": {},
            },
        } }, "/tags": { "put": {
            "requestBody": { "content": { "application/json": { "schema": {
                "type": "array", "minItems": 1, "items": { "type": "string" },
            } } } },
            "responses": {},
        } } },
        "components": { "schemas": {
            "Video": { "allOf": [
                { "type": "object", "required": ["id"], "properties": { "id": { "type": "integer", "format": "int64" } } },
                { "type": "object", "required": ["state", "kind", "code"], "properties": {
                    "state": { "$ref": "#/components/schemas/State" },
                    "kind": { "type": "string", "enum": ["clip"] },
                    "code": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/State" }] },
                } },
            ] },
            "State": { "anyOf": [{ "$ref": "#/components/schemas/KnownState" }, { "type": "string" }] },
            "KnownState": { "type": "string", "enum": ["new", "done"] },
        } },
    })
}

const POST: &str = "/paths/~1videos/post";
const BODY: &str = "/paths/~1videos/post/requestBody/content/application~1json/schema";
const TAGS: &str = "/paths/~1tags/put/requestBody";
const TAGS_SCHEMA: &str = "/paths/~1tags/put/requestBody/content/application~1json/schema";
const ID: &str = "/components/schemas/Video/allOf/0/properties/id";
const VIDEO: &str = "/components/schemas/Video/allOf/1";

fn after(place: &str, value: Value) -> Vec<String> {
    broken_after(&document(), place, value)
}

/// Returns the breaking changes after the value at `place` was replaced; null removes it.
pub(crate) fn broken_after(old: &Value, place: &str, value: Value) -> Vec<String> {
    let mut new = old.clone();
    let (parent, name) = place.rsplit_once('/').unwrap();
    let parent = new.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let name = name.replace("~1", "/");
    if value.is_null() {
        parent.remove(&name).unwrap();
    } else {
        parent.insert(name, value);
    }
    breaking_changes(old, &new)
}

#[test]
fn each_of_these_changes_breaks_clients() {
    let cases = [
        ("/paths/~1videos/post".to_owned(), json!(null), "is gone"),
        (format!("{POST}/security"), json!([{ "session": [] }]), "another credential"),
        (format!("{POST}/servers"), json!([{ "url": "{base_url}" }]), "other hosts"),
        (format!("{POST}/parameters"), json!([]), "no longer accepts the parameter query/limit"),
        (
            format!("{POST}/parameters"),
            json!([{ "in": "query", "name": "limit", "required": true, "schema": { "type": "integer", "maximum": 100 } }]),
            "requires the parameter query/limit",
        ),
        (
            format!("{POST}/parameters"),
            json!([{ "in": "query", "name": "limit", "schema": { "type": "integer", "maximum": 50 } }]),
            "has the stricter maximum 50",
        ),
        (format!("{POST}/responses/200"), json!(null), "200: is gone"),
        (format!("{POST}/responses/202"), json!({}), "the new status 202"),
        (format!("{POST}/responses/200/headers/ETag"), json!(null), "no longer has the header ETag"),
        (format!("{POST}/responses/200/content"), json!({ "text/html": {} }), "no longer application/json"),
        (format!("{BODY}/required"), json!(["file", "caption"]), "caption: is required"),
        (format!("{BODY}/properties/caption"), json!(null), "caption: is gone"),
        (format!("{BODY}/properties/caption/maxLength"), json!(100), "stricter maxLength 100"),
        (format!("{BODY}/properties/caption/pattern"), json!("^a"), "stricter pattern \"^a\""),
        (format!("{BODY}/properties/caption/type"), json!("integer"), "may be no longer string"),
        (format!("{BODY}/properties/caption/enum"), json!(["a"]), "fewer values"),
        (format!("{TAGS}/required"), json!(true), "body: is required"),
        (format!("{TAGS_SCHEMA}/minItems"), json!(2), "stricter minItems 2"),
        (format!("{TAGS_SCHEMA}/items/type"), json!("integer"), "item: may be no longer string"),
        (format!("{ID}/format"), json!("int32"), "id: has another format"),
        (format!("{VIDEO}/properties/kind"), json!(null), "kind: is gone"),
        (format!("{VIDEO}/required"), json!(["state", "code"]), "kind: is no longer always there"),
        (format!("{VIDEO}/properties/kind/type"), json!(["string", "null"]), "kind: may be null"),
        (format!("{VIDEO}/properties/kind/enum"), json!(["clip", "film"]), "kind: has new values"),
        (format!("{VIDEO}/properties/code"), json!({ "type": "integer" }), "code: may be integer"),
    ];
    for (place, value, expected) in cases {
        let broken = after(&place, value).join("\n");
        assert!(broken.contains(expected), "{place}: expected {expected:?}, found {broken:?}");
    }
}

#[test]
fn none_of_these_changes_breaks_clients() {
    let cases = [
        ("/paths/~1comments".to_owned(), json!({ "get": { "responses": {} } })),
        (
            format!("{POST}/parameters"),
            json!([
                { "in": "query", "name": "limit", "schema": { "type": "integer", "maximum": 200 } },
                { "in": "query", "name": "since", "schema": { "type": "integer" } },
            ]),
        ),
        (format!("{POST}/security"), json!([{ "session": [] }, { "api_key": [] }])),
        (format!("{POST}/responses/404"), json!(null)),
        (format!("{POST}/responses/422"), json!({})),
        (format!("{BODY}/properties/summary"), json!({ "type": "string" })),
        (format!("{BODY}/required"), json!([])),
        (format!("{TAGS_SCHEMA}/minItems"), json!(0)),
        (format!("{BODY}/properties/caption/maxLength"), json!(null)),
        (format!("{VIDEO}/properties/width"), json!({ "type": "integer" })),
        ("/components/schemas/KnownState/enum".to_owned(), json!(["new", "done", "hidden"])),
    ];
    for (place, value) in cases {
        assert_eq!(after(&place, value), Vec::<String>::new(), "{place}");
    }
}

#[test]
fn a_deprecated_operation_may_go() {
    let mut old = document();
    old["paths"]["/videos"]["post"]["deprecated"] = json!(true);
    assert_eq!(broken_after(&old, POST, json!(null)), Vec::<String>::new());
}
