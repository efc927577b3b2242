//! Tests of the search for tags, and of the point from which a declared duration is a verdict.

use super::*;
use crate::FileRefusalKind;
use crate::driver::tests::step_text;

/// Metadata that declare a second.
const DECLARED: &[u8] = b"\0\x0AonMetaData\0\x08duration\0\x3F\xF0\0\0\0\0\0\0";

fn tag(kind: u8, body: &[u8]) -> Vec<u8> {
    tag_at(0, kind, body)
}

/// Returns a tag with this time in milliseconds.
fn tag_at(time: u32, kind: u8, body: &[u8]) -> Vec<u8> {
    let size = u8::try_from(body.len()).expect("a short tag");
    let [t3, t2, t1, t0] = time.to_be_bytes();
    [&[kind, 0, 0, size, t2, t1, t0, t3, 0, 0, 0], body].concat()
}

/// Returns a walk that has read three pictures, half a second apart, with the length after each tag.
fn film() -> Flv {
    after(&[0, 500, 1_000].map(|time| tag_at(time, tags::VIDEO, &[0x22, 0])))
}

/// Returns the duration of a film, or the kind of its refusal, if the file ends with these bytes.
fn ended(flv: &mut Flv, missing: u64, tail: &[u8]) -> Result<u64, FileRefusalKind> {
    let media = flv.finish(FileEnd { length: 10_000, missing, tail });
    media.map(|media| media.duration_ms).map_err(|refusal| refusal.kind())
}

/// Returns a walk that has already read these tags.
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
    let (script, sound, picture) =
        (tag(tags::SCRIPT, DECLARED), tag(tags::AUDIO, &[0x2F, 0]), tag(tags::VIDEO, &[0x22, 0]));
    assert!(!after(&[script.clone(), sound.clone()]).is_known());
    assert!(!after(&[sound.clone(), picture.clone()]).is_known());
    let known = after(&[script, sound, picture]);
    assert!(known.is_known());
    assert_eq!(known.provisional().map(|media| media.duration_ms), Some(1_000));
}

#[test]
fn a_tag_is_read_when_its_header_and_the_start_of_its_body_are_there() {
    for (available, step) in [(1, "Need(11)"), (10, "Need(11)"), (12, "Need(13)"), (13, "Skip(13)")] {
        let step_taken = after(&[]).step(0, &tag(tags::VIDEO, &[0x22, 0])[..available]);
        assert_eq!(format!("{:?}", step_taken.expect("a tag")), step, "{available} bytes");
    }
}

#[test]
fn the_first_tag_is_behind_a_header_of_nine_bytes() {
    for (length, step) in [(9, Ok("Skip(13)".to_owned())), (10, Err("ambiguous")), (0, Err("ambiguous"))] {
        assert_eq!(step_text(Flv::default().step(0, &[b"FLV\x01\x05\0\0\0", &[length][..]].concat())), step);
    }
}

#[test]
fn no_tag_follows_a_length_of_zero() {
    let mut flv = Flv { trailer_of: Some(2), ..film() };
    assert!(flv.step(0, &[0; 4]).is_ok());
    assert_eq!(ended(&mut flv, 0, &[]), Ok(1_050));
    assert_eq!(step_text(flv.step(0, &tag(tags::VIDEO, &[0x22, 0]))), Err("ambiguous"));
}

#[test]
fn tags_that_are_too_short_play_nothing() {
    let played = |kind: u8, bodies: [&[u8]; 2]| {
        let tags = [0, 500].iter().zip(bodies).map(|(time, body)| tag_at(*time, kind, body));
        after(&tags.collect::<Vec<_>>()).proven() / NANOS_PER_MILLI
    };
    assert_eq!(played(tags::VIDEO, [&[0x22, 0], &[0x22, 0]]), 500);
    assert_eq!(played(tags::VIDEO, [&[0x22, 0], &[0x22]]), 0, "pictures");
    assert_eq!(played(tags::AUDIO, [&[0x2F, 0], &[0x2F]]), 0, "sound");
    assert_eq!(played(tags::AUDIO, [&[0xAF, 1, 0], &[0xAF, 1]]), 0, "AAC");
    for (body, is_broken) in [(&[0x17, 1, 0, 0][..], true), (&[0x17, 2, 0, 0, 0], false), (&[0x57, 0], false)] {
        let step = step_text(Flv { started: true, ..Flv::default() }.step(0, &tag(tags::VIDEO, body)));
        assert_eq!(step.is_err(), is_broken, "{body:?}: {step:?}");
    }
}

#[test]
fn a_tag_is_followed_by_its_length_with_or_without_the_header_or_by_zero() {
    for length in 0..2_000_u32 {
        let step = after(&[]).step_trailer(1_000, &length.to_be_bytes());
        assert_eq!(step.is_ok(), [0, 1_000, 1_010, 1_011].contains(&length), "{length}");
    }
}

#[test]
fn bytes_behind_the_last_tag_are_not_the_beginning_of_a_later_one() {
    let ended_by = |kind: u8, time: u32, flags: u8| {
        let mut tag = tag_at(time, kind, &[flags; 20]);
        tag.truncate(20);
        let mut film = film();
        film.tags.sound(TimedFrame { at: 0, order: 0, duration: None }, 9, &[0x2F, 0]);
        ended(&mut film, 0, &tag)
    };
    for (kind, flags) in [(tags::VIDEO | 0x40, 0x22), (tags::VIDEO | 0xE0, 0x62), (tags::AUDIO | 0xE0, 0x2F)] {
        assert_eq!(ended_by(kind, 2_001, flags), Err(FileRefusalKind::Ambiguous), "{kind:#x}");
        assert_eq!(ended_by(kind, 2_000, flags), Ok(1_050), "{kind:#x}");
    }
    for (kind, flags) in [(tags::VIDEO, 0x27), (tags::VIDEO, 0x52), (tags::AUDIO, 0xAF), (tags::SCRIPT, 0x22)] {
        assert_eq!(ended_by(kind | 0x40, 2_001, flags), Ok(1_050), "{kind:#x} {flags:#x}");
    }
}

#[test]
fn a_tag_may_also_be_followed_by_the_length_of_all_tags() {
    let length = u32::try_from(tag(tags::VIDEO, &[0x22, 0]).len()).expect("a short tag");
    for (sum, is_read) in [(3 * length, true), (2 * length, false), (3 * length + 8, false)] {
        assert_eq!(film().step_trailer(2, &sum.to_be_bytes()).is_ok(), is_read, "{sum}");
    }
}

#[test]
fn sound_and_pictures_count_in_all_32_bits_of_their_times() {
    for kind in [tags::AUDIO, tags::VIDEO] {
        let flv = after(&[0, 0x0102_0304].map(|time| tag_at(time, kind, &[0x22, 0])));
        assert_eq!(flv.proven(), 0x0102_0304 * NANOS_PER_MILLI, "{kind}");
    }
}

#[test]
fn the_first_metadata_count() {
    let longer = [&DECLARED[..DECLARED.len() - 8], &2_f64.to_be_bytes()].concat();
    let declared =
        |scripts: &[&[u8]]| after(&scripts.iter().map(|body| tag(tags::SCRIPT, body)).collect::<Vec<_>>()).declared();
    assert_eq!(declared(&[DECLARED, &longer]), Some(1_000 * NANOS_PER_MILLI));
    assert_eq!(declared(&[b"\0\x0AonTextData", &longer]), Some(2_000 * NANOS_PER_MILLI));
}

#[test]
fn bytes_behind_the_last_tag_are_zeros_or_fewer_than_a_kilobyte() {
    let step = |window: &[u8]| step_text(Flv::step_tail(window));
    assert_eq!(step(&[7; 1_023]).as_deref(), Ok("Need(1024)"));
    assert_eq!(step(&[7; 1_024]), Err("malformed"));
    assert_eq!(step(&[0; 1_024]).as_deref(), Ok("Skip(1024)"));
    assert_eq!(step(&[&[0; 1_000][..], &[7; 24]].concat()).as_deref(), Ok("Skip(1000)"));
}

#[test]
fn a_file_may_end_with_a_tag_with_its_length_or_with_bytes_that_are_no_tag() {
    let length = Ok(1_050);
    for (tail, with_trailer, without) in [
        (&[][..], length, length),
        (&[tags::VIDEO; 4], length, Err(FileRefusalKind::Truncated)),
        (&[tags::VIDEO; 5], Err(FileRefusalKind::Truncated), Err(FileRefusalKind::Truncated)),
        (&[0xFF; 20], length, length),
    ] {
        let mut awaiting = Flv { trailer_of: Some(1), ..film() };
        assert_eq!(ended(&mut awaiting, 0, tail), with_trailer, "{tail:?}");
        assert_eq!(ended(&mut film(), 0, tail), without, "{tail:?}");
    }
    let mut in_tail = Flv { in_tail: true, ..film() };
    assert_eq!(ended(&mut in_tail, 0, &[tags::VIDEO; 5]), length, "its first bytes were no tag");
    assert_eq!(ended(&mut film(), 1, &[]), Err(FileRefusalKind::Truncated));
    let hidden = [&[0xFF; 9][..], &tag(tags::VIDEO, &[0x22, 0])].concat();
    assert_eq!(ended(&mut film(), 0, &hidden), Err(FileRefusalKind::Ambiguous));
}

#[test]
fn only_tags_of_sound_or_picture_that_fit_are_found_in_other_bytes() {
    let holds = |kind: u8, size: u8, available: usize| {
        may_hold_tags(&[&[0xFF, 0xFF, kind, 0, 0, size][..], &[0; 7], &vec![0xFF; available]].concat())
    };
    assert!(holds(tags::AUDIO, 20, 20) && holds(tags::VIDEO, 20, 21) && holds(0x20 | tags::VIDEO, 20, 20));
    assert!(!holds(tags::AUDIO, 20, 19) && !holds(tags::VIDEO, 0, 20) && !holds(tags::SCRIPT, 20, 20));
}

#[test]
fn only_the_start_of_a_tag_is_read_and_more_of_a_script() {
    assert_eq!([bytes_to_read(tags::VIDEO, 5), bytes_to_read(tags::SCRIPT, 5)], [5, 5]);
    assert_eq!([bytes_to_read(tags::VIDEO, 9_999), bytes_to_read(tags::AUDIO, 9_999)], [256, 256]);
    assert_eq!(bytes_to_read(tags::SCRIPT, 9_999), 4_096);
}
