//! A change of a content: its new values, and its effects elsewhere.

use super::life::Life;
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::{AppealState, DecisionAction, EventData};
use contract::moderation::{Finding, FrameHash, Recommendation};
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub after: Life,
    pub effects: Effects,
}

/// The effects outside the rows of the content, its jobs and its captions.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an effect of its own")]
pub(crate) struct Effects {
    /// The event for the owner.
    pub event: Option<Event>,
    /// The lines of the trail.
    pub trail: Vec<TrailLine>,
    /// The removals that a restored database must repeat.
    pub removals: Vec<Removal>,
    /// Whether the content is purged from the cache in front of the Worker.
    pub is_purged: bool,
    /// Whether the content may have objects that are no longer needed.
    pub needs_cleanup: bool,
    /// Sent files that become garbage, and sent files that are used from now on.
    pub garbage: Vec<UploadUuid>,
    pub used: Vec<UploadUuid>,
    /// Whether the content's flag is removed.
    pub drops_flag: bool,
    pub evidence: Option<EvidenceEffect>,
    /// Whether the frame hashes for a rejection are deleted.
    pub forgets_frames: bool,
    /// Whether the owner's words are removed from events, recorded webhook responses and findings.
    pub forgets_words: bool,
    pub decision: Option<Decision>,
    pub appeal: Option<AppealEffect>,
    pub report: Option<AcceptedReport>,
    /// The version of the blocklist that the frames were compared with, which must still be current.
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
    /// A moderator has removed a flagged content that its owner had deleted.
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

/// An owner appeals against a decision, or a moderator decides about the appeal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AppealEffect {
    Made { text: String },
    Decided(AppealState),
}

/// A moderator's decision, with the blocks that it adds or withdraws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    pub action: DecisionAction,
    pub by: String,
    pub reason: String,
    /// The rule that a rejection or a removal names.
    pub policy_code: Option<String>,
    pub blocks: Blocks,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Blocks {
    Nothing,
    /// The file, and the frames: from the report that waits for a decision, or kept in the object store.
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
    /// The version of the blocklist that the frames were compared with.
    pub blocklist_version: Option<u64>,
    pub findings: Vec<Finding>,
    /// The hashes of the blocklist that caught the content.
    pub caught_by: Vec<String>,
    /// The frames to block on a rejection. Only a waiting content needs them.
    pub frames: Vec<FrameHash>,
}

/// The details of a finished content move into the object store, or back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StorageEffect {
    Compacted,
    Expanded { reports: String, findings: String, upload_uuid: Option<UploadUuid> },
}

impl Effects {
    /// Whether a flagged content is deleted before a moderator has decided. It stays flagged.
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
    /// Returns a change without effects.
    pub(crate) fn none(life: &Life) -> Self {
        Self { after: life.clone(), effects: Effects::default() }
    }
}
