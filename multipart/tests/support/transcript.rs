//! What a reader saw of a body, so that two readings can be compared.
//!
//! Data is joined, because chunks may cut it anywhere; everything else has to be the same.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use multipart::scanner::{ScanEvent, Scanner};
use multipart::{Boundary, Caps, Error, Event, Parser, PartHead};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<Head> {
    pub(crate) head: Head,
    pub(crate) content: Vec<u8>,
    pub(crate) complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transcript<Head> {
    pub(crate) parts: Vec<Part<Head>>,
    pub(crate) ended: bool,
    pub(crate) outcome: Result<(), Error>,
}

impl<Head> Transcript<Head> {
    fn new() -> Self {
        Self {
            parts: Vec::new(),
            ended: false,
            outcome: Ok(()),
        }
    }

    fn begin(&mut self, head: Head) {
        self.parts.push(Part {
            head,
            content: Vec::new(),
            complete: false,
        });
    }

    fn current(&mut self) -> &mut Part<Head> {
        assert!(!self.ended, "no part's event comes after the end");
        let part = self
            .parts
            .last_mut()
            .expect("a part's event comes after its head");
        assert!(!part.complete, "no part's event comes after its end");
        part
    }

    fn add(&mut self, data: &[u8]) {
        assert!(!data.is_empty(), "data is never empty");
        self.current().content.extend_from_slice(data);
    }

    fn end_part(&mut self) {
        self.current().complete = true;
    }
}

/// Reads a body through the form layer.
pub(crate) fn read_form<'a>(
    boundary: &Boundary,
    caps: Caps,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Transcript<PartHead> {
    let mut parser = Parser::new(boundary, caps);
    let mut transcript = Transcript::new();
    for chunk in chunks {
        if let Err(error) = feed_form(&mut parser, chunk, &mut transcript) {
            assert_eq!(
                parser.next_event(&mut &b"--"[..]),
                Err(error),
                "an error is final"
            );
            break;
        }
    }
    transcript.outcome = parser.finish();
    assert!(
        transcript.ended || transcript.outcome.is_err(),
        "complete means ended"
    );
    transcript
}

fn feed_form(
    parser: &mut Parser,
    mut chunk: &[u8],
    transcript: &mut Transcript<PartHead>,
) -> Result<(), Error> {
    while let Some(event) = parser.next_event(&mut chunk)? {
        match event {
            Event::PartBegin(head) => transcript.begin(head),
            Event::Data(data) => transcript.add(data),
            Event::PartEnd => transcript.end_part(),
            Event::End => transcript.ended = true,
        }
    }
    assert!(
        chunk.is_empty(),
        "a chunk is used up before the next is asked for"
    );
    Ok(())
}

/// Reads a body through the boundary layer alone.
pub(crate) fn read_scan<'a>(
    boundary: &Boundary,
    caps: Caps,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Transcript<Vec<u8>> {
    let mut scanner = Scanner::new(boundary, caps);
    let mut transcript = Transcript::new();
    for chunk in chunks {
        if feed_scan(&mut scanner, chunk, &mut transcript).is_err() {
            break;
        }
    }
    transcript.outcome = scanner.finish();
    transcript
}

fn feed_scan(
    scanner: &mut Scanner,
    mut chunk: &[u8],
    transcript: &mut Transcript<Vec<u8>>,
) -> Result<(), Error> {
    while let Some(event) = scanner.next_event(&mut chunk)? {
        match event {
            ScanEvent::Headers(block) => transcript.begin(block.to_vec()),
            ScanEvent::Data(data) => transcript.add(data),
            ScanEvent::PartEnd => transcript.end_part(),
            ScanEvent::End => transcript.ended = true,
        }
    }
    Ok(())
}
