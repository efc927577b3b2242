//! The credentials that each operation requires, from the route table.

use crate::http::callers::{Credential, Requirement};
use crate::http::route::Route;
use contract::signature::SIGNATURE_HEADER;
use serde_json::{Value, json};

const ALL: [Credential; 7] = [
    Credential::Session,
    Credential::ApiKey,
    Credential::DirectUploadToken,
    Credential::ServiceToken,
    Credential::AdminToken,
    Credential::DeskSession,
    Credential::OriginSignature,
];

pub(super) fn describe(operation: &mut Value, route: &Route) {
    let requires = |credential: Credential| json!({ credential.name(): [] });
    operation["security"] = match route.requirement() {
        Requirement::Nothing => json!([]),
        Requirement::Required(credential) => json!([requires(credential)]),
        // The document is for programs. docs/sessions.md describes what else signed-in owners may call.
        Requirement::OneOf(credentials) => credentials.iter().copied().take(1).map(requires).collect(),
        Requirement::Optional(credentials) => {
            std::iter::once(json!({})).chain(credentials.iter().copied().map(requires)).collect()
        }
    };
}

/// Defines the credentials that the document's operations require.
pub(super) fn define(document: &mut Value) {
    let operations = document["paths"].as_object().into_iter().flat_map(serde_json::Map::values);
    let operations = operations.filter_map(Value::as_object).flat_map(serde_json::Map::values);
    let required: Vec<Value> =
        operations.filter_map(|operation| operation["security"].as_array()).flatten().cloned().collect();
    for credential in ALL {
        if required.iter().any(|alternative| alternative.get(credential.name()).is_some()) {
            document["components"]["securitySchemes"][credential.name()] = scheme(credential);
        }
    }
}

fn scheme(credential: Credential) -> Value {
    match credential {
        Credential::Session => json!({
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-session",
            "description": "The session of a user who is signed in to the site.",
        }),
        Credential::ApiKey => bearer("The API key of a channel."),
        Credential::DirectUploadToken => bearer("A one-time token, which lets a user upload one video."),
        Credential::ServiceToken => bearer("The secret of the site's back end."),
        Credential::AdminToken => bearer("The admin token of a moderator."),
        Credential::DeskSession => json!({
            "type": "apiKey",
            "in": "cookie",
            "name": "__Host-desk",
            "description": "A moderator who is signed in at the desk.",
        }),
        Credential::OriginSignature => json!({
            "type": "apiKey",
            "in": "header",
            "name": SIGNATURE_HEADER,
            "description": "HMAC-SHA256 over the key's id, method, host, path and query, id, time and the body's hash, by \
                the origin's key. Both ids, time and hash are headers too: see `crates/contract/src/signature.rs`.",
        }),
    }
}

fn bearer(description: &str) -> Value {
    json!({ "type": "http", "scheme": "bearer", "description": description })
}
