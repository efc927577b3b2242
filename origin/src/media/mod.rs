//! Turns a downloaded file in a private folder into verified outputs beside it.
//!
//! Six stages, each a folder that imports only the ones before it: `source` (facts about the file) → `plan`
//! (decisions) → `encode` (what ffmpeg makes) → `package` (segments) → `verify` (proof that all outputs match the
//! plan) → `lists` (the playlist and the manifest of what was verified). `process` alone starts ffmpeg and ffprobe;
//! the loose files are vocabulary that every stage shares. All of it blocks: the caller provides a thread. It must not
//! depend on the queue, the object store or the edge.

pub mod all_stages;
mod context;
pub mod encode;
pub mod encoders;
mod error;
pub mod files;
mod frame_rate;
mod hardware;
mod limits;
pub mod lists;
pub mod package;
pub mod plan;
mod process;
pub mod source;
pub mod step_files;
mod units;
pub mod verify;

pub use context::{Access, CancelFlag, Confinement, MediaContext, NoConfinement, Tools};
pub use error::MediaError;
pub use frame_rate::FrameRate;
pub use hardware::Hardware;
pub use limits::time_after_inspection;
