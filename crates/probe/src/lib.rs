//! Judges a video while its bytes arrive: container, duration and tracks, each as early as it can be known.
//!
//! No IO, no clock, and no memory that grows with the file. The caller feeds chunks of any size; how the file is split
//! never changes the verdict. The same code runs in the Worker, next to ffmpeg, and under a fuzzer. This crate must not
//! depend on HTTP or on who is asking. Only [`judge`] compares the measurements with the public limits.
//!
//! # How a verdict develops
//!
//! ```
//! use probe::{Prober, Verdict};
//!
//! let mut prober = Prober::new();
//! for chunk in [&b"\x89PNG\r\n"[..], b"\x1A\n\0\0\0\rIHDR"] {
//!     match prober.feed(chunk) {
//!         Verdict::Undecided => {}              // prober.proven_ms() may already exceed the limit
//!         Verdict::Provisional(_video) => {}    // its declared duration may already be out of bounds
//!         Verdict::Refused(_reason) => break,   // final: the rest is not needed
//!     }
//! }
//! assert_eq!(prober.finish().unwrap_err().to_string(), "not a supported video: PNG (image)");
//! ```
//!
//! 1. *Sniffing*: sixteen bytes identify the container, or another format; MPEG-TS and text need two kilobytes.
//! 2. *Undecided*: the container's walk searches for metadata. [`Prober::skippable`] returns how many of the next bytes
//!    are media that is not read.
//! 3. *Provisional*: the file has declared its tracks and duration. If the metadata is at the front, this happens
//!    within the first kilobytes, so a video of 121 s is refused before its body arrives.
//! 4. *Proven*: timestamps accumulate. [`Prober::proven_ms`] never decreases, and the final duration is never less, so
//!    a stream that declares no duration or a false one is refused as soon as it exceeds the limit. Reading the proven
//!    duration takes a bounded number of operations for any file.
//! 5. *Final*: [`Prober::finish`] confirms or corrects the provisional verdict, and refuses a file that ends before its
//!    declared end.
//!
//! # Duration: how long the file plays
//!
//! Every sample that any player could reach is counted, or the file is refused ([`FileRefusal::Ambiguous`]);
//! `docs/probe.md` lists the principles. Declared durations can be forged, and ffprobe repeats the forgery. So the
//! duration is measured for each container.
//! *Provisional* says where the provisional verdict takes it from, and *differs* says when ffprobe reports another one.
//!
//! - **MP4, `QuickTime`, 3GP**: from the earliest start to the latest end of the audio and video tracks, by their edit
//!   lists, otherwise by the presentation times of their sample tables. Pauses between edits count. An edit counts for
//!   at most the media behind its start. Samples missing from `stts` last as long as its last listed sample. `mvhd`,
//!   `tkhd` and `mdhd` are not used. *Provisional*: with the header. *Differs*: if `mvhd` is not the longest track.
//! - **fragmented MP4**: from the earliest start to the latest end of the fragments, and at least the sum of one
//!   track's samples. *Provisional*: `mehd` or `sidx`. *Differs*: a single late fragment: its span, not its end;
//!   overlaps are added.
//! - **Matroska, `WebM`**: `Duration` if the blocks' timestamps allow it, otherwise from the first block to the end
//!   of the last. *Provisional*: `Duration`, unless the file has subtitles, which it includes. *Differs*: if
//!   `Duration` is absent or false; several files in one are refused.
//! - **AVI**: the frames and audio bytes that are present, divided by the streams' rates. *Provisional*: stream
//!   headers. *Differs*: if the headers are false.
//! - **FLV**: `onMetaData` if the tags' timestamps allow it, otherwise the tags' timestamps. *Provisional*:
//!   `onMetaData`. *Differs*: if it is absent or false.
//! - **ASF**: play time without preroll if the packets' timestamps allow it, otherwise the packets' timestamps.
//!   *Provisional*: file properties. *Differs*: if they are false.
//! - **MPEG-TS**: presentation times of all streams, including streams that no table lists, from the first to the end
//!   of the last frame, on a clock that may wrap but not restart. *Provisional*: never. *Differs*: audio in the last
//!   packet counts completely.
//! - **MPEG-PS**: the same; frames without a timestamp count. *Provisional*: never. *Differs*: by the frames of the
//!   last packet, which ffprobe omits.
//! - **Ogg**: granule positions from the first page on, and at least the number of Theora frames; chained files
//!   are refused. *Provisional*: never. *Differs*: never.
//!
//! A declaration is *allowed* if it ends where the last frame may end: at the earliest at the start of that frame, at
//! the latest after twice its likely duration. Rounding may add or subtract two milliseconds. Up to a second before
//! the first frame may be included; it is not played. If a declaration extends more than a second past the last
//! frame, the file is truncated. If nothing declares how long the last frame lasts (Matroska, FLV, ASF), at most
//! fifty milliseconds are added for it. An edit list is used even if it shortens the track, because ffmpeg plays by
//! it and phones trim with it; except for pauses, it cannot lengthen the track. Durations are rounded to the nearest
//! millisecond.
//!
//! # Why the parsers are written by hand
//!
//! Everything except the byte search is written here; `memchr` finds start codes, sync bytes and clusters. The crates
//! that read these containers need a seekable file or a whole header in memory, refuse real files, panic on some, or
//! are several times larger than the Worker's budget allows. A verdict needs only a few fields of each container.
//! `serde` (optional) serialises the verdict's types. `postcard` (optional) encodes the prober's state.
//!
//! # Bounds
//!
//! Every step of a walk consumes bytes or asks for at most 256 KiB in one piece. Tables are read entry by entry and
//! not stored. Tracks, edits, programs and structures are limited ([`FileRefusal::MetadataTooLarge`]). Time is linear
//! in the bytes fed. Arithmetic saturates, so the worst that a forged number can do is make a duration too long.
#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable)]

mod asf;
mod avi;
mod bytes;
mod codec;
mod driver;
mod ends;
mod flv;
mod foreign;
mod iso_bmff;
pub mod judge;
mod matroska;
mod media;
mod mpeg;
mod names;
mod ogg;
mod picture;
mod picture_format;
mod prober;
mod reconcile;
mod refusal;
mod sniff;
mod sound_bytes;
#[cfg(feature = "state")]
mod state;
mod structures;
mod time;
mod timeline;

pub use codec::Codec;
pub use foreign::{ForeignClass, ForeignFile};
pub use media::{Container, DurationSource, Media, MediaTrack, TrackKind};
pub use picture_format::PictureFormat;
pub use prober::{Prober, Verdict};
pub use refusal::{FileRefusal, FileRefusalKind};
