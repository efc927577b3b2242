//! Removes metadata from a copied H.264 stream: the place, the time, or anything else that a camera or a person put
//! into supplemental messages. Captions stay.

use super::track::Track;
use crate::media::MediaError;
use mp4_atom::Codec;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The kind of unit that holds supplemental messages.
const SUPPLEMENTAL: u8 = 6;
/// Messages of this type are captions.
const CAPTIONS: usize = 4;
/// Messages of this type mean nothing. They take the place of those that are removed, so that no unit moves.
const FILLER: u8 = 3;
/// The bit that ends the messages.
const END: u8 = 0x80;

/// Cleans all frames of the file.
pub(super) fn remove(path: &Path, track: &Track) -> Result<(), MediaError> {
    clean_file(path, track).map_err(|error| MediaError::io("cleaning the copied video", &error))
}

fn clean_file(path: &Path, track: &Track) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let length_size = length_size(track);
    for sample in &track.samples {
        file.seek(SeekFrom::Start(sample.offset))?;
        let mut frame = Vec::new();
        Read::by_ref(&mut file).take(u64::from(sample.size)).read_to_end(&mut frame)?;
        if clean_frame(&mut frame, length_size) {
            write_at(&mut file, sample.offset, &frame)?;
        }
    }
    Ok(())
}

fn write_at(file: &mut File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// Returns how many bytes the length before each unit takes.
fn length_size(track: &Track) -> usize {
    match track.header.mdia.minf.stbl.stsd.codecs.first() {
        Some(Codec::Avc1(codec)) => usize::from(codec.avcc.length_size).clamp(1, 4),
        _ => 4,
    }
}

/// Cleans the units of a frame, and returns whether any of them changed.
fn clean_frame(frame: &mut [u8], length_size: usize) -> bool {
    let (mut rest, mut changed) = (frame, false);
    while rest.len() > length_size {
        let (length, after) = rest.split_at_mut(length_size);
        let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        let (unit, after) = after.split_at_mut(length.min(after.len()));
        if unit.first().is_some_and(|header| header & 0x1F == SUPPLEMENTAL) {
            let clean = cleaned(unit);
            changed |= clean != unit;
            unit.copy_from_slice(&clean);
        }
        rest = after;
    }
    changed
}

/// Returns a unit of the same length with no other messages than captions.
fn cleaned(unit: &[u8]) -> Vec<u8> {
    let Some((header, escaped)) = unit.split_first() else {
        return Vec::new();
    };
    let payload = unescaped(escaped);
    let captions: Vec<u8> =
        messages(&payload).filter(|(kind, _)| *kind == CAPTIONS).flat_map(|(_, all)| all).copied().collect();
    let captions = escape(&captions);
    let fits = captions.len() + 1 == escaped.len() || captions.len() + 3 <= escaped.len();
    let captions = if fits { captions } else { Vec::new() };
    let filler = filler(escaped.len().saturating_sub(captions.len() + 1));
    let unit = [&[*header], captions.as_slice(), &filler, &[END]].concat();
    // Only a unit without room for any message is longer.
    unit.into_iter().take(1 + escaped.len()).collect()
}

/// Returns the type and all bytes of each message.
fn messages(payload: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = payload;
    std::iter::from_fn(move || {
        let (kind, after_kind) = number(rest)?;
        let (size, after_size) = number(after_kind)?;
        let length = (rest.len() - after_size.len()).checked_add(size)?;
        // What ends the messages is not one.
        let (message, after) = rest.split_at_checked(length).filter(|(_, after)| !after.is_empty())?;
        rest = after;
        Some((kind, message))
    })
}

/// Parses a number that is the sum of its bytes, of which all but the last are 255.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let more = bytes.iter().take_while(|byte| **byte == 0xFF).count();
    let last = bytes.get(more)?;
    Some((more * 0xFF + usize::from(*last), bytes.get(more + 1..)?))
}

/// Returns meaningless messages that take exactly this many bytes. One byte is too few for a message.
fn filler(length: usize) -> Vec<u8> {
    let Some(room) = length.checked_sub(2) else {
        return vec![END; length];
    };
    let size = room - room / 0x100;
    if size % 0xFF == 0 && size / 0xFF + size != room {
        return [filler(2), filler(room)].concat();
    }
    let mut message = vec![FILLER];
    message.extend(std::iter::repeat_n(0xFF, size / 0xFF));
    message.extend(u8::try_from(size % 0xFF));
    message.extend(std::iter::repeat_n(0xFF, size));
    message
}

/// Removes the bytes that keep a unit from containing a start code.
fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut zeros = 0;
    let mut keep = |byte: &&u8| {
        let is_escape = zeros >= 2 && **byte == 3;
        zeros = if **byte == 0 { zeros + 1 } else { 0 };
        !is_escape
    };
    bytes.iter().filter(|byte| keep(byte)).copied().collect()
}

/// The opposite of [`unescaped`].
fn escape(bytes: &[u8]) -> Vec<u8> {
    let (mut escaped, mut zeros) = (Vec::with_capacity(bytes.len()), 0);
    for byte in bytes {
        if zeros >= 2 && *byte <= 3 {
            escaped.push(3);
            zeros = 0;
        }
        zeros = if *byte == 0 { zeros + 1 } else { 0 };
        escaped.push(*byte);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(kind: u8, payload: &[u8]) -> Vec<u8> {
        let mut message = vec![kind];
        message.extend(std::iter::repeat_n(0xFF, payload.len() / 0xFF));
        message.push(u8::try_from(payload.len() % 0xFF).unwrap());
        [message, payload.to_vec()].concat()
    }

    fn unit(messages: &[Vec<u8>]) -> Vec<u8> {
        [vec![SUPPLEMENTAL], escape(&messages.concat()), vec![END]].concat()
    }

    fn kinds(unit: &[u8]) -> Vec<usize> {
        messages(&unescaped(&unit[1..])).map(|(kind, _)| kind).collect()
    }

    proptest! {
        #[test]
        fn a_cleaned_unit_is_as_long_as_before_and_tells_nothing(sizes in prop::collection::vec((0_u8..40, 0_usize..700), 1..6)) {
            let all: Vec<_> = sizes.iter().map(|(kind, size)| message(*kind, &vec![7; *size])).collect();
            let before = unit(&all);
            let after = cleaned(&before);
            prop_assert_eq!(after.len(), before.len());
            let captions = sizes.iter().filter(|(kind, _)| usize::from(*kind) == CAPTIONS).count();
            let kept = kinds(&after);
            prop_assert!(kept.iter().all(|kind| [CAPTIONS, usize::from(FILLER)].contains(kind)), "{kept:?}");
            prop_assert_eq!(kept.iter().filter(|kind| **kind == CAPTIONS).count(), captions);
        }

        #[test]
        fn a_filler_has_the_length_that_it_is_asked_for(length in 0_usize..2000) {
            prop_assert_eq!(filler(length).len(), length);
        }

        #[test]
        fn any_bytes_are_cleaned(bytes: Vec<u8>) {
            prop_assert_eq!(cleaned(&bytes).len(), bytes.len());
        }
    }

    #[test]
    fn captions_with_zeros_stay_as_they_are() {
        let captions = message(4, &[0xB5, 0, 0, 0, 1, 0, 0, 3, 9]);
        let after = cleaned(&unit(&[message(5, b"+48.8577+002.295/"), captions.clone()]));
        let kept: Vec<_> = messages(&unescaped(&after[1..])).map(|(_, bytes)| bytes.to_vec()).collect();
        assert_eq!(kept[0], captions);
        assert!(!after.windows(4).any(|bytes| bytes == b"48.8"));
    }
}
