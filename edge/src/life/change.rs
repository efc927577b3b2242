//! A change of a content: its new values, and everything that follows from them elsewhere.

use super::life::Life;
use crate::ids::UploadUuid;
use crate::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::{DecisionAction, EventData};
use contract::moderation::{Finding, FrameHash, Recommendation};
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub after: Life,
    pub effects: Effects,
}

/// Everything besides the rows of the content, its jobs and its captions.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an effect of its own")]
pub(crate) struct Effects {
    /// The event that tells the owner of it.
    pub event: Option<Event>,
    /// The lines that the staff reads about it.
    pub trail: Vec<TrailLine>,
    /// The removals that a restored database must repeat.
    pub removals: Vec<Removal>,
    /// Whether the cache in front of the Worker must forget it.
    pub is_purged: bool,
    /// Whether it may have objects that nothing needs.
    pub needs_cleanup: bool,
    /// Sent files that nobody wants any more, and those that are wanted from now on.
    pub garbage: Vec<UploadUuid>,
    pub used: Vec<UploadUuid>,
    /// Whether nobody has to look at it again.
    pub drops_flag: bool,
    pub evidence: Option<EvidenceEffect>,
    /// Whether the frame hashes are deleted that a rejection would block.
    pub forgets_frames: bool,
    /// Whether no words of the owner may be left: in events, in answers of webhooks, in findings.
    pub forgets_words: bool,
    pub decision: Option<Decision>,
    pub report: Option<AcceptedReport>,
    /// The version of the blocklist that must not have changed since frames were compared with it.
    pub blocklist_version: Option<u64>,
    /// Whether the change counts against the daily limit of its channel.
    pub is_counted: bool,
    pub storage: Option<StorageEffect>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub kind: String,
    pub data: EventData,
}

/// A line of the trail about the content.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrailLine {
    pub actor: String,
    pub action: &'static str,
    pub detail: Option<String>,
}

/// An entry of the removal log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Removal {
    pub kind: &'static str,
    pub subject: String,
    pub is_removed: bool,
    pub data: Value,
}

/// The fate of the evidence of a content that its owner deletes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EvidenceEffect {
    Kept(Evidence),
    /// A moderator has decided about a flagged content that its owner had deleted.
    TakenDown,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Evidence {
    pub state: ContentState,
    pub caption: Option<String>,
    pub summary: Option<String>,
    pub deleted_at_unix: UnixSeconds,
    pub kept_until_unix: UnixSeconds,
}

/// A moderator's decision, with what it blocks or no longer blocks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub action: DecisionAction,
    pub by: String,
    pub reason: String,
    pub blocks: Blocks,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Blocks {
    Nothing,
    /// The file, the frames that are kept in the object store, and those of the report that waits for a decision.
    Added {
        kept_frames: Vec<FrameHash>,
        reported_frames: bool,
    },
    Withdrawn,
}

/// A report about a video.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AcceptedReport {
    pub generation: u64,
    pub origin: String,
    pub fingerprint: String,
    pub kind: &'static str,
    pub recommendation: Option<Recommendation>,
    /// The version of the blocklist that must still be the same.
    pub blocklist_version: Option<u64>,
    pub findings: Vec<Finding>,
    /// The frames that a rejection would block. Only a content that waits needs them.
    pub frames: Vec<FrameHash>,
}

/// The details of a finished content move into the object store, or back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StorageEffect {
    Compacted,
    Expanded { reports: String, findings: String, upload_uuid: Option<UploadUuid> },
}

impl Effects {
    /// Whether a flagged content is deleted before anybody has decided about it. It stays flagged.
    pub(crate) fn keeps_flag(&self) -> bool {
        matches!(&self.evidence, Some(EvidenceEffect::Kept(kept)) if !kept.is_decided())
    }
}

impl Evidence {
    /// Whether a moderator or a check had removed the content before its owner deleted it.
    pub(crate) fn is_decided(&self) -> bool {
        !matches!(self.state, ContentState::Scheduled | ContentState::Published)
    }
}

impl Change {
    /// Returns the change of nothing.
    pub(crate) fn none(life: &Life) -> Self {
        Self { after: life.clone(), effects: Effects::default() }
    }
}
