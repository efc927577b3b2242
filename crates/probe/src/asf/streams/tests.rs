//! Stream properties, byte by byte, and the frames of streams.

use super::*;
use crate::Codec;

/// Returns an object's body of 160 bytes, with these bytes at these positions.
fn body(fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut body = vec![0; 160];
    for (at, bytes) in fields {
        body[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    body
}

fn stream(kind: Guid, number: u8, fields: &[(usize, &[u8])]) -> Vec<u8> {
    body(&[&[(24, &kind[..]), (72, &[number])], fields].concat())
}

fn streams(properties: &[Vec<u8>]) -> AsfStreams {
    let mut streams = AsfStreams::default();
    for properties in properties {
        streams.add(properties).expect("a stream");
    }
    streams
}

fn absorb(streams: &mut AsfStreams, number: u8, payload: &Payload<'_>) -> Result<(), FileRefusal> {
    streams.absorb(number, payload, 3_000, &mut StructureCount::default())
}

/// Returns a frame of one byte.
fn frame(time: u32) -> Payload<'static> {
    Payload::Start { size: 1, time, length: 1 }
}

#[test]
fn streams_are_described_with_their_codec_size_and_sound() {
    let picture = stream(VIDEO, 0x81, &[(78, &[64, 0, 0, 0, 36, 0, 0, 0]), (105, b"WMV3")]);
    let sound = stream(AUDIO, 2, &[(78, &[0x61, 0x01, 2, 0]), (82, &44_100_u32.to_le_bytes())]);
    let mut streams = streams(&[picture, sound, stream([7; 16], 3, &[]), stream(COMMANDS, 4, &[])]);
    for time in [3_000, 3_040, 3_080] {
        for number in [1, 2, 3, 4] {
            absorb(&mut streams, number, &frame(time)).expect("a frame");
        }
    }
    let tracks = streams.describe(1_000_000_000);
    assert_eq!((tracks[0].codec, tracks[0].width, tracks[0].height), (Codec::Wmv, Some(64), Some(36)));
    assert_eq!((tracks[0].kind, tracks[0].frame_rate), (TrackKind::Video, Some(3.0)));
    assert_eq!((tracks[1].kind, tracks[1].codec, tracks[1].channels), (TrackKind::Audio, Codec::Wma, Some(2)));
    assert_eq!((tracks[1].sample_rate, tracks[1].frame_rate), (Some(44_100), None));
    assert_eq!((tracks[2].kind, tracks[2].codec), (TrackKind::Other, Codec::Unknown));
    let counted: Vec<u64> = streams.timelines().map(Timeline::frames).collect();
    assert_eq!(counted, [3, 3, 3, 0], "streams of unknown kinds count, commands do not");
}

#[test]
fn sound_is_as_long_as_its_bytes() {
    let hides = |kind: Guid, seconds: [u32; 3]| {
        // One channel of 16 bits at 8,000 Hz.
        let format = [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0];
        let mut streams = streams(&[stream(kind, 1, &[(78, &format)])]);
        for (time, seconds) in [3_000, 4_000, 5_000].into_iter().zip(seconds) {
            let size = seconds * 16_000;
            absorb(&mut streams, 1, &Payload::Start { size: size + 9, time, length: size }).expect("a frame");
            absorb(&mut streams, 1, &Payload::Continuation { offset: size, length: 9, size: None }).expect("a frame");
        }
        absorb(&mut streams, 1, &Payload::Several { time: 5_050, delta: 1, frames: &[1, 0] }).expect("a frame");
        streams.have_hidden_sound(50, |ms| ms * 1_000_000)
    };
    assert!(!hides(AUDIO, [1, 1, 1]) && hides(AUDIO, [1, 1, 2]) && hides(AUDIO, [300, 1, 1]));
    assert!(!hides(VIDEO, [300, 1, 1]));
}

#[test]
fn encryption_applies_to_every_stream() {
    let mut streams = streams(&[stream(VIDEO, 1, &[])]);
    assert!(!streams.describe(1)[0].encrypted);
    streams.set_encrypted();
    assert!(streams.describe(1)[0].encrypted);
}

#[test]
fn absent_channels_and_rates_are_unknown() {
    let track = streams(&[stream(AUDIO, 1, &[])]).describe(1).remove(0);
    assert_eq!((track.channels, track.sample_rate), (None, None));
}

#[test]
fn a_file_needs_a_video_stream() {
    let container = Container::Asf;
    let with = |kind| streams(&[stream(kind, 1, &[])]).require_video();
    assert_eq!((with(VIDEO), with(JPEG)), (Ok(()), Ok(())));
    assert_eq!(with(AUDIO), Err(FileRefusal::AudioOnly { container }));
    assert_eq!(with([7; 16]), Err(FileRefusal::NoTracks { container }));
}

#[test]
fn a_stream_is_described_once_and_before_its_frames() {
    let mut streams = streams(&[stream(VIDEO, 1, &[])]);
    assert!(streams.add(&stream(AUDIO, 0x81, &[])).is_err());
    assert!(absorb(&mut streams, 2, &frame(3_000)).is_err());
}

#[test]
fn only_the_last_frame_of_a_recording_may_be_unfinished() {
    for (time, in_recording, otherwise) in [(3_200, true, false), (3_201, false, false)] {
        let mut streams = streams(&[stream(VIDEO, 1, &[])]);
        absorb(&mut streams, 1, &frame(3_000)).expect("a frame");
        assert_eq!(streams.require_whole_frames(false, 3_000), Ok(()));
        absorb(&mut streams, 1, &Payload::Start { size: 9, time, length: 1 }).expect("a part of a frame");
        assert_eq!(streams.require_whole_frames(true, 3_000).is_ok(), in_recording, "{time}");
        assert_eq!(streams.require_whole_frames(false, 3_000).is_ok(), otherwise, "{time}");
    }
}

#[test]
fn a_description_is_as_long_as_what_players_read_of_it() {
    for (kind, least) in [(VIDEO, 129), (JPEG, 129), (AUDIO, 94), (COMMANDS, 78), ([7; 16], 78)] {
        let body = stream(kind, 1, &[]);
        let add = |length: usize| AsfStreams::default().add(&body[..length]);
        assert!(add(least).is_ok() && add(least - 1).is_err(), "{kind:x?}");
    }
}

#[test]
fn the_parts_of_commands_agree() {
    let mut streams = streams(&[stream(VIDEO, 1, &[]), stream(COMMANDS, 2, &[])]);
    assert!(absorb(&mut streams, 2, &Payload::Start { size: 9, time: 0, length: 4 }).is_ok());
    assert!(absorb(&mut streams, 2, &Payload::Continuation { offset: 3, length: 4, size: None }).is_err());
}
