//! The two OpenAPI documents: one for programs, owners and viewers, one for the site's back end, origins and
//! moderators. Native only.
//!
//! utoipa reads the schemas and their examples from the types that the Worker serializes, and the operations from the
//! attributes of the handlers in the route table. The files here add the parts that many operations share: credentials
//! and servers from the route table, refusals from the codes in a handler's documentation, and headers.
#![expect(clippy::indexing_slicing, reason = "a missing member of a JSON value is null; the Worker does not have this")]

mod captions_fields;
mod credentials;
mod events;
mod examples;
mod form_order;
mod headers;
mod lenient;
mod open_values;
mod refusals;
mod route_list;
mod servers;

use super::route::Route;
use super::routes::{InternalOperations, PublicOperations, table};
use form_order::FormOrder;
pub use route_list::route_list;
use serde::Serialize;
use serde_json::Value;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as DeclaredApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Clipgate developer API",
        description = "Create an API key, upload a video, and follow its processing.\n\n\
            Every failure has an `error_message_code`. New codes, states, stages and fields may be added at any time, \
            so treat an unknown code as final and an unknown state as not final. `docs/publish/versions.md` says what \
            may change and how changes are announced.",
    ),
    tags(
        (name = "keys", description = "The API key of a signed-in user's account."),
        (name = "uploads", description = "Uploads and the videos of the key's channel."),
        (name = "direct_uploads", description = "Uploads directly from your users' devices, with one-time tokens."),
        (name = "events", description = "The event log of a channel."),
        (name = "webhooks", description = "The endpoints that receive a channel's events, and their deliveries."),
        (name = "webhook_events", description = "The signed requests that your endpoint receives, one for each event."),
        (name = "site", description = "Public pages and files."),
        (name = "service", description = "The health check and this description of the API."),
    ),
    components(schemas(contract::ErrorCode, contract::api::LimitState, contract::api::Failure))
)]
struct PublicApi;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Clipgate internal API",
        description = "The API for the site's back end, origins and moderators. Not public: it changes together with \
            the Worker, without notice.",
    ),
    tags(
        (name = "service", description = "For the site's back end."),
        (name = "origins", description = "For origins, and for the media team to request new jobs."),
        (name = "moderation", description = "For moderators."),
        (name = "operations", description = "For monitoring."),
        (name = "operator", description = "For operators who issue tokens, and for audits."),
    ),
    components(schemas(contract::ErrorCode, contract::api::Failure))
)]
struct InternalApi;

/// Returns the public document, which `edge/site/openapi.json` contains.
pub fn public() -> String {
    let mut document = complete(PublicApi::openapi(), PublicOperations::openapi());
    events::describe(&mut document);
    refusals::omit_internal_codes(&mut document);
    text(&document)
}

/// Returns the internal document, which `docs/internal-openapi.json` contains.
pub fn internal() -> String {
    text(&complete(InternalApi::openapi(), InternalOperations::openapi()))
}

fn complete(mut declared: DeclaredApi, operations: DeclaredApi) -> Value {
    declared.merge(operations);
    let mut document = serde_json::to_value(declared).unwrap_or_default();
    for route in table() {
        if let Some(operation) = operation(&mut document, &route) {
            credentials::describe(operation, &route);
            servers::describe(operation, &route);
            refusals::describe(operation, &route);
            headers::describe(operation, &route);
            lenient::describe(operation, &route);
        }
    }
    examples::describe(&mut document);
    refusals::add_limit_to_failures(&mut document);
    captions_fields::describe(&mut document);
    open_values::open(&mut document);
    for define in [credentials::define, servers::define, refusals::define, headers::define, lenient::define] {
        define(&mut document);
    }
    document
}

fn operation<'a>(document: &'a mut Value, route: &Route) -> Option<&'a mut Value> {
    document["paths"].get_mut(route.path)?.get_mut(route.method().to_lowercase())
}

/// Adds the definitions that the document refers to as components of this kind.
fn define_used(document: &mut Value, kind: &str, definitions: impl Iterator<Item = (String, Value)>) {
    let text = document.to_string();
    for (name, definition) in definitions {
        if text.contains(&format!("\"{}\"", reference(kind, &name))) {
            document["components"][kind][name] = definition;
        }
    }
}

fn reference(kind: &str, name: &str) -> String {
    format!("#/components/{kind}/{name}")
}

/// The document in the order in which people read it.
#[derive(Serialize)]
struct Ordered<'a> {
    openapi: &'a Value,
    info: &'a Value,
    servers: &'a Value,
    tags: &'a Value,
    paths: &'a Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    webhooks: &'a Value,
    components: FormOrder<'a>,
}

fn text(document: &Value) -> String {
    let part = |name| &document[name];
    let ordered = Ordered {
        openapi: part("openapi"),
        info: part("info"),
        servers: part("servers"),
        tags: part("tags"),
        paths: part("paths"),
        webhooks: part("webhooks"),
        components: FormOrder(part("components")),
    };
    let mut text = serde_json::to_string_pretty(&ordered).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
