//! The platform: the only files, beside the entry points and routes, that name `worker::`.

mod app;
mod cost;
mod d1;
pub mod entry;
pub mod log;
mod random;
mod sessions;

pub use app::App;
