//! Everything that the edge, the origin and the clients must agree on: error codes, JSON bodies, states, paths, limits
//! and signatures.
//!
//! Data and pure decisions only: no IO, no clock, no randomness, no platform.
#![forbid(unsafe_code)]

pub mod api;
mod backoff;
mod bidi;
mod canonical_number;
mod clock_time;
mod error_code;
#[cfg(feature = "openapi")]
pub mod example;
mod form_field;
mod hexadecimal;
pub mod job;
mod labels;
pub mod limits;
mod media_file;
pub mod mistake;
pub mod moderation;
mod object_key;
pub mod paths;
mod picture_hash;
mod rendition_name;
pub mod signature;
mod state;
pub mod subtitles;
mod test_outcome;
mod trace_context;
pub mod traffic;
mod webhook_signature;
mod whole_number;

pub use backoff::{Backoff, parse_retry_after};
pub use bidi::{is_bidi_control, is_bidi_embedding, is_bidi_override};
pub use clock_time::{clock_seconds, clock_time, parse_clock_time};
pub use error_code::ErrorCode;
pub use form_field::{FieldKind, FieldPurpose, FormField, Texts};
pub use hexadecimal::hexadecimal;
pub use job::{JOB_VERSION, JobMessage};
pub use labels::{Label, Visibility, parse_flag};
pub use media_file::{MediaFile, THUMBNAIL_WIDTHS};
pub use object_key::ObjectKey;
pub use picture_hash::{Appearance, ParseHashError, PictureHash};
pub use rendition_name::{RenditionName, VideoCodec};
pub use state::{ContentEvent, ContentState, Stage, TRANSITIONS};
pub use test_outcome::TestOutcome;
pub use trace_context::{MAX_TRACEPARENT_BYTES, TRACEPARENT, TraceContext};
pub use webhook_signature::{
    InvalidSecret, SigningSecret, WEBHOOK_ID, WEBHOOK_SIGNATURE, WEBHOOK_TIMESTAMP, WebhookMessage,
};
