//! Changes the structure of real clips at random: adds, moves, doubles, deletes, resizes and renames boxes, elements,
//! chunks, tags, packets and pages, stretches numbers, and splices structures of another clip into them.

use std::ops::Range;

/// A small generator of random numbers: a mutant follows from its seed alone.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit.max(1)
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The framing of a container's structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Boxes,
    Elements,
    Chunks,
    Tags,
    /// Packets of a fixed length.
    Packets(usize),
    StartCodes,
    Pages,
    /// ASF: objects, and packets of a fixed length in the last of them.
    Objects,
}

/// One structure of a file.
#[derive(Debug, Clone)]
struct Unit {
    bytes: Range<usize>,
    header: usize,
}

const BOX_LISTS: &[&[u8]] =
    &[b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"dinf", b"mvex", b"moof", b"traf", b"udta"];
/// The identifiers of Matroska's lists: EBML, segment, info, tracks, entry, video, audio, cluster, group, seek head.
const ELEMENT_LISTS: &[u32] =
    &[0x1A45_DFA3, 0x1853_8067, 0x1549_A966, 0x1654_AE6B, 0xAE, 0xE0, 0xE1, 0x1F43_B675, 0xA0, 0x114D_9B74];
const BOX_KINDS: &[&[u8; 4]] = &[
    b"moov", b"hoov", b"trak", b"mdia", b"minf", b"stbl", b"stts", b"ctts", b"stsc", b"stsz", b"stco", b"elst",
    b"edts", b"hdlr", b"mdhd", b"tkhd", b"mvhd", b"trun", b"tfhd", b"tfdt", b"traf", b"moof", b"udta", b"meta",
    b"free", b"skip", b"uuid", b"abcd",
];

/// Returns a mutant of the file. Structures of `donor` may be spliced into it.
pub fn mutant(framing: Framing, file: &[u8], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = file.to_vec();
    for _ in 0..=random.below(3) {
        let units = units(framing, &out);
        if units.is_empty() {
            break;
        }
        out = change(framing, &out, &units, donor, random);
        if framing == Framing::Pages {
            repair_checksums(&mut out);
        }
    }
    out
}

fn change(framing: Framing, file: &[u8], units: &[Unit], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let unit = random.pick(units).clone();
    let target = random.pick(units).clone();
    // Before a structure, behind it, or at the start of its content.
    let at = *random.pick(&[target.bytes.start, target.bytes.end, target.bytes.start + target.header]);
    let repair = random.below(4) > 0;
    match random.below(8) {
        0 => splice(framing, file, units, unit.bytes, &[], repair),
        1 => splice(framing, file, units, at..at, &file[unit.bytes], repair),
        2 => {
            let moved = splice(framing, file, units, at..at, &file[unit.bytes.clone()], repair);
            let shift = if at <= unit.bytes.start { unit.bytes.len() } else { 0 };
            let (start, end) = (unit.bytes.start + shift, unit.bytes.end + shift);
            let again = self::units(framing, &moved);
            splice(framing, &moved, &again, start..end.min(moved.len()), &[], repair)
        }
        3 => {
            let others = self::units(framing, donor);
            let donated = random.pick(&others).bytes.clone();
            splice(framing, file, units, at..at, &donor[donated], repair)
        }
        4 => rename(framing, file, &unit, random),
        5 => {
            let mut out = file.to_vec();
            let length = *random.pick(&[0, 1, 8, unit.bytes.len() / 2, unit.bytes.len() * 2, unit.bytes.len() + 1]);
            write_length(framing, &mut out, unit.bytes.start, length);
            out
        }
        _ => stretch(framing, file, &unit, random),
    }
}

/// Replaces a range, and corrects the lengths of the structures around it if `repair` is set.
fn splice(framing: Framing, file: &[u8], units: &[Unit], range: Range<usize>, with: &[u8], repair: bool) -> Vec<u8> {
    let mut out = file.to_vec();
    if repair {
        for unit in units.iter().filter(|unit| {
            let content = unit.bytes.start + unit.header..=unit.bytes.end;
            content.contains(&range.start) && content.contains(&range.end) && unit.bytes != range
        }) {
            if range.start < unit.bytes.end {
                write_length(framing, &mut out, unit.bytes.start, unit.bytes.len() + with.len() - range.len());
            }
        }
    }
    out.splice(range, with.iter().copied());
    out
}

fn rename(framing: Framing, file: &[u8], unit: &Unit, random: &mut Random) -> Vec<u8> {
    let mut out = file.to_vec();
    let at = unit.bytes.start;
    match framing {
        Framing::Boxes => out[at + 4..at + 8].copy_from_slice(*random.pick(BOX_KINDS)),
        Framing::Chunks => {
            let name = random.pick(&[b"00dc", b"01wb", b"00xx", b"JUNK", b"LIST", b"abcd", b"idx1"]);
            out[at..at + 4].copy_from_slice(*name);
        }
        Framing::Elements => out[at] = *random.pick(&[0xE7, 0xA3, 0xA0, 0xA1, 0x9B, 0x83, 0xD7, 0xEC, 0xAE]),
        Framing::Tags => out[at] = *random.pick(&[8, 9, 18, 12, 0x29]),
        Framing::Packets(length) => {
            let flag = *random.pick(&[0x80, 0x40, 0x20, 0x01]);
            out[at + length - 187] ^= flag;
        }
        Framing::StartCodes => out[at + 3] = *random.pick(&[0xE0, 0xE1, 0xC0, 0xBD, 0xBE, 0xBF, 0xF0, 0xFD]),
        Framing::Pages => out[at + 5] ^= *random.pick(&[1, 2, 4]),
        Framing::Objects => out[at] = *random.pick(&[0x30, 0x36, 0xA1, 0x91, 0xB5, 0x00]),
    }
    out
}

/// Multiplies or replaces a number in the first bytes of a structure.
fn stretch(framing: Framing, file: &[u8], unit: &Unit, random: &mut Random) -> Vec<u8> {
    let mut out = file.to_vec();
    let content = unit.bytes.start..unit.bytes.end.min(unit.bytes.start + 64);
    let width = *random.pick(&[1, 2, 4, 8]);
    if content.len() <= width + 4 {
        return out;
    }
    let at = content.start + 4 + random.below(content.len() - width - 4);
    let is_little = matches!(framing, Framing::Chunks | Framing::Pages | Framing::Objects);
    let number = &mut out[at..at + width];
    if is_little {
        number.reverse();
    }
    let value = number.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
    let changed = match random.below(6) {
        0 => value.wrapping_mul(30),
        1 => value / 30,
        2 => 0,
        3 => u64::MAX,
        4 => value.wrapping_add(1),
        _ => value.wrapping_sub(1),
    };
    number.copy_from_slice(&changed.to_be_bytes()[8 - width..]);
    if is_little {
        number.reverse();
    }
    out
}

fn write_length(framing: Framing, file: &mut [u8], at: usize, length: usize) {
    let short = u32::try_from(length).unwrap_or(u32::MAX);
    match framing {
        Framing::Boxes => file[at..at + 4].copy_from_slice(&short.to_be_bytes()),
        Framing::Chunks => file[at + 4..at + 8].copy_from_slice(&short.saturating_sub(8).to_le_bytes()),
        Framing::Tags => file[at + 1..at + 4].copy_from_slice(&short.saturating_sub(11).to_be_bytes()[1..]),
        Framing::StartCodes => {
            let length = u16::try_from(length.saturating_sub(6)).unwrap_or(u16::MAX);
            file[at + 4..at + 6].copy_from_slice(&length.to_be_bytes());
        }
        Framing::Elements => write_element_length(file, at, length),
        Framing::Objects => {
            if let Some(size) = file.get_mut(at + 16..at + 24) {
                size.copy_from_slice(&(length as u64).to_le_bytes());
            }
        }
        Framing::Packets(_) | Framing::Pages => {}
    }
}

/// Writes the size of an element with as many bytes as it has.
fn write_element_length(file: &mut [u8], at: usize, length: usize) {
    let Some((header, id_length, _)) = element(file, at) else { return };
    let width = header - id_length;
    let size = (length.saturating_sub(header) as u64) | 1 << (7 * width);
    file[at + id_length..at + header].copy_from_slice(&size.to_be_bytes()[8 - width..]);
}

fn units(framing: Framing, file: &[u8]) -> Vec<Unit> {
    let mut units = Vec::new();
    match framing {
        Framing::Boxes => boxes(file, 0..file.len(), &mut units),
        Framing::Elements => elements(file, 0..file.len(), &mut units),
        Framing::Chunks => chunks(file, 0..file.len(), &mut units),
        Framing::Tags => flat(file, 13, 11, &mut units, |rest| {
            Some(11 + 4 + u32::from_be_bytes([0, *rest.get(1)?, *rest.get(2)?, *rest.get(3)?]) as usize)
        }),
        Framing::Packets(length) => flat(file, 0, length - 184, &mut units, |_| Some(length)),
        Framing::StartCodes => flat(file, 0, 6, &mut units, |rest| match rest.get(..6)? {
            [0, 0, 1, 0xBA, ..] => Some(14),
            [0, 0, 1, _, high, low] => Some(6 + usize::from(u16::from_be_bytes([*high, *low]))),
            _ => None,
        }),
        Framing::Objects => objects(file, 0..file.len(), &mut units),
        Framing::Pages => flat(file, 0, 27, &mut units, |rest| {
            let segments = usize::from(*rest.get(26)?);
            let body: usize = rest.get(27..27 + segments)?.iter().map(|length| usize::from(*length)).sum();
            rest.starts_with(b"OggS").then_some(27 + segments + body)
        }),
    }
    units
}

fn flat(file: &[u8], mut at: usize, header: usize, units: &mut Vec<Unit>, length: impl Fn(&[u8]) -> Option<usize>) {
    while let Some(length) = file.get(at..).and_then(&length).filter(|length| at + length <= file.len()) {
        units.push(Unit { bytes: at..at + length, header: header.min(length) });
        at += length.max(1);
    }
}

fn boxes(file: &[u8], within: Range<usize>, units: &mut Vec<Unit>) {
    let mut at = within.start;
    while at + 8 <= within.end {
        let size = u32::from_be_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]) as usize;
        if size < 8 || at + size > within.end {
            return;
        }
        units.push(Unit { bytes: at..at + size, header: 8 });
        if BOX_LISTS.contains(&&file[at + 4..at + 8]) {
            boxes(file, at + 8..at + size, units);
        }
        at += size;
    }
}

fn chunks(file: &[u8], within: Range<usize>, units: &mut Vec<Unit>) {
    let mut at = within.start;
    while at + 8 <= within.end {
        let size = u32::from_le_bytes([file[at + 4], file[at + 5], file[at + 6], file[at + 7]]) as usize;
        let end = at + 8 + size;
        if end > within.end {
            return;
        }
        units.push(Unit { bytes: at..end, header: 8 });
        if matches!(&file[at..at + 4], b"RIFF" | b"LIST") && size >= 4 {
            chunks(file, at + 12..end, units);
        }
        at = end + size % 2;
    }
}

/// The length of the packets that ffmpeg writes.
const ASF_PACKET: usize = 3200;

fn objects(file: &[u8], within: Range<usize>, units: &mut Vec<Unit>) {
    let mut at = within.start;
    while at + 24 <= within.end {
        let size = u64::from_le_bytes(file[at + 16..at + 24].try_into().expect("eight bytes"));
        let end = usize::try_from(size).ok().and_then(|size| at.checked_add(size)).unwrap_or(usize::MAX);
        if size < 24 || end > within.end {
            return;
        }
        // The header and its extension contain objects, and the data object contains packets.
        let header = match file[at] {
            0x30 => 30,
            0xB5 => 46,
            0x36 => 50,
            _ => 24,
        };
        units.push(Unit { bytes: at..end, header: header.min(end - at) });
        match file[at] {
            0x30 | 0xB5 => objects(file, at + header..end, units),
            0x36 => {
                let packets = (at + header..end).step_by(ASF_PACKET);
                let packet = |start| Unit { bytes: start..(start + ASF_PACKET).min(end), header: 0 };
                units.extend(packets.map(packet));
            }
            _ => {}
        }
        at = end;
    }
}

/// Returns the length of an element's header, that of its identifier, and its size.
fn element(file: &[u8], at: usize) -> Option<(usize, usize, Option<usize>)> {
    let id_length = file.get(at)?.leading_zeros() as usize + 1;
    let width = file.get(at + id_length)?.leading_zeros() as usize + 1;
    if id_length > 4 || width > 8 {
        return None;
    }
    let bytes = file.get(at + id_length..at + id_length + width)?;
    let mask = (1_u64 << (7 * width)) - 1;
    let value = bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)) & mask;
    let size = if value == mask { None } else { usize::try_from(value).ok() };
    Some((id_length + width, id_length, size))
}

fn elements(file: &[u8], within: Range<usize>, units: &mut Vec<Unit>) {
    let mut at = within.start;
    while at < within.end {
        let Some((header, id_length, size)) = element(file, at) else { return };
        let end = size.map_or(within.end, |size| at.saturating_add(header).saturating_add(size));
        if end > within.end || end <= at {
            return;
        }
        units.push(Unit { bytes: at..end, header });
        let id = file[at..at + id_length].iter().fold(0_u32, |id, byte| id << 8 | u32::from(*byte));
        if ELEMENT_LISTS.contains(&id) {
            elements(file, at + header..end, units);
        }
        at = end;
    }
}

/// Ogg pages with a wrong checksum are ignored by players.
fn repair_checksums(file: &mut [u8]) {
    for unit in units(Framing::Pages, file) {
        let page = &mut file[unit.bytes];
        page[22..26].fill(0);
        let checksum = page.iter().fold(0_u32, |checksum, byte| {
            (0..8).fold(checksum ^ u32::from(*byte) << 24, |value, _| {
                value << 1 ^ if value >> 31 == 1 { 0x04C1_1DB7 } else { 0 }
            })
        });
        page[22..26].copy_from_slice(&checksum.to_le_bytes());
    }
}
