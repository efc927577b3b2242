//! Handlers: what a track holds, and whether a handler outside of a track would change one.
//!
//! This module must not depend on where the box lies.

use crate::bytes::array;

/// Whether players that read this handler outside of `mdia` would change what their last track holds.
pub(super) fn is_media(body: &[u8]) -> bool {
    let kind: Option<[u8; 4]> = array(body, 8);
    kind.is_some_and(|kind| matches!(&kind, b"vide" | b"soun" | b"m1a " | b"subp" | b"clcp"))
}
