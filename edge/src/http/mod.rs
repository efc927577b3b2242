//! The HTTP shell: finds the route, identifies the caller, reads the request, calls the core, and writes the answer.
//!
//! Data flows one way: `entry` → `router` → `callers` and `body` → `routes` → core → `refusal_response`. Nothing below
//! this folder knows HTTP routes, hosts or response bodies.

mod app;
mod body;
mod callers;
mod cross_origin;
pub(crate) mod entry;
mod failed_requests;
mod first_field;
mod follow_ups;
mod form_headers;
mod host_role;
mod json_lines;
mod linger;
mod named_values;
#[cfg(not(target_arch = "wasm32"))]
pub mod openapi;
mod person_text;
mod platform_parts;
mod query;
pub(crate) mod refusal_response;
mod route;
mod router;
mod routes;
pub(crate) mod scheduled;
mod secrets;
mod session_store;
mod settings;
mod small_body;
mod test_videos;
mod trace;
mod transport;
mod tus;
mod webhook_sending;

pub(crate) use app::App;
