//! `onMetaData`: what an FLV announces of itself, in AMF0.
//!
//! A scan for names, not an AMF parser: nested values cannot send it astray or deep.

use crate::bytes::{array, find, tail, u8_at};

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Announced {
    pub(super) heard: bool,
    pub(super) seconds: Option<f64>,
    pub(super) width: Option<f64>,
    pub(super) height: Option<f64>,
    pub(super) frame_rate: Option<f64>,
}

pub(super) fn read(body: &[u8]) -> Announced {
    let heard = find(body, b"onMetaData").is_some();
    let number = |name: &[u8]| if heard { number(body, name) } else { None };
    Announced {
        heard,
        seconds: number(b"\0\x08duration"),
        width: number(b"\0\x05width"),
        height: number(b"\0\x06height"),
        frame_rate: number(b"\0\x09framerate"),
    }
}

/// The number behind a name, which stands with its own length before it.
fn number(body: &[u8], name: &[u8]) -> Option<f64> {
    let value = tail(body, find(body, name)? + name.len());
    match u8_at(value, 0)? {
        0 => array(value, 1).map(f64::from_be_bytes),
        _ => None,
    }
}
