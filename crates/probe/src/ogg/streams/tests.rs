//! First packets of every kind of stream, and the time that pages cover.

use super::*;

/// Returns a packet that begins with `magic`, with these bytes at these positions.
fn packet(magic: &[u8], fields: &[(usize, &[u8])]) -> Vec<u8> {
    let mut packet = vec![0; 64];
    packet[..magic.len()].copy_from_slice(magic);
    for (at, bytes) in fields {
        packet[*at..at + bytes.len()].copy_from_slice(bytes);
    }
    packet
}

/// Returns a Theora stream of 64x36 at 25 frames per second, whose granule positions count key frames above `shift`
/// bits.
fn theora(shift: u8, aspect: [u8; 6]) -> Vec<u8> {
    let shift = u16::from(shift) << 5;
    packet(
        b"\x80theora",
        &[
            (7, &[3, 2, 1]),
            (14, &[0, 0, 64, 0, 0, 36]),
            (22, &[0, 0, 0, 25, 0, 0, 0, 1]),
            (30, &aspect),
            (40, &shift.to_be_bytes()),
        ],
    )
}

fn page(serial: u32, granule: i64, packets: u64) -> OggPage {
    OggPage { serial, begins_stream: false, granule, packets, header: 28, body: 100 }
}

/// Returns the streams after the first packets and the pages.
fn streams(packets: &[Vec<u8>], pages: &[OggPage]) -> OggStreams {
    let mut streams = OggStreams::default();
    for (serial, packet) in (1..).zip(packets) {
        streams.begin(serial, packet).expect("few streams");
    }
    for page in pages {
        streams.absorb(page).expect("a video");
    }
    streams
}

fn milliseconds(streams: &OggStreams) -> u64 {
    streams.observed().map_or(0, |span| span.length() / 1_000_000)
}

#[test]
fn theora_is_identified_with_its_size_aspect_and_frame_rate() {
    for (aspect, width) in [([0; 6], 64), ([0, 0, 0, 0, 0, 1], 64), ([0, 0, 1, 0, 0, 0], 64), ([0, 0, 4, 0, 0, 3], 85)]
    {
        let tracks = streams(&[theora(6, aspect)], &[]).describe();
        assert_eq!((tracks[0].kind, tracks[0].codec), (TrackKind::Video, Codec::Theora));
        assert_eq!((tracks[0].width, tracks[0].height), (Some(width), Some(36)), "{aspect:?}");
        assert_eq!(tracks[0].frame_rate, Some(25.0));
    }
}

#[test]
fn a_damaged_shift_of_a_restored_clock_counts_no_key_frames() {
    let clock = GranuleClock::of_frames(40_000_000, 1, 6, 3).unwrap();
    let damaged = GranuleClock { shift: 64, ..clock };
    assert_eq!((clock.units(5 << 6 | 2), damaged.units(5 << 6 | 2)), (7, 2));
}

#[test]
fn theora_positions_count_key_frames_and_the_frames_since() {
    // Two header packets follow the first. Then: key frame 32 and 3 frames, of 40 ms each.
    let pages = [page(1, 0, 2), page(1, 32 << 6 | 3, 35)];
    let streams = streams(&[theora(6, [0; 6])], &pages);
    assert_eq!(milliseconds(&streams), 35 * 40);
}

#[test]
fn frames_that_positions_hide_are_counted_by_their_packets() {
    let pages = [page(1, 0, 2), page(1, 10 << 6, 50)];
    assert_eq!(milliseconds(&streams(&[theora(6, [0; 6])], &pages)), 50 * 40);
}

#[test]
fn vp8_positions_are_in_the_upper_half_and_hidden_frames_do_not_count() {
    let first = packet(b"OVP80\x01", &[(8, &[0, 64, 0, 36]), (18, &[0, 0, 0, 25, 0, 0, 0, 1])]);
    let video = streams(&[first], &[page(1, 0, 1), page(1, 50 << 32 | 7 << 3, 80)]);
    assert_eq!(milliseconds(&video), 50 * 40);
    let tracks = video.describe();
    assert_eq!((tracks[0].codec, tracks[0].width, tracks[0].height), (Codec::Vp8, Some(64), Some(36)));
}

#[test]
fn ogm_video_is_identified_by_its_code() {
    let frame: u64 = 400_000;
    let first =
        packet(b"\x01video\0\0\0", &[(9, b"XVID"), (17, &frame.to_le_bytes()), (45, &[64, 0, 0, 0, 36, 0, 0, 0])]);
    let tracks = streams(&[first], &[]).describe();
    assert_eq!((tracks[0].kind, tracks[0].codec), (TrackKind::Video, Codec::Mpeg4));
    assert_eq!((tracks[0].width, tracks[0].height, tracks[0].frame_rate), (Some(64), Some(36), Some(25.0)));
}

#[test]
fn each_sound_is_identified_with_its_channels_and_rate() {
    let rate = 32_000_u32.to_le_bytes();
    let flac_rate = (32_000_u32 << 12).to_be_bytes();
    for (codec, first, sample_rate) in [
        (Codec::Vorbis, packet(b"\x01vorbis", &[(11, &[2]), (12, &rate), (28, &[0xB8])]), 32_000),
        (Codec::Opus, packet(b"OpusHead", &[(9, &[2]), (10, &[0x38, 0x01])]), 48_000),
        (Codec::Speex, packet(b"Speex   ", &[(36, &rate), (48, &[2])]), 32_000),
        (Codec::Flac, packet(b"\x7FFLAC", &[(27, &flac_rate), (29, &[flac_rate[2] | 1 << 1])]), 32_000),
    ] {
        let tracks = streams(&[first], &[]).describe();
        assert_eq!((tracks[0].kind, tracks[0].codec), (TrackKind::Audio, codec));
        assert_eq!((tracks[0].channels, tracks[0].sample_rate), (Some(2), Some(sample_rate)), "{codec:?}");
    }
    assert_eq!(streams(&[packet(b"unknown", &[])], &[]).describe()[0].kind, TrackKind::Other);
}

#[test]
fn samples_that_opus_skips_are_not_played() {
    let opus = packet(b"OpusHead", &[(9, &[2]), (10, &312_u16.to_le_bytes())]);
    let pages = [page(2, 0, 1), page(2, 5_760, 1), page(2, 48_000 * 2 + 312, 100)];
    assert_eq!(milliseconds(&streams(&[theora(6, [0; 6]), opus], &pages)), 2_000);
}

#[test]
fn the_first_page_begins_before_its_position_by_as_much_as_its_packets_can_cover() {
    let vorbis = packet(b"\x01vorbis", &[(11, &[2]), (12, &1_000_u32.to_le_bytes()), (28, &[0xA0])]);
    let pages = [page(2, 0, 2), page(2, 5_000, 2), page(2, 6_000, 1)];
    // Two packets of at most 1024 samples each end at sample 5,000.
    assert_eq!(milliseconds(&streams(&[theora(6, [0; 6]), vorbis], &pages)), 6_000 - (5_000 - 2 * 1_024));
}

#[test]
fn a_page_on_which_no_packet_ends_has_no_position() {
    let video = theora(6, [0; 6]);
    assert_eq!(milliseconds(&streams(std::slice::from_ref(&video), &[page(1, -1, 0)])), 0);
    let with_stray =
        |stray| milliseconds(&streams(std::slice::from_ref(&video), &[page(1, 0, 2), page(1, 25 << 6, 25), stray]));
    assert_eq!([with_stray(page(1, -1, 0)), with_stray(page(1, 900 << 6, 0))], [1_000, 1_000]);
}

#[test]
fn pages_of_headers_have_no_time() {
    for (granule, packets, is_accepted) in [(0, 2, true), (1, 2, false), (1 << 6, 3, true), (900 << 6, 0, true)] {
        let mut streams = streams(&[theora(6, [0; 6])], &[]);
        assert_eq!(streams.absorb(&page(1, granule, packets)).is_ok(), is_accepted, "{granule}, {packets}");
    }
}

#[test]
fn positions_do_not_go_back_and_stand_still_for_one_packet_at_most() {
    for (frame, packets, is_accepted) in [(50, 1, true), (50, 2, false), (51, 2, true), (49, 1, false)] {
        let mut streams = streams(&[theora(6, [0; 6])], &[page(1, 0, 2), page(1, 50 << 6, 50)]);
        assert_eq!(streams.absorb(&page(1, frame << 6, packets)).is_ok(), is_accepted, "{frame}, {packets}");
    }
}

#[test]
fn packets_may_exceed_the_positions_by_a_quarter_of_a_second() {
    // Theora of 40 ms a frame: 50 frames by position.
    for (packets, is_accepted) in [(50, true), (56, true), (57, false)] {
        let streams = streams(&[theora(6, [0; 6])], &[page(1, 1 << 6, 3), page(1, 50 << 6, packets - 1)]);
        assert_eq!(streams.check_frames().is_ok(), is_accepted, "{packets}");
    }
}

#[test]
fn a_file_may_have_64_streams() {
    let mut streams = streams(&vec![theora(6, [0; 6]); 64], &[]);
    assert!(matches!(streams.begin(65, &theora(6, [0; 6])), Err(FileRefusal::MetadataTooLarge { .. })));
}

#[test]
fn streams_begin_at_the_beginning_and_once() {
    let mut streams = streams(&[theora(6, [0; 6])], &[]);
    assert!(streams.begin(1, &theora(6, [0; 6])).is_err(), "a known stream");
    assert_eq!(streams.begin(2, &packet(b"OpusHead", &[])), Ok(()));
    streams.absorb(&page(1, 0, 2)).expect("headers");
    for (number, start) in [(1, theora(6, [0; 6])), (1, vec![0; 64]), (9, theora(6, [0; 6])), (10, vec![0; 64])] {
        assert!(matches!(streams.begin(number, &start), Err(FileRefusal::Ambiguous { .. })), "{number}");
    }
}

#[test]
fn a_file_without_video_is_refused_at_its_first_media_page() {
    let container = Container::Ogg;
    let refused = |first: Vec<u8>| {
        let mut streams = streams(&[first], &[]);
        (streams.require_video(), streams.absorb(&page(1, 1, 1)))
    };
    let audio = Err(FileRefusal::AudioOnly { container });
    assert_eq!(refused(packet(b"OpusHead", &[])), (audio, audio));
    let nothing = Err(FileRefusal::NoTracks { container });
    assert_eq!(refused(packet(b"unknown", &[])), (nothing, nothing));
}

#[test]
fn a_video_without_a_rate_is_refused_because_players_assume_one() {
    let still = packet(b"\x80theora", &[(7, &[3, 2, 1]), (14, &[0, 0, 64, 0, 0, 36]), (40, &[0, 0xC0])]);
    assert!(matches!(OggStreams::default().begin(1, &still), Err(FileRefusal::Unsupported { .. })));
}

#[test]
fn pictures_on_pages_without_a_time_are_counted() {
    let played = |pages: &[OggPage]| {
        let mut streams = streams(&[theora(6, [0; 6])], &[page(1, 0, 2)]);
        for page in pages {
            streams.absorb(page).expect("a video");
        }
        streams.settle().map(|()| milliseconds(&streams)).map_err(|refusal| refusal.kind().name())
    };
    assert_eq!(played(&[page(1, -1, 20), page(1, 50 << 6, 30)]), Ok(2_000), "before a page with a time");
    assert_eq!(played(&[page(1, 20 << 6, 20), page(1, -1, 30)]), Ok(2_000), "behind all others");
    assert_eq!(played(&[page(1, -1, 50), page(1, 40 << 6, 1)]), Err("ambiguous"), "more than the next page says");
    let mut streams = streams(&[theora(6, [0; 6])], &[page(1, 0, 2)]);
    assert!(streams.absorb(&page(1, -2, 1)).is_err(), "only one negative position means that there is none");
}

#[test]
fn sound_on_pages_without_a_time_may_last_a_quarter_of_a_second_longer_than_its_positions_say() {
    let played = |pages: &[OggPage]| {
        let opus = packet(b"OpusHead", &[(9, &[2])]);
        let mut streams = streams(&[theora(6, [0; 6]), opus], &[page(2, 0, 1)]);
        for page in pages {
            streams.absorb(page).expect("a video");
        }
        streams.settle().map(|()| milliseconds(&streams)).map_err(|refusal| refusal.kind().name())
    };
    // A packet has 5,760 samples of 48,000 a second at most.
    assert_eq!(played(&[page(2, 5_760, 1), page(2, -1, 1), page(2, 17_280, 1)]), Ok(360));
    assert_eq!(played(&[page(2, 5_760, 1), page(2, -1, 3), page(2, 17_280, 1)]), Ok(360));
    assert_eq!(played(&[page(2, 5_760, 1), page(2, -1, 4), page(2, 17_280, 1)]), Err("ambiguous"));
    assert_eq!(
        [played(&[page(2, 5_760, 1), page(2, -1, 2)]), played(&[page(2, 5_760, 1), page(2, -1, 3)])],
        [Ok(120), Err("ambiguous")]
    );
}

#[test]
fn pages_of_no_stream_are_ambiguous() {
    let mut streams = streams(&[theora(6, [0; 6])], &[page(1, 0, 2), page(1, -1, 0)]);
    assert!(matches!(streams.absorb(&page(9, 0, 1)), Err(FileRefusal::Ambiguous { .. })));
}

#[test]
fn a_clock_without_a_rate_is_none() {
    assert!(GranuleClock::of_samples(0, 1, 0, 0).is_none() && GranuleClock::of_samples(1, 1, 0, 0).is_some());
    assert!(GranuleClock::of_frames(0, 1, 0, 0).is_none() && GranuleClock::of_frames(1, 0, 0, 0).is_none());
    assert!(GranuleClock::of_frames(1, 1, 0, 0).is_some());
}

#[test]
fn streams_without_positions_were_not_observed() {
    assert!(streams(&[theora(6, [0; 6])], &[]).observed().is_none());
}
