//! The edge: a Worker that runs near the client.
//!
//! `http` turns requests into calls of the core, and the core decides. The core reaches the platform only through the
//! traits of `platform`, which `platform::cloudflare` implements. The rooms import each other in one direction,
//! upwards in `ops/dev/tests/layout.rs`, which has them in their order.

#![forbid(unsafe_code)]
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a panic answers 500; every case must have its own answer"
)]

mod base;
mod contents;
mod http;
mod jobs;
mod journal;
mod moderation;
mod people;
mod platform;
mod upkeep;
mod uploads;
mod viewing;
mod webhooks;

#[cfg(test)]
mod testing;

pub use base::limits;

#[cfg(not(target_arch = "wasm32"))]
pub use http::openapi;

use worker::web_sys::Response;
use worker::{Context, Env, Request, ScheduleContext, ScheduledEvent, event};

#[event(start)]
fn start() {
    platform::cloudflare::log::install();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    platform::cloudflare::response::into_runtime(http::entry::answer(request, env).await).await
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    Box::pin(http::scheduled::run_every_minute(env)).await;
}
