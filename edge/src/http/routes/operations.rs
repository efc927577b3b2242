//! `GET /internal/metrics` and `GET /internal/health`, for monitoring.

use crate::base::refusal::Refusal;
use crate::base::version::{COMMIT, VERSION};
use crate::http::App;
use crate::http::callers::{Moderator, Watch};
use crate::http::platform_parts::PlatformParts;
use crate::people::keys::pepper_counts::{UnmovedKeys, count_unmoved};
use crate::platform::queue::Backlog;
use crate::upkeep::gauges::{Exposition, Kind, Sample, add_gauges};
use axum::Json;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use contract::api::ServiceHealth;

/// The text format of Prometheus.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the state of the service as metrics for Prometheus.
///
/// Everything is read from indexes and counters, so the route can be scraped every few seconds. If D1 does not respond,
/// its metrics are missing, and `clipgate_edge_part_up` for `d1` is 0.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::METRICS, tag = "operations",
    responses(
        (status = 200, description = "The metrics.", body = String, content_type = "text/plain"),
    )
))]
#[worker::send]
pub async fn get_metrics(app: App, _: Moderator<Watch>) -> Result<([(HeaderName, &'static str); 1], String), Refusal> {
    let mut page = Exposition::default();
    let build = Sample::new(format!("version=\"{VERSION}\",commit=\"{COMMIT}\""), 1);
    page.add("build_info", Kind::Gauge, "Always 1. The labels are the build of the Worker.", &[build]);
    let parts = PlatformParts::check(&app).await;
    add_parts(&mut page, &parts);
    add_queue(&mut page, &parts, app.now_ms());
    if parts.has_database() {
        add_gauges(&mut page, &app.database()?, app.now()).await?;
        add_unmoved_keys(&mut page, &app).await?;
        add_database(&mut page, &app);
    }
    Ok(([(CONTENT_TYPE, TEXT_FORMAT)], page.into_text()))
}

/// Reports whether D1, R2, KV and the queue respond.
///
/// 401 `admin_token_invalid`, 403 `token_role_missing`; 503 `service_unavailable`, whose `detail` names the parts that
/// do not respond.
#[cfg_attr(not(target_arch = "wasm32"), utoipa::path(
    get, path = contract::paths::SERVICE_HEALTH, tag = "operations",
    responses((status = 200, description = "All parts respond.", body = ServiceHealth))
))]
#[worker::send]
pub async fn get_service_health(app: App, _: Moderator<Watch>) -> Result<Json<ServiceHealth>, Refusal> {
    let parts = PlatformParts::check(&app).await;
    parts.refuse_failed()?;
    Ok(Json(ServiceHealth { success: true, parts: parts.all().map(|(name, _)| name.to_owned()).into() }))
}

fn add_parts(page: &mut Exposition, parts: &PlatformParts) {
    let up = |(name, error): (&str, Option<_>)| Sample::new(format!("part=\"{name}\""), u64::from(error.is_none()));
    page.add("part_up", Kind::Gauge, "Whether a part of the platform responds.", &parts.all().map(up));
}

fn add_queue(page: &mut Exposition, parts: &PlatformParts, now_ms: u64) {
    let Ok(backlogs) = &parts.queue else { return };
    let mut add = |name, help, value: fn(&Backlog, u64) -> u64| {
        let sample =
            |(queue, backlog): &(&str, Backlog)| Sample::new(format!("queue=\"{queue}\""), value(backlog, now_ms));
        page.add(name, Kind::Gauge, help, &backlogs.iter().map(sample).collect::<Vec<_>>());
    };
    add(
        "queue_messages",
        "Messages in a queue, including pulled ones. A job has one, and one more after each silence.",
        |backlog, _| backlog.messages,
    );
    add("queue_bytes", "Bytes of the messages in a queue.", |backlog, _| backlog.bytes);
    add("queue_oldest_seconds", "Age of the oldest message in a queue.", |backlog, now_ms| {
        backlog.oldest_at_ms.map_or(0, |at| now_ms.saturating_sub(at) / 1000)
    });
}

/// While the pepper is being replaced, the operator waits until both are 0.
async fn add_unmoved_keys(page: &mut Exposition, app: &App) -> Result<(), Refusal> {
    let second_pepper = app.settings().pepper.second_id();
    let UnmovedKeys { second, unknown } = count_unmoved(&app.database()?, second_pepper.as_deref()).await?;
    let keys = [("second", second), ("unknown", unknown)];
    let samples = keys.map(|(pepper, keys)| Sample::new(format!("pepper=\"{pepper}\""), keys));
    let help = "API keys that have not moved away from KEY_PEPPER_SECOND. 0 if that is not set.";
    page.add("unmoved_api_keys", Kind::Gauge, help, &samples);
    Ok(())
}

/// D1 reports the size of the database with every response.
fn add_database(page: &mut Exposition, app: &App) {
    if let Some(bytes) = app.database_bytes() {
        let help = "Size of the D1 database, which can have 10 GB.";
        page.add("database_bytes", Kind::Gauge, help, &[Sample::alone(bytes)]);
    }
}
