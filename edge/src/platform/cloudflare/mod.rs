//! The traits of `platform`, implemented on Cloudflare. Only this folder and `http` name `worker::`.

pub(crate) mod cost;
pub(crate) mod d1;
mod digest;
pub(crate) mod edge_cache;
pub(crate) mod edge_platform;
mod fixed_length_stream;
pub(crate) mod jobs;
pub(crate) mod log;
mod promise;
pub(crate) mod r2;
pub(crate) mod random;
pub(crate) mod rate_limit;
pub(crate) mod request;
mod request_body;
pub(crate) mod response;
#[cfg(feature = "development")]
pub(crate) mod stall;
pub(crate) mod timeout;
pub(crate) mod traffic;
mod webhooks;
