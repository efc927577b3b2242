//! Structures that players read differently. Every class of `docs/probe.md` has a test: a file that plays for 300 s, or
//! for 1 s, is refused or measured, never accepted with another length.

use crate::support::ebml::{self, element};
use crate::support::{probe_in_chunks, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, fragment, list, words};
use probe::{FileRefusalKind, Media};

pub(crate) const LONG: u64 = 300_000;
/// A file that is accepted must not be shorter or longer than this.
const LIMITS: std::ops::RangeInclusive<u64> = 1_900..=120_250;

/// The verdict must not accept the file with a length within the limits.
pub(crate) fn assert_not_accepted(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let accepted = verdict.as_ref().is_ok_and(|media: &Media| LIMITS.contains(&media.duration_ms));
    assert!(!accepted, "{what}: {}", summary(&verdict));
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[7, 1, 100])), "{what} in chunks");
}

pub(crate) fn assert_measured(what: &str, file: &[u8], expected: u64) {
    let verdict = probe_whole(file);
    assert_eq!(verdict.as_ref().map(|media| media.duration_ms), Ok(expected), "{what}: {}", summary(&verdict));
}

pub(crate) fn kind(file: &[u8]) -> Option<FileRefusalKind> {
    probe_whole(file).err().map(|refusal| refusal.kind())
}

/// Replaces the only box of this kind with other bytes. Corrects the sizes of the boxes around it and, unless the table
/// of chunk positions itself is replaced, the positions of the chunks.
pub(crate) fn replace_box(file: &[u8], path: &[&[u8; 4]], with: &[u8]) -> Vec<u8> {
    let mut out = file.to_vec();
    let mut at = 0;
    let mut around = Vec::new();
    for kind in path {
        at += memchr::memmem::find(&out[at..], *kind).expect("the box") - 4;
        around.push(at);
        at += 8;
    }
    let start = around.pop().expect("a path");
    let size = u32::from_be_bytes(out[start..start + 4].try_into().expect("four bytes")) as usize;
    out.splice(start..start + size, with.iter().copied());
    for at in around {
        let old = u32::from_be_bytes(out[at..at + 4].try_into().expect("four bytes"));
        let new = old + u32::try_from(with.len()).expect("short") - u32::try_from(size).expect("short");
        out[at..at + 4].copy_from_slice(&new.to_be_bytes());
    }
    if path.last() != Some(&b"stco") {
        move_chunks(
            &mut out,
            u32::try_from(with.len()).expect("short").wrapping_sub(u32::try_from(size).expect("short")),
        );
    }
    out
}

/// Adds a distance to the position of the first chunk of each track.
pub(crate) fn move_chunks(file: &mut [u8], by: u32) {
    let tables: Vec<_> = memchr::memmem::find_iter(file, b"stco").collect();
    for at in tables {
        let Some(number) = file.get_mut(at + 12..at + 16) else { continue };
        let position = u32::from_be_bytes((&*number).try_into().expect("four bytes"));
        number.copy_from_slice(&position.wrapping_add(by).to_be_bytes());
    }
}

/// Returns the box of this kind.
pub(crate) fn find_box(file: &[u8], kind: &[u8]) -> Vec<u8> {
    let at = memchr::memmem::find(file, kind).expect("the box") - 4;
    let size = u32::from_be_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize;
    file[at..at + size].to_vec()
}

pub(crate) fn long() -> Video {
    Video { times: vec![[1500, 200]], ..Video::default() }
}

pub(crate) fn short() -> Video {
    Video { times: vec![[50, 200]], ..Video::default() }
}

/// Inserts a box at the end of another one.
pub(crate) fn append_to(file: &[u8], path: &[&[u8; 4]], extra: &[u8]) -> Vec<u8> {
    let kind = path.last().expect("a path");
    let mut grown = find_box(file, &kind[..]);
    grown.extend(extra);
    let size = u32::try_from(grown.len()).expect("a small box");
    grown[..4].copy_from_slice(&size.to_be_bytes());
    replace_box(file, path, &grown)
}

#[test]
fn mp4_boxes_that_may_come_once_and_come_twice() {
    let file = short().file();
    for path in [
        &[b"moov", b"mvhd"][..],
        &[b"moov", b"trak", b"tkhd"],
        &[b"moov", b"trak", b"mdia"],
        &[b"moov", b"trak", b"mdia", b"mdhd"],
        &[b"moov", b"trak", b"mdia", b"hdlr"],
        &[b"moov", b"trak", b"mdia", b"minf"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stts"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsz"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stco"],
        &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsc"],
    ] {
        let (last, parents) = path.split_last().expect("a path");
        let again = find_box(&file, &last[..]);
        let forged = append_to(&file, parents, &again);
        assert_eq!(kind(&forged), Some(FileRefusalKind::Ambiguous), "{}", String::from_utf8_lossy(*last));
    }
    assert_not_accepted("two movie headers", &[short().file(), long().movie(40)].concat());
}

#[test]
fn mp4_boxes_in_foreign_places() {
    let (file, long) = (short().file(), long().file());
    let track = find_box(&long, b"trak");
    assert_not_accepted("a track at the top level", &[&file[..], &track].concat());
    let mut hoov = find_box(&long, b"moov");
    hoov[4] = b'h';
    assert_not_accepted("hoov", &[&file[..], &hoov].concat());
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0), fragment(Some(0), 50, 200)].concat();
    let hidden = fragment(Some(10_000), 1450, 200);
    let header = find_box(&hidden, b"moof");
    for around in [b"udta", b"meta"] {
        let handler = if around == b"meta" { atom(*b"hdlr", &[0; 24]) } else { Vec::new() };
        let hiding = list(*around, &[handler, header.clone()]);
        assert_not_accepted("a fragment in metadata", &[&start[..], &hiding, &atom(*b"mdat", &[0; 16])].concat());
    }
    let run = atom(*b"trun", &words(&[0, 1450]));
    assert_not_accepted("a run beside its track", &append_to(&start, &[b"moof"], &run));
    for kind in [b"stts", b"stsz", b"stco"] {
        let table = find_box(&long, &kind[..]);
        for path in [&[b"moov", b"trak", b"mdia", b"minf"][..], &[b"moov", b"trak"], &[b"moov"]] {
            assert_not_accepted("a table in a foreign place", &append_to(&file, path, &table));
        }
        let description = append_to(&file, &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsd"], &table);
        assert_not_accepted("a table in a description", &description);
        let metadata = list(*b"udta", &[list(*b"meta", &[words(&[0]), atom(*b"hdlr", &[0; 24]), table])]);
        assert_not_accepted("a table in metadata", &append_to(&file, &[b"moov", b"trak"], &metadata));
    }
}

#[test]
fn mp4_counts_that_contradict_sizes() {
    let edited = Video { edits: vec![[50_000, 0]; 6], ..long() }.file();
    let at = memchr::memmem::find(&edited, b"elst").expect("edits") + 8;
    for count in [0, 1, 5, 7] {
        let mut forged = edited.clone();
        forged[at..at + 4].copy_from_slice(&u32::to_be_bytes(count));
        assert_eq!(kind(&forged), Some(FileRefusalKind::Ambiguous), "{count} of six edits");
    }
    let one_second = Video { times: vec![[5, 200]], ..Video::default() }.file();
    let stbl = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
    let with = |kind: &'static [u8; 4], body: &[u32]| {
        let path: Vec<_> = stbl.into_iter().chain([kind]).collect();
        replace_box(&one_second, &path, &atom(*kind, &words(body)))
    };
    assert_not_accepted("times of samples that do not exist", &with(b"stts", &[0, 1, 25, 200]));
    assert_not_accepted("sizes of samples that do not exist", &with(b"stsz", &[0, 1, 25]));
    assert_not_accepted("samples in chunks that do not exist", &with(b"stsc", &[0, 1, 2, 25, 1]));
    let run = Video { times: vec![], fragmented: true, ..Video::default() };
    let mut file = [file_type(), run.movie(0), fragment(Some(0), 50, 200)].concat();
    let at = memchr::memmem::find(&file, b"trun").expect("a run");
    file[at + 5..at + 8].copy_from_slice(&[0, 1, 0]);
    assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous), "a run without its entries");
}

#[test]
fn mp4_times_in_composition_offsets() {
    let stbl = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
    let packed = Video { times: vec![[1500, 4]], ..Video::default() }.file();
    let offsets: Vec<u32> = (0..1500).flat_map(|index| [1, index * 196]).collect();
    let table = atom(*b"ctts", &[words(&[0, 1500]), words(&offsets)].concat());
    assert_not_accepted("offsets", &append_to(&packed, &stbl, &table));
    let last = atom(*b"ctts", &words(&[0, 2, 1499, 0, 1, 294_000]));
    assert_measured("the last sample's offset", &append_to(&packed, &stbl, &last), LONG);
    let reordered = atom(*b"ctts", &words(&[0, 4, 1, 8, 1, 16, 1, 4, 1497, 8]));
    assert_measured("reordered samples", &append_to(&packed, &stbl, &reordered), 6_000);

    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let run: Vec<u32> = (0..60).flat_map(|index| [100, index * 4_900]).collect();
    let track = [
        atom(*b"tfhd", &words(&[0, 1])),
        atom(*b"tfdt", &words(&[0, 0])),
        atom(*b"trun", &[words(&[0x900, 60]), words(&run)].concat()),
    ];
    let moof = list(*b"moof", &[list(*b"traf", &track)]);
    let file = [file_type(), fragmented.movie(0), moof, atom(*b"mdat", &[0; 16])].concat();
    assert_measured("offsets of a run", &file, 59 * 5_000 + 100);
}

#[test]
fn mp4_handlers_and_descriptions_that_contradict_each_other() {
    let decoy = short().file();
    for handler in [b"abcd", b"\0\0\0\0", b"text", b"meta"] {
        let mut track = find_box(&long().file(), b"trak");
        let at = memchr::memmem::find(&track, b"vide").expect("a handler");
        track[at..at + 4].copy_from_slice(handler);
        let both = append_to(&decoy, &[b"moov"], &track);
        assert_not_accepted("an unknown handler", &[&both[..], &[0; 2000]].concat());
    }
    let mut sound = decoy.clone();
    let at = memchr::memmem::find(&sound, b"vide").expect("a handler");
    sound[at..at + 4].copy_from_slice(b"soun");
    let track = find_box(&sound, b"trak");
    assert_not_accepted("sound with pictures", &append_to(&decoy, &[b"moov"], &track));
    let handler = atom(*b"hdlr", b"\0\0\0\0\0\0\0\0vide\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_not_accepted("a handler", &append_to(&decoy, &[b"moov", b"trak", b"mdia", b"minf"], &handler));
}

#[test]
fn mp4_tracks_that_some_players_play() {
    let chapters = append_to(&short().file(), &[b"moov", b"trak"], &list(*b"tref", &[atom(*b"chap", &words(&[2]))]));
    let mut track = find_box(&long().file(), b"trak");
    let at = memchr::memmem::find(&track, b"tkhd").expect("a header");
    track[at + 16..at + 20].copy_from_slice(&2_u32.to_be_bytes());
    let file = [append_to(&chapters, &[b"moov"], &track), vec![0; 2_000]].concat();
    assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous));
}

#[test]
fn mp4_pauses_and_edits_that_play_nothing() {
    let one_second = |edits| Video { times: vec![[5, 200]], edits, ..Video::default() }.file();
    assert_measured("a pause before", &one_second(vec![[4_000, u32::MAX], [1_000, 0]]), 1_000);
    assert_not_accepted("a pause alone", &one_second(vec![[4_000, u32::MAX]]));
    assert_not_accepted("a pause after", &one_second(vec![[1_000, 0], [4_000, u32::MAX]]));
    assert_measured("an edit after the end", &one_second(vec![[1_000, 0], [4_000, 90_000]]), 1_000);
    assert_measured("an edit before the end", &one_second(vec![[4_000, 800]]), 200);
}

#[test]
fn mp4_fragments_that_players_assign_differently() {
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0)].concat();
    let fragment_of = |parts: &[Vec<u8>]| {
        let moof = list(*b"moof", &[list(*b"traf", parts)]);
        [&start[..], &moof, &atom(*b"mdat", &[0; 16])].concat()
    };
    let header = |track, duration| atom(*b"tfhd", &words(&[0x8, track, duration]));
    let (time, run) = (atom(*b"tfdt", &words(&[0, 0])), atom(*b"trun", &words(&[0, 1500])));
    let both = [header(1, 200), time.clone(), run.clone()];
    assert_measured("a usual fragment", &fragment_of(&both), LONG);
    let second_header = [&both[..], &[header(9, 200)]].concat();
    assert_not_accepted("a second header", &fragment_of(&second_header));
    assert_not_accepted("a late header", &fragment_of(&[time.clone(), run.clone(), header(1, 200)]));
    assert_not_accepted("a late time", &fragment_of(&[header(1, 200), run, time]));
    let mut many = find_box(&fragmented.movie(0), b"mvex");
    for id in 2..67 {
        many.extend(atom(*b"trex", &words(&[0, id, 1, 200, 0, 0])));
    }
    let size = u32::try_from(many.len()).expect("small");
    many[..4].copy_from_slice(&size.to_be_bytes());
    let file = [replace_box(&start, &[b"moov", b"mvex"], &many), fragment(Some(0), 50, 200)].concat();
    assert_eq!(kind(&file), Some(FileRefusalKind::Ambiguous), "more defaults than tracks");
}

#[test]
fn mp4_boxes_between_and_behind_fragments() {
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let start = [file_type(), fragmented.movie(0), fragment(Some(0), 50, 200)].concat();
    let rest = fragment(Some(10_000), 1450, 200);
    let odd = atom([1, 2, 3, 4], &[0; 8]);
    assert_measured("a box of an unknown kind", &[&start[..], &odd, &rest].concat(), LONG);
    assert_not_accepted("bytes that are no box", &[&start[..], &[0, 0, 0, 3, 9, 9, 9, 9], &rest].concat());
}

pub(crate) fn matroska(clusters: &[Vec<u8>]) -> Vec<u8> {
    let body = [&[ebml::information(None), ebml::tracks(1)][..], clusters].concat();
    [ebml::header(), element(ebml::SEGMENT, &body.concat())].concat()
}

pub(crate) fn cluster(start: u64, extra: &[Vec<u8>]) -> Vec<u8> {
    element(ebml::CLUSTER, &[&[ebml::cluster_body(start, 10, 100)][..], extra].concat().concat())
}

#[test]
fn matroska_elements_in_foreign_places_and_twice() {
    let block = element(&[0xA1], &[0x81, 0, 0, 0, 0, 0]);
    let group = element(&[0xA0], &[element(&[0xE7], &[0, 0]), block.clone()].concat());
    assert_not_accepted("a time in a group", &matroska(&[cluster(0, &[]), cluster(298_000, &[group])]));
    let time = element(&[0xE7], &298_000_u32.to_be_bytes());
    assert_not_accepted("a second time", &matroska(&[cluster(0, &[]), cluster(2_000, std::slice::from_ref(&time))]));
    let early = element(ebml::CLUSTER, &[ebml::block(0), element(&[0xE7], &[0])].concat());
    assert_not_accepted("a block before its time", &matroska(&[cluster(2_000, &[]), early]));
    let entry = [element(&[0xD7], &[2]), element(&[0x83], &[1]), element(&[0xE0], &element(&[0x83], &[17]))].concat();
    let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &element(&[0xAE], &entry));
    let body = [ebml::information(None), tracks, cluster(0, &[]), cluster(9_000, &[])].concat();
    assert_not_accepted("a type in a picture", &[ebml::header(), element(ebml::SEGMENT, &body)].concat());
    let two = [ebml::tracks(17), ebml::tracks(1), cluster(0, &[]), cluster(9_000, &[])].concat();
    assert_not_accepted("two lists of tracks", &[ebml::header(), element(ebml::SEGMENT, &two)].concat());
    let unknown = element(&[0x42, 0xFF], &[cluster(298_900, &[])].concat());
    assert_not_accepted("a cluster in an unknown element", &matroska(&[cluster(0, &[]), unknown]));
    let behind = [matroska(&[cluster(0, &[]), cluster(9_000, &[])]), vec![0; 9], cluster(298_900, &[])].concat();
    assert_not_accepted("a cluster behind the segment", &behind);
}

#[test]
fn matroska_times_that_are_stretched_or_in_lacing() {
    let entry = |extra: Vec<u8>| {
        let entry = [element(&[0xD7], &[1]), element(&[0x83], &[1]), extra].concat();
        let body = [element(&[0x16, 0x54, 0xAE, 0x6B], &element(&[0xAE], &entry)), cluster(0, &[])].concat();
        move |last: Vec<u8>| [ebml::header(), element(ebml::SEGMENT, &[body.clone(), last].concat())].concat()
    };
    let stretched = entry(element(&[0x23, 0x31, 0x4F], &5.0_f32.to_be_bytes()))(cluster(59_000, &[]));
    assert_not_accepted("stretched times", &stretched);
    let laced = element(&[0xA3], &[&[0x81, 0, 0, 0x84, 99][..], &[0; 100]].concat());
    let time = element(&[0xE7], &1_000_u32.to_be_bytes());
    let last = element(ebml::CLUSTER, &[time, laced].concat());
    let file = entry(element(&[0x23, 0xE3, 0x83], &2_990_000_000_u32.to_be_bytes()))(last);
    assert_measured("a hundred frames in one block", &file, LONG);
    // Players show the last picture for its track's frame duration, not until the end that the file declares.
    let minutes = element(&[0x23, 0xE3, 0x83], &295_100_000_000_u64.to_be_bytes());
    let track = [element(&[0xD7], &[1]), element(&[0x83], &[1]), minutes].concat();
    let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &element(&[0xAE], &track));
    let body = [ebml::information(Some(5_000.0)), tracks, cluster(0, &[]), cluster(4_000, &[])].concat();
    assert_measured("a long last frame", &[ebml::header(), element(ebml::SEGMENT, &body)].concat(), LONG);
}

/// Overwrites a number of a box, counted from the end of its kind.
fn with_number(file: &[u8], kind: [u8; 4], at: usize, number: u32) -> Vec<u8> {
    let mut forged = file.to_vec();
    let at = memchr::memmem::find(file, &kind).expect("the box") + 4 + at;
    forged[at..at + 4].copy_from_slice(&number.to_be_bytes());
    forged
}

#[test]
fn mp4_clocks_that_do_not_tick() {
    let edited = Video { edits: vec![[10_000, 0]; 40], ..short() }.file();
    assert_eq!(kind(&with_number(&edited, *b"mvhd", 12, 0)), Some(FileRefusalKind::Ambiguous));
    assert_eq!(kind(&with_number(&short().file(), *b"mvhd", 12, 0)), Some(FileRefusalKind::Ambiguous));
    assert_not_accepted("a track without a clock", &with_number(&short().file(), *b"mdhd", 12, 0));
    let fragmented = Video { times: vec![], fragmented: true, ..Video::default() };
    let without_defaults = replace_box(&fragmented.movie(0), &[b"moov", b"mvex"], &list(*b"mvex", &[]));
    let file = [file_type(), without_defaults, fragment(Some(0), 50, 200)].concat();
    assert_not_accepted("fragments without a clock", &with_number(&file, *b"mdhd", 12, 0));
}

#[test]
fn mp4_runs_that_players_count_differently() {
    let empty = Video { times: vec![[50, 200], [0, 1_000]], ..Video::default() };
    assert_eq!(kind(&empty.file()), Some(FileRefusalKind::Ambiguous), "a run without samples");
    let path = [b"moov", b"trak", b"mdia", b"minf", b"stbl", b"stsc"];
    let chunks = |runs: &[u32]| replace_box(&short().file(), &path, &atom(*b"stsc", &words(runs)));
    for (what, runs) in [
        ("a run beyond the last chunk", &[0, 2, 1, 50, 1, 3, 1, 1][..]),
        ("the same chunk twice", &[0, 2, 1, 25, 1, 1, 50, 1]),
        ("a chunk before the first", &[0, 1, 0, 50, 1]),
    ] {
        assert_eq!(kind(&chunks(runs)), Some(FileRefusalKind::Ambiguous), "{what}");
    }
    let edits = |duration: u64| {
        let mut body = words(&[0x0100_0000, 1]);
        body.extend(duration.to_be_bytes());
        body.extend(words(&[0, 0, 0x0001_0000]));
        let edited = Video { edits: vec![[10_000, 0]], ..short() }.file();
        kind(&replace_box(&edited, &[b"moov", b"trak", b"edts", b"elst"], &atom(*b"elst", &body)))
    };
    assert_eq!(edits(10_000), None);
    for endless in [1 << 62, u64::MAX] {
        assert_eq!(edits(endless), Some(FileRefusalKind::Ambiguous), "{endless}");
    }
    let unknown = with_number(&short().file(), *b"mdhd", 0, 0x0200_0000);
    assert_eq!(kind(&unknown), Some(FileRefusalKind::Ambiguous), "a header of an unknown version");
}

#[test]
fn mp4_pictures_that_nobody_can_see() {
    for format in [b"text", b"tmcd", b"mp4s", b"mebx"] {
        let file = short().file();
        let at = memchr::memmem::find(&file[100..], b"avc1").expect("a description") + 100;
        let mut forged = file.clone();
        forged[at..at + 4].copy_from_slice(format);
        assert_eq!(kind(&forged), Some(FileRefusalKind::NoTracks), "{}", String::from_utf8_lossy(format));
        forged[at..at + 4].copy_from_slice(b"encv");
        assert_eq!(kind(&forged), Some(FileRefusalKind::Unsupported), "encrypted");
    }
}

#[test]
fn matroska_texts_of_more_than_players_accept() {
    let long = vec![b'x'; 16 * 1024 * 1024 + 1];
    let cluster = element(ebml::CLUSTER, &ebml::cluster_body(0, 50, 200));
    let file = |id: &[u8], text: &[u8]| {
        let scale = element(&[0x2A, 0xD7, 0xB1], &1_000_000_u32.to_be_bytes());
        let information = element(&[0x15, 0x49, 0xA9, 0x66], &[scale, element(id, text)].concat());
        [ebml::header(), element(ebml::SEGMENT, &[information, ebml::tracks(1), cluster.clone()].concat())].concat()
    };
    for (name, id) in [("title", [0x7B, 0xA9]), ("writing app", [0x57, 0x41]), ("muxing app", [0x4D, 0x80])] {
        assert_eq!(kind(&file(&id, b"a text")), None, "{name}");
        assert_eq!(kind(&file(&id, &long)), Some(FileRefusalKind::Malformed), "{name}");
    }
}

#[test]
fn matroska_clusters_in_elements_that_nobody_knows() {
    let long: Vec<u8> =
        (0..60).flat_map(|start| element(ebml::CLUSTER, &ebml::cluster_body(start * 5_000, 25, 200))).collect();
    let unknown = |body: &[u8]| element(&[0x4D, 0xBC], body);
    let file = |in_information: &[u8], in_tracks: &[u8]| {
        let scale = element(&[0x2A, 0xD7, 0xB1], &1_000_000_u32.to_be_bytes());
        let information = element(&[0x15, 0x49, 0xA9, 0x66], &[&scale, in_information].concat());
        let mut tracks = ebml::tracks(1);
        let size = u64::try_from(tracks.len() - 12 + in_tracks.len()).expect("small") | 1 << 56;
        tracks.splice(4..12, size.to_be_bytes());
        tracks.extend(in_tracks);
        let cluster = element(ebml::CLUSTER, &ebml::cluster_body(0, 50, 200));
        [ebml::header(), element(ebml::SEGMENT, &[information, tracks, cluster].concat())].concat()
    };
    assert_eq!(kind(&file(&unknown(b"nothing"), &unknown(b"nothing"))), None);
    assert_not_accepted("in the information", &file(&unknown(&long), &[]));
    assert_not_accepted("in the list of tracks", &file(&[], &unknown(&long)));
    assert_not_accepted("in an element in one", &file(&unknown(&unknown(&long)), &[]));
}
