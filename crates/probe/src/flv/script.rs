//! Reads `onMetaData`, the metadata that an FLV file declares in AMF0.
//!
//! Searches for property names instead of parsing AMF, so nested values cannot cause deep recursion. This module must
//! not depend on the other tags.

use crate::bytes::{array, find, tail, u8_at};

#[derive(Debug, Default, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ScriptMetadata {
    pub(super) is_present: bool,
    pub(super) seconds: Option<f64>,
    pub(super) width: Option<f64>,
    pub(super) height: Option<f64>,
    pub(super) frame_rate: Option<f64>,
}

pub(super) fn read(body: &[u8]) -> ScriptMetadata {
    let is_present = find(body, b"onMetaData").is_some();
    let number = |name: &[u8]| if is_present { number(body, name) } else { None };
    ScriptMetadata {
        is_present,
        seconds: number(b"\0\x08duration"),
        width: number(b"\0\x05width"),
        height: number(b"\0\x06height"),
        frame_rate: number(b"\0\x09framerate"),
    }
}

/// Returns the number that follows a property name. `name` includes its own length prefix.
fn number(body: &[u8], name: &[u8]) -> Option<f64> {
    let value = tail(body, find(body, name)? + name.len());
    match u8_at(value, 0)? {
        0 => array(value, 1).map(f64::from_be_bytes),
        _ => None,
    }
}
