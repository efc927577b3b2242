//! Shared by the end-to-end suites: stacks to test on, clients that misbehave, an origin whose reports the tests
//! choose, and the runner.
//!
//! The suites are test targets that contain only tests, one file per subject: `e2e/` (the edge), `origin/` (real
//! origins), `browser/` (the whole system in Chromium), `description.rs` and `configuration.rs`. A test is an async
//! function with one of the attributes `e2e` and `browser`, and its name is the promise that it checks:
//!
//! ```text
//! #[e2e]
//! async fn a_deleted_key_is_invalid(stack: Arc<TestStack>) -> Result<()> { … }
//! ```
#![forbid(unsafe_code)]

mod durations;
mod registry;
mod repeats;
mod runner;
mod stack_kind;
mod stacks;

mod http;
mod media_bytes;
mod storage;
mod stored_state;
mod test_stack;
mod waiting;

mod channel;
mod fake_origin;
mod faulty_network;
mod leaks;
mod raw_http;
mod renamed_host;
mod secrecy;
mod test_content;
mod test_queue;
mod webhook_receiver;

mod client_program;
mod clips;
mod described_answers;
mod description_tools;
mod documented_programs;
mod origin_fleet;
mod origin_program;
mod published_files;

pub mod browser;

pub use inventory;
pub use native::now_unix;
pub use tests_macros::{browser, e2e};

pub use durations::{RecordedDuration, recorded_durations};
pub use registry::{BrowserTest, StackTest};
pub use runner::{BrowserSuite, StackSuite};

pub use http::{HttpAnswer, ensure_refused, send};
pub use stack_kind::{StackKind, StackLimits, TestCache};
pub use storage::{BrokenStore, R2Object, Store, sha256};
pub use stored_state::TestStackState;
pub use test_stack::{TestAccount, TestStack};
pub use waiting::until;

pub use channel::{Channel, ChannelRows};
pub use fake_origin::{SignedMessage, Signer, TestJob, processed};
pub use faulty_network::{ConnectionFaults, FaultyNetwork, NetworkCounts, NetworkFault, ScheduledFaults};
pub use leaks::nothing_is_left_behind;
pub use media_bytes::{all_media_files, bytes_of};
pub use raw_http::{RawUpload, exchange, upload_head};
pub use secrecy::no_secret_is_left_behind;
pub use test_content::{TestContent, moderator_request};
pub use test_queue::{TestQueue, bridge_address, job_text, queue_client};
pub use webhook_receiver::{ReceivedEvent, WebhookReceiver, WebhookReply};

pub use client_program::{ClientProgram, ClientRun};
pub use clips::{Clip, H264, Packaging, ffmpeg, picture, run_to_end, with_jpeg_comment};
pub use described_answers::every_answer_is_described;
pub use description_tools::{Document, GeneratedClient, node_tool, python_tool, run_tool};
pub use documented_programs::{
    DocumentedClient, DocumentedSample, SampleLanguage, documented_program, documented_samples, documented_scripts,
};
pub use origin_fleet::{AcceptedUpload, OriginFleet};
pub use origin_program::stripped_origin;
pub use published_files::{ExpectedMedia, PublishedFiles};

use std::path::{Path, PathBuf};

/// Returns the root of the repository.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
