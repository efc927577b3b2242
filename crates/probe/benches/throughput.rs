//! The throughput of whole uploads: 95 MB of MP4 with the header at the end, and of `WebM`, compared with plain reads
//! of the same bytes.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use probe::Prober;

const SIZE: usize = 95 * 1000 * 1000;
/// The chunk size that the edge receives.
const CHUNK: usize = 64 * 1024;
/// The size of one frame at 30 frames a second, in a file of two minutes.
const FRAME: usize = SIZE / 3600;

/// Returns a movie with its header after the media.
fn movie() -> Vec<u8> {
    let table = |kind: [u8; 4], values: &[u32]| atom(kind, &words(values));
    let mut description = vec![0; 78];
    description[24..28].copy_from_slice(&[7, 128, 4, 56]);
    let description = [words(&[0, 1]), atom(*b"avc1", &description)].concat();
    let sizes: Vec<u32> = [0, 0, 3600].into_iter().chain([26_000; 3600]).collect();
    // Behind the headers of the first two boxes.
    let offsets: Vec<u32> = [0, 3600].into_iter().chain((0..3600).map(|index| 28 + index * 26_000)).collect();
    let samples = [
        atom(*b"stsd", &description),
        table(*b"stts", &[0, 1, 3600, 1000]),
        table(*b"stsc", &[0, 1, 1, 1, 1]),
        table(*b"stsz", &sizes),
        table(*b"stco", &offsets),
    ];
    let media = [
        table(*b"mdhd", &[0, 0, 0, 30_000, 3_600_000]),
        atom(*b"hdlr", b"\0\0\0\0\0\0\0\0vide\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        atom(*b"minf", &atom(*b"stbl", &samples.concat())),
    ];
    let track = [table(*b"tkhd", &[0, 0, 0, 1]), atom(*b"mdia", &media.concat())];
    let header = [table(*b"mvhd", &[0, 0, 0, 1000, 120_000]), atom(*b"trak", &track.concat())];
    let body = vec![0x5A; SIZE];
    [atom(*b"ftyp", b"isom\0\0\0\0isom"), atom(*b"mdat", &body), atom(*b"moov", &header.concat())].concat()
}

/// Returns a `WebM` file with one block per frame and one cluster per second.
fn webm() -> Vec<u8> {
    let entry = [element(&[0xD7], &[1]), element(&[0x83], &[1]), element(&[0x86], b"V_VP9")].concat();
    let mut file = element(&[0x1A, 0x45, 0xDF, 0xA3], &element(&[0x42, 0x82], b"webm"));
    file.extend([0x18, 0x53, 0x80, 0x67, 0xFF]);
    file.extend(element(&[0x16, 0x54, 0xAE, 0x6B], &element(&[0xAE], &entry)));
    for second in 0..120_u32 {
        file.extend([0x1F, 0x43, 0xB6, 0x75, 0xFF]);
        file.extend(element(&[0xE7], &(second * 1000).to_be_bytes()));
        for frame in 0..30_u16 {
            let [high, low] = (frame * 33).to_be_bytes();
            let mut block = vec![0x5A; FRAME];
            block[..4].copy_from_slice(&[0x81, high, low, 0x80]);
            file.extend(element(&[0xA3], &block));
        }
    }
    file
}

fn atom(kind: [u8; 4], body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len() + 8).expect("a box below 4 GiB");
    [&size.to_be_bytes()[..], &kind, body].concat()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = (1 << 56) | body.len() as u64;
    [id, &size.to_be_bytes(), body].concat()
}

fn probe_duration(file: &[u8]) -> u64 {
    let mut prober = Prober::new();
    for chunk in file.chunks(CHUNK) {
        prober.feed(black_box(chunk));
    }
    prober.finish().expect("a video").duration_ms
}

fn throughput(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("95 MB in chunks of 64 KiB");
    group.sample_size(20);
    for (name, file) in [("mp4, header last", movie()), ("webm", webm())] {
        group.throughput(Throughput::Bytes(file.len() as u64));
        group.bench_function(format!("{name}: prober"), |bencher| {
            bencher.iter(|| probe_duration(&file));
        });
        group.bench_function(format!("{name}: memchr"), |bencher| {
            bencher.iter(|| file.chunks(CHUNK).filter(|chunk| memchr::memchr(0xA7, chunk).is_some()).count());
        });
        let mut copy = vec![0; CHUNK];
        group.bench_function(format!("{name}: memcpy"), |bencher| {
            bencher.iter(|| {
                for chunk in file.chunks(CHUNK) {
                    copy[..chunk.len()].copy_from_slice(chunk);
                    black_box(&copy);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
