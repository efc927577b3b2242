//! What can become of a content: its states, and the one table of the steps between them.

use serde::{Deserialize, Serialize};

/// Where a content stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContentState {
    /// Taken, and on its way through transcoding and moderation.
    Processing,
    /// Approved, and waiting for its time.
    Scheduled,
    /// Public.
    Published,
    /// Refused by a rule or by moderation, for good.
    Rejected,
    /// Given up for a technical reason; it may be tried again.
    Failed,
    /// No longer shown, by a moderator's decision.
    TakenDown,
    /// No longer there, by its owner's decision.
    Deleted,
}

/// What happens to a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Everything is stored and passed, and it is due.
    Approved,
    /// The same, for a time that is still to come.
    ApprovedForLater,
    /// A rule or moderation refuses it.
    Refused,
    /// Its last attempt failed.
    GivenUp,
    /// Somebody has it tried again.
    Retried,
    /// Its time has come, or its owner wants it out now.
    Due,
    /// Another time.
    Rescheduled,
    TakenDown,
    Deleted,
}

use ContentState::{Deleted, Failed, Processing, Published, Rejected, Scheduled, TakenDown};

/// Every step there is. What does not stand here does not happen.
pub const STEPS: &[(ContentState, Event, ContentState)] = &[
    (Processing, Event::Approved, Published),
    (Processing, Event::ApprovedForLater, Scheduled),
    (Processing, Event::Refused, Rejected),
    (Processing, Event::GivenUp, Failed),
    (Processing, Event::Rescheduled, Processing),
    (Processing, Event::Deleted, Deleted),
    (Scheduled, Event::Due, Published),
    (Scheduled, Event::Rescheduled, Scheduled),
    (Scheduled, Event::TakenDown, TakenDown),
    (Scheduled, Event::Deleted, Deleted),
    (Published, Event::TakenDown, TakenDown),
    (Published, Event::Deleted, Deleted),
    (Rejected, Event::Deleted, Deleted),
    (Failed, Event::Retried, Processing),
    (Failed, Event::Deleted, Deleted),
    (TakenDown, Event::Deleted, Deleted),
];

impl ContentState {
    pub const ALL: &[Self] = &[
        Processing, Scheduled, Published, Rejected, Failed, TakenDown, Deleted,
    ];

    /// As it stands in the database and in answers.
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

    /// Where the event leads from here; `None` when it cannot happen here.
    pub fn after(self, event: Event) -> Option<Self> {
        let step = STEPS.iter().find(|step| (step.0, step.1) == (self, event));
        step.map(|step| step.2)
    }

    /// Whether anybody but the owner may see anything of it.
    pub const fn is_public(self) -> bool {
        matches!(self, Published)
    }
}

/// How far a content that is being processed has come.
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
    /// In their order.
    pub const ALL: &[Self] = &[
        Self::Queued,
        Self::Download,
        Self::Inspect,
        Self::Transcode,
        Self::Moderate,
        Self::Store,
    ];

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

    /// The percents of the whole job at which the stage begins and ends.
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

    /// The percent of the whole job, `percent` of this stage being done. 100 is for what is over.
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
    fn an_event_leads_from_a_state_to_one_other_at_most() {
        for (index, (from, event, _)) in STEPS.iter().enumerate() {
            let again = STEPS[index + 1..].iter();
            assert!(
                !again
                    .into_iter()
                    .any(|step| (step.0, step.1) == (*from, *event))
            );
        }
    }

    #[test]
    fn only_an_approval_leads_out_of_processing_towards_the_public() {
        for (from, event, to) in STEPS {
            if to.is_public() {
                assert!(matches!(
                    (from, event),
                    (Processing, Event::Approved) | (Scheduled, Event::Due)
                ));
            }
            if *to == Scheduled {
                assert!(matches!(
                    event,
                    Event::ApprovedForLater | Event::Rescheduled
                ));
            }
        }
    }

    #[test]
    fn what_left_the_public_never_comes_back() {
        for gone in [TakenDown, Deleted, Rejected] {
            let mut reached = vec![gone];
            while let Some(state) = reached.pop() {
                assert!(!state.is_public());
                let next = STEPS.iter().filter(|step| step.0 == state);
                reached.extend(next.map(|step| step.2));
            }
        }
    }

    #[test]
    fn everything_can_be_deleted_and_nothing_follows_that() {
        for state in ContentState::ALL {
            let deleted = state.after(Event::Deleted);
            assert_eq!(deleted, (*state != Deleted).then_some(Deleted));
        }
    }

    #[test]
    fn names_are_those_that_are_serialised() {
        for state in ContentState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        for stage in Stage::ALL {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.as_str());
        }
    }

    #[test]
    fn progress_never_goes_back_from_stage_to_stage() {
        let every = Stage::ALL
            .iter()
            .flat_map(|stage| (0..=100).map(|percent| stage.overall_percent(percent)));
        let every: Vec<_> = every.collect();
        assert!(every.is_sorted());
        assert_eq!((every.first(), every.last()), (Some(&0), Some(&99)));
    }
}
