//! The edge: a Worker next to the client. Root files think, `bindings/` talks to the platform, `routes/` joins the two.

#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a request that dies this way answers 500; every case has an answer of its own"
)]

mod api_key;
mod categories;
mod channels;
mod contents;
mod daily_limit;
mod database;
mod delivery;
mod entropy;
mod error;
#[cfg(test)]
mod fake_platform;
mod hash;
mod intake;
mod jobs;
mod key_store;
mod memory_budget;
mod moderation;
mod origin_signature;
mod outbox;
mod paging;
mod platform;
mod publication;
mod same_origin;
mod session;
#[cfg(test)]
mod sqlite;
mod surface;
mod sweep;

mod bindings;
mod router;
mod routes;

#[cfg(not(target_arch = "wasm32"))]
pub mod openapi;

use worker::web_sys::Response;
use worker::{Context, Env, Request, ScheduleContext, ScheduledEvent, event};

#[event(start)]
fn start() {
    bindings::log::install();
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _context: Context) -> worker::Result<Response> {
    bindings::into_runtime(bindings::entry::answer(request, env).await)
}

#[event(scheduled)]
async fn scheduled(_event: ScheduledEvent, env: Env, _context: ScheduleContext) {
    bindings::entry::sweep(env).await;
}
