//! ISO-BMFF files built by hand, for what no muxer would write.

/// A box with its header.
pub fn atom(kind: [u8; 4], body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len() + 8).expect("a small box");
    [&size.to_be_bytes()[..], &kind, body].concat()
}

/// A box around others.
pub fn list(kind: [u8; 4], children: &[Vec<u8>]) -> Vec<u8> {
    atom(kind, &children.concat())
}

/// Big-endian numbers, one after the other.
pub fn words(values: &[u32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_be_bytes())
        .collect()
}

pub fn file_type() -> Vec<u8> {
    atom(*b"ftyp", b"isom\0\0\0\0isomavc1")
}

/// One video track of a movie.
#[derive(Debug, Clone)]
pub struct Video {
    pub timescale: u32,
    /// Runs of samples: how many, and how many ticks each.
    pub times: Vec<[u32; 2]>,
    /// Duration in movie ticks and media time of each edit.
    pub edits: Vec<[u32; 2]>,
    /// What the headers claim, which nobody should believe.
    pub claimed: u32,
    pub movie_timescale: u32,
    pub fragmented: bool,
}

impl Default for Video {
    fn default() -> Self {
        Self {
            timescale: 1000,
            times: vec![[50, 200]],
            edits: Vec::new(),
            claimed: 10_000,
            movie_timescale: 1000,
            fragmented: false,
        }
    }
}

impl Video {
    /// The movie header, for samples in a chunk at `offset`.
    pub fn movie(&self, offset: u32) -> Vec<u8> {
        let header = words(&[0, 0, 0, self.movie_timescale, self.claimed]);
        let mut children = vec![atom(*b"mvhd", &header), self.track(offset)];
        if self.fragmented {
            children.push(list(
                *b"mvex",
                &[atom(*b"trex", &words(&[0, 1, 1, 200, 0, 0]))],
            ));
        }
        list(*b"moov", &children)
    }

    /// A whole file with its header in front of the media.
    pub fn file(&self) -> Vec<u8> {
        let front = file_type().len() + self.movie(0).len() + 8;
        let movie = self.movie(u32::try_from(front).expect("a small file"));
        [file_type(), movie, atom(*b"mdat", &[0; 64])].concat()
    }

    fn track(&self, offset: u32) -> Vec<u8> {
        let header = atom(*b"tkhd", &words(&[0, 0, 0, 1, 0, self.claimed]));
        let mut children = vec![header];
        if !self.edits.is_empty() {
            children.push(list(*b"edts", &[self.edit_list()]));
        }
        children.push(list(
            *b"mdia",
            &[
                atom(*b"mdhd", &words(&[0, 0, 0, self.timescale, self.claimed])),
                atom(*b"hdlr", b"\0\0\0\0\0\0\0\0vide\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                list(*b"minf", &[self.sample_table(offset)]),
            ],
        ));
        list(*b"trak", &children)
    }

    fn edit_list(&self) -> Vec<u8> {
        let mut values = vec![0, count(self.edits.len())];
        for [duration, media_time] in &self.edits {
            values.extend([*duration, *media_time, 0x0001_0000]);
        }
        atom(*b"elst", &words(&values))
    }

    fn sample_table(&self, offset: u32) -> Vec<u8> {
        let mut times = vec![0, count(self.times.len())];
        times.extend(self.times.iter().flatten());
        let samples = self
            .times
            .iter()
            .map(|[samples, _]| *samples)
            .fold(0, u32::saturating_add);
        list(
            *b"stbl",
            &[
                atom(*b"stsd", &sample_description()),
                atom(*b"stts", &words(&times)),
                atom(*b"stsz", &words(&[0, 1, samples])),
                atom(*b"stco", &words(&[0, u32::from(samples > 0), offset])),
            ],
        )
    }
}

/// A fragment of the track with samples of one duration.
pub fn fragment(start: Option<u32>, samples: u32, duration: u32) -> Vec<u8> {
    let mut parts = vec![atom(*b"tfhd", &words(&[0x8, 1, duration]))];
    parts.extend(start.map(|start| atom(*b"tfdt", &words(&[0, start]))));
    parts.push(atom(*b"trun", &words(&[0, samples])));
    let header = list(
        *b"moof",
        &[atom(*b"mfhd", &words(&[0, 1])), list(*b"traf", &parts)],
    );
    [header, atom(*b"mdat", &[0; 16])].concat()
}

fn sample_description() -> Vec<u8> {
    let mut entry = vec![0; 78];
    entry[24..28].copy_from_slice(&[1, 64, 0, 180]);
    [words(&[0, 1]), atom(*b"avc1", &entry)].concat()
}

fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a short table")
}
