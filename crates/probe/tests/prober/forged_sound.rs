//! Sound that plays for longer than the container says. Players decode every packet as a whole: all of its bytes, for
//! as long as its codec says. A second of sound that declares more is accepted, because it is at most a short end.

use crate::forged_structures::{append_to, assert_not_accepted};
use crate::support::ebml::{self, element};
use crate::support::{probe_in_chunks, probe_whole, summary};
use fixtures::boxes::{Video, atom, file_type, list, words};
use probe::FileRefusalKind;

/// The length of the pictures.
const LENGTH: u64 = 10_000;
const AAC_LC_44100: &[u8] = &[0x12, 0x10];
const AAC_LC_8000: &[u8] = &[0x15, 0x90];

fn assert_ambiguous(what: &str, file: &[u8]) {
    assert_refused(what, file, "its sound plays for longer");
}

fn assert_refused(what: &str, file: &[u8], because: &str) {
    let verdict = probe_whole(file);
    let kind = verdict.as_ref().err().map(probe::FileRefusal::kind);
    assert_eq!(kind, Some(FileRefusalKind::Ambiguous), "{what}: {}", summary(&verdict));
    let text = verdict.as_ref().expect_err("a refusal").to_string();
    assert!(text.contains(because), "{what}: {text}");
    assert_eq!(summary(&verdict), summary(&probe_in_chunks(file, &[7, 1, 10_000])), "{what} in chunks");
}

fn assert_accepted(what: &str, file: &[u8]) {
    let verdict = probe_whole(file);
    let length = verdict.as_ref().map_or(0, |media| media.duration_ms);
    assert!(length.abs_diff(LENGTH) <= 100, "{what}: {}", summary(&verdict));
}

/// The track of sound of a movie with ten seconds of pictures.
#[derive(Clone)]
struct Sound {
    entry: Vec<u8>,
    timescale: u32,
    times: Vec<[u32; 2]>,
    /// One size for all, or one for each.
    sizes: Vec<u32>,
    /// The samples in the only chunk, if they are not those that have a size.
    chunk: Option<u32>,
}

impl Sound {
    fn samples(&self) -> u32 {
        self.times.iter().map(|[count, _]| count).sum()
    }

    /// Returns the track. The position of its media is not known yet.
    fn track(&self) -> Vec<u8> {
        let count = |length: usize| u32::try_from(length).expect("few");
        let times = [&[0, count(self.times.len())][..], self.times.as_flattened()].concat();
        let sizes = match self.sizes[..] {
            [each] => vec![0, each, self.samples()],
            _ => [&[0, 0, self.samples()][..], &self.sizes].concat(),
        };
        let tables = [
            atom(*b"stsd", &[words(&[0, 1]), self.entry.clone()].concat()),
            atom(*b"stts", &words(&times)),
            atom(*b"stsc", &words(&[0, 1, 1, self.chunk.unwrap_or(self.samples()), 1])),
            atom(*b"stsz", &words(&sizes)),
            atom(*b"stco", &words(&[0, 1, 0])),
        ];
        let media = [
            atom(*b"mdhd", &words(&[0, 0, 0, self.timescale, 0])),
            atom(*b"hdlr", b"\0\0\0\0\0\0\0\0soun\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            list(*b"minf", &[list(*b"stbl", &tables)]),
        ];
        list(*b"trak", &[atom(*b"tkhd", &words(&[0, 0, 0, 2, 0, 0])), list(*b"mdia", &media)])
    }

    fn file(&self) -> Vec<u8> {
        let count = self.chunk.map_or(self.samples(), |count| count.max(self.samples()));
        let bytes = if let [each] = self.sizes[..] { each * count } else { self.sizes.iter().sum() };
        let mut movie = append_to(&Video::default().file(), &[b"moov"], &self.track());
        let chunk = memchr::memmem::rfind(&movie, b"stco").expect("a table of chunks") + 12;
        let media = u32::try_from(movie.len() + 8).expect("a small movie");
        movie[chunk..chunk + 4].copy_from_slice(&media.to_be_bytes());
        [movie, atom(*b"mdat", &vec![0; bytes as usize])].concat()
    }
}

/// Returns a sample description of version 0, or of version 1 with the samples and bytes of a frame.
fn entry(format: [u8; 4], channels: u8, bits: u8, rate: u16, frame: Option<[u32; 2]>, children: &[u8]) -> Vec<u8> {
    let mut body = vec![0; 28];
    (body[9], body[17], body[19]) = (u8::from(frame.is_some()), channels, bits);
    body[24..26].copy_from_slice(&rate.to_be_bytes());
    if let Some([samples, bytes]) = frame {
        body.extend(words(&[samples, bytes, bytes, 2]));
    }
    body.extend(children);
    atom(format, &body)
}

/// Returns the elementary stream descriptor of sound with this object type and configuration.
fn esds(object_type: u8, configuration: &[u8]) -> Vec<u8> {
    let descriptor = |tag: u8, body: &[u8]| [&[tag, u8::try_from(body.len()).expect("short")], body].concat();
    let specific = if configuration.is_empty() { vec![] } else { descriptor(5, configuration) };
    let decoder = descriptor(4, &[&[object_type, 0x15][..], &[0; 11], &specific].concat());
    atom(*b"esds", &[&[0; 4][..], &descriptor(3, &[&[0, 1, 0][..], &decoder].concat())].concat())
}

fn pcm(format: [u8; 4], bits: u8) -> Sound {
    let entry = entry(format, 1, bits, 8_000, None, &[]);
    Sound { entry, timescale: 8_000, times: vec![[80_000, 1]], sizes: vec![u32::from(bits / 8)], chunk: None }
}

/// Returns sound with this many samples, which must last for ten seconds.
fn coded(entry: Vec<u8>, samples: u32, size: u32) -> Sound {
    let timescale = samples * 100;
    Sound { entry, timescale, times: vec![[samples, 1_000]], sizes: vec![size; samples as usize], chunk: None }
}

#[test]
fn mp4_uncompressed_sound_is_as_long_as_its_bytes() {
    for (format, bits) in [(*b"twos", 16), (*b"sowt", 16), (*b"raw ", 8), (*b"ulaw", 8), (*b"in24", 24), (*b"fl32", 32)]
    {
        let sound = pcm(format, bits);
        let name = String::from_utf8_lossy(&format);
        assert_accepted(&name, &sound.file());
        let bytes = u32::from(bits / 8) * 8_000;
        let in_packets = |last: u32| Sound {
            times: vec![[99, 800], [1, 800]],
            sizes: [vec![bytes / 10; 99], vec![last]].concat(),
            ..sound.clone()
        };
        assert_accepted(&name, &in_packets(bytes).file());
        assert_ambiguous(&name, &in_packets(bytes * 2).file());
        let fast = Sound { timescale: 240_000, times: vec![[2_400_000, 1]], ..sound.clone() };
        assert_ambiguous(&name, &fast.file());
    }
    let version_2 = |bits: u32| {
        let mut entry = entry(*b"lpcm", 3, 16, 1, None, &[0; 36]);
        entry[17] = 2;
        entry[40..48].copy_from_slice(&8_000_f64.to_be_bytes());
        entry[48..52].copy_from_slice(&words(&[1]));
        entry[56..60].copy_from_slice(&words(&[bits]));
        Sound { entry, times: vec![[1, 40_000], [1, 40_001]], sizes: vec![160_000, 160_001], ..pcm(*b"lpcm", 32) }
    };
    assert_accepted("32 bits", &version_2(32).file());
    assert_ambiguous("16 bits", &version_2(16).file());
    assert_accepted("27 bits in four bytes", &version_2(27).file());
    let configured = |bits: u8| {
        let entry = entry(*b"ipcm", 1, 16, 8_000, None, &atom(*b"pcmC", &[0, 0, 0, 0, 1, bits]));
        Sound { entry, times: vec![[1, 40_000], [1, 40_001]], sizes: vec![120_000, 120_001], ..pcm(*b"ipcm", 16) }
    };
    assert_accepted("24 bits", &configured(24).file());
    assert_ambiguous("16 bits", &configured(16).file());
}

/// Some players take the number of samples from the chunks if each sample lasts for one tick.
#[test]
fn mp4_chunks_may_not_hold_more_sound_than_the_sizes_list() {
    for format in [*b"twos", *b"QDM2"] {
        let sound = pcm(format, 16);
        assert_accepted("a second more", &Sound { chunk: Some(88_000), ..sound.clone() }.file());
        assert_ambiguous("thirty seconds", &Sound { chunk: Some(240_000), ..sound }.file());
    }
    // The bytes of a sample are those of its description, whatever the sizes say.
    let fast = Sound { timescale: 16_000, times: vec![[160_000, 1]], sizes: vec![1], ..pcm(*b"twos", 16) };
    assert_ambiguous("sizes of one byte", &fast.file());
}

/// Some `QuickTime` sound has nominal sizes. Its description gives the samples and bytes of a frame.
#[test]
fn quicktime_frames_of_one_size_are_as_long_as_their_samples() {
    let packed = |samples, bytes, timescale| {
        let entry = entry(*b".mp3", 1, 16, 48_000, Some([samples, bytes]), &[]);
        Sound { entry, timescale, times: vec![[timescale * 10, 1]], sizes: vec![2], chunk: None }
    };
    assert_accepted("whole frames", &packed(1_152, 384, 48_000).file());
    assert_ambiguous("several frames in one", &packed(1_152, 384 * 4, 48_000).file());
    assert_ambiguous("short frames", &packed(576, 192, 48_000).file());
    assert_ambiguous("a fast clock", &packed(1_152, 384, 96_000).file());
}

#[test]
fn mp4_packets_are_at_least_as_long_as_a_frame_of_their_codec() {
    let plain = |format, rate| entry(format, 2, 16, rate, None, &[]);
    let aac = |configuration: &[u8]| entry(*b"mp4a", 2, 16, 44_100, None, &esds(0x40, configuration));
    for (what, entry, samples) in [
        ("AAC", aac(AAC_LC_44100), 430),
        ("slow AAC", aac(AAC_LC_8000), 78),
        ("AAC without a configuration", aac(&[]), 935),
        ("MP3", entry(*b"mp4a", 2, 16, 44_100, None, &esds(0x6B, &[])), 416),
        ("MP3 with another rate in its description", plain(*b".mp3", 8_000), 416),
        ("AC-3 with another rate in its description", plain(*b"ac-3", 32_000), 312),
        ("E-AC-3", plain(*b"ec-3", 48_000), 1_872),
        ("Opus", plain(*b"Opus", 48_000), 3_990),
        ("AMR", plain(*b"samr", 8_000), 500),
    ] {
        assert_accepted(what, &coded(entry.clone(), samples, 20).file());
        assert_accepted(what, &coded(entry.clone(), samples + samples / 20, 20).file());
        assert_ambiguous(what, &coded(entry, samples + samples / 7, 20).file());
    }
    let unknown = plain(*b"QDM2", 44_100);
    assert_accepted("an unknown codec", &coded(unknown, 10_000, 20).file());
}

#[test]
fn mp4_packets_may_not_have_more_bytes_than_the_highest_bit_rate() {
    let plain = |format| entry(format, 2, 16, 48_000, None, &[]);
    for (what, entry, most) in [
        ("AAC", entry(*b"mp4a", 2, 16, 44_100, None, &esds(0x40, AAC_LC_44100)), 66_150),
        ("MP3", plain(*b".mp3"), 56_000),
        ("AC-3", plain(*b"ac-3"), 81_000),
        ("ADPCM", plain(*b"ima4"), 72_000),
        ("AMR", plain(*b"samr"), 3_100),
    ] {
        let sound = coded(entry, 100, most / 10);
        assert_accepted(what, &sound.file());
        let mut sizes = sound.sizes.clone();
        sizes[99] += most * 2;
        assert_ambiguous(what, &Sound { sizes, ..sound }.file());
    }
    // Of 192 kHz, which the description cannot express.
    for format in [*b"fLaC", *b"alac"] {
        assert_accepted("lossless sound", &coded(plain(format), 100, 115_200).file());
    }
}

/// Returns a fragmented movie with ten seconds of pictures, and sound in fragments that declare this many samples each.
fn fragmented(fragments: u32, samples: u32, duration: u32, size: u32) -> Vec<u8> {
    let aac = entry(*b"mp4a", 2, 16, 44_100, None, &esds(0x40, AAC_LC_44100));
    let sound = Sound { entry: aac, timescale: 44_100, times: vec![], sizes: vec![0], chunk: Some(1) };
    let video = Video { fragmented: true, times: vec![], ..Video::default() };
    let defaults = atom(*b"trex", &words(&[0, 2, 1, 1_024, 1, 0]));
    let movie = append_to(&video.movie(0), &[b"moov"], &sound.track());
    let movie = append_to(&movie, &[b"moov", b"mvex"], &defaults);
    let part = |number: u32| {
        let pictures = [
            atom(*b"tfhd", &words(&[0x8, 1, 200])),
            atom(*b"tfdt", &words(&[0, number * 1_000])),
            atom(*b"trun", &words(&[0, 5])),
        ];
        let mut run = vec![0x200, samples];
        run.extend(vec![size; samples as usize - 1]);
        // The last sample has the size of the others unless it holds more.
        run.push(if number == fragments - 1 { size } else { size / 2 });
        let sounds = [
            atom(*b"tfhd", &words(&[0x8, 2, duration])),
            atom(*b"tfdt", &words(&[0, number * samples * duration])),
            atom(*b"trun", &words(&run)),
        ];
        let header = [atom(*b"mfhd", &words(&[0, number])), list(*b"traf", &pictures), list(*b"traf", &sounds)];
        [list(*b"moof", &header), atom(*b"mdat", &vec![0; size as usize + 64])].concat()
    };
    [file_type(), movie, (0..fragments).flat_map(part).collect()].concat()
}

#[test]
fn mp4_fragments_of_sound_are_as_long_as_their_packets_and_bytes() {
    assert_accepted("whole packets", &fragmented(10, 43, 1_024, 300));
    assert_ambiguous("squeezed packets", &fragmented(10, 86, 512, 300));
    assert_ambiguous("large packets", &fragmented(10, 43, 1_024, 3_000));
    let mut unfinished = fragmented(10, 43, 1_024, 300);
    let next = fragmented(11, 86, 512, 300);
    let last = memchr::memmem::rfind(&next, b"moof").expect("a fragment") - 4;
    let media = memchr::memmem::rfind(&next, b"mdat").expect("media") - 4;
    unfinished.extend(&next[last..media]);
    assert_accepted("a fragment without media does not count", &unfinished);
}

/// Returns a Matroska file with ten seconds of pictures, and these blocks of sound at equal distances: the flags and
/// the content.
fn matroska(entry: &[Vec<u8>], blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let video = [element(&[0xD7], &[1]), element(&[0x83], &[1]), element(&[0x86], b"V_VP8")].concat();
    let sound = [vec![element(&[0xD7], &[2]), element(&[0x83], &[2])], entry.to_vec()].concat().concat();
    let tracks = element(&[0x16, 0x54, 0xAE, 0x6B], &[element(&[0xAE], &video), element(&[0xAE], &sound)].concat());
    let pictures = (0..=99).map(|index| (index * 100_u16, 1, 0x80, vec![0; 2]));
    let count = u16::try_from(blocks.len()).expect("few");
    let sounds = (0..count).zip(blocks).map(|(index, (flags, content))| {
        (u16::try_from(u32::from(index) * 10_000 / u32::from(count)).expect("short"), 2, *flags, content.clone())
    });
    let block = |(time, track, flags, content): (u16, u8, u8, Vec<u8>)| {
        let [high, low] = time.to_be_bytes();
        element(&[0xA3], &[&[0x80 | track, high, low, flags][..], &content].concat())
    };
    let cluster: Vec<u8> = pictures.chain(sounds).flat_map(block).collect();
    let cluster = element(ebml::CLUSTER, &[element(&[0xE7], &[0]), cluster].concat());
    [ebml::header(), element(ebml::SEGMENT, &[ebml::information(None), tracks, cluster].concat())].concat()
}

fn audio(channels: u8, rate: f64, bits: Option<u8>) -> Vec<u8> {
    let depth = bits.map(|bits| element(&[0x62, 0x64], &[bits]));
    let values = [element(&[0x9F], &[channels]), element(&[0xB5], &rate.to_be_bytes()), depth.unwrap_or_default()];
    element(&[0xE1], &values.concat())
}

#[test]
fn matroska_sound_is_as_long_as_its_packets_and_bytes() {
    let codec = |name: &[u8]| element(&[0x86], name);
    let private = |bytes: &[u8]| element(&[0x63, 0xA2], bytes);
    let many = |count: usize, size: usize| vec![(0x80, vec![0xFF; size]); count];
    let wave = [1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0];
    // Frames of 1,024 samples at 22,050 Hz, in blocks of 464 bytes.
    let wma = [0x61, 1, 1, 0, 0x22, 0x56, 0, 0, 0, 0, 0, 0, 0xD0, 1, 16, 0, 0, 0];
    // Blocks of at least 256 samples at 44,100 Hz.
    let vorbis = [&[2, 30, 9][..], b"\x01vorbis\0\0\0\0\x01\x44\xAC\0\0", &[0; 12], &[0xB8, 1]].concat();
    for (what, entry, fitting, long) in [
        ("PCM", vec![codec(b"A_PCM/INT/LIT"), audio(1, 8e3, Some(16))], many(100, 1_600), many(100, 1_900)),
        ("PCM of one channel at 8 kHz", vec![codec(b"A_PCM/FLOAT/IEEE")], many(100, 3_200), many(100, 3_800)),
        ("a format of AVI", vec![private(&wave), codec(b"A_MS/ACM")], many(100, 1_600), many(100, 1_900)),
        ("AAC", vec![private(AAC_LC_44100), codec(b"A_AAC")], many(430, 9), many(500, 9)),
        ("slow AAC", vec![codec(b"A_AAC"), private(AAC_LC_8000)], many(78, 9), many(95, 9)),
        ("MP3", vec![codec(b"A_MPEG/L3"), audio(2, 44.1e3, None)], many(382, 9), many(480, 9)),
        ("large MP3", vec![codec(b"A_MPEG/L3"), audio(2, 44.1e3, None)], many(382, 1_440), many(382, 1_700)),
        ("AC-3", vec![codec(b"A_AC3"), audio(2, 48e3, None)], many(312, 9), many(365, 9)),
        ("FLAC", vec![codec(b"A_FLAC"), audio(2, 48e3, None)], many(100, 19_200), many(100, 55_000)),
        ("AAC without a configuration", vec![codec(b"A_AAC/MPEG2/LC")], many(930, 9), many(1_100, 9)),
        ("TrueHD", vec![codec(b"A_TRUEHD"), audio(2, 48e3, None)], many(12_000, 9), many(14_000, 9)),
        ("Vorbis", vec![private(&vorbis), codec(b"A_VORBIS")], many(3_440, 9), many(4_000, 9)),
        ("large Vorbis", vec![private(&vorbis), codec(b"A_VORBIS")], many(430, 5_000), many(430, 6_000)),
        ("WMA", vec![private(&wma), codec(b"A_MS/ACM")], many(215, 464), many(255, 464)),
    ] {
        assert_accepted(what, &matroska(&entry, &fitting));
        assert_ambiguous(what, &matroska(&entry, &long));
    }
    assert_accepted("MP3 without a rate", &matroska(&[codec(b"A_MPEG/L3")], &many(382, 9)));
    let last = |size| [many(99, 1_600), many(1, size)].concat();
    let pcm = [codec(b"A_PCM/INT/LIT"), audio(1, 8e3, Some(16))];
    assert_accepted("a last packet of a second", &matroska(&pcm, &last(16_000)));
    assert_ambiguous("a last packet of thirty seconds", &matroska(&pcm, &last(480_000)));
    let compressed = element(&[0x6D, 0x80], &element(&[0x62, 0x40], &element(&[0x50, 0x34], &[])));
    assert_ambiguous("PCM that is compressed once more", &matroska(&[&pcm[..], &[compressed]].concat(), &last(9)));
    // Four frames of 26 ms in each block.
    let laced = |blocks: usize| vec![(0x84, vec![3, 0, 0, 0, 0]); blocks];
    let mp3 = [codec(b"A_MPEG/L3"), audio(2, 44.1e3, None)];
    assert_accepted("laced", &matroska(&mp3, &laced(96)));
    assert_ambiguous("laced and squeezed", &matroska(&mp3, &laced(120)));
}

#[test]
fn matroska_packets_of_opus_are_as_long_as_they_say() {
    let opus = element(&[0x86], b"A_OPUS");
    let packets = |count: usize, start: &[u8]| vec![(0x80, [start, &[0; 20]].concat()); count];
    assert_accepted("60 ms", &matroska(std::slice::from_ref(&opus), &packets(166, &[0x18])));
    assert_ambiguous("120 ms", &matroska(std::slice::from_ref(&opus), &packets(166, &[0x19])));
    assert_ambiguous("six frames of 20 ms", &matroska(std::slice::from_ref(&opus), &packets(166, &[0xFB, 6])));
    let encoded = element(&[0x6D, 0x80], &element(&[0x62, 0x40], &element(&[0x50, 0x34], &[])));
    assert_accepted("packets without their first bytes", &matroska(&[opus, encoded], &packets(166, &[0x19])));
}

/// Returns an FLV file with ten seconds of pictures, and these bodies of sound tags at equal distances.
fn flv(first: &[Vec<u8>], sounds: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"FLV\x01\x05\0\0\0\x09\0\0\0\0".to_vec();
    let mut push = |kind: u8, time: usize, body: &[u8]| {
        let [_, t2, t1, t0] = u32::try_from(time).expect("short").to_be_bytes();
        let [s3, s2, s1, s0] = u32::try_from(body.len()).expect("short").to_be_bytes();
        file.extend([kind, s2, s1, s0, t2, t1, t0, s3, 0, 0, 0].iter().chain(body));
        file.extend(u32::try_from(body.len() + 11).expect("short").to_be_bytes());
    };
    for body in first {
        push(8, 0, body);
    }
    for tenth in 0..100 {
        push(9, tenth * 100, &[0x22, 0, 0, 0]);
        for (index, body) in sounds.iter().enumerate().filter(|(index, _)| index * 100 / sounds.len() == tenth) {
            push(8, index * 10_000 / sounds.len(), body);
        }
    }
    file
}

#[test]
fn flv_sound_is_as_long_as_its_packets_and_bytes() {
    let tags = |count: usize, flags: u8, size: usize| vec![[&[flags][..], &vec![1; size]].concat(); count];
    for (what, flags, fitting, long) in [
        ("MP3", 0x2F, (382, 400), (480, 400)),
        ("large MP3", 0x2F, (382, 1_440), (382, 1_800)),
        ("PCM of 16 bits", 0x3A, (100, 4_410), (100, 4_410 + 882)),
        ("PCM of 8 bits", 0x38, (100, 2_205), (100, 2_205 + 441)),
        ("G.711", 0x72, (100, 800), (100, 950)),
        ("Speex", 0xB6, (500, 30), (570, 30)),
    ] {
        assert_accepted(what, &flv(&[], &tags(fitting.0, flags, fitting.1)));
        assert_ambiguous(what, &flv(&[], &tags(long.0, flags, long.1)));
    }
    let configuration = |bytes: &[u8]| [[&[0xAF, 0][..], bytes].concat()];
    assert_accepted("AAC", &flv(&configuration(AAC_LC_44100), &tags(430, 0xAF, 9)));
    assert_ambiguous("AAC", &flv(&configuration(AAC_LC_44100), &tags(500, 0xAF, 9)));
    assert_ambiguous("slow AAC", &flv(&configuration(AAC_LC_8000), &tags(95, 0xAF, 9)));
    assert_accepted("AAC without a configuration", &flv(&[], &tags(500, 0xAF, 9)));
}

/// Returns an AVI file with ten seconds of pictures, and sound of this format, clock and chunk sizes.
fn avi(format: &[u8], clock: (u32, u32, u32), chunks: &[usize]) -> Vec<u8> {
    avi_of(&[format], clock, chunks)
}

fn avi_of(formats: &[&[u8]], (scale, rate, unit): (u32, u32, u32), chunks: &[usize]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let size = u32::try_from(body.len()).expect("short").to_le_bytes();
        [name, &size[..], body, &vec![0; body.len() % 2]].concat()
    };
    let stream = |kind: &[u8], clock: [u32; 2], count: u32, unit: u32, formats: &[&[u8]]| {
        let mut header = kind.to_vec();
        header.resize(56, 0);
        for (at, value) in [(20, clock[0]), (24, clock[1]), (32, count), (44, unit)] {
            header[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        let formats: Vec<u8> = formats.iter().flat_map(|format| chunk(b"strf", format)).collect();
        chunk(b"LIST", &[&b"strl"[..], &chunk(b"strh", &header), &formats].concat())
    };
    let streams =
        [stream(b"vidsMJPG", [1, 10], 100, 0, &[&[0; 40]]), stream(b"auds\0\0\0\0", [scale, rate], 0, unit, formats)];
    let headers = chunk(b"LIST", &[&b"hdrl"[..], &streams.concat()].concat());
    let pictures: Vec<u8> = (0..100).flat_map(|_| chunk(b"00dc", &[1; 4])).collect();
    let sounds: Vec<u8> = chunks.iter().flat_map(|size| chunk(b"01wb", &vec![1; *size])).collect();
    let media = chunk(b"LIST", &[&b"movi"[..], &pictures, &sounds].concat());
    chunk(b"RIFF", &[&b"AVI "[..], &headers, &media].concat())
}

/// Returns a `WAVEFORMATEX` of one channel.
fn wave(tag: u8, rate: u16, block: u16, bits: u8) -> Vec<u8> {
    let ([low, high], [short, long]) = (rate.to_le_bytes(), block.to_le_bytes());
    vec![tag, 0, 1, 0, low, high, 0, 0, 0, 0, 0, 0, short, long, bits, 0, 0, 0]
}

/// Returns the sizes of the chunks of this many seconds of sound at 16 kHz, with one frame in each chunk.
fn frames(seconds: usize, samples: usize, size: usize) -> Vec<usize> {
    vec![size; seconds * 16_000 / samples]
}

/// Players play the first files for 300 s.
#[test]
fn avi_sound_has_the_units_of_players() {
    let mp3 = |block| wave(0x55, 16_000, block, 0);
    let aac = |block| [&wave(0xFF, 16_000, block, 16)[..16], &[2, 0, 0x14, 0x08]].concat();
    for (what, format, clock, samples, size) in [
        ("samples of 28 bytes in blocks of one", mp3(1), (1, 2_000, 28), 576, 72),
        ("the samples of a frame as its size", mp3(1_152), (576, 16_000, 1_152), 576, 72),
        ("the samples of a frame of AAC as its size", aac(1_024), (1_024, 16_000, 1_024), 1_024, 60),
        ("the samples of four frames of AAC as their size", aac(4_096), (1_024, 16_000, 4_096), 1_024, 60),
        ("no clock", mp3(1_152), (0, 0, 0), 640, 72),
        ("half of a clock", mp3(1_152), (1, 0, 0), 640, 72),
    ] {
        assert_not_accepted(what, &avi(&format, clock, &frames(300, samples, size)));
    }
    assert_accepted("frames of MP3", &avi(&mp3(1_152), (576, 16_000, 1_152), &frames(10, 576, 72)));
    assert_accepted("no clock", &avi(&mp3(1_152), (0, 0, 0), &frames(10, 640, 72)));
    for (block, unit) in [(0, 0), (1, 0), (4, 0), (1_024, 1_024), (1_024, 0), (768, 0)] {
        let sound = avi(&aac(block), (1_024, 16_000, unit), &frames(10, 1_024, 120));
        assert_accepted(&format!("AAC in blocks of {block}, samples of {unit}"), &sound);
    }
}

#[test]
fn avi_streams_have_one_format() {
    let format = |block| wave(0x55, 16_000, block, 0);
    let of = |formats: &[&[u8]]| avi_of(formats, (576, 16_000, 0), &frames(10, 576, 72));
    assert_accepted("one format", &of(&[&format(1_152)]));
    assert_not_accepted("two formats", &of(&[&format(1_152), &format(60_000)]));
}

#[test]
fn avi_sound_is_as_long_as_its_packets_and_bytes() {
    let pcm = wave(1, 8_000, 2, 16);
    assert_accepted("PCM", &avi(&pcm, (1, 8_000, 2), &[1_600; 100]));
    assert_ambiguous("PCM with a fast clock", &avi(&pcm, (1, 16_000, 2), &[3_200; 100]));
    assert_refused("PCM with a slow clock", &avi(&pcm, (1, 800, 2), &[1_600; 10]), "too few bytes for its clock");
    let mp3 = wave(0x55, 44_100, 1, 0);
    assert_accepted("MP3 with a constant bit rate", &avi(&mp3, (1, 16_000, 1), &[400; 400]));
    let frames = wave(0x55, 44_100, 0, 0);
    assert_accepted("MP3 frames", &avi(&frames, (1_152, 44_100, 0), &[400; 382]));
    assert_ambiguous("squeezed MP3 frames", &avi(&frames, (576, 44_100, 0), &[400; 764]));
    assert_ambiguous("large MP3 frames", &avi(&frames, (1_152, 44_100, 0), &[1_800; 382]));
}
