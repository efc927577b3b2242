//! Finds the next cluster behind bytes that are no element.

/// The identifier that every cluster begins with.
pub(super) const CLUSTER: [u8; 4] = [0x1F, 0x43, 0xB6, 0x75];

pub(super) enum Found {
    At(usize),
    /// So many bytes are certainly before it.
    NotWithin(usize),
}

pub(super) fn find(window: &[u8]) -> Found {
    for at in memchr::memchr_iter(CLUSTER[0], window) {
        let candidate = window.get(at..).unwrap_or_default();
        if candidate.starts_with(&CLUSTER) {
            return Found::At(at);
        }
        if CLUSTER.starts_with(candidate) {
            // Its end lies beyond the window.
            return Found::NotWithin(at);
        }
    }
    Found::NotWithin(window.len())
}
