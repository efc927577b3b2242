#![forbid(unsafe_code)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]
//! x

mod asf;
mod avi;
mod bytes;
mod codec;
mod driver;
mod flv;
mod foreign;
mod iso_bmff;
mod matroska;
mod media;
mod mpeg;
mod ogg;
mod picture;
mod prober;
mod reconcile;
mod refusal;
mod sniff;
mod time;
mod timeline;

pub use codec::Codec;
pub use foreign::{Foreign, ForeignClass};
pub use media::{Container, DurationSource, Media, Track, TrackKind};
pub use prober::{Prober, Verdict};
pub use refusal::{Refusal, RefusalKind};
