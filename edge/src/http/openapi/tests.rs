//! The documents describe what the Worker serves and sends.

use super::*;
use crate::http::host_role::DOCUMENTED;
use crate::people::auth::session::TTL_SECONDS;
use contract::ErrorCode;
use contract::api::{Event, EventType, Failure, LimitState};
use contract::limits;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn parse(document: &str) -> Value {
    serde_json::from_str(document).unwrap()
}

/// The operations of a document by path and method.
fn operations(document: &Value) -> BTreeMap<(String, String), Value> {
    let mut found = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                found.insert((path.clone(), method.to_owned()), operation.clone());
            }
        }
    }
    found
}

fn names(object: &Value) -> BTreeSet<String> {
    object.as_object().unwrap().keys().cloned().collect()
}

#[test]
fn every_route_is_described_once_and_internal_ones_apart() {
    let pages = ["/dev/", contract::paths::CONSOLE, contract::paths::DESK, contract::paths::DOCS];
    let is_page = |path: &str| pages.iter().any(|page| path.starts_with(page));
    let routes = table().into_iter().filter(|route| !is_page(route.path));
    let routes = routes.map(|route| (route.path.to_owned(), route.method().to_lowercase()));
    let routes: BTreeSet<_> = routes.filter(|(_, method)| METHODS.contains(&method.as_str())).collect();
    let (inside, outside): (BTreeSet<_>, BTreeSet<_>) =
        routes.into_iter().partition(|(path, _)| path.starts_with(contract::paths::INTERNAL));
    let described = |document: &str| operations(&parse(document)).into_keys().collect::<BTreeSet<_>>();
    assert_eq!(described(&public()), outside);
    assert_eq!(described(&internal()), inside);
}

#[test]
fn the_error_codes_are_described_as_they_are_sent() {
    for document in [public(), internal()] {
        let schemas = &parse(&document)["components"]["schemas"];
        let known: Vec<ErrorCode> = serde_json::from_value(schemas["KnownErrorCode"]["enum"].clone()).unwrap();
        assert!(
            ErrorCode::ALL.iter().all(|code| known.contains(code) || ErrorCode::INTERNAL.contains(code)),
            "{known:?}"
        );
        assert_eq!(schemas["ErrorCode"]["anyOf"][1], serde_json::json!({ "type": "string" }));
    }
}

/// Returns all references in a part of a document.
fn references(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_reference_leads_to_a_definition() {
    for document in [parse(&public()), parse(&internal())] {
        let is_open = |reference: &&str| document.pointer(reference.trim_start_matches('#')).is_none();
        assert_eq!(references(&document).into_iter().filter(is_open).collect::<Vec<_>>(), [""; 0]);
    }
}

#[test]
fn the_public_document_knows_no_code_of_internal_operations() {
    let (public, internal) = (public(), internal());
    for code in ErrorCode::INTERNAL {
        let quoted = format!("\"{}\"", code.as_str());
        assert!(!public.contains(&quoted) && internal.contains(&quoted), "{code:?}");
    }
}

#[test]
fn no_operation_refuses_with_a_code_that_only_contents_have() {
    for document in [public(), internal()] {
        for code in ErrorCode::ONLY_IN_STATUS {
            assert!(!document.contains(&format!("Failure.{}", code.as_str())), "{code:?}");
        }
    }
}

#[test]
fn every_code_of_an_answer_is_described_somewhere() {
    let (public, internal) = (public(), internal());
    // These codes refuse requests that match no operation, or that are never matched.
    let unmatched = [ErrorCode::MethodNotAllowed, ErrorCode::HttpsRequired];
    for code in
        ErrorCode::ALL.iter().filter(|code| !ErrorCode::ONLY_IN_STATUS.contains(code) && !unmatched.contains(code))
    {
        let is_used = |document: &str| document.contains(&format!(".{}\"", code.as_str()));
        assert!(is_used(&public) || is_used(&internal), "{code:?}");
    }
}

#[test]
fn the_documentation_of_a_handler_names_each_code_with_its_status() {
    for document in [public(), internal()] {
        for (place, operation) in operations(&parse(&document)) {
            let text = operation["description"].as_str().unwrap_or_default().replace('\n', " ");
            let mut status = String::new();
            for (index, part) in text.split('`').enumerate() {
                let number =
                    part.split_whitespace().rev().find(|word| word.parse::<u16>().is_ok_and(|number| number > 399));
                match ErrorCode::ALL.iter().find(|code| index % 2 == 1 && code.as_str() == part) {
                    Some(code) => assert_eq!(status, code.status().to_string(), "{place:?} {code:?}"),
                    None => status = number.map_or(status, str::to_owned),
                }
            }
        }
    }
}

#[test]
fn every_json_answer_has_an_example() {
    for document in [public(), internal()] {
        for (place, operation) in operations(&parse(&document)) {
            let answer = &operation["responses"]["200"]["content"]["application/json"];
            let is_document = place.0 == contract::paths::OPENAPI;
            assert!(answer.is_null() || is_document || answer["example"].is_object(), "{place:?}");
        }
    }
}

#[test]
fn the_addresses_in_examples_are_those_that_a_running_system_replaces() {
    assert_eq!((contract::example::BASE, contract::example::SITE), (DOCUMENTED.base, DOCUMENTED.site));
}

#[test]
fn a_refusal_is_described_with_and_without_the_limit() {
    let limit = LimitState {
        ui_limit_failure_translation_key: String::new(),
        is_limit_activated: true,
        limit_reset_time_unix: None,
        limit_amount: 1,
    };
    let failure = Failure {
        success: false,
        error_message_code: ErrorCode::NotFound,
        field: Some(String::new()),
        detail: Some(String::new()),
        docs_url: Some(String::new()),
        limit: Some(limit),
    };
    let sent = serde_json::to_value(&failure).unwrap();
    let described = parse(&public())["components"]["schemas"]["Failure"].clone();
    assert_eq!(names(&described["properties"]), names(&sent));
    assert_eq!(described["required"], serde_json::json!(["success", "error_message_code"]));
}

#[test]
fn an_operation_names_the_hosts_that_serve_it() {
    let document = parse(&public());
    let url = |path: &str, method: &str| document["paths"][path][method]["servers"][0]["url"].clone();
    assert_eq!(url(contract::paths::CREATE_API_KEY, "post"), DOCUMENTED.base);
    assert_eq!(url(contract::paths::UPLOAD_VIDEO, "post"), DOCUMENTED.upload);
    assert_eq!(url(contract::paths::MEDIA_VIDEO, "get"), DOCUMENTED.site);
    assert_eq!(document["servers"].as_array().map(Vec::len), Some(3));
}

/// The Python and Go clients of openapi-generator call a server's URL exactly as it is in the document.
#[test]
fn every_server_is_a_whole_address_without_variables() {
    for document in [public(), internal()] {
        let document = parse(&document);
        let of_operations = operations(&document).into_values().map(|operation| operation["servers"].clone());
        let servers: Vec<Value> = of_operations.chain([document["servers"].clone()]).filter(Value::is_array).collect();
        assert!(servers.len() > 20, "{}", servers.len());
        for server in servers.iter().flat_map(|servers| servers.as_array().unwrap()) {
            let url = url::Url::parse(server["url"].as_str().unwrap()).unwrap();
            assert!(url.scheme() == "https" && server.get("variables").is_none(), "{server}");
        }
    }
}

#[test]
fn a_client_can_prefer_that_unknown_names_are_ignored_wherever_names_are_read() {
    let document = parse(&public());
    let preferring = operations(&document).into_iter().filter(|(_, operation)| {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.into_iter().any(|parameter| parameter["$ref"] == "#/components/parameters/Prefer")
    });
    let preferring: BTreeSet<String> = preferring.map(|((path, _), _)| path).collect();
    for path in [contract::paths::UPLOAD_VIDEO, contract::paths::UPDATE_CONTENT, contract::paths::UPLOADS] {
        assert!(preferring.contains(path), "{path}");
    }
    for path in [contract::paths::CREATE_API_KEY, contract::paths::OEMBED, contract::paths::HEALTH] {
        assert!(!preferring.contains(path), "{path}");
    }
}

#[test]
fn an_answer_names_its_headers() {
    let document = parse(&public());
    let upload = &document["paths"][contract::paths::UPLOAD_VIDEO]["post"]["responses"];
    let headers = |status: &str| names(&upload[status]["headers"]).into_iter().collect::<Vec<_>>().join(" ");
    let accepted = "Idempotency-Replayed Ignored-Fields Preference-Applied RateLimit RateLimit-Policy x-request-id";
    assert_eq!(headers("200"), accepted);
    assert_eq!(headers("401"), "WWW-Authenticate x-request-id");
    assert_eq!(headers("429"), "RateLimit RateLimit-Policy Retry-After x-request-id");
    assert_eq!(headers("503"), "Retry-After x-request-id");
}

/// utoipa takes literals only.
#[test]
fn the_limits_of_fields_are_those_that_are_checked() {
    let internal = parse(&internal());
    let property = |document: &Value, schema: &str, name: &str| {
        document["components"]["schemas"][schema]["properties"][name].clone()
    };
    let session = |name| property(&internal, "MintSession", name);
    assert_eq!(session("daily_upload_limit")["maximum"], limits::MAX_DAILY_UPLOAD_LIMIT);
    assert_eq!(session("channel_name")["maxLength"], limits::MAX_CHANNEL_NAME_CHARACTERS);
    assert_eq!(session("ttl_seconds")["minimum"], *TTL_SECONDS.start());
    assert_eq!(session("ttl_seconds")["maximum"], *TTL_SECONDS.end());
    assert_eq!(property(&internal, "SetCategories", "categories")["maxItems"], limits::MAX_CATEGORIES);
    assert_eq!(property(&internal, "Category", "name")["maxLength"], limits::MAX_CATEGORY_NAME_CHARACTERS);
}

#[test]
fn every_type_of_event_is_described_with_the_members_that_it_has() {
    let document = parse(&public());
    let schemas = &document["components"]["schemas"];
    let types: BTreeSet<String> = EventType::ALL.iter().map(|kind| json!(kind).as_str().unwrap().to_owned()).collect();
    assert_eq!(names(&document["webhooks"]), types);
    let mut members = BTreeSet::new();
    for (name, item) in document["webhooks"].as_object().unwrap() {
        let content = &item["post"]["requestBody"]["content"]["application/json"];
        let schema = content["schema"]["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        let (described, example) = (&schemas[schema]["properties"], &content["example"]);
        assert_eq!(described["type"]["const"], json!(name));
        assert_eq!(
            (names(described), names(&described["data"]["properties"])),
            (names(example), names(&example["data"]))
        );
        assert!(serde_json::from_value::<Event>(example.clone()).is_ok_and(|read| json!(read) == *example), "{name}");
        members.extend(names(&example["data"]));
    }
    assert_eq!(members, names(&schemas["EventData"]["properties"]));
}

#[test]
fn it_is_openapi_3_1() {
    for document in [public(), internal()] {
        assert!(document.starts_with("{\n  \"openapi\": \"3.1"));
    }
}
