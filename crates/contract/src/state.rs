//! The life of a content: its states, and the one table of transitions between them.

use serde::{Deserialize, Serialize};

/// The state of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContentState {
    /// Accepted; being transcoded and moderated.
    #[default]
    Processing,
    /// Approved; waiting for its publication time, or for its owner to release it.
    Scheduled,
    /// Public.
    Published,
    /// Rejected by a rule or by moderation. Final.
    Rejected,
    /// Processing failed for a technical reason. It can be retried.
    Failed,
    /// Removed by a moderator.
    TakenDown,
    /// Deleted by its owner.
    Deleted,
}

/// Something that changes the state of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContentEvent {
    /// The content is stored and approved, its publication time has come, and it needs no release.
    Approved,
    /// The content is stored and approved, and will be published later, or once its owner has released it.
    ApprovedForLater,
    /// The content was rejected by a rule or by moderation.
    Refused,
    /// The last processing attempt failed.
    AttemptsExhausted,
    /// An operator requested a new processing attempt.
    Retried,
    /// Its publication time has come, or its owner released it or asked to publish it now.
    Due,
    /// Its owner chose another publication time.
    Rescheduled,
    TakenDown,
    /// A moderator reversed the decision that removed it.
    Restored,
    /// A moderator reversed the decision that removed it, but it is not to be published yet.
    RestoredForLater,
    Deleted,
}

use ContentState::{Deleted, Failed, Processing, Published, Rejected, Scheduled, TakenDown};

/// Every allowed transition. The database has the same table and rejects all others.
pub const TRANSITIONS: &[(ContentState, ContentEvent, ContentState)] = &[
    (Processing, ContentEvent::Approved, Published),
    (Processing, ContentEvent::ApprovedForLater, Scheduled),
    (Processing, ContentEvent::Refused, Rejected),
    (Processing, ContentEvent::AttemptsExhausted, Failed),
    (Processing, ContentEvent::Rescheduled, Processing),
    (Processing, ContentEvent::Deleted, Deleted),
    (Scheduled, ContentEvent::Due, Published),
    (Scheduled, ContentEvent::Rescheduled, Scheduled),
    (Scheduled, ContentEvent::TakenDown, TakenDown),
    (Scheduled, ContentEvent::Deleted, Deleted),
    (Published, ContentEvent::TakenDown, TakenDown),
    (Published, ContentEvent::Deleted, Deleted),
    (Rejected, ContentEvent::Restored, Published),
    (Rejected, ContentEvent::RestoredForLater, Scheduled),
    (Rejected, ContentEvent::Deleted, Deleted),
    (Failed, ContentEvent::Retried, Processing),
    (Failed, ContentEvent::Deleted, Deleted),
    (TakenDown, ContentEvent::Restored, Published),
    (TakenDown, ContentEvent::RestoredForLater, Scheduled),
    (TakenDown, ContentEvent::Deleted, Deleted),
];

impl ContentState {
    pub const ALL: &[Self] = &[Processing, Scheduled, Published, Rejected, Failed, TakenDown, Deleted];

    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Processing => "processing",
            Scheduled => "scheduled",
            Published => "published",
            Rejected => "rejected",
            Failed => "failed",
            TakenDown => "taken_down",
            Deleted => "deleted",
        }
    }

    /// Returns the state that the event leads to, or `None` if the event is not allowed in this state.
    pub fn next(self, event: ContentEvent) -> Option<Self> {
        let transition = TRANSITIONS.iter().find(|(from, cause, _)| (*from, *cause) == (self, event));
        transition.map(|(_, _, to)| *to)
    }

    /// Whether everyone can see the content.
    pub const fn is_public(self) -> bool {
        matches!(self, Published)
    }
}

/// The current stage of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Queued,
    Download,
    Inspect,
    Transcode,
    Moderate,
    Store,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: &[Self] =
        &[Self::Queued, Self::Download, Self::Inspect, Self::Transcode, Self::Moderate, Self::Store];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Download => "download",
            Self::Inspect => "inspect",
            Self::Transcode => "transcode",
            Self::Moderate => "moderate",
            Self::Store => "store",
        }
    }

    /// Returns the percentages of the whole job at which the stage begins and ends.
    const fn span(self) -> (u8, u8) {
        match self {
            Self::Queued => (0, 0),
            Self::Download => (0, 5),
            Self::Inspect => (5, 10),
            Self::Transcode => (10, 85),
            Self::Moderate => (85, 90),
            Self::Store => (90, 99),
        }
    }

    /// Converts a percentage of this stage into a percentage of the whole job. 100 is reserved for finished jobs.
    pub fn overall_percent(self, percent: u8) -> u8 {
        let (begin, end) = self.span();
        let within = u16::from(end - begin) * u16::from(percent.min(100)) / 100;
        begin + u8::try_from(within).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_leads_from_a_state_to_at_most_one_other() {
        for (index, (from, event, _)) in TRANSITIONS.iter().enumerate() {
            let again = TRANSITIONS[index + 1..].iter();
            assert!(!again.into_iter().any(|step| (step.0, step.1) == (*from, *event)));
        }
    }

    #[test]
    fn only_an_approval_leads_from_processing_towards_publication() {
        for (from, event, to) in TRANSITIONS.iter().filter(|step| !is_reversal(step.1)) {
            if to.is_public() {
                assert!(matches!((from, event), (Processing, ContentEvent::Approved) | (Scheduled, ContentEvent::Due)));
            }
            if *to == Scheduled {
                assert!(matches!(event, ContentEvent::ApprovedForLater | ContentEvent::Rescheduled));
            }
        }
    }

    fn is_reversal(event: ContentEvent) -> bool {
        matches!(event, ContentEvent::Restored | ContentEvent::RestoredForLater)
    }

    #[test]
    fn a_content_that_was_removed_is_published_again_only_if_the_decision_is_reversed() {
        for gone in [TakenDown, Deleted, Rejected] {
            let mut reached = vec![gone];
            while let Some(state) = reached.pop() {
                assert!(!state.is_public());
                let next = TRANSITIONS.iter().filter(|step| step.0 == state && !is_reversal(step.1));
                reached.extend(next.map(|step| step.2));
            }
        }
    }

    #[test]
    fn every_state_can_be_deleted_and_deletion_is_final() {
        for state in ContentState::ALL {
            let deleted = state.next(ContentEvent::Deleted);
            assert_eq!(deleted, (*state != Deleted).then_some(Deleted));
        }
    }

    #[test]
    fn database_names_equal_json_names() {
        for state in ContentState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        for stage in Stage::ALL {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.as_str());
        }
    }

    #[test]
    fn progress_never_decreases_from_stage_to_stage() {
        let every = Stage::ALL.iter().flat_map(|stage| (0..=100).map(|percent| stage.overall_percent(percent)));
        let every: Vec<_> = every.collect();
        assert!(every.is_sorted());
        assert_eq!((every.first(), every.last()), (Some(&0), Some(&99)));
    }
}
