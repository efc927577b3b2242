//! Finds the next cluster after bytes that are not an element.
//!
//! This module must not depend on the elements inside a cluster.

use crate::bytes::positions;

/// The identifier of a cluster.
pub(super) const CLUSTER: [u8; 4] = [0x1F, 0x43, 0xB6, 0x75];

pub(super) enum ClusterSearch {
    At(usize),
    /// The number of bytes that certainly precede the next cluster.
    NotWithin(usize),
}

pub(super) fn find(window: &[u8]) -> ClusterSearch {
    for at in positions(CLUSTER[0], window) {
        let candidate = window.get(at..).unwrap_or_default();
        if candidate.starts_with(&CLUSTER) {
            return ClusterSearch::At(at);
        }
        if CLUSTER.starts_with(candidate) {
            // The identifier may continue past the window.
            return ClusterSearch::NotWithin(at);
        }
    }
    ClusterSearch::NotWithin(window.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_found_and_its_first_bytes_at_the_end_may_be_one() {
        let found = |window: &[u8]| match find(window) {
            ClusterSearch::At(at) => (true, at),
            ClusterSearch::NotWithin(passed) => (false, passed),
        };
        assert_eq!(found(&[&[9, 9], &CLUSTER[..], &[9]].concat()), (true, 2));
        assert_eq!(found(&[&CLUSTER[..1], &CLUSTER].concat()), (true, 1));
        assert_eq!([found(&[9; 5]), found(&[9, 0x1F, 9, 9, 9])], [(false, 5); 2]);
        for length in 1..CLUSTER.len() {
            assert_eq!(found(&[&[9, 9], &CLUSTER[..length]].concat()), (false, 2), "{length} bytes of it");
        }
    }
}
