//! Forged AVI files. By the chunks, streams or index that a careless reader sees, they last four seconds. Players play
//! most of them for more than two minutes.

use crate::support::{probe_in_chunks, probe_whole, summary};

const LIMITS: std::ops::RangeInclusive<u64> = 2_000..=120_000;
/// The flag of a main header that tells players to play by the index.
const MUST_USE_INDEX: u32 = 0x20;

fn chunk(name: &[u8], body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len()).expect("short");
    [sized(name, size), body.to_vec(), vec![0; body.len() % 2]].concat()
}

/// Returns the header of a chunk.
fn sized(name: &[u8], size: u32) -> Vec<u8> {
    [name, &size.to_le_bytes()].concat()
}

fn list(name: &[u8], body: &[u8]) -> Vec<u8> {
    chunk(b"LIST", &[name, body].concat())
}

/// Returns the header of a stream with ten units a second, of this size.
fn stream_header(name: &[u8], unit: u32) -> Vec<u8> {
    let numbers = [0, 0, 0, 0, 1, 10, 0, 40, 0, 0, unit, 0, 0];
    let numbers: Vec<u8> = numbers.iter().skip(1).flat_map(|number| u32::to_le_bytes(*number)).collect();
    chunk(b"strh", &[name, &b"MJPG"[..], &numbers].concat())
}

fn picture_format(code: &[u8]) -> Vec<u8> {
    [&[40, 0, 0, 0][..], &64_u32.to_le_bytes(), &48_u32.to_le_bytes(), &[1, 0, 24, 0], code, &[0; 20]].concat()
}

fn stream(header: &[u8], rest: &[u8]) -> Vec<u8> {
    list(b"strl", &[header, rest].concat())
}

fn pictures() -> Vec<u8> {
    stream(&stream_header(b"vids", 0), &chunk(b"strf", &picture_format(b"MJPG")))
}

/// Returns a stream of MP3 with a frame in each chunk.
fn sound() -> Vec<u8> {
    let format = [&[0x55, 0, 1, 0][..], &16_000_u32.to_le_bytes(), &[0; 4], &1_152_u16.to_le_bytes(), &[0; 2]].concat();
    stream(&stream_header(b"auds", 0), &chunk(b"strf", &format))
}

/// Returns a file with these flags in its header, header lists and chunks, media, and what follows them.
fn avi(flags: u32, headers: &[u8], media: &[u8], after: &[u8]) -> Vec<u8> {
    let main: Vec<u8> = [100_000, 0, 0, flags, 40, 0, 2, 0, 64, 48].into_iter().flat_map(u32::to_le_bytes).collect();
    let headers = list(b"hdrl", &[&chunk(b"avih", &main), headers].concat());
    chunk(b"RIFF", &[&b"AVI "[..], &headers, &list(b"movi", media), after].concat())
}

fn frames(name: &[u8], count: usize) -> Vec<u8> {
    chunk(name, &[1; 4]).repeat(count)
}

/// Returns frames that repeat the previous one, and a last one.
fn repetitions(count: usize) -> Vec<u8> {
    [sized(b"00dc", 0).repeat(count), frames(b"00dc", 1)].concat()
}

/// Returns the entries of an index for these chunks, which begin with the media.
fn entries(media: &[u8]) -> Vec<u8> {
    let (mut at, mut entries) = (0, Vec::new());
    while let Some(header) = media.get(at..at + 8) {
        let position = u32::try_from(at + 4).expect("short").to_le_bytes();
        entries.extend([&header[..4], &[16, 0, 0, 0], &position, &header[4..]].concat());
        at += 8 + usize::try_from(u32::from_le_bytes(header[4..].try_into().expect("four bytes"))).expect("short");
    }
    entries
}

fn duration(what: &str, file: &[u8]) -> Option<u64> {
    let verdict = probe_whole(file);
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[100, 1, 3000])), "{what} in chunks");
    verdict.ok().map(|media| media.duration_ms)
}

fn assert_not_accepted(what: &str, file: &[u8]) {
    let duration = duration(what, file);
    assert!(duration.is_none_or(|duration| !LIMITS.contains(&duration)), "{what}: {duration:?}");
}

fn assert_plays(what: &str, file: &[u8], expected: u64) {
    assert_eq!(duration(what, file), Some(expected), "{what}: {}", summary(&probe_whole(file)));
}

#[test]
fn a_plain_file_is_accepted() {
    assert_plays("pictures", &avi(0, &pictures(), &frames(b"00dc", 40), &[]), 4_000);
    let both = avi(0, &[pictures(), sound()].concat(), &[frames(b"00dc", 40), frames(b"01wb", 40)].concat(), &[]);
    assert_plays("pictures and sound", &both, 4_000);
}

#[test]
fn frames_are_found_where_players_find_them() {
    let shown = frames(b"00dc", 40);
    let colors = |hidden: &[u8]| chunk(b"00pc", &[&[0, 1, 0, 0][..], &[0; 4], hidden].concat());
    let palettes = colors(&sized(b"00dc", 0).repeat(120)).repeat(13);
    for (what, media) in [
        ("in palettes", [&shown[..], &palettes, &repetitions(0)].concat()),
        ("as palettes of more than a kilobyte", [&shown[..], &chunk(b"00pc", &[0; 1_030]).repeat(1_300)].concat()),
        ("in the headers of files", [&shown[..], &b"RIFF00dc\0\0\0\0".repeat(1_300), &repetitions(0)].concat()),
        (
            "in a chunk of a fixed length",
            [&shown[..], &sized(b"00wc", 1_056), &[1; 56], &repetitions(1_300)[..]].concat(),
        ),
    ] {
        assert_not_accepted(what, &avi(0, &pictures(), &media, &[]));
    }
    let palette = chunk(b"00pc", &[&[0, 0, 0, 0][..], &[9; 1024]].concat());
    assert_plays("a palette", &avi(0, &pictures(), &[palette, shown.clone()].concat(), &[]), 4_000);
    let fixed = chunk(b"00wc", &[1; 56]);
    assert_plays("a chunk of a fixed length", &avi(0, &pictures(), &[fixed, shown].concat(), &[]), 4_000);
}

/// Players don't know a chunk that ends after the file.
#[test]
fn frames_are_not_hidden_by_a_chunk_that_ends_after_the_file() {
    for name in [b"JUNK", b"ix00", b"00ix", b"indx", b"00pc", b"00wc"] {
        let media = frames(b"00dc", 40);
        let file = avi(0, &pictures(), &media, &[sized(name, 1 << 20), repetitions(1_300)].concat());
        assert_not_accepted(&String::from_utf8_lossy(name), &file);
    }
    let lists =
        avi(0, &pictures(), &frames(b"00dc", 40), &[&b"LIST00dc\0\0\0\0".repeat(1_300)[..], &repetitions(0)].concat());
    assert_not_accepted("lists", &lists);
}

#[test]
fn sound_named_like_the_first_pictures_is_sound() {
    let streams = [pictures(), sound()].concat();
    let media = |pictures, sounds| [frames(b"00dc", pictures), frames(b"00wb", sounds)].concat();
    assert_not_accepted("much of it", &avi(0, &streams, &media(40, 1_300), &[]));
    assert_plays("as much as pictures", &avi(0, &streams, &media(40, 40), &[]), 4_000);
}

#[test]
fn a_byte_of_padding_follows_frames_of_odd_length_only() {
    let odd = [&sized(b"00dc", 3)[..], &[1; 3], b"0"].concat().repeat(39);
    let media = [&odd[..], &frames(b"00dc", 1)].concat();
    assert_plays("odd lengths", &avi(0, &pictures(), &media, &[]), 4_000);
    // Players take 000d for a name, and skip its chunk with the frames in it.
    let even = [&b"000dc\0\0\0\0"[..], &sized(b"00dc", 0).repeat(11), &[1; 7]].concat();
    let media = [frames(b"00dc", 2), even.repeat(4)].concat();
    let counted = duration("even lengths", &avi(0, &pictures(), &media, &[]));
    assert!(counted.is_none_or(|counted| counted < 2_000), "{counted:?}");
}

#[test]
fn an_index_is_not_hidden_from_the_prober() {
    let media = frames(b"00dc", 40);
    let index = entries(&media);
    let whole = avi(MUST_USE_INDEX, &pictures(), &media, &chunk(b"idx1", &index));
    assert_plays("in its place", &whole, 4_000);
    let repeated = chunk(b"idx1", &index.repeat(40));
    // The list ends in the middle of the chunk, where players look for the index.
    let mut spanning = avi(MUST_USE_INDEX, &pictures(), &media, &chunk(b"JUNK", &[&[0; 4][..], &repeated].concat()));
    let size = memchr::memmem::find(&spanning, b"movi").expect("media") - 4;
    let longer = u32::try_from(4 + media.len() + 12).expect("short");
    spanning[size..size + 4].copy_from_slice(&longer.to_le_bytes());
    assert_not_accepted("in a chunk that begins before the end of the media", &spanning);
    let junk = chunk(b"JUNK", &[&[0; 4][..], &repeated].concat());
    let misled = [&sized(b"abcd", 8 + 4)[..], &[0; 4], &junk].concat();
    assert_not_accepted("behind an unknown chunk", &avi(MUST_USE_INDEX, &pictures(), &media, &misled));
    let two = [chunk(b"idx1", &index[..16 * 10]), chunk(b"JUNK", &[0; 4]), chunk(b"idx1", &index[16 * 10..])].concat();
    assert_not_accepted("in two parts", &avi(MUST_USE_INDEX, &pictures(), &media, &two));
    let after = [chunk(b"JUNK", &[0; 3]), list(b"INFO", &[]), chunk(b"idx1", &index), b"abcd".to_vec()].concat();
    assert_plays("behind other chunks", &avi(MUST_USE_INDEX, &pictures(), &media, &after), 4_000);
}

#[test]
fn streams_are_those_that_players_see() {
    let hidden = stream(&stream_header(b"vids", 0), &chunk(b"strf", &picture_format(b"MJPG")));
    let header = stream_header(b"vids", 0);
    let format = picture_format(b"MJPG");
    let long = [frames(b"00dc", 40), frames(b"01dc", 1_300), frames(b"02dc", 1_300)].concat();
    let cut = {
        let whole = stream(
            &header,
            &[sized(b"strf", 40 + u32::try_from(hidden.len()).expect("short")), format.clone(), hidden.clone()]
                .concat(),
        );
        let list = u32::try_from(4 + header.len() + 8 + 40).expect("short").to_le_bytes();
        [&whole[..4], &list, &whole[8..]].concat()
    };
    let short = stream(
        &header,
        &[&sized(b"strf", 20)[..], &format[..20], &chunk(b"JUNK", &[&[0; 12][..], &hidden].concat())].concat(),
    );
    let subtitles = stream(&header, &chunk(b"strf", &[picture_format(b"DXSB"), hidden.clone()].concat()));
    let odd = {
        let junk = [&sized(b"JUNK", u32::try_from(hidden.len()).expect("short") + 7)[..], &[0; 7]].concat();
        let misread = [&b"JUNK\x10\0\0\0\0"[..], &junk].concat();
        stream(&stream_header(b"txts", 0), &[&sized(b"strf", 5)[..], b"abcde", &misread, &hidden].concat())
    };
    let endless = stream(
        &stream_header(b"auds", u32::MAX),
        &chunk(b"strf", &[0x55, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    );
    for (what, headers) in [
        ("of an unknown kind", [pictures(), stream(&stream_header(b"abcd", 0), &chunk(b"strf", &format))].concat()),
        ("in a format that ends after its list", cut),
        ("behind a short format", short),
        ("behind subtitles", [pictures(), subtitles].concat()),
        ("behind a format of odd length", [pictures(), odd].concat()),
        (
            "of another format",
            [chunk(b"amvh", &[0; 56]), pictures(), stream(&stream_header(b"txts", 0), &chunk(b"strf", &[0; 18]))]
                .concat(),
        ),
        ("with a negative size of its samples", [pictures(), endless].concat()),
        ("in another file", [pictures(), chunk(b"RIFF", &[&b"AVIX"[..], &hidden].concat())].concat()),
    ] {
        assert_not_accepted(what, &avi(0, &headers, &long, &[]));
    }
    let filled = [stream(&stream_header(b"pads", 0), &[]), pictures()].concat();
    assert_not_accepted("behind fill", &avi(0, &filled, &[frames(b"01dc", 40), frames(b"00dc", 1_300)].concat(), &[]));
    assert_plays("behind fill", &avi(0, &filled, &frames(b"00dc", 40), &[]), 4_000);
    let short = [&b"strh\x04\0\0\0vids"[..], &header[12..]].concat();
    assert_not_accepted(
        "with a header that players read further",
        &avi(0, &stream(&short, &chunk(b"strf", &format)), &long, &[]),
    );
}

#[test]
fn texts_and_tags_end_where_their_list_does() {
    let shown = frames(b"00dc", 40);
    let with = |added: &[u8]| avi(0, &[added, &pictures()].concat(), &shown, &[]);
    assert_plays("texts", &with(&list(b"INFO", &[chunk(b"ISFT", b"abc"), chunk(b"LIST", b"abcd")].concat())), 4_000);
    assert_not_accepted("a text that is too long", &with(&list(b"INFO", &sized(b"ISFT", 4))));
    let tags = |length: u8| chunk(b"nctg", &[&[0, 0, length, 0][..], b"abc"].concat());
    let camera = |tags: Vec<u8>| list(b"ncdt", &[&tags[..], &sized(b"ncvr", 2), b"ab"].concat());
    assert_plays("a camera's tags", &with(&camera(sized(b"nctg", 0))), 4_000);
    assert_plays("a camera's tag", &with(&camera([&sized(b"nctg", 8)[..], &[1, 0, 4, 0], b"abcd"].concat())), 4_000);
    assert_not_accepted("a tag that is too long", &with(&camera(tags(4))));
    assert_not_accepted(
        "a list without room for its name",
        &with(&[&sized(b"LIST", 2)[..], b"ncdtaa\0\0\0\0"].concat()),
    );
    assert_not_accepted("a part that is too long", &with(&list(b"ncdt", &sized(b"ncvr", 9))));
}

#[test]
fn what_follows_a_format_is_padded_if_players_store_it() {
    let with = |format: &[u8], added: &[u8]| {
        let headers = stream(&stream_header(b"vids", 0), &[&chunk(b"strf", format), added].concat());
        avi(0, &headers, &frames(b"00dc", 40), &[])
    };
    let (plain, odd) = (picture_format(b"MJPG"), chunk(b"strd", b"abc"));
    assert_plays("of odd length", &with(&plain, &odd), 4_000);
    assert_not_accepted("twice", &with(&plain, &odd.repeat(2)));
    assert_not_accepted("after a long format", &with(&[&plain[..], b"ab"].concat(), &odd));
    assert_plays("of even length", &with(&[&plain[..], b"ab"].concat(), &chunk(b"strd", b"abcd")), 4_000);
    assert_not_accepted("after H.264", &with(&picture_format(b"H264"), &odd));
}

/// Players take the rate of DV from the frames, ignore chunks that are too short for one, and do not read the format.
#[test]
fn frames_of_dv_have_one_of_two_rates() {
    let of = |scale: u32, rate: u32, others: &[u8], frame: usize| {
        let mut header = [&b"iavsdvsd"[..], &[0; 48]].concat();
        header[20..24].copy_from_slice(&scale.to_le_bytes());
        header[24..28].copy_from_slice(&rate.to_le_bytes());
        let headers = stream(&chunk(b"strh", &header), &chunk(b"strf", &[0; 32]));
        let media = chunk(b"00__", &vec![1; frame]).repeat(60);
        duration("DV", &avi(0, &[&headers[..], others].concat(), &media, &[]))
    };
    assert_eq!([of(1, 25, &[], 144_000), of(1_001, 30_000, &[], 120_000)], [Some(2_400), Some(2_002)]);
    assert_eq!([of(1, 10, &[], 144_000), of(1, 50, &[], 144_000), of(1, 25, &[], 4)], [None; 3]);
    assert_eq!(of(1, 25, &pictures(), 144_000), None, "beside other streams");
}

/// Players show frames at the times that the order of the index gives them.
#[test]
fn an_index_lists_empty_chunks_where_they_are() {
    let media = [frames(b"00dc", 40), sized(b"00dc", 0).repeat(1_300)].concat();
    let index = entries(&media);
    let shifted = [&index[16 * 40..], &index[..16 * 40]].concat();
    let plays = |index: &[u8]| duration("an index", &avi(MUST_USE_INDEX, &pictures(), &media, &chunk(b"idx1", index)));
    assert_eq!([plays(&index), plays(&shifted)], [Some(4_000), None]);
}

#[test]
fn clocks_and_starts_are_those_that_players_use() {
    let begun = |name: &[u8; 4], start: u32, unit: u32| {
        let mut header = stream_header(name, unit);
        header[36..40].copy_from_slice(&start.to_le_bytes());
        header
    };
    let shown = frames(b"00dc", 40);
    let both = [&shown[..], &frames(b"01wb", 40)].concat();
    for (what, start, unit) in [("in bytes", 1, 3_000), ("after an hour", 36_010, 0)] {
        let late = stream(&begun(b"vids", start, unit), &chunk(b"strf", &picture_format(b"MJPG")));
        assert_not_accepted(&format!("a start {what}"), &avi(0, &[late, sound()].concat(), &both, &[]));
    }
    let mut timed = stream_header(b"vids", 0);
    timed[28..36].fill(0);
    let slow: Vec<u8> = [5_000_000_u32, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes).collect();
    let fast: Vec<u8> = [100_000_u32, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes).collect();
    let timed = stream(&timed, &chunk(b"strf", &picture_format(b"MJPG")));
    let headers = [
        &chunk(b"avih", &[&slow[..], &[0; 40]].concat()),
        &timed[..],
        &chunk(b"avih", &[&fast[..], &[0; 40]].concat()),
    ]
    .concat();
    assert_not_accepted("two clocks", &avi(0, &headers, &shown, &[]));
}

#[test]
fn streams_have_formats_and_few_names() {
    let shown = frames(b"00dc", 40);
    let silent = stream(&stream_header(b"auds", 0), &[]);
    assert_not_accepted("sound without a format", &avi(0, &[pictures(), silent].concat(), &shown, &[]));
    assert_not_accepted("101 streams", &avi(0, &[pictures(), sound().repeat(100)].concat(), &shown, &[]));
    let subtitles = stream(&stream_header(b"vids", 0), &chunk(b"strf", &picture_format(b"DXSB")));
    let media = [shown, frames(b"01sb", 5)].concat();
    assert_plays("subtitles", &avi(0, &[pictures(), subtitles].concat(), &media, &[]), 4_000);
}

/// In these formats, players ignore the declared number of bits in a sample.
#[test]
fn uncompressed_sound_is_as_long_as_its_bytes() {
    let with = |format: &[u8]| {
        let sound = stream(&stream_header(b"auds", 0), &chunk(b"strf", format));
        let long = chunk(b"01wb", &vec![1; 8_000 * 200]);
        avi(0, &[pictures(), sound].concat(), &[frames(b"00dc", 40), long].concat(), &[])
    };
    let wave = |tag: u16, bits: u16| {
        [&tag.to_le_bytes()[..], &[1, 0], &8_000_u32.to_le_bytes(), &[0; 4], &[0xFF, 0xFF], &bits.to_le_bytes()]
            .concat()
    };
    assert_not_accepted("G.711 with 400 bits", &with(&wave(7, 400)));
    assert_not_accepted("a short format", &with(&wave(1, 0)[..14]));
    let long_form = [&wave(0xFFFE, 400)[..], &[22, 0, 0, 0, 0, 0, 0, 0, 6, 0], &[0; 14]].concat();
    assert_not_accepted("the long form", &with(&long_form));
}
