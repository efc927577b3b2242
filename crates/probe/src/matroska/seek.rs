//! The index of a file's top elements. Players read the elements that it names before the media, wherever they lie.
//!
//! So the walk must find every element that it names. This module must not depend on the elements' content.

use super::element::ElementId;
use super::ids;

/// The most elements that are compared. Writers name a few.
const MOST: usize = 256;

/// The elements that an index names, and the elements that were found.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SeekTargets {
    /// The base of the positions in the index.
    origin: u64,
    /// The identifier and position of the entry that is being read.
    id: Option<ElementId>,
    position: Option<u64>,
    named: Vec<(ElementId, u64)>,
    found: Vec<(ElementId, u64)>,
    has_too_many: bool,
}

impl SeekTargets {
    /// Begins a segment whose content is at this position.
    pub(super) fn begin_segment(&mut self, origin: u64) {
        self.origin = origin;
    }

    pub(super) fn begin_entry(&mut self) {
        (self.id, self.position) = (None, None);
    }

    pub(super) fn set_id(&mut self, id: u64) {
        self.id = ElementId::try_from(id).ok();
        self.complete_entry();
    }

    pub(super) fn set_position(&mut self, position: u64) {
        self.position = Some(position);
        self.complete_entry();
    }

    /// Notes an element at the top of a segment. Players look for clusters and cues later, if at all.
    pub(super) fn note(&mut self, id: ElementId, at: u64) {
        if is_sought(id) && self.found.len() < MOST {
            self.found.push((id, at));
        }
    }

    /// Whether every named element was found, apart from positions past the end of a file of this length.
    pub(super) fn are_found(&self, length: u64) -> bool {
        let is_found = |named: &(ElementId, u64)| named.1 >= length || self.found.contains(named);
        !self.has_too_many && self.named.iter().all(is_found)
    }

    fn complete_entry(&mut self) {
        let Some((id, position)) = self.id.zip(self.position).filter(|(id, _)| is_sought(*id)) else { return };
        let named = (id, self.origin.saturating_add(position));
        if self.named.contains(&named) {
            return;
        }
        self.has_too_many |= self.named.len() >= MOST;
        if self.named.len() < MOST {
            self.named.push(named);
        }
    }
}

fn is_sought(id: ElementId) -> bool {
    ids::is_top(id) && !matches!(id, ids::CLUSTER | ids::CUES)
}
