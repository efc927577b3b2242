//! How tags are found, and when a declared duration is a verdict.

use super::*;

/// Metadata that declare a second.
const DECLARED: &[u8] = b"\0\x0AonMetaData\0\x08duration\0\x3F\xF0\0\0\0\0\0\0";

fn tag(kind: u8, body: &[u8]) -> Vec<u8> {
    let size = u8::try_from(body.len()).expect("a short tag");
    [&[kind, 0, 0, size, 0, 0, 0, 0, 0, 0, 0], body].concat()
}

/// Returns a walk that has read these tags.
fn after(tags: &[Vec<u8>]) -> Flv {
    let mut flv = Flv { started: true, ..Flv::default() };
    for tag in tags {
        assert!(matches!(flv.step(0, tag), Ok(WalkStep::Skip(length)) if length == wide(tag.len())));
        flv.trailer_of = None;
    }
    flv
}

#[test]
fn a_declared_duration_is_a_verdict_once_there_is_a_picture() {
    let (script, sound, picture) = (tag(tags::SCRIPT, DECLARED), tag(tags::AUDIO, &[0x2F]), tag(tags::VIDEO, &[0x22]));
    assert!(!after(&[script.clone(), sound.clone()]).is_known());
    assert!(!after(&[sound.clone(), picture.clone()]).is_known());
    let known = after(&[script, sound, picture]);
    assert!(known.is_known());
    assert_eq!(known.provisional().map(|media| media.duration_ms), Some(1_000));
}

#[test]
fn a_tag_is_read_when_its_header_and_the_start_of_its_body_are_there() {
    for (available, step) in [(1, "Need(11)"), (10, "Need(11)"), (11, "Need(12)"), (12, "Skip(12)")] {
        let step_taken = after(&[]).step(0, &tag(tags::VIDEO, &[0x22])[..available]);
        assert_eq!(format!("{:?}", step_taken.expect("a tag")), step, "{available} bytes");
    }
}

#[test]
fn a_tag_is_followed_by_its_length_with_or_without_the_header_or_by_zero() {
    for length in 0..2_000_u32 {
        let step = after(&[]).step_trailer(1_000, &length.to_be_bytes());
        assert_eq!(step.is_ok(), [0, 1_000, 1_010, 1_011].contains(&length), "{length}");
    }
}
