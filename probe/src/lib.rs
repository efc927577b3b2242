//! Judges a video while its bytes stream past: container, duration and tracks, as early as they can be known.
//!
//! No IO, no clock, no memory that grows with the file. The caller feeds chunks of any size; splits never change
//! a verdict. The same code runs in the Worker, next to ffmpeg, and under a fuzzer.
//!
//! # The life of a verdict
//!
//! ```
//! use probe::{Prober, Verdict};
//!
//! let mut prober = Prober::new();
//! for chunk in [&b"\x89PNG\r\n"[..], b"\x1A\n\0\0\0\rIHDR"] {
//!     match prober.feed(chunk) {
//!         Verdict::Undecided => {}              // prober.proven_ms() may pass the limit nevertheless
//!         Verdict::Provisional(_video) => {}    // its declared length may already be out of bounds
//!         Verdict::Refused(_reason) => break,   // final: the rest need not arrive
//!     }
//! }
//! assert_eq!(prober.finish().unwrap_err().to_string(), "not a supported video: PNG (image)");
//! ```
//!
//! 1. *Sniffing*: sixteen bytes name the container, or what else the file is; MPEG-TS and text need two kilobytes.
//! 2. *Undecided*: the container's walk looks for its metadata. [`Prober::skippable`] tells how many of the next
//!    bytes are media that nobody looks at.
//! 3. *Provisional*: the file told its tracks and its length. With the metadata in front that is within the first
//!    kilobytes, so a film of 121 s is refused before its body arrives.
//! 4. *Proven*: timestamps accumulate. [`Prober::proven_ms`] only grows, and the last word is never less, so a stream
//!    that declares nothing, or lies, is refused the moment it passes the limit. Reading it costs a bounded handful
//!    of operations, whatever the file.
//! 5. *The last word*: [`Prober::finish`] confirms the provisional verdict or overturns it, and refuses a file that
//!    ends before the end that it declares.
//!
//! # Duration: what would be played
//!
//! Declared lengths can be forged, and then ffprobe repeats the forgery. So each container is measured:
//!
//! | container | the length is | provisional | differs from ffprobe |
//! |---|---|---|---|
//! | MP4, `QuickTime`, 3GP | the longest sound or picture track by its edit list, else by its sample table; pauses count, an edit counts for no more than its track has; samples that `stts` leaves out last as long as the last one that it lists. `mvhd`, `tkhd` and `mdhd` have no say | with the header | where `mvhd` is not the longest track |
//! | fragmented MP4 | earliest start to latest end of the fragments, and no less than all their samples together | `mehd` or `sidx` | a lone late fragment: its span, not its end; overlaps add up |
//! | Matroska, `WebM` | `Duration` where the blocks' times allow it, else first block to last one's end | `Duration` | where `Duration` is absent or false; several files in one add up |
//! | AVI | frames and sound bytes that are there, over the streams' rates | stream headers | where the headers are false |
//! | FLV | `onMetaData` where the tags' times allow it, else the tags' times | `onMetaData` | where it is absent or false |
//! | ASF | play time less preroll where the packets' times allow it, else these | file properties | where they are false |
//! | MPEG-TS | presentation times, first to last, with the last frame; a wrap of the clock is none, a restart adds up | never | restarts; sound in the last packet counts whole |
//! | MPEG-PS | the same; frames without a time of their own count | never | by the last packet's frames, which ffprobe leaves out |
//! | Ogg | granule positions from the first page on, and no less than the frames of Theora; chained files add up | never | chained files |
//!
//! A declaration is *allowed* when it ends where the last frame may end: at least at its start, at most twice its
//! likely length later, give or take two milliseconds, plus up to a second of silence before the first frame. A
//! declaration that goes on for more than a second behind the last frame is a truncated file. Where nothing tells how
//! long the last frame stays (Matroska, FLV, ASF), fifty milliseconds at most are added for it. An edit list is
//! believed even where it cuts, because ffmpeg plays by it and phones trim with it; it cannot lengthen.
//! Durations are rounded to the nearest millisecond.
//!
//! # What is written by hand, and why
//!
//! Everything but the byte search: `memchr` finds start codes, sync bytes and clusters. The crates that read these
//! containers want a seekable file or a whole header in memory, refuse real files, panic on some, or weigh several
//! times the Worker's budget; what a verdict needs of each container is a few fields. `serde` (optional) serialises
//! the verdict's types and is otherwise absent.
//!
//! # Bounds
//!
//! Every step of a walk consumes bytes or asks for at most 256 KiB in one piece; tables are read entry by entry and
//! not kept; tracks, edits and programs are counted and limited ([`Refusal::MetadataTooLarge`]). Time is linear in the
//! bytes fed, and arithmetic saturates, so a forged number is at worst too long.
#![forbid(unsafe_code)]
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable
)]

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
