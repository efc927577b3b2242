//! The examples of requests and responses. They are written at the types, in `contract`, or at the handler if an
//! operation needs its own. In the document they are at the operations, where tools show them.

use serde_json::{Map, Value};

const BODIES: [&str; 2] = ["/requestBody/content/application~1json", "/responses/200/content/application~1json"];

/// Moves the examples of the types to the operations that send them.
pub(super) fn describe(document: &mut Value) {
    let examples = take_examples(document);
    let operations = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        for place in BODIES {
            if let Some(body) = operation.pointer_mut(place) {
                add_example(body, &examples);
            }
        }
    }
}

/// Adds the example of its type to a body without its own.
fn add_example(body: &mut Value, examples: &Map<String, Value>) {
    let name = body["schema"]["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
    let example = name.and_then(|name| examples.get(name)).cloned();
    if let (None, Some(example)) = (body.get("example"), example) {
        body["example"] = example;
    }
}

/// Returns the examples of the types by their names, and removes them from the schemas.
fn take_examples(document: &mut Value) -> Map<String, Value> {
    let schemas = document["components"]["schemas"].as_object_mut().into_iter().flatten();
    schemas.filter_map(|(name, schema)| Some((name.clone(), schema.as_object_mut()?.remove("example")?))).collect()
}
