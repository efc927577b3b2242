//! The throughput of parsing 95 MB of random bytes, compared with a bare search over the same bytes.
//!
//! `cargo bench -p multipart` measures both in one run, so that the numbers are comparable on a noisy machine.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use memchr::memmem::Finder;
use multipart::{Boundary, Caps, FormEvent, Parser};
use std::sync::LazyLock;

const CONTENT_BYTES: usize = 95_000_000;
const CHUNK: usize = 64 * 1024;
const BOUNDARY: &str = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

static BODY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let start = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f.mp4\"\r\n\r\n");
    let mut body = start.into_bytes();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    while body.len() < CONTENT_BYTES {
        // xorshift64: all byte values are equally frequent, so one in 256 is a CR.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        body.extend_from_slice(&state.to_le_bytes());
    }
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    body
});

fn main() {
    LazyLock::force(&BODY);
    divan::main();
}

fn measure(bencher: Bencher<'_, '_>, mut read: impl FnMut(&[u8])) {
    bencher.counter(BytesCount::new(BODY.len())).bench_local(|| read(black_box(&BODY)));
}

#[divan::bench]
fn a_form_parser(bencher: Bencher<'_, '_>) {
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    let boundary = Boundary::from_content_type(&content_type).expect("a valid boundary");
    measure(bencher, |body| {
        let mut parser = Parser::new(&boundary, Caps::default());
        for mut chunk in body.chunks(CHUNK) {
            while let Some(event) = parser.next_event(&mut chunk).expect("a valid body") {
                if let FormEvent::Data(data) = event {
                    black_box(data);
                }
            }
        }
        parser.finish().expect("a complete body");
    });
}

#[divan::bench]
fn b_memmem_of_the_delimiter(bencher: Bencher<'_, '_>) {
    let delimiter = format!("\r\n--{BOUNDARY}");
    let finder = Finder::new(&delimiter);
    measure(bencher, |body| {
        for chunk in body.chunks(CHUNK) {
            black_box(finder.find(chunk));
        }
    });
}

#[divan::bench]
fn c_memchr_of_each_carriage_return(bencher: Bencher<'_, '_>) {
    measure(bencher, |body| {
        for chunk in body.chunks(CHUNK) {
            black_box(memchr::memchr_iter(b'\r', chunk).count());
        }
    });
}

#[divan::bench]
fn d_memchr_of_a_byte_that_is_absent_in_the_text(bencher: Bencher<'_, '_>) {
    let text = vec![b'a'; BODY.len()];
    measure(bencher, |_| {
        for chunk in text.chunks(CHUNK) {
            black_box(memchr::memchr(b'\r', black_box(chunk)));
        }
    });
}
