//! Finds the next top element after bytes that are not an element, as players do.
//!
//! This module must not depend on what the elements contain.

use super::element::ElementId;
use super::ids;
use crate::names::{NAME, NameSearch};

pub(super) enum TopSearch {
    At(usize),
    /// The number of bytes that certainly precede the next top element.
    NotWithin(usize),
}

/// The elements from which media, tracks and times are read. All of their identifiers have four bytes.
const SOUGHT: [ElementId; 4] = [ids::CLUSTER, ids::INFO, ids::TRACKS, ids::SEEK_HEAD];

static IDENTIFIERS: NameSearch = {
    let [cluster, info, tracks, index] = SOUGHT;
    NameSearch::new(&[cluster.to_be_bytes(), info.to_be_bytes(), tracks.to_be_bytes(), index.to_be_bytes()])
};

pub(super) fn find(window: &[u8]) -> TopSearch {
    match IDENTIFIERS.next(window, |name| SOUGHT.contains(&ElementId::from_be_bytes(name))) {
        Some(at) => TopSearch::At(at),
        // An identifier may begin in the last bytes.
        None => TopSearch::NotWithin((window.len() + 1).saturating_sub(NAME)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_elements_are_found_and_the_last_bytes_may_begin_one() {
        let found = |window: &[u8]| match find(window) {
            TopSearch::At(at) => (true, at),
            TopSearch::NotWithin(passed) => (false, passed),
        };
        for id in SOUGHT.map(u32::to_be_bytes) {
            assert_eq!(found(&[&[9, 9], &id[..], &[9]].concat()), (true, 2));
            assert_eq!(found(&[&id[..1], &id].concat()), (true, 1));
            assert_eq!(found(&[&[9, 9], &id[..3]].concat()), (false, 2));
        }
        assert_eq!([found(&[9; 5]), found(&[9; 3])], [(false, 2), (false, 0)]);
    }
}
