//! The retention rule: which objects of a content its state still needs.

use contract::ContentState;

/// The objects of a content that must not be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetainedObjects {
    /// The uploaded video and thumbnail.
    pub source: bool,
    /// The files of this generation's job.
    pub generation: Option<u64>,
}

/// Returns the objects that a content in this state needs, now or in a state that it can still reach.
///
/// The source is needed as long as the content can be processed again. The files of a job are needed while the job
/// runs, while they wait for approval, and while they are or will be published. A rejected, taken-down or deleted
/// content needs nothing after its rest. Until then, a moderator's decision can be reversed.
pub(super) fn retained_objects(state: ContentState, generation: u64, media_generation: Option<u64>) -> RetainedObjects {
    let (source, generation) = match state {
        ContentState::Processing => (true, Some(generation)),
        ContentState::Failed => (true, None),
        ContentState::Scheduled | ContentState::Published => (false, media_generation),
        ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted => (false, None),
    };
    RetainedObjects { source, generation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{ContentEvent, TRANSITIONS};

    /// Returns the generations after a transition: a retry starts a new one, an approval publishes the current one.
    fn generations_after(event: ContentEvent, generation: u64, media: Option<u64>) -> (u64, Option<u64>) {
        match event {
            ContentEvent::Retried => (generation + 1, None),
            ContentEvent::Approved | ContentEvent::ApprovedForLater => (generation, Some(generation)),
            _ => (generation, media),
        }
    }

    #[test]
    fn no_transition_needs_an_object_that_the_state_before_it_released() {
        // A content can be restored only while it rests.
        let is_reversal = |event| matches!(event, ContentEvent::Restored | ContentEvent::RestoredForLater);
        for (from, event, to) in TRANSITIONS.iter().filter(|(_, event, _)| !is_reversal(*event)) {
            let (generation, media) = (3, Some(3));
            let before = retained_objects(*from, generation, media);
            let (generation, media) = generations_after(*event, generation, media);
            let after = retained_objects(*to, generation, media);
            assert!(before.source || !after.source, "{from:?} {event:?}");
            let is_available = |needed| before.generation == Some(needed) || needed > 3;
            assert!(after.generation.is_none_or(is_available), "{from:?} {event:?}");
        }
    }

    #[test]
    fn only_processing_scheduled_and_published_contents_retain_media_files() {
        for state in ContentState::ALL {
            let retained = retained_objects(*state, 2, Some(1)).generation;
            let expected = match state {
                ContentState::Processing => Some(2),
                ContentState::Scheduled | ContentState::Published => Some(1),
                _ => None,
            };
            assert_eq!(retained, expected, "{state:?}");
        }
    }
}
