//! Single boxes, byte by byte.

use crate::Container;
use crate::driver::WalkStep;
use crate::iso_bmff::boxes::{BoxEnd, header, header_length};
use crate::iso_bmff::edit_list::{self, Span};
use crate::iso_bmff::flavour::{Flavour, flavour_of, is_opening_box};
use crate::iso_bmff::fragments::{Fragment, TrackDefaults};
use crate::iso_bmff::sample_table::{self, SampleTable};
use crate::iso_bmff::table::{TableKind, TableLayout};
use crate::iso_bmff::track::{IsoTrack, references};
use crate::time::NANOS_PER_SECOND;
use fixtures::boxes::words;

#[test]
fn a_box_header_has_a_short_size_a_long_size_or_none() {
    let read = |bytes: &[u8]| header(bytes).ok().flatten().map(|header| (header.kind, header.length, header.end(100)));
    assert_eq!(read(b"\0\0\0\x0Cfree"), Some((*b"free", 8, BoxEnd::At(112))));
    assert_eq!(read(b"\0\0\0\x01mdat\0\0\0\x02\0\0\0\0"), Some((*b"mdat", 16, BoxEnd::At(100 + (2 << 32)))));
    assert_eq!(read(b"\0\0\0\0mdat"), Some((*b"mdat", 8, BoxEnd::OfFile(100))));
    assert_eq!(read(b"\0\0\0\x08free").map(|read| read.2), Some(BoxEnd::At(108)), "an empty box");
    assert_eq!(read(b"\0\0\0\x01mdat\0\0\0\0\0\0\0").map(|read| read.0), None, "a part of a long size");
    assert_eq!((header_length(b"\0\0\0\x01mdat"), header_length(b"\0\0\0\x02mdat")), (16, 8));
    for impossible in [&b"\0\0\0\x07free"[..], b"\0\0\0\x01mdat\0\0\0\0\0\0\0\x0F"] {
        assert!(header(impossible).is_err(), "{impossible:?}");
    }
}

#[test]
fn a_child_box_never_ends_after_its_parent() {
    let (early, late, open) = (BoxEnd::At(50), BoxEnd::At(90), BoxEnd::OfFile(7));
    assert_eq!(late.within(Some(early)), early);
    assert_eq!(early.within(Some(late)), early);
    assert_eq!(open.within(Some(early)), early);
    assert_eq!(late.within(Some(open)), late);
    assert_eq!(late.within(None), late);
    assert!(early.ends_by(50) && !early.ends_by(49) && !open.ends_by(u64::MAX));
    assert_eq!((late.length_from(60), early.length_from(60)), (30, 0));
    assert!(matches!(late.skip_from(60), WalkStep::Skip(30)));
    assert!(matches!(open.skip_from(60), WalkStep::Done));
}

#[test]
fn the_major_brand_selects_the_container_or_a_still_picture() {
    let of = |brand: &str| flavour_of(format!("\0\0\0\x14ftyp{brand}").as_bytes());
    for (brand, container) in [
        ("isom", Container::Mp4),
        ("mp42", Container::Mp4),
        ("qt  ", Container::Quicktime),
        ("3gp4", Container::ThreeGp),
        ("3g2a", Container::ThreeGp),
    ] {
        assert!(matches!(of(brand), Flavour::Movie(found) if found == container), "{brand}");
    }
    for (brands, name) in [("avif avis", "AVIF"), ("heic heix heim heis hevc hevx mif1 mif2 msf1", "HEIF")] {
        for brand in brands.split(' ') {
            assert!(matches!(of(brand), Flavour::StillPicture(found) if found == name), "{brand}");
        }
    }
    assert!(matches!(of("crx "), Flavour::StillPicture("Canon raw")));
    for brand in ["jp2 ", "jpx "] {
        assert!(matches!(of(brand), Flavour::StillPicture("JPEG 2000")), "{brand}");
    }
    let without_brand = b"\0\0\0\x08wide\0\0\0\x08heic";
    assert!(matches!(flavour_of(without_brand), Flavour::Movie(Container::Quicktime)));
    let kinds = "ftyp styp moov mdat free skip wide pnot sidx";
    assert!(kinds.split(' ').all(|kind| is_opening_box(kind.as_bytes())));
    assert!([b"trak", b"moof", b"prft", b"emsg"].iter().all(|kind| !is_opening_box(&kind[..])));
}

/// Returns the duration of one sample of a run, in a fragment whose header has these words.
fn default_duration(header: &[u32], defaults: &[TrackDefaults]) -> u64 {
    let mut fragment = Fragment::default();
    fragment.read_header(&words(header), defaults);
    assert!(fragment.open_run(&words(&[0, 1])).is_none());
    fragment.ticks
}

#[test]
fn a_fragments_sample_duration_is_its_own_or_its_tracks() {
    let defaults =
        [(1, 100), (2, 200)].map(|(id, ticks)| TrackDefaults::read(&words(&[0, id, 1, ticks])).expect("trex"));
    assert_eq!(default_duration(&[0, 2], &defaults), 200);
    assert_eq!(default_duration(&[0, 3], &defaults), 0);
    assert_eq!(default_duration(&[0x8, 2, 77], &defaults), 77);
    assert_eq!(default_duration(&[0x8 | 0x1, 2, 0, 9, 77], &defaults), 77, "after a 64-bit offset");
    assert_eq!(default_duration(&[0x8 | 0x2, 2, 9, 77], &defaults), 77, "after a description index");
    assert_eq!(default_duration(&[0x8 | 0x3, 2, 0, 9, 9, 77], &defaults), 77, "after both");
    assert_eq!(default_duration(&[0x8, 2], &defaults), 200, "announced but missing");
}

#[test]
fn every_optional_field_of_a_fragments_header_is_there_only_if_its_flag_says_so() {
    let defaults = [TrackDefaults::read(&words(&[0, 2, 5, 100, 9])).expect("trex")];
    let fields: [(u32, &[u32]); 5] = [(0x1, &[0, 900]), (0x2, &[7]), (0x8, &[77]), (0x10, &[8]), (0x20, &[1])];
    for flags in (0..0x40).filter(|flags| flags & 0x4 == 0) {
        let announced = fields.iter().filter(|(flag, _)| flags & flag != 0).flat_map(|(_, values)| *values);
        let header = words(&[&[flags, 2][..], &announced.copied().collect::<Vec<_>>()].concat());
        let read = |header: &[u8]| Fragment::default().read_header(header, &defaults);
        assert!(read(&header) && !read(&header[..header.len() - 4]), "{flags:#x}");
        let mut fragment = Fragment::default();
        assert!(fragment.read_header(&[header, words(&[1234; 5])].concat(), &defaults));
        fragment.open_run(&words(&[0, 1]));
        let or = |flag: u32, own: u32, inherited: u32| if flags & flag == 0 { inherited } else { own };
        assert_eq!(fragment.media_position(&words(&[0x1, 1, 40]), 300), Some(u64::from(or(0x1, 900, 300)) + 40));
        assert_eq!((fragment.description, fragment.largest), (or(0x2, 7, 5), or(0x10, 8, 9)), "{flags:#x}");
        assert_eq!(fragment.ticks, u64::from(or(0x8, 77, 100)), "{flags:#x}");
    }
}

#[test]
fn a_run_has_its_media_position_only_if_its_flag_says_so() {
    let position = |flags, offset| Fragment::default().media_position(&words(&[flags, 1, offset]), 300);
    assert_eq!([position(0x1, 40), position(0x101, 40), position(0x5, u32::MAX)], [Some(340), Some(340), Some(299)]);
    assert_eq!([position(0, 40), position(0x104, 40)], [None, None]);
}

#[test]
fn the_last_sample_of_a_fragment_is_the_one_that_ends_last() {
    let last = |entries: &[[u32; 2]]| {
        let mut fragment = Fragment::default();
        for entry in entries {
            fragment.add_sample(0x900, &words(entry));
        }
        fragment.last_sample
    };
    assert_eq!([last(&[[20, 0], [30, 0]]), last(&[[20, 100], [30, 0]])], [30, 20]);
    assert_eq!(last(&[[10, 20], [20, 0]]), 20, "the later one of two that end together");
}

#[test]
fn the_largest_sample_of_a_fragment_is_that_of_its_entries_or_the_default() {
    let largest = |flags: u32, entries: &[&[u32]]| {
        let mut fragment = Fragment::default();
        fragment.read_header(&words(&[0x10, 1, 50]), &[]);
        fragment.open_run(&words(&[flags, u32::try_from(entries.len()).unwrap()]));
        for entry in entries {
            fragment.add_sample(flags, &words(entry));
        }
        fragment.largest
    };
    assert_eq!(largest(0, &[]), 0, "no samples");
    assert_eq!(largest(0x100, &[&[900]]), 50, "durations");
    assert_eq!(largest(0x200, &[&[30], &[40], &[20]]), 40, "sizes");
    assert_eq!(largest(0x300, &[&[900, 30], &[900, 60]]), 60, "durations and sizes");
    assert_eq!(largest(0xA00, &[&[30, 900]]), 30, "sizes and offsets");
}

#[test]
fn a_fragments_samples_have_their_own_description_or_their_tracks() {
    let defaults = [TrackDefaults::read(&words(&[0, 1, 5, 100])).expect("trex")];
    let description = |header: &[u32]| {
        let mut fragment = Fragment::default();
        fragment.read_header(&words(header), &defaults);
        fragment.description
    };
    assert_eq!((description(&[0, 1]), description(&[0, 2])), (5, 1));
    assert_eq!((description(&[0x2, 1, 7]), description(&[0x3, 1, 0, 9, 7])), (7, 7));
}

#[test]
fn the_flags_of_a_run_announce_the_layout_of_its_entries() {
    for (flags, preamble, entry_length) in [
        (0x100, 8, 4),
        (0x101, 12, 4),
        (0x104, 12, 4),
        (0x105, 16, 4),
        (0x200, 8, 4),
        (0x300, 8, 8),
        (0x500, 8, 8),
        (0x900, 8, 8),
        (0xF00, 8, 16),
    ] {
        let mut fragment = Fragment::default();
        let layout = fragment.open_run(&words(&[flags, 3])).expect("entries");
        assert_eq!((layout.preamble, layout.entry_length, layout.count), (preamble, entry_length, 3), "{flags:#05x}");
        assert_eq!(layout.kind, TableKind::RunSamples { flags });
        assert_eq!((fragment.samples, fragment.ticks), (3, 0));
    }
}

#[test]
fn the_samples_of_a_run_have_their_own_durations_and_offsets_or_the_defaults() {
    let shown = |flags: u32, entries: &[&[u32]]| {
        let mut fragment = Fragment::default();
        fragment.read_header(&words(&[0x8, 1, 10]), &[]);
        for entry in entries {
            fragment.add_sample(flags, &words(entry));
        }
        (fragment.ticks, fragment.shown)
    };
    assert_eq!(shown(0x100, &[&[30], &[40]]), (70, Some((0, 70))));
    assert_eq!(shown(0x200, &[&[30], &[40]]), (20, Some((0, 20))), "sizes");
    assert_eq!(shown(0x800, &[&[5], &[100], &[0]]), (30, Some((5, 120))), "offsets");
    assert_eq!(shown(0x900, &[&[20, u32::MAX], &[20, 7]]), (40, Some((-1, 47))), "negative offsets");
}

#[test]
fn fragments_cover_a_span_and_add_up() {
    let fragment = |starts_at, samples: u32| {
        let mut fragment = Fragment::default();
        fragment.read_header(&words(&[0x8, 1, 10]), &[]);
        fragment.open_run(&words(&[0, samples]));
        fragment.starts_at = starts_at;
        fragment
    };
    let mut track = IsoTrack::default();
    for (starts_at, samples) in [(Some(100), 5), (None, 5), (Some(20), 2), (None, 0)] {
        track.absorb_fragment(&fragment(starts_at, samples));
    }
    let span = track.fragments.expect("a span");
    assert_eq!((span.start, span.end, span.sum), (20, 200, 120));
    assert_eq!(track.samples(), 12);
}

#[test]
fn the_transformation_matrix_gives_the_rotation_in_quarter_turns() {
    for (version, id_at, matrix_at) in [(0, 12, 40), (1, 20, 52)] {
        for (degrees, [a, b, c, d]) in
            [(0, [1, 0, 0, 1]), (90, [0, 1, -1, 0]), (180, [-1, 0, 0, -1]), (270, [0, -1, 1, 0]), (0, [1, 1, -1, 1])]
        {
            let mut body = vec![0; 96];
            body[0] = version;
            body[id_at + 3] = 7;
            for (index, value) in [(0, a), (1, b), (3, c), (4, d)] {
                let fixed: i32 = value * 0x1_0000;
                body[matrix_at + index * 4..][..4].copy_from_slice(&fixed.to_be_bytes());
            }
            let mut track = IsoTrack::default();
            track.handler = *b"vide";
            track.read_header(&body);
            assert_eq!((track.id, track.describe().rotation), (7, degrees), "version {version}");
        }
    }
}

#[test]
fn media_is_external_if_the_reference_that_its_samples_use_says_so() {
    let entry = |flags| words(&[12, u32::from_be_bytes(*b"url "), flags]);
    let read = |flags: &[u32]| {
        let count = u32::try_from(flags.len()).expect("few references");
        references(&[words(&[0, count]), flags.iter().flat_map(|flags| entry(*flags)).collect()].concat())
    };
    assert_eq!((read(&[0]), read(&[1]), read(&[1, 0, 0])), ((1, 0b1), (1, 0), (3, 0b110)));
    assert_eq!(references(&words(&[0, 2, 12, 0])), (0, 0), "truncated");
    let is_external = |flags: &[u32], reference| {
        let mut track = IsoTrack::default();
        (track.references, track.external) = read(flags);
        track.entry.reference = reference;
        track.is_external()
    };
    assert!(is_external(&[0], 1) && is_external(&[0, 0], 7) && is_external(&[1, 0], 2));
    assert!(!is_external(&[1], 1) && !is_external(&[0, 1], 2) && !is_external(&[], 1));
}

#[test]
fn an_alias_with_a_path_is_external_whatever_its_flag_says() {
    let external = |kind: [u8; 4], items: &[u8]| {
        let size = u32::try_from(162 + items.len()).expect("a short alias");
        let alias = [words(&[size, u32::from_be_bytes(kind), 1]), vec![0; 150], items.to_vec()].concat();
        references(&[words(&[0, 1]), alias].concat()).1 == 1
    };
    let (name, path, last) = ([0, 0, 0, 3, b'a', b'b', b'c', 0], [0, 2, 0, 1, b'a', 0], [0xFF, 0xFF, 0, 0]);
    assert!(external(*b"alis", &[&name[..], &path, &last].concat()));
    assert!(!external(*b"alis", &[&name[..], &last, &path].concat()), "behind the last item");
    assert!(!external(*b"alis", &name) && !external(*b"alis", &[]));
    assert!(!external(*b"url ", &path));
}

#[test]
fn a_format_of_data_contradicts_a_handler_of_pictures() {
    let contradicts = |handler: [u8; 4], may_be_media| {
        let mut track = IsoTrack::default();
        track.handler = handler;
        (track.entry.descriptions, track.entry.may_be_media) = (1, may_be_media);
        track.is_contradictory()
    };
    assert!(contradicts(*b"vide", false));
    assert!(!contradicts(*b"vide", true) && !contradicts(*b"text", false));
}

#[test]
fn a_table_has_at_most_as_many_entries_as_fit_into_its_box() {
    let layout = |count| TableLayout { kind: TableKind::TimeToSample, preamble: 8, entry_length: 8, count };
    let window = [0; 100];
    let mut table = layout(5).bounded(20, BoxEnd::At(20 + 8 * 3 + 7));
    assert_eq!(table.whole_entries(&window).len(), 8 * 3);
    assert_eq!(table.whole_entries(&window[..15]).len(), 8);
    assert_eq!(table.whole_entries(&window[..7]).len(), 0);
    table.consume(16);
    assert!(table.entries_left());
    assert_eq!(table.whole_entries(&window).len(), 8);
    table.consume(8);
    assert!(!table.entries_left());
    assert!(matches!(table.rest_from(44), WalkStep::Skip(7)));
    assert_eq!(layout(2).bounded(20, BoxEnd::OfFile(0)).whole_entries(&window).len(), 16);
}

#[test]
fn each_sample_table_box_has_its_layout() {
    let open = |kind, body: &[u8]| {
        let mut samples = SampleTable::default();
        let layout = sample_table::open(&mut samples, kind, body);
        (layout.map(|layout| (layout.kind, layout.preamble, layout.entry_length, layout.count)), samples)
    };
    let counted = words(&[0, 9]);
    assert_eq!(open(*b"stts", &counted).0, Some((TableKind::TimeToSample, 8, 8, 9)));
    assert_eq!(open(*b"stco", &counted).0, Some((TableKind::ChunkOffsets, 8, 4, 9)));
    assert_eq!(open(*b"co64", &counted).0, Some((TableKind::ChunkOffsets, 8, 8, 9)));
    assert_eq!(open(*b"stss", &counted).0, None);
    let (sizes, samples) = open(*b"stsz", &words(&[0, 0, 9]));
    assert_eq!((sizes, samples.samples(), samples.bytes), (Some((TableKind::SampleSizes, 12, 4, 9)), 9, 0));
    let (sizes, samples) = open(*b"stsz", &words(&[0, 100, 9]));
    assert_eq!((sizes, samples.samples(), samples.bytes), (None, 9, 900));
    assert_eq!(open(*b"stz2", &words(&[0, 4, 9])).1.samples(), 9);
}

#[test]
fn samples_without_a_time_last_as_long_as_the_last_listed_one() {
    let mut samples = SampleTable::default();
    assert!(sample_table::open(&mut samples, *b"stsz", &words(&[0, 1, 10])).is_none());
    for times in [[4, 100], [2, 50]] {
        samples.absorb(TableKind::TimeToSample, &words(&times));
    }
    assert_eq!((samples.samples(), samples.duration()), (10, 4 * 100 + 2 * 50 + 4 * 50));
    for offset in [words(&[300]), words(&[200]), words(&[1, 0])] {
        samples.absorb_chunk(&offset, |_| false);
    }
    assert_eq!(samples.farthest_chunk(), 1 << 32);
}

#[test]
fn a_final_chunk_without_samples_is_not_looked_for() {
    let farthest = |samples: u32, each: u32, duration: u32| {
        let mut table = SampleTable::default();
        assert!(sample_table::open(&mut table, *b"stsz", &words(&[0, 1, samples])).is_none());
        assert!(sample_table::open(&mut table, *b"stco", &words(&[0, 3])).is_some());
        table.absorb(TableKind::TimeToSample, &words(&[samples, duration]));
        table.absorb(TableKind::ChunkSamples, &words(&[1, each, 1]));
        for at in [200, 100, 300] {
            table.absorb_chunk(&words(&[at]), |_| false);
        }
        table.farthest_chunk()
    };
    assert_eq!(farthest(4, 2, 50), 200);
    assert_eq!(farthest(5, 2, 50), 300);
    assert_eq!(farthest(4, 2, 1), 300, "players ignore how many samples there are");
}

#[test]
fn edits_play_what_they_name_but_no_more_than_there_is() {
    let second = i64::try_from(NANOS_PER_SECOND).expect("a small number");
    let span = |start: i64, end: i64| Span { start: start * second, end: end * second };
    let read = |edits: &[[u32; 2]]| -> Vec<_> {
        edits.iter().map(|edit| edit_list::read(&words(&[edit[0], edit[1], 0]), false)).collect()
    };
    let played = |edits: &[[u32; 2]]| edit_list::played(&read(edits), 10, span(0, 20), 1_000);
    let pause = u32::MAX;
    assert_eq!(played(&[[50, 0]]), Some(span(0, 5)));
    assert_eq!(played(&[[500, 0]]), Some(span(0, 20)), "more than the media");
    assert_eq!(played(&[[0, 3_000]]), Some(span(0, 17)), "to the end of the media");
    assert_eq!(played(&[[500, pause], [50, 0]]), Some(span(50, 55)), "a pause before an edit");
    assert_eq!(played(&[[500, pause]]), None, "a pause alone");
    assert!(edit_list::are_pauses(&read(&[[500, pause], [0, pause]])));
    assert!(!edit_list::are_pauses(&read(&[[500, pause], [0, 0]])) && !edit_list::are_pauses(&[]));
    assert_eq!(played(&[[10, 0], [500, pause], [10, 0]]), Some(span(0, 52)), "a pause between edits");
    assert_eq!(played(&[[50, 0], [500, pause], [60, 20_000]]), Some(span(0, 5)), "a pause at the end");
    assert_eq!((played(&[]), played(&[[0, 20_000]]), played(&[[50, 90_000]])), (None, None, None));
    let late = edit_list::played(&read(&[[80, 0]]), 10, span(3, 20), 1_000);
    assert_eq!(late, Some(span(3, 8)), "media that begins late");
    let bytes = words(&[0, 50, 0, 3_000]);
    assert_eq!(edit_list::played(&[edit_list::read(&bytes, true)], 10, span(0, 20), 1_000), Some(span(0, 5)));
    let layout =
        |version: u32| edit_list::open(&words(&[version << 24, 3])).map(|layout| (layout.entry_length, layout.count));
    assert_eq!((layout(0), layout(1)), (Some((12, 3)), Some((20, 3))));
}

#[test]
fn a_table_fits_if_its_box_has_its_entries_and_an_edit_list_is_read_to_the_end_of_its_box() {
    let end = BoxEnd::At(20 + 8 * 3);
    let layout = |kind, count| TableLayout { kind, preamble: 8, entry_length: 8, count };
    let times = |count| layout(TableKind::TimeToSample, count);
    assert!(times(3).fits(20, end) && times(2).fits(20, end) && !times(4).fits(20, end));
    let edits = layout(TableKind::Edits { long: false }, 1).bounded(20, end);
    assert_eq!(edits.whole_entries(&[0; 100]).len(), 3 * 8);
}

#[test]
fn the_tables_of_a_track_must_agree_on_the_number_of_samples() {
    let contradiction = |timed: u32, sized: u32, chunks: u32| {
        let mut samples = SampleTable::default();
        sample_table::open(&mut samples, *b"stsz", &words(&[0, 1, sized]));
        sample_table::open(&mut samples, *b"stco", &words(&[0, chunks]));
        for run in [[1, 4, 1], [3, 2, 1]] {
            samples.absorb(TableKind::ChunkSamples, &words(&run));
        }
        samples.absorb(TableKind::TimeToSample, &words(&[timed, 40]));
        samples.contradiction().is_some()
    };
    assert!(!contradiction(12, 12, 4), "two chunks of four and two of two");
    assert!(!contradiction(5, 12, 4), "the last duration repeats");
    assert!(contradiction(13, 12, 4) && contradiction(12, 12, 3));
}
