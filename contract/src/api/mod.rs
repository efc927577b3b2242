//! The JSON bodies of the HTTP API, as the Worker serialises them and the OpenAPI document describes them.

mod accounts;
mod categories;
mod contents;
mod events;
mod failure;
mod flags;
mod fsck;
mod health;
mod jobs;
mod keys;
mod member;
mod metadata;
mod moderation;
mod oembed;
mod origin_keys;
mod sessions;
mod staff;
mod status;
mod upload;
mod upload_limits;
mod webhooks;

pub use accounts::{AccountErasure, EraseAccount};
pub use categories::{Categories, Category, SetCategories};
pub use contents::{ContentChanged, DeleteCaptions, DeleteContent, RescheduleContent, UpdateContent};
#[cfg(feature = "openapi")]
pub use contents::{UpdateCaptionsForm, UpdateThumbnailForm};
pub use events::{Event, EventData, EventType, Events};
pub use failure::Failure;
pub use flags::{AbuseReport, FlagDismissed, FlaggedContent, FlaggedContents, PageReported, ReportPage, ReportReason};
pub use fsck::{Difference, FsckPage, RunFsck};
pub use health::{Health, ServiceHealth};
pub use jobs::{DeadLetter, DeadLetterDropped, DeadLetters, DropDeadLetter, JobRequeued, RequeueJob};
#[cfg(feature = "openapi")]
pub use keys::EmptyObject;
pub use keys::{KeyEnvelope, KeyMetadata, LeakedKeyReported, ReportLeakedKey};
pub use member::Member;
pub use metadata::Metadata;
#[cfg(feature = "openapi")]
pub use moderation::DescribedHash;
pub use moderation::{
    BlockedHash, Blocklist, ChangeHash, ChannelModerated, ChannelTakenDown, ContentModerated, Decision, DecisionAction,
    Decisions, EvidencePage, FoundContent, FoundContents, HashChanged, HashesImported, ImportHashes, KeptEvidence,
    ModerateChannel, ModerateContent, ModerationQueue, QueuedContent, WaitsFor,
};
pub use oembed::Oembed;
pub use origin_keys::{CreateOriginKey, EndOriginKey, OriginKeyCreated, OriginKeyEnded, OriginKeyEntry, OriginKeys};
pub use sessions::{EndSession, MintSession, SessionEnded, SessionMinted};
pub use staff::{
    CreateToken, EndToken, NamedToken, NamedTokens, TokenCreated, TokenEnded, TokenRole, Trail, TrailEntry,
};
pub use status::{
    CaptionsChange, ContentStatus, PublicUrls, Subtitles, Thumbnail, ThumbnailChange, UploadStatus, Uploads,
};
#[cfg(feature = "openapi")]
pub use upload::{Bytes, UploadForm};
pub use upload::{SweepReport, UPLOAD_SUCCESS, UploadResult};
pub use upload_limits::{LimitState, UploadLimits, UploadRules};
pub use webhooks::{
    CreateWebhook, DeliveryState, EventsSentAgain, NamedWebhook, PauseReason, SendEventsAgain, UpdateWebhook, Webhook,
    WebhookChanged, WebhookDeleted, WebhookDeliveries, WebhookDelivery, WebhookResponse, WebhookState, WebhookTested,
    Webhooks,
};
