//! The operations that refuse unknown names, and the header with which a client has them ignored.

use super::reference;
use crate::http::route::Route;
use contract::paths;
use serde_json::{Value, json};

const PREFER: &str = "Prefer";
pub(super) const HEADERS: [&str; 2] = ["Preference-Applied", "Ignored-Fields"];

/// Whether the operation reads the fields of a JSON object. Key management has none, and an origin may be older than
/// the Worker.
pub(super) fn reads_json_fields(operation: &Value) -> bool {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    let is_of_origin = operation["security"][0].get("origin_signature").is_some();
    schema.as_str().is_some_and(|schema| !schema.ends_with("/EmptyObject")) && !is_of_origin
}

/// Whether a client can have unknown names ignored. For oEmbed they are always ignored.
pub(super) fn is_asked_for(operation: &Value, route: &Route) -> bool {
    let mut parameters = operation["parameters"].as_array().into_iter().flatten();
    let has_query = parameters.any(|parameter| parameter["in"] == "query");
    let has_form = operation["requestBody"]["content"].get("multipart/form-data").is_some();
    let is_public = !route.path.starts_with(paths::INTERNAL) && route.path != paths::OEMBED;
    is_public && (has_query || has_form || reads_json_fields(operation))
}

pub(super) fn describe(operation: &mut Value, route: &Route) {
    if !is_asked_for(operation, route) {
        return;
    }
    let parameter = json!({ "$ref": reference("parameters", PREFER) });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(parameter),
        None => operation["parameters"] = json!([parameter]),
    }
}

/// Defines the header, and closes the schemas of JSON bodies.
pub(super) fn define(document: &mut Value) {
    super::define_used(document, "parameters", std::iter::once((PREFER.to_owned(), header())));
    let operations = document["paths"].as_object().into_iter().flat_map(serde_json::Map::values);
    let operations = operations.filter_map(Value::as_object).flat_map(serde_json::Map::values);
    let reading = operations.filter(|operation| reads_json_fields(operation));
    let schemas = reading.map(|operation| &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]);
    let names: Vec<String> = schemas.filter_map(|name| Some(name.as_str()?.rsplit('/').next()?.to_owned())).collect();
    for name in names {
        document["components"]["schemas"][name]["additionalProperties"] = json!(false);
    }
}

fn header() -> Value {
    json!({
        "name": PREFER,
        "in": "header",
        "description": "With `handling=lenient` (RFC 7240), fields and query parameters that the API does not define are \
            ignored. `Ignored-Fields` in the response lists them. Without this header, they are rejected.",
        "schema": { "type": "string" },
    })
}
