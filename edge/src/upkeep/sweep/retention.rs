//! The retention rule: the objects of a content that its state still needs.

use contract::ContentState;

/// The objects of a content that must not be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetainedObjects {
    /// The uploaded video and thumbnail.
    pub source: bool,
    /// The picture of a change that is not made yet.
    pub wanted_picture: bool,
    /// The files of these generations' jobs.
    pub generations: [Option<u64>; 4],
}

/// The generations of a content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Generations {
    /// The generation of the latest job.
    pub latest: u64,
    /// The generation of the job that made the public files.
    pub media: Option<u64>,
    /// The generation of the job that made the public poster and thumbnails, if it is not `media`.
    pub thumbnail: Option<u64>,
    /// The generation of the job that made the public subtitles, if it is not `media`.
    pub captions: Option<u64>,
    /// Whether the latest job makes another thumbnail or other captions, or the renditions that are missing.
    pub is_change_pending: bool,
    /// Whether some renditions are still to be made.
    pub is_incomplete: bool,
}

impl RetainedObjects {
    pub(super) fn has(self, generation: u64) -> bool {
        self.generations.contains(&Some(generation))
    }
}

/// Returns the objects that a content in this state needs, now or in a state that it can still reach.
///
/// The source is needed as long as the content can be processed again, or renditions are to be made of it. The files of
/// a job are needed while the job runs, while they wait for approval, and while they are or will be published. A
/// rejected, taken-down or deleted content needs nothing after its rest. Until then, a moderator's decision can be
/// reversed. A picture for another thumbnail is needed while the content is or can be approved.
pub(super) fn retained_objects(state: ContentState, generations: Generations) -> RetainedObjects {
    let Generations { latest, media, thumbnail, captions, is_change_pending, is_incomplete } = generations;
    let (source, generations) = match state {
        ContentState::Processing => (true, [Some(latest), None, None, None]),
        ContentState::Failed => (true, [None; 4]),
        ContentState::Scheduled | ContentState::Published => {
            (is_incomplete, [media, thumbnail, captions, is_change_pending.then_some(latest)])
        }
        ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted => (false, [None; 4]),
    };
    let wanted_picture = !matches!(state, ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted);
    RetainedObjects { source, wanted_picture, generations }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::{ContentEvent, TRANSITIONS};

    /// Returns the generations after a transition: a retry starts a new one, an approval publishes the current one.
    fn generations_after(event: ContentEvent, before: Generations) -> Generations {
        match event {
            ContentEvent::Retried => Generations { latest: before.latest + 1, ..Generations::default() },
            ContentEvent::Approved | ContentEvent::ApprovedForLater => {
                Generations { media: Some(before.latest), ..before }
            }
            _ => before,
        }
    }

    #[test]
    fn no_transition_needs_an_object_that_the_state_before_it_released() {
        // A content can be restored only while it rests.
        let is_reversal = |event| matches!(event, ContentEvent::Restored | ContentEvent::RestoredForLater);
        for (from, event, to) in TRANSITIONS.iter().filter(|(_, event, _)| !is_reversal(*event)) {
            let generations = Generations { latest: 3, media: Some(3), ..Generations::default() };
            let before = retained_objects(*from, generations);
            let after = retained_objects(*to, generations_after(*event, generations));
            assert!(before.source || !after.source, "{from:?} {event:?}");
            assert!(before.wanted_picture || !after.wanted_picture, "{from:?} {event:?}");
            let is_available = |needed: u64| before.has(needed) || needed > 3;
            assert!(after.generations.into_iter().flatten().all(is_available), "{from:?} {event:?}");
        }
    }

    #[test]
    fn only_processing_scheduled_and_published_contents_retain_media_files() {
        for state in ContentState::ALL {
            let generations = Generations { latest: 2, media: Some(1), ..Generations::default() };
            let retained = retained_objects(*state, generations);
            let expected = match state {
                ContentState::Processing => [false, true],
                ContentState::Scheduled | ContentState::Published => [true, false],
                _ => [false, false],
            };
            assert_eq!([1, 2].map(|generation| retained.has(generation)), expected, "{state:?}");
        }
    }

    #[test]
    fn the_pictures_and_captions_that_are_shown_and_those_on_their_way_are_retained() {
        let pending = Generations {
            latest: 6,
            media: Some(1),
            thumbnail: Some(3),
            captions: Some(4),
            is_change_pending: true,
            is_incomplete: false,
        };
        let retained = |generations| {
            let objects = retained_objects(ContentState::Published, generations);
            (1..=6).filter(|generation| objects.has(*generation)).collect::<Vec<_>>()
        };
        assert_eq!(retained(pending), [1, 3, 4, 6]);
        assert_eq!(retained(Generations { is_change_pending: false, ..pending }), [1, 3, 4]);
    }
}
