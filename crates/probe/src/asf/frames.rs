//! Reassembles the frames of one ASF stream from their parts.
//!
//! If a part of a frame is missing, some players drop the frame, others show its other parts. The prober refuses such
//! files. This module must not depend on packets or streams.

use super::packet::Payload;
use crate::FileRefusal;
use crate::bytes::tail;

/// The size of the largest frame. If a larger one begins in a packet, players skip the rest of the packet.
const LARGEST: u32 = (1 << 24) - 1;

/// The frame that still lacks some bytes.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FrameAssembly {
    partial: Option<PartialFrame>,
}

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct PartialFrame {
    time: u32,
    size: u32,
    filled: u32,
}

impl FrameAssembly {
    /// Calls `on_frame` with the time of every frame that the payload completes.
    pub(super) fn absorb(
        &mut self,
        payload: &Payload<'_>,
        mut on_frame: impl FnMut(u32) -> Result<(), FileRefusal>,
    ) -> Result<(), FileRefusal> {
        let (frame, added) = match (payload, self.partial.take()) {
            (Payload::Several { time, delta, frames }, None) => {
                return several(*time, (*delta).into(), frames, on_frame);
            }
            (Payload::Start { size: size @ 1..=LARGEST, time, length }, None) => {
                (PartialFrame { time: *time, size: *size, filled: 0 }, *length)
            }
            (Payload::Continuation { offset, length, size }, Some(frame))
                if frame.filled == *offset && size.is_none_or(|size| size == frame.size) =>
            {
                (frame, *length)
            }
            _ => return Err(super::ambiguous("a part of a frame is missing")),
        };
        let filled = frame.filled.saturating_add(added);
        match frame.size.checked_sub(filled) {
            Some(0) => on_frame(frame.time),
            Some(_) => {
                self.partial = Some(PartialFrame { filled, ..frame });
                Ok(())
            }
            None => Err(super::ambiguous("the parts of a frame are longer than the frame")),
        }
    }

    /// Returns the time of the frame whose end is missing.
    pub(super) fn unfinished(&self) -> Option<u32> {
        self.partial.as_ref().map(|frame| frame.time)
    }
}

/// Calls `on_frame` with the time of every frame that fits. Players ignore empty ones.
fn several(
    mut time: u32,
    delta: u32,
    mut frames: &[u8],
    mut on_frame: impl FnMut(u32) -> Result<(), FileRefusal>,
) -> Result<(), FileRefusal> {
    while let Some((length, rest)) = frames.split_first().filter(|(length, rest)| rest.len() >= usize::from(**length)) {
        if *length > 0 {
            on_frame(time)?;
        }
        time = time.checked_add(delta).ok_or_else(|| super::ambiguous("the times of frames are too large"))?;
        frames = tail(rest, usize::from(*length));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(payloads: &[Payload<'_>]) -> Result<Vec<u32>, FileRefusal> {
        let (mut assembly, mut times) = (FrameAssembly::default(), Vec::new());
        for payload in payloads {
            assembly.absorb(payload, |time| {
                times.push(time);
                Ok(())
            })?;
        }
        Ok(times)
    }

    fn start(size: u32, length: u32) -> Payload<'static> {
        Payload::Start { size, time: 9, length }
    }

    fn part(offset: u32, length: u32) -> Payload<'static> {
        Payload::Continuation { offset, length, size: None }
    }

    fn part_of(size: u32, offset: u32, length: u32) -> Payload<'static> {
        Payload::Continuation { offset, length, size: Some(size) }
    }

    #[test]
    fn a_frame_counts_when_its_last_part_is_there() {
        assert_eq!(assembled(&[start(5, 5), start(3, 3)]), Ok(vec![9, 9]));
        assert_eq!(assembled(&[start(5, 2), part(2, 1)]), Ok(vec![]));
        assert_eq!(assembled(&[start(5, 2), part(2, 1), part_of(5, 3, 2)]), Ok(vec![9]));
        assert_eq!(assembled(&[start(LARGEST, LARGEST)]), Ok(vec![9]));
    }

    #[test]
    fn frames_with_missing_or_surplus_parts_are_refused() {
        let frames: [&[Payload<'_>]; 11] = [
            &[start(5, 2), part_of(4, 2, 2)],
            &[start(LARGEST + 1, 5)],
            &[Payload::Several { time: u32::MAX, delta: 1, frames: &[1, 0, 1, 0] }],
            &[start(5, 2), start(5, 5)],
            &[start(5, 2), part(3, 2)],
            &[start(5, 2), part(1, 4)],
            &[start(5, 2), part(2, 4)],
            &[start(5, 6)],
            &[start(0, 0)],
            &[part(2, 1)],
            &[start(5, 2), Payload::Several { time: 1, delta: 1, frames: &[0] }],
        ];
        for payloads in frames {
            assert!(assembled(payloads).is_err(), "{payloads:?}");
        }
    }

    #[test]
    fn each_of_several_frames_has_its_own_time() {
        let frames = |frames| assembled(&[Payload::Several { time: 30, delta: 7, frames }]);
        assert_eq!(frames(&[2, 0, 0, 0, 1, 0]), Ok(vec![30, 44]), "not the empty one");
        assert_eq!(frames(&[2, 0, 0, 3, 0]), Ok(vec![30]), "one that does not fit");
        assert_eq!(frames(&[]), Ok(vec![]));
    }
}
