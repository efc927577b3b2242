//! Limits that only the Worker tunes: how it stores an upload, how much memory uploads may hold, and how long a slot
//! lives.
//!
//! Limits that clients or origins rely on are in `contract::limits`.

use contract::PictureHash;
use contract::limits::{MAX_CAPTIONS_BYTES, MAX_THUMBNAIL_BYTES};

/// The smallest R2 part. R2 requires at least 5 MiB, and equal sizes except for the last part. Bodies without a length
/// are stored in parts of this size, because each part is held in memory.
pub const PART_BYTES: usize = 5 * 1024 * 1024;

/// The largest R2 part that streams. Each part costs a call to R2, but with larger parts, a call could last as long as
/// a slow client needs for its whole file.
pub const LARGEST_PART_BYTES: usize = 32 * 1024 * 1024;

/// The sizes that the R2 parts of a file may have. The largest is at least twice the smallest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartSizes {
    pub smallest: usize,
    pub largest: usize,
}

pub(crate) const PART_SIZES: PartSizes = PartSizes { smallest: PART_BYTES, largest: LARGEST_PART_BYTES };

/// The bytes of a file that are hashed and stored together. Large enough for few calls, small compared with a part.
pub const SEGMENT_BYTES: usize = 64 * 1024;

/// The memory that uploads of known length may reserve together in an isolate, which has 128 MB. A quarter is left for
/// the runtime, the code and other requests.
pub const STREAMED_UPLOADS_BYTES: usize = 53 * 1024 * 1024;

/// The memory in which uploads of known length hold small files, pictures and captions. Parsing a captions file takes
/// up to 2.5 MiB more, which is not included: parsing is synchronous, so an isolate parses one file at a time, in the
/// quarter that is left to everything else.
pub const HELD_FILES_BYTES: usize = 12 * 1024 * 1024;

/// The memory that uploads of unknown length may reserve together. They hold whole parts, so they have their own budget
/// and cannot push out the others.
pub const BUFFERED_UPLOADS_BYTES: usize = 22 * 1024 * 1024;

/// The memory in which uploads of unknown length fill a part while another is in flight, or hold a picture and
/// captions.
pub const BUFFERED_SECOND_PARTS_BYTES: usize = PART_BYTES;

/// The memory that each upload takes from the start: the current chunk in the runtime and in wasm, one segment, the
/// form parser and the prober.
const MEMORY_OF_ANY_UPLOAD: usize = 2 * READ_BYTES as usize + SEGMENT_BYTES + 32 * 1024;

/// The bytes of a body that are read at once.
pub const READ_BYTES: u32 = 64 * 1024;

/// The bytes that are read at once from a client that sends faster than the Worker reads, while memory is free.
pub const LARGE_READ_BYTES: u32 = 256 * 1024;

/// The memory that large reads take beyond what every upload has: the chunk in the runtime and in wasm, and a segment,
/// which is as large as the chunk.
pub const LARGE_READ_MEMORY: usize = 3 * (LARGE_READ_BYTES - READ_BYTES) as usize;

/// The memory that the large reads of all uploads may take together: enough for seven uploads.
pub const LARGE_READS_BYTES: usize = 4 * 1024 * 1024;

/// The memory in which an isolate keeps the blocklist: 262,144 hashes. It comes from the quarter that is left to
/// everything else. The rest of a longer list is read for each report.
pub const BLOCKLIST_BYTES: usize = 8 * 1024 * 1024;

/// The memory of an isolate for thumbnails that owners send for earlier videos. A picture of 2 MB takes up to 4 MB
/// while it arrives, because its buffer grows by doubling.
pub const SENT_PICTURES_BYTES: usize = 8 * 1024 * 1024;

/// The memory of an isolate for captions that owners send. A file of 512 KiB takes up to 3 MiB while it is parsed.
pub const SENT_CAPTIONS_BYTES: usize = 6 * 1024 * 1024;

/// The longest body that is judged before its upload reserves a slot. Callers whose key is not yet known to be valid
/// cause it too, so it is not longer than the headers of a request may be.
pub const PREVIEWED_BYTES: usize = 16 * 1024;

/// The memory of an isolate for such bodies: 16 at once, each with its chunks, a segment, the form parser and the
/// prober. It comes from the quarter that is left to everything else. Without room, an upload reserves its slot first.
pub const PREVIEWS_BYTES: usize = 16 * MEMORY_OF_PREVIEW;

/// The memory that each of them takes.
pub const MEMORY_OF_PREVIEW: usize = 2 * PREVIEWED_BYTES + 32 * 1024;

/// Returns the memory that an upload reserves when it begins. An upload of known length takes more while it holds a
/// small file. An upload of unknown length holds a part, and takes a second part while memory is free.
pub const fn reserved_memory(has_length: bool) -> usize {
    if has_length { MEMORY_OF_ANY_UPLOAD } else { MEMORY_OF_ANY_UPLOAD + PART_BYTES }
}

/// The number of uploads of unknown length that one isolate accepts at once. It refuses further ones with
/// `service_overloaded`.
pub const BUFFERED_UPLOADS_AT_ONCE: usize = BUFFERED_UPLOADS_BYTES / reserved_memory(false);

/// The seconds after which a channel with too many open uploads may try again. The end of any of its uploads makes
/// room. A refusal costs one batch of statements, so a client may ask every few seconds.
pub const OPEN_UPLOADS_RETRY_SECONDS: u64 = 5;

/// The seconds after which a client may retry an upload for which the isolate had no memory.
pub const OVERLOADED_RETRY_SECONDS: u64 = 5;

/// The time that an upload may be silent before it loses its slot. A crashed upload blocks its token for this long.
pub const LEASE_SECONDS: u64 = 120;

// A quarter of an isolate's memory is left to everything else, and hundreds of uploads fit into the rest.
const _: () = assert!(
    STREAMED_UPLOADS_BYTES
        + HELD_FILES_BYTES
        + BUFFERED_UPLOADS_BYTES
        + BUFFERED_SECOND_PARTS_BYTES
        + LARGE_READS_BYTES
        <= 128 * 1024 * 1024 / 4 * 3
);
// A file slightly larger than the largest part can be divided into two parts that R2 accepts.
const _: () = assert!(LARGEST_PART_BYTES >= 2 * PART_BYTES);
const _: () = assert!(STREAMED_UPLOADS_BYTES / reserved_memory(true) >= 240);
const _: () = assert!(LARGE_READS_BYTES / LARGE_READ_MEMORY == 7);
const _: () = assert!(BLOCKLIST_BYTES / PictureHash::BYTES == 262_144);
// Several owners can send a picture or captions at once, and both fit into that quarter with the blocklist.
const _: () = assert!(SENT_PICTURES_BYTES >= 2 * (2 * MAX_THUMBNAIL_BYTES));
const _: () = assert!(SENT_CAPTIONS_BYTES == 2 * (6 * MAX_CAPTIONS_BYTES));
const _: () = assert!(BLOCKLIST_BYTES + SENT_PICTURES_BYTES + SENT_CAPTIONS_BYTES <= 128 * 1024 * 1024 / 4);
