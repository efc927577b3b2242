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
