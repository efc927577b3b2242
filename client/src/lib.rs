//! A client of the developer API: judges files before it sends them, posts each file exactly once, and retries
//! temporary failures.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use client::{ApiKey, Client, ClientOptions, JudgedFile, ServiceUrl, TokenStore, UploadFields, UploadPlan};
//!
//! let service: ServiceUrl = "https://upload.example.com".parse()?;
//! let key: ApiKey = std::env::var("CLIPGATE_API_KEY")?.parse()?;
//! let client = Client::new(service, key, ClientOptions::default())?;
//! let limits = client.upload_limits().await?;
//! let file = JudgedFile::read("clip.mp4".as_ref(), limits.accepts.max_resumable_bytes, &|_| {})?;
//! let fields = UploadFields { caption: Some("My first video".to_owned()), ..UploadFields::default() };
//! let plan = UploadPlan { file: &file, fields: &fields, is_again: false, rules: &limits.accepts };
//! let store = TokenStore::open("/var/lib/my-program/uploads".into())?;
//! let outcome = client::upload_once(&client, &store, &plan, &|_sent| {}).await?;
//! println!("{}", outcome.content_uuid());
//! # Ok(())
//! # }
//! ```
//!
//! The program `clipgate` (`cli/`) is a shell around this library. The library must not depend on terminals or
//! arguments, or choose folders itself.
#![forbid(unsafe_code)]

mod answers;
mod api;
mod backoff;
mod captions;
mod connection;
mod error;
mod fields;
mod file;
mod folder;
mod forward;
mod pieces;
mod refusal;
mod service;
mod text;
mod text_hash;
mod tokens;
mod upload;

pub use answers::{EventsPage, LoggedEvent, PageUrls, Status, StatusPage, UploadAnswer};
pub use api::{Client, ListFilter, StatusChange};
pub use backoff::{RETRYABLE, pause};
pub use captions::Captions;
pub use connection::{ClientOptions, RetryNotice};
pub use contract::api::{Member, UpdateContent};
pub use error::ClientError;
pub use fields::{FieldContext, UploadFields};
pub use file::{FileError, JudgedFile};
pub use folder::{FolderEntry, is_video_name, videos_in};
pub use forward::{Delivery, Forwarder};
pub use refusal::Refusal;
pub use service::{ApiKey, InvalidKey, InvalidUrl, ServiceUrl};
pub use text::{printable, printable_path};
pub use tokens::{RecordId, StoreError, TokenStore, UploadRecord, UploadState};
pub use upload::{UploadOutcome, UploadPlan, upload_once};
