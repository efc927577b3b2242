//! The refusals and failures of each operation: one response for each status, with its codes, headers and examples.
//!
//! The codes come from the handler's documentation and from the kind of the request, so they are not listed twice. An
//! end-to-end suite finally checks that every response of the Worker is described.

use super::lenient::reads_json_fields;
use super::{define_used, headers, reference};
use crate::http::callers::{Credential, Requirement};
use crate::http::host_role::DOCUMENTED;
use crate::http::refusal_response::has_key_envelope;
use crate::http::route::Route;
use contract::api::{Failure, KeyEnvelope, LimitState};
use contract::{ErrorCode, FormField, paths};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The body of a refusal. The path alone decides it, as in `refusal_response`.
#[derive(Clone, Copy)]
enum RefusalBody {
    Failure,
    KeyEnvelope,
}

impl RefusalBody {
    /// Returns `None` for pages: their refusals are pages too.
    fn of(path: &str) -> Option<Self> {
        match path {
            path if path.starts_with(paths::PAGE) || path.starts_with(paths::EMBED) => None,
            path if has_key_envelope(path) => Some(Self::KeyEnvelope),
            _ => Some(Self::Failure),
        }
    }

    fn schema(self) -> &'static str {
        match self {
            Self::Failure => "Failure",
            Self::KeyEnvelope => "KeyEnvelope",
        }
    }

    /// The name of an example among the components.
    fn example_name(self, code: ErrorCode) -> String {
        format!("{}.{}", self.schema(), code.as_str())
    }

    fn example(self, code: ErrorCode) -> Value {
        let body = match self {
            Self::Failure => serde_json::to_value(failure(code)),
            Self::KeyEnvelope => serde_json::to_value(KeyEnvelope::failed(code)),
        };
        json!({ "summary": code.text(), "value": body.unwrap_or_default() })
    }
}

pub(super) fn describe(operation: &mut Value, route: &Route) {
    let Some(body) = RefusalBody::of(route.path) else { return };
    for (status, codes) in by_status(operation, route) {
        operation["responses"][status.to_string()] = response(&codes, body);
    }
}

/// Defines the examples that the document's responses refer to.
pub(super) fn define(document: &mut Value) {
    let bodies = [RefusalBody::Failure, RefusalBody::KeyEnvelope].into_iter();
    let examples =
        bodies.flat_map(|body| ErrorCode::ALL.iter().map(move |code| (body.example_name(*code), body.example(*code))));
    define_used(document, "examples", examples);
}

/// Leaves the codes of internal operations out of the public document's list of known codes.
pub(super) fn omit_internal_codes(document: &mut Value) {
    if let Some(codes) = document["components"]["schemas"]["KnownErrorCode"]["enum"].as_array_mut() {
        codes.retain(|code| ErrorCode::INTERNAL.iter().all(|internal| *code != internal.as_str()));
    }
}

/// Adds the fields that a failure has only if the daily limit is the reason.
pub(super) fn add_limit_to_failures(document: &mut Value) {
    let schemas = &mut document["components"]["schemas"];
    let fields = schemas["LimitState"]["properties"].as_object().cloned().unwrap_or_default();
    if let Some(failure) = schemas["Failure"]["properties"].as_object_mut() {
        failure.extend(fields);
    }
}

/// Returns the codes of an operation in the order of its documentation, by their status.
fn by_status(operation: &Value, route: &Route) -> BTreeMap<u16, Vec<ErrorCode>> {
    let mut groups: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    let documented = documented_codes(operation["description"].as_str().unwrap_or_default());
    for code in documented.chain(codes_at_the_desk(route)).chain(implied_codes(operation)) {
        let group = groups.entry(code.status()).or_default();
        if !group.contains(&code) {
            group.push(code);
        }
    }
    groups
}

/// Returns the codes that a text names in backticks.
fn documented_codes(text: &str) -> impl Iterator<Item = ErrorCode> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|word| ErrorCode::ALL.iter().copied().find(|code| code.as_str() == word))
}

/// Returns the codes for a moderator's browser, which every route of moderators accepts instead of a token.
fn codes_at_the_desk(route: &Route) -> Vec<ErrorCode> {
    match (route.requirement(), route.method()) {
        (Requirement::OneOf(credentials), _) if !credentials.contains(&Credential::DeskSession) => Vec::new(),
        (Requirement::OneOf(_), "POST") => vec![ErrorCode::CsrfRejected, ErrorCode::JsonContentTypeRequired],
        (Requirement::OneOf(_), _) => vec![ErrorCode::CsrfRejected],
        _ => Vec::new(),
    }
}

/// Returns the codes that follow from the request: the codes of its fields, of a JSON body that is late or has unknown
/// fields, of any failure and of a busy database.
fn implied_codes(operation: &Value) -> Vec<ErrorCode> {
    let reads_json = operation["requestBody"]["content"].get("application/json").is_some();
    let of_body: &[_] = if reads_json { &[ErrorCode::RequestTimeout] } else { &[] };
    let of_fields: &[_] = if reads_json_fields(operation) { &[ErrorCode::FieldUnknown] } else { &[] };
    [&codes_of_fields(operation), of_body, of_fields, &[ErrorCode::ServiceOverloaded, ErrorCode::InternalError]]
        .concat()
}

/// Returns the codes of the fields of an upload, of an update or of a direct upload.
fn codes_of_fields(operation: &Value) -> Vec<ErrorCode> {
    let request = operation["requestBody"]["content"].to_string();
    let is_read = |schema| request.contains(&format!("\"{}\"", reference("schemas", schema)));
    let (is_upload, is_update) = (is_read("UploadForm"), is_read("UpdateContent"));
    let announces =
        operation["parameters"].to_string().contains("\"Upload-Metadata\"") || is_read("CreateDirectUpload");
    let is_read = |field: &FormField| {
        is_upload
            || (is_update && field.update_documentation().is_some())
            || (announces && field.max_text_bytes().is_some())
    };
    let fields = FormField::ALL.iter();
    fields.filter(|field| is_read(field)).map(|field| field.code()).collect()
}

fn response(codes: &[ErrorCode], body: RefusalBody) -> Value {
    let list: Vec<String> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
    let examples: Map<String, Value> = codes.iter().map(|code| example(*code, body)).collect();
    let schema = json!({ "$ref": reference("schemas", body.schema()) });
    json!({
        "description": list.join(", "),
        "headers": headers::of_refusals(codes, matches!(body, RefusalBody::KeyEnvelope)),
        "content": { "application/json": { "schema": schema, "examples": examples } },
    })
}

fn example(code: ErrorCode, body: RefusalBody) -> (String, Value) {
    (code.as_str().to_owned(), json!({ "$ref": reference("examples", &body.example_name(code)) }))
}

fn failure(code: ErrorCode) -> Failure {
    let limit = LimitState {
        ui_limit_failure_translation_key: code.as_str().to_owned(),
        is_limit_activated: true,
        limit_reset_time_unix: Some(1_795_305_600),
        limit_amount: 50,
    };
    Failure {
        success: false,
        error_message_code: code,
        field: None,
        detail: Some(code.text().to_owned()),
        docs_url: Some(format!("{}{}{}", DOCUMENTED.site, paths::DOCS_ERRORS, code.as_str())),
        limit: (code == ErrorCode::ContentUploadLimitFailure).then_some(limit),
    }
}
