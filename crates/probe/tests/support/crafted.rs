//! Files that cost a prober as much work as possible for their size: tiny structures, almost valid structures, and
//! tables with as many entries as fit.

/// A crafted file: a name, and a function that returns the file with approximately the requested number of bytes.
pub type Crafted = (&'static str, fn(usize) -> Vec<u8>);

pub const CRAFTED: &[Crafted] = &[
    ("mp4: empty boxes", |size| filled(&file_type(), &atom(*b"free", b""), size)),
    ("mp4: empty boxes in a movie header", |size| {
        let boxes = filled(&[], &atom(*b"free", b""), size);
        [file_type(), atom(*b"moov", &boxes)].concat()
    }),
    ("mp4: empty fragments of 64 tracks", |size| {
        let fragment = atom(*b"moof", &atom(*b"traf", b""));
        filled(&movie_of_64_tracks(), &fragment, size)
    }),
    ("mp4: fragments of 64 tracks with a header", |size| {
        let header = atom(*b"tfhd", &words(&[0, 64]));
        let run = atom(*b"trun", &words(&[0, 1]));
        let fragment = atom(*b"moof", &atom(*b"traf", &[header, run].concat()));
        filled(&movie_of_64_tracks(), &fragment, size)
    }),
    ("mp4: runs of samples", |size| {
        let header = atom(*b"tfhd", &words(&[0, 1]));
        let count = size / 8;
        let entries = [words(&[0x900, number(count)]), vec![0; count * 8]].concat();
        let fragment = atom(*b"moof", &atom(*b"traf", &[header, atom(*b"trun", &entries)].concat()));
        [movie_of_64_tracks(), fragment].concat()
    }),
    ("mp4: composition offsets", |size| table(*b"ctts", 8, size)),
    ("mp4: sample times", |size| table(*b"stts", 8, size)),
    ("mp4: sample sizes", |size| {
        let count = size / 4;
        track_with(&atom(*b"stsz", &[words(&[0, 0, number(count)]), vec![0; count * 4]].concat()))
    }),
    ("mp4: chunk offsets", |size| table(*b"stco", 4, size)),
    ("mp4: edits beyond the declared ones", |size| {
        let edits = atom(*b"elst", &[words(&[0, 0]), vec![0; size]].concat());
        [file_type(), atom(*b"moov", &atom(*b"trak", &atom(*b"edts", &edits)))].concat()
    }),
    ("mp4: metadata boxes", |size| {
        let metadata = atom(*b"meta", &[words(&[0]), atom(*b"hdlr", b"")].concat());
        filled(&file_type(), &metadata, size)
    }),
    ("mp4: a tail of almost boxes", |size| filled(&[movie_of_64_tracks(), vec![0, 0, 0, 3]].concat(), b"moo", size)),
    ("matroska: empty elements", |size| filled(&matroska(), &[0xEC, 0x80], size)),
    ("matroska: empty clusters", |size| filled(&matroska(), &[0x1F, 0x43, 0xB6, 0x75, 0x80], size)),
    ("matroska: endless clusters", |size| filled(&matroska(), &[0x1F, 0x43, 0xB6, 0x75, 0xFF], size)),
    ("matroska: blocks of the last of 64 tracks", |size| {
        let start = [&matroska_of_64_tracks()[..], &[0x1F, 0x43, 0xB6, 0x75, 0xFF, 0xE7, 0x81, 0]].concat();
        filled(&start, &[0xA3, 0x84, 0x80 | 64, 0, 0, 0x80], size)
    }),
    ("matroska: almost clusters", |size| filled(&[&matroska()[..], &[0]].concat(), &[0x1F, 0x43, 0xB6], size)),
    ("matroska: beginnings of clusters", |size| filled(&[&matroska()[..], &[0]].concat(), &[0x1F], size)),
    ("matroska: block groups", |size| {
        let start = [&matroska()[..], &[0x1F, 0x43, 0xB6, 0x75, 0xFF, 0xE7, 0x81, 0]].concat();
        filled(&start, &[0xA0, 0x80], size)
    }),
    ("avi: empty frames", |size| filled(&avi(), b"00dc\0\0\0\0", size)),
    ("avi: empty lists", |size| filled(&avi(), b"LIST\0\0\0\0abcd", size)),
    ("avi: empty chunks before the media", |size| {
        let start = b"RIFF\xFF\xFF\xFF\xFFAVI LIST\xFF\xFF\xFF\xFFhdrl";
        filled(start, b"JUNK\0\0\0\0", size)
    }),
    ("avi: zeros instead of chunks", |size| filled(&avi(), &[0], size)),
    ("avi: almost chunks", |size| filled(&avi(), b"LISJUNidx0ix05", size)),
    ("avi: digits of streams and wrong names", |size| filled(&[avi(), frames(8)].concat(), b"00\xFF", size)),
    ("flv: empty tags", |size| filled(&flv(), &[&[9][..], &[0; 10], &[0, 0, 0, 11]].concat(), size)),
    ("flv: tags of one byte", |size| {
        filled(&flv(), &[&[8, 0, 0, 1][..], &[0; 7], &[0x2F], &[0, 0, 0, 12]].concat(), size)
    }),
    ("flv: zeros behind the last tag", |size| filled(&flv(), &[0], size)),
    ("ts: association tables", |size| {
        let table = [&[0, 0xB0, 177, 0, 1, 0xC1, 0, 0][..], &[0, 1, 0xE0, 0x20].repeat(42)].concat();
        filled(&[], &packet(0x40, 0, &section(&table)), size)
    }),
    ("ts: program tables of many streams", |size| {
        let streams: Vec<u8> = (0..33).flat_map(|stream| [0x1B, 0xE1, stream, 0xF0, 0]).collect();
        let table = [&[2, 0xB0, 178, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0][..], &streams].concat();
        filled(&transport(), &packet(0x40, 0x20, &section(&table)), size)
    }),
    ("ts: packets of the last of 64 streams", |size| {
        let start: Vec<u8> = (0..64).flat_map(|stream| packet(0x41, stream, &pes(0xE0))).collect();
        filled(&[transport(), start].concat(), &packet(0x41, 63, &pes(0xE0)), size)
    }),
    ("ts: start codes", |size| {
        let start = packet(0x41, 1, &pes(0xE0));
        let more = packet(0x01, 1, &[0, 0, 1, 0x67].repeat(46));
        filled(&[transport(), start].concat(), &more, size)
    }),
    ("ts: a start code in every packet", |size| {
        let begin: Vec<u8> = (0..64).flat_map(|stream| packet(0x41, stream, &pes(0xE0))).collect();
        let mut more = begin.clone();
        for _ in 0..200 {
            more.extend((0..64).flat_map(|stream| short_packet(0x01, stream, &[0, 0, 1, 0x67])));
        }
        filled(&transport(), &more, size)
    }),
    ("ts: long beginnings of packets of 64 streams", |size| {
        let table = [&[0, 2, 0xB0, 178, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0][..], &[0xAA; 170]].concat();
        let begin: Vec<u8> = (0..64).flat_map(|stream| packet(0x41, stream, &pes(0xE0))).collect();
        let more: Vec<u8> = (0..64).flat_map(|stream| packet(0x01, stream, &[0xAA; 184])).collect();
        let headers: Vec<u8> =
            (0..64).flat_map(|stream| packet(0x41, stream, &[0, 0, 1, 0xE0, 0, 0, 0x80, 0, 255])).collect();
        let unit = [packet(0x40, 0x20, &table[..60]), begin, more.repeat(5), headers].concat();
        filled(&transport(), &unit, size)
    }),
    ("ts: sync bytes", |size| filled(&[transport(), vec![0; 188]].concat(), &[0x47], size)),
    ("ps: empty packs", |size| filled(&[], &[0, 0, 1, 0xBA, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0], size)),
    ("ps: start codes", |size| filled(&pack(), &[0, 0, 1, 0xB9], size)),
    ("ps: almost start codes", |size| filled(&pack(), &[0, 1], size)),
    ("ps: ones", |size| filled(&pack(), &[1], size)),
    ("ps: empty packets of 32 streams", |size| {
        let packets: Vec<u8> = (0xC0..=0xDF).flat_map(|number| [0, 0, 1, number, 0, 3, 0x80, 0, 0]).collect();
        filled(&pack(), &packets, size)
    }),
    ("ps: pictures", |size| {
        let pictures = [0, 0, 1, 0].repeat(16_000);
        let header = [&[0, 0, 1, 0xE0][..], &number16(pictures.len() + 3), &[0x80, 0, 0]].concat();
        filled(&pack(), &[header, pictures].concat(), size)
    }),
    ("ps: small packets of pictures", |size| {
        let packet = [0, 0, 1, 0xE0, 0, 7, 0x80, 0, 0, 0, 0, 1, 0xB3];
        filled(&pack(), &packet, size)
    }),
    ("asf: packets of tiny payloads", |size| {
        let start = asf(500);
        let mut packet = [&[0x01, 0b0001_0101][..], &[0; 6], &[0x40 | 63]].concat();
        packet.extend([1, 0, 1, 1, 0, 0].repeat(63));
        packet.resize(500, 0);
        filled(&start, &packet, size)
    }),
    ("asf: tiny packets", |size| filled(&asf(12), &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], size)),
    ("asf: empty frames", |size| {
        let start = asf(60_000);
        let mut packet = [&[0x01, 0b0001_0101][..], &[0; 6], &[0x80 | 1], &[1, 0, 1, 1, 0, 80, 234]].concat();
        packet.resize(60_000, 0);
        filled(&start, &packet, size)
    }),
    ("asf: empty objects", |size| {
        let object = [&[7; 16][..], &24_u64.to_le_bytes()].concat();
        filled(&asf_header(), &object, size)
    }),
    ("ogg: empty pages", |size| {
        let mut page = ogg_page(1, 0, &[]);
        page.truncate(27);
        page[26] = 0;
        filled(&ogg(), &page, size)
    }),
    ("ogg: pages of the last of 64 streams", |size| filled(&ogg(), &ogg_page(64, 1, &[]), size)),
    ("ogg: pages of empty packets", |size| {
        let headers = [ogg_page(64, 0, b"\x81"), ogg_page(64, 0, b"\x82")].concat();
        let mut page = ogg_page(64, 0, &[]);
        page.truncate(26);
        page.extend([&[255], &[0; 255][..]].concat());
        filled(&[ogg(), headers].concat(), &page, size)
    }),
    ("ogg: beginnings of streams", |size| {
        let beginning = [ogg_page(70, 2, &theora()), ogg_page(70, 0, b"x")].concat();
        filled(&ogg_page(70, 2, &theora()), &beginning, size)
    }),
    ("ogg: almost pages", |size| filled(&[ogg(), vec![0]].concat(), b"Ogg", size)),
    ("ogg: beginnings of pages", |size| filled(&[ogg(), vec![0]].concat(), b"O", size)),
];

/// Returns `start` followed by copies of `unit`, up to `size` bytes.
fn filled(start: &[u8], unit: &[u8], size: usize) -> Vec<u8> {
    let mut file = start.to_vec();
    file.extend(unit.repeat(size.saturating_sub(start.len()) / unit.len()));
    file
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("a file below 4 GiB")
}

fn number16(count: usize) -> [u8; 2] {
    u16::try_from(count).expect("a packet below 64 KiB").to_be_bytes()
}

fn atom(kind: [u8; 4], body: &[u8]) -> Vec<u8> {
    [&number(body.len() + 8).to_be_bytes()[..], &kind, body].concat()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn file_type() -> Vec<u8> {
    atom(*b"ftyp", b"isom\0\0\0\0isomavc1")
}

/// Returns a movie of 64 tracks with fragments.
fn movie_of_64_tracks() -> Vec<u8> {
    let mut children = atom(*b"mvhd", &words(&[0, 0, 0, 1000, 0]));
    for track in 1..=64 {
        let media = [atom(*b"mdhd", &words(&[0, 0, 0, 1000, 0])), atom(*b"hdlr", b"\0\0\0\0\0\0\0\0vide\0\0\0\0\0")];
        let header = atom(*b"tkhd", &words(&[0, 0, 0, track, 0]));
        children.extend(atom(*b"trak", &[header, atom(*b"mdia", &media.concat())].concat()));
    }
    let defaults: Vec<u8> = (1..=64).flat_map(|track| atom(*b"trex", &words(&[0, track, 1, 1, 0, 0]))).collect();
    children.extend(atom(*b"mvex", &defaults));
    [file_type(), atom(*b"moov", &children)].concat()
}

fn track_with(sample_table: &[u8]) -> Vec<u8> {
    let media = atom(*b"mdia", &atom(*b"minf", &atom(*b"stbl", sample_table)));
    [file_type(), atom(*b"moov", &atom(*b"trak", &media))].concat()
}

/// Returns a movie with a table of as many entries as fit.
fn table(kind: [u8; 4], entry: usize, size: usize) -> Vec<u8> {
    let count = size / entry;
    let entries = (0..number(count * entry / 4)).flat_map(|word| (word & 1).to_be_bytes());
    track_with(&atom(kind, &words(&[0, number(count)]).into_iter().chain(entries).collect::<Vec<_>>()))
}

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = u64::try_from(body.len()).expect("a small element") | 1 << 56;
    [id, &size.to_be_bytes(), body].concat()
}

fn matroska_with(tracks: u8) -> Vec<u8> {
    let entry = |track: u8| {
        let values = [element(&[0xD7], &[track]), element(&[0x83], &[1]), element(&[0x86], b"V_VP8")];
        element(&[0xAE], &values.concat())
    };
    let header = element(&[0x1A, 0x45, 0xDF, 0xA3], &element(&[0x42, 0x82], b"webm"));
    let entries: Vec<u8> = (1..=tracks).flat_map(entry).collect();
    [&header[..], &[0x18, 0x53, 0x80, 0x67, 0xFF], &element(&[0x16, 0x54, 0xAE, 0x6B], &entries)].concat()
}

fn matroska() -> Vec<u8> {
    matroska_with(1)
}

fn matroska_of_64_tracks() -> Vec<u8> {
    matroska_with(64)
}

/// Returns the beginning of an AVI file with one stream, up to the first chunk of the media.
fn avi() -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| [name, &number(body.len()).to_le_bytes()[..], body].concat();
    let mut header = b"vidsMJPG".to_vec();
    header.resize(56, 0);
    (header[20], header[24]) = (1, 25);
    let stream = [chunk(b"strh", &header), chunk(b"strf", &[0; 40])].concat();
    let stream = chunk(b"LIST", &[&b"strl"[..], &stream].concat());
    [&b"RIFF\xFF\xFF\xFF\xFFAVI "[..], &stream, b"LIST\xFF\xFF\xFF\xFFmovi"].concat()
}

fn frames(count: usize) -> Vec<u8> {
    b"00dc\x02\0\0\0ab".repeat(count)
}

fn flv() -> Vec<u8> {
    b"FLV\x01\x05\0\0\0\x09\0\0\0\0".to_vec()
}

fn packet(flags: u8, pid: u8, content: &[u8]) -> Vec<u8> {
    let mut packet = [&[0x47, flags, pid, 0x10][..], content].concat();
    packet.resize(188, 0xFF);
    packet
}

/// Returns a packet whose payload is `content`, after an adaptation field.
fn short_packet(flags: u8, pid: u8, content: &[u8]) -> Vec<u8> {
    let stuffing = 183 - content.len();
    let length = u8::try_from(stuffing).expect("a short field");
    [&[0x47, flags, pid, 0x30, length][..], &vec![0; stuffing], content].concat()
}

/// Returns the beginning of a packet of an elementary stream.
fn pes(number: u8) -> Vec<u8> {
    vec![0, 0, 1, number, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1, 0, 0, 1, 0]
}

/// Returns a section of a transport stream behind its pointer, with its checksum.
pub fn section(content: &[u8]) -> Vec<u8> {
    let shift = |sum: u32, _| sum << 1 ^ if sum >> 31 == 1 { 0x04C1_1DB7 } else { 0 };
    let sum = content.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte) << 24, shift));
    [&[0], content, &sum.to_be_bytes()].concat()
}

fn transport() -> Vec<u8> {
    let table = [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xE0, 0x20];
    packet(0x40, 0, &section(&table)).repeat(8)
}

fn pack() -> Vec<u8> {
    vec![0, 0, 1, 0xBA, 0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0]
}

fn asf_object(id: &[u8; 16], size: u64, body: &[u8]) -> Vec<u8> {
    [&id[..], &size.to_le_bytes(), body].concat()
}

fn asf_header() -> Vec<u8> {
    asf_object(b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C", 30, &[0; 6])
}

/// Returns the beginning of an ASF file with 128 streams, up to the first packet of `length` bytes.
fn asf(length: u16) -> Vec<u8> {
    let mut properties = [0; 80];
    properties[64] = 1;
    properties[68..70].copy_from_slice(&length.to_le_bytes());
    properties[72..74].copy_from_slice(&length.to_le_bytes());
    let id = b"\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65";
    let mut file = [asf_header(), asf_object(id, 104, &properties)].concat();
    for stream in 0..128 {
        let mut body = b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B".to_vec();
        body.resize(112, 0);
        body[48] = 127 - stream;
        file.extend(asf_object(b"\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\x00\xC0\x0C\x20\x53\x65", 136, &body));
    }
    let data = b"\x36\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
    [file, asf_object(data, 0, &[0; 26])].concat()
}

/// Returns an Ogg page with one packet, or with none if the content is empty.
fn ogg_page(serial: u8, flags: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("a short packet");
    let header = [&b"OggS\0"[..], &[flags], &[0; 8], &[serial, 0, 0, 0], &[0; 8], &[1, length], content];
    header.concat()
}

fn theora() -> Vec<u8> {
    let mut packet = b"\x80theora\x03\x02\x01".to_vec();
    packet.resize(42, 0);
    (packet[25], packet[29], packet[40]) = (25, 1, 0);
    packet
}

fn ogg() -> Vec<u8> {
    (1..=64).flat_map(|serial| ogg_page(serial, 2, &theora())).collect()
}
