//! The platform: the only files, beside the entry points and routes, that name `worker::`.

mod app;
mod cost;
mod d1;
mod digest;
mod edge_platform;
pub mod entry;
mod jobs;
pub mod key_rate;
pub mod linger;
pub mod log;
mod media;
mod r2;
mod random;
mod request;
mod sessions;

pub use app::App;
pub use media::{MediaStore, into_runtime};
