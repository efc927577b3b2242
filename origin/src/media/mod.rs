//! From a downloaded file in a private folder to verified outputs beside it.
//!
//! The story, and each step's file: `inspect` (what is it, and may it pass), `sound` (how loud is it), `plan` (what
//! becomes of it), `transcode` (one ffmpeg process makes it), `verify` (is it so). Decisions are pure; `spawn` alone
//! starts processes. All of it blocks: the caller gives it a thread. Knows no queue, no store, no edge.

pub mod argv;
mod error;
mod ffprobe;
pub mod files;
mod filters;
mod findings;
mod inspect;
pub mod ladder;
pub mod limits;
mod loudness;
pub mod needs;
mod packets;
mod plan;
mod playlist;
mod rate;
mod score;
mod sound;
mod spawn;
mod stills;
mod thumbnail;
mod tools;
mod transcode;
mod verify;
mod written;

pub use error::MediaError;
pub use findings::{Findings, Span};
pub use inspect::{Audio, Inspection, Video, inspect};
pub use loudness::{Correction, Loudness, PEAK_DBTP, TARGET_LUFS, TOLERANCE_LU};
pub use plan::{Colour, Plan, Thumbnail, plan};
pub use playlist::Rendition;
pub use rate::Rate;
pub use sound::{Sound, Treatment, settle as settle_sound};
pub use stills::{Stills, Storyboard};
pub use thumbnail::open_sent as open_sent_picture;
pub use tools::{Access, Confine, Stop, Tools, Unconfined, Workshop};
pub use transcode::{Outputs, transcode};
pub use verify::{Verified, verify};

/// All steps in one, for those who report no stages.
pub fn process(
    shop: &Workshop<'_>,
    thumbnail: &Thumbnail,
    progress: impl FnMut(u8),
) -> Result<(Plan, Outputs, Verified), MediaError> {
    let inspection = inspect(shop)?;
    let sound = settle_sound(shop, &inspection)?;
    let plan = plan(&inspection, sound, thumbnail);
    let outputs = transcode(shop, &plan, thumbnail, progress)?;
    let verified = verify(shop, &plan)?;
    Ok((plan, outputs, verified))
}
