//! The OpenAPI document, from the very types that the Worker serialises. Native only.

use crate::routes;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

#[derive(OpenApi)]
#[openapi(
    info(title = "Clipgate developer API", description = "Create an API key, post a video, follow what becomes of it."),
    modifiers(&Credentials, &LimitOfFailures),
    paths(
        routes::health::get_health,
        routes::openapi::get_openapi,
        routes::api_keys::create_api_key,
        routes::api_keys::delete_api_key,
        routes::api_keys::rotate_api_key,
        routes::api_keys::get_api_key,
        routes::sessions::mint_session,
        routes::sessions::end_session,
        routes::upload_video::upload_video,
        routes::upload_limits::get_upload_limits,
        routes::uploads::get_upload_status,
        routes::uploads::list_uploads,
        routes::sweep::run_sweep,
        routes::jobs::claim_job,
        routes::jobs::note_progress,
        routes::jobs::release_job,
        routes::jobs::report_job,
        routes::jobs::requeue_job,
        routes::contents::delete_content,
        routes::contents::reschedule_content,
        routes::media::get_video,
        routes::media::get_media_file,
        routes::media::get_hls_file,
        routes::page::get_page,
        routes::moderation::list_queue,
        routes::moderation::approve_content,
        routes::moderation::reject_content,
        routes::moderation::take_down_content,
        routes::moderation::list_decisions,
        routes::moderation::list_hashes,
        routes::moderation::block_hash,
        routes::moderation::unblock_hash,
        routes::categories::list_categories,
        routes::categories::set_categories,
    ),
    components(schemas(contract::ErrorCode, contract::api::LimitState))
)]
struct Document;

struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = || SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("__Host-session")));
        components.add_security_scheme("session", cookie);
        components.add_security_scheme("api_key", bearer());
        components.add_security_scheme("service_token", bearer());
        components.add_security_scheme("admin_token", bearer());
        let signature = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
            contract::signature::SIGNATURE_HEADER,
            "HMAC-SHA256 over method, path, id, time and the body's hash, as `contract/src/signature.rs` writes it.",
        )));
        components.add_security_scheme("origin_signature", signature);
    }
}

/// A failure carries the fields of the daily limit when that is the reason, and else none of them.
struct LimitOfFailures;

impl Modify for LimitOfFailures {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let fields = match components.schemas.get("LimitState") {
            Some(RefOr::T(Schema::Object(limit))) => limit.properties.clone(),
            _ => return,
        };
        if let Some(RefOr::T(Schema::Object(failure))) = components.schemas.get_mut("Failure") {
            failure.properties.extend(fields);
        }
    }
}

/// The document as it stands in `edge/site/openapi.json`.
pub fn document() -> String {
    let mut text = Document::openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let described: BTreeSet<String> = Document::openapi().paths.paths.into_keys().collect();
        let served = crate::router::paths()
            .into_iter()
            .filter(|path| !path.starts_with("/dev/"));
        assert_eq!(described, served.map(str::to_owned).collect());
    }

    fn schema(name: &str) -> serde_json::Value {
        let document: serde_json::Value = serde_json::from_str(&document()).unwrap();
        document["components"]["schemas"][name].clone()
    }

    #[test]
    fn the_codes_are_described_as_they_are_sent() {
        let described = schema("ErrorCode")["enum"].clone();
        assert_eq!(described, serde_json::json!(contract::ErrorCode::ALL));
    }

    #[test]
    fn a_failure_is_described_with_and_without_the_limit() {
        let limit = contract::api::LimitState {
            ui_limit_failure_translation_key: String::new(),
            is_limit_activated: true,
            limit_reset_time_unix: None,
            limit_amount: 1,
        };
        let failure = contract::api::Failure {
            success: false,
            error_message_code: contract::ErrorCode::NotFound,
            field: Some(String::new()),
            detail: Some(String::new()),
            limit: Some(limit),
        };
        let sent = serde_json::to_value(&failure).unwrap();
        let described = schema("Failure");
        let names = |object: &serde_json::Value| -> BTreeSet<String> {
            object.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(&described["properties"]), names(&sent));
        let always = serde_json::json!(["success", "error_message_code"]);
        assert_eq!(described["required"], always);
    }

    #[test]
    fn it_is_openapi_3_1() {
        assert!(document().contains("\"openapi\": \"3.1"));
    }
}
