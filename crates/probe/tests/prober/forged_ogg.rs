//! Forged and unusual Ogg files. By the positions that a careless reader sees, the forged ones last four seconds.
//! Players play them for more than two minutes, or for less than two seconds.

use crate::support::{probe_in_chunks, probe_whole, summary};

const CONTINUED: u8 = 1;
const FIRST: u8 = 2;
const LAST: u8 = 4;
const PICTURES: u32 = 1;
const OTHERS: u32 = 2;
/// The position of a page on which no packet ends.
const NO_TIME: u64 = u64::MAX;

/// Returns a packet that begins with these bytes, and has these numbers at these positions, the highest byte first.
fn header(magic: &[u8], length: usize, numbers: &[(usize, u32)]) -> Vec<u8> {
    let mut header = vec![0; length];
    header[..magic.len()].copy_from_slice(magic);
    for (at, number) in numbers {
        header[*at..*at + 4].copy_from_slice(&number.to_be_bytes());
    }
    header
}

/// Returns the first header of Theora of 64x48, with this many pictures a second. Positions have six low bits.
fn theora(rate: u32) -> Vec<u8> {
    header(b"\x80theora\x03\x02\x01", 42, &[(14, 64 << 8), (17, 48 << 8), (22, rate), (26, 1), (38, 6 << 5)])
}

fn vp8(rate: u32) -> Vec<u8> {
    header(b"OVP80\x01\x01\0\0\x40\0\x30", 26, &[(18, rate), (22, 1)])
}

/// Returns the first header of OGM with pictures of this many milliseconds each.
fn ogm(milliseconds: u32, samples: u32) -> Vec<u8> {
    let unit = (milliseconds * 10_000).swap_bytes();
    header(b"\x01video\0\0\0XVID\x38", 57, &[(17, unit), (25, samples.swap_bytes()), (45, 64 << 24), (49, 48 << 24)])
}

fn opus() -> Vec<u8> {
    header(b"OpusHead\x01\x01", 19, &[])
}

fn checksum(page: &[u8]) -> u32 {
    page.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04C1_1DB7 } else { 0 })
    })
}

/// Returns a page with these packets.
fn page(serial: u32, flags: u8, granule: u64, packets: &[&[u8]]) -> Vec<u8> {
    let lacing: Vec<u8> = packets
        .iter()
        .flat_map(|packet| [vec![255; packet.len() / 255], vec![u8::try_from(packet.len() % 255).expect("a rest")]])
        .flatten()
        .collect();
    let segments = u8::try_from(lacing.len()).expect("few packets");
    let mut page =
        [b"OggS\0", &[flags][..], &granule.to_le_bytes(), &serial.to_le_bytes(), &[0; 8], &[segments], &lacing]
            .concat();
    page.extend(packets.concat());
    let sum = checksum(&page);
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    page
}

/// Returns a page with this many pictures of Theora, of which the last one has this number.
fn shown(flags: u8, last: u64, count: usize) -> Vec<u8> {
    page(PICTURES, flags, last << 6, &vec![&b"\x40"[..]; count])
}

/// Returns a file of Theora with this rate and these pages.
fn film(rate: u32, pages: &[Vec<u8>]) -> Vec<u8> {
    let headers = page(PICTURES, 0, 0, &[b"\x81", b"\x82"]);
    [page(PICTURES, FIRST, 0, &[&theora(rate)]), headers, pages.concat()].concat()
}

/// Returns a film of four seconds of Theora, with a second stream that begins with the packet `first`.
fn film_with(first: &[u8], pages: &[Vec<u8>]) -> Vec<u8> {
    let starts = [page(PICTURES, FIRST, 0, &[&theora(5)]), page(OTHERS, FIRST, 0, &[first])].concat();
    [starts, page(PICTURES, 0, 0, &[b"\x81", b"\x82"]), pages.concat(), shown(0, 20, 20)].concat()
}

fn duration(what: &str, file: &[u8]) -> Option<u64> {
    let verdict = probe_whole(file);
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[997, 13])), "{what}");
    verdict.ok().map(|media| media.duration_ms)
}

fn assert_refused(what: &str, file: &[u8]) {
    assert_eq!(duration(what, file), None, "{what}");
}

fn assert_plays(what: &str, file: &[u8], milliseconds: u64) {
    assert_eq!(duration(what, file), Some(milliseconds), "{what}");
}

#[test]
fn the_first_page_of_a_stream_has_one_packet() {
    assert_plays("a film", &film(5, &[shown(0, 20, 20)]), 4_000);
    let [fast, slow] = [theora(25), theora(1)];
    let rest = shown(0, 100, 100);
    let continued = [page(PICTURES, FIRST | CONTINUED, 0, &[&fast]), page(PICTURES, 0, 0, &[&slow, b"\x81", b"\x82"])];
    assert_refused("the rest of a packet", &[continued.concat(), rest.clone()].concat());
    let full = page(PICTURES, FIRST, 20 << 6, &[&[&fast[..], b"\x81", b"\x82"][..], &[&b"\x40"[..]; 100]].concat());
    assert_refused("several packets", &[full, rest].concat());
}

#[test]
fn a_stream_has_its_headers_once_and_first() {
    let again = |first: &[u8]| page(PICTURES, 0, 0, &[first]);
    assert_refused("Theora", &film(25, &[again(&theora(1)), shown(0, 100, 100)]));
    assert_refused("surplus headers", &film(25, &[page(PICTURES, 0, 100 << 6, &[&b"\x81"[..]; 100])]));
    let frames = page(PICTURES, 0, 100 << 32 | 3 << 30, &[&b"\x10"[..]; 100]);
    let vp8s = |rate| page(PICTURES, FIRST, 0, &[&vp8(rate)]);
    assert_plays("VP8", &[vp8s(25), frames.clone()].concat(), 4_000);
    assert_refused("VP8, twice", &[vp8s(25), again(&vp8(1)), frames].concat());
    let frames = page(PICTURES, 0, 99, &[&b"\x08."[..]; 100]);
    let ogms = page(PICTURES, FIRST, 0, &[&ogm(40, 1)]);
    let comments = again(b"\x03vorbis");
    assert_plays("OGM", &[ogms.clone(), comments.clone(), frames.clone()].concat(), 4_000);
    assert_refused("OGM, twice", &[ogms, comments, again(&ogm(1_000, 1)), frames].concat());
}

#[test]
fn ogm_counts_pictures_and_says_how_long_each_stays() {
    let film = |first: &[u8], packet: &[u8]| {
        let pages = [page(PICTURES, FIRST, 0, &[first]), page(PICTURES, 0, 0, &[b"\x03vorbis"])];
        [pages.concat(), page(PICTURES, 0, 99, &[packet; 100])].concat()
    };
    assert_refused("an eighth of a unit", &film(&ogm(40, 8), b"\x08."));
    assert_plays("45 units each", &film(&ogm(40, 1), b"\x48\x2D."), 180_000);
    assert_refused("packets without a frame", &film(&ogm(40, 1), b"\x48"));
}

#[test]
fn a_stream_ends_with_its_last_page() {
    assert_plays("the last page", &film(5, &[shown(0, 10, 10), shown(LAST, 20, 10)]), 4_000);
    assert_refused("in the middle", &film(5, &[shown(LAST, 1_000, 1), shown(0, 1_020, 20)]));
    assert_plays("a jump", &film(5, &[shown(0, 5, 5), shown(LAST, 20, 1)]), 1_200);
}

#[test]
fn packets_that_players_drop_or_do_not_show_are_not_counted() {
    let lost: Vec<_> = (6..=20).map(|last| shown(CONTINUED, last, 1)).collect();
    assert_plays("rests of packets", &film(5, &[shown(0, 5, 5), lost.concat()]), 1_000);
    let repeats = page(PICTURES, 0, 20 << 6, &[&b""[..]; 15]);
    assert_plays("repeated pictures", &film(5, &[shown(0, 5, 5), repeats]), 1_000);
    let vp8s = page(PICTURES, FIRST, 0, &[&vp8(5)]);
    let shown = |last: u64, frame: &[u8]| page(PICTURES, 0, last << 32 | 3 << 30, &[frame; 10]);
    assert_plays("hidden pictures", &[vp8s, shown(10, b"\x10"), shown(20, b"\x00")].concat(), 2_000);
}

#[test]
fn a_page_is_where_players_look_for_it() {
    let gap = |length: usize| film(5, &[shown(0, 5, 5), vec![0; length], shown(0, 20, 15)]);
    assert_plays("at most as far as the longest page", &gap(65_307), 4_000);
    assert_refused("behind it", &gap(65_308));
}

/// Players play each packet of sound as a whole, even if the positions leave less time for it.
#[test]
fn sound_is_as_long_as_its_packets() {
    let film =
        |pages: &[Vec<u8>]| film_with(&opus(), &[vec![page(OTHERS, 0, 0, &[b"OpusTags"])], pages.to_vec()].concat());
    // Packets of 20 ms.
    let sounds = |granule: u64, count: usize| page(OTHERS, 0, granule, &vec![&b"\x08."[..]; count]);
    assert_plays("two seconds", &film(&[sounds(48_000, 50), sounds(96_000, 50)]), 4_000);
    let crowded: Vec<_> = (1..=100).map(|second| sounds(second * 960, 200)).collect();
    assert_refused("400 s in two", &film(&crowded));
    let standing: Vec<_> = (1..=100).map(|_| sounds(960, 200)).collect();
    assert_refused("400 s in none", &film(&standing));
    let back: Vec<_> = (1..=100).map(|_| sounds(0, 200)).collect();
    assert_refused("back at the beginning", &film(&[sounds(960, 1), back.concat()]));
    assert_refused("packets without sound", &film(&[sounds(48_000, 50), page(OTHERS, 0, 96_000, &[&b""[..]; 50])]));
}

#[test]
fn a_skeleton_does_not_move_streams() {
    let bone = |length: usize, frame: u64| {
        let mut bone = header(b"fisbone\0", 80, &[(12, PICTURES.swap_bytes())]);
        bone[36..44].copy_from_slice(&(frame << 6).to_le_bytes());
        page(OTHERS, 0, 0, &[&bone[..length]])
    };
    let skeleton = header(b"fishead\0\x03", 64, &[]);
    assert_plays("a skeleton", &film_with(&skeleton, &[bone(80, 0)]), 4_000);
    assert_refused("late", &film_with(&skeleton, &[bone(80, 1_000)]));
    assert_refused("broken", &film_with(&skeleton, &[bone(40, 0)]));
}

/// A recording of a stream begins late. Its time counts from there.
#[test]
fn a_recording_lasts_from_its_first_page_on() {
    let late = film(5, &[shown(0, 10_010, 10), shown(0, 10_020, 10)]);
    assert_plays("pictures", &late, 4_000);
    let comments = page(OTHERS, 0, 0, &[b"OpusTags"]);
    let sounds = |granule: u64, count: usize| page(OTHERS, 0, granule, &vec![&b"\x08."[..]; count]);
    let starts = [page(PICTURES, FIRST, 0, &[&theora(5)]), page(OTHERS, FIRST, 0, &[&opus()])].concat();
    let media = [shown(0, 320, 20), sounds(48_000 * 62, 100), sounds(48_000 * 64, 100)].concat();
    let late = [starts, page(PICTURES, 0, 0, &[b"\x81", b"\x82"]), comments, media].concat();
    assert_plays("pictures and sound from 60 s to 64 s", &late, 4_000);
    let untimed = page(PICTURES, 0, NO_TIME, &[&b"\x40"[..]; 10]);
    assert_plays("a first page without a time", &film(5, &[untimed, shown(0, 10_020, 10)]), 4_000);
}
