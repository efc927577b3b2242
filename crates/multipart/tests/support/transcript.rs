//! Records the events of a body, so that two readings can be compared.
//!
//! Consecutive data is joined, because chunks may split it anywhere. Everything else must be equal.

#![allow(dead_code, reason = "each test binary uses only some of it")]

use multipart::scanner::{ScanEvent, Scanner};
use multipart::{Boundary, Caps, FormError, FormEvent, Parser, PartHead};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptPart<Head> {
    pub(crate) head: Head,
    pub(crate) content: Vec<u8>,
    pub(crate) complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transcript<Head> {
    pub(crate) parts: Vec<TranscriptPart<Head>>,
    pub(crate) ended: bool,
    pub(crate) outcome: Result<(), FormError>,
}

impl<Head> Transcript<Head> {
    fn new() -> Self {
        Self { parts: Vec::new(), ended: false, outcome: Ok(()) }
    }

    fn begin(&mut self, head: Head) {
        self.parts.push(TranscriptPart { head, content: Vec::new(), complete: false });
    }

    fn current(&mut self) -> &mut TranscriptPart<Head> {
        assert!(!self.ended, "no event of a part follows the end");
        let part = self.parts.last_mut().expect("events of a part follow its head");
        assert!(!part.complete, "no event of a part follows its end");
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

/// Reads a body with the form layer.
pub(crate) fn read_form<'a>(
    boundary: &Boundary,
    caps: Caps,
    chunks: impl IntoIterator<Item = &'a [u8]>,
) -> Transcript<PartHead> {
    let mut parser = Parser::new(boundary, caps);
    let mut transcript = Transcript::new();
    for chunk in chunks {
        if let Err(error) = feed_form(&mut parser, chunk, &mut transcript) {
            assert_eq!(parser.next_event(&mut &b"--"[..]), Err(error), "an error is final");
            break;
        }
    }
    transcript.outcome = parser.finish();
    assert!(transcript.ended || transcript.outcome.is_err(), "a complete form reports its end");
    transcript
}

fn feed_form(parser: &mut Parser, mut chunk: &[u8], transcript: &mut Transcript<PartHead>) -> Result<(), FormError> {
    while let Some(event) = parser.next_event(&mut chunk)? {
        match event {
            FormEvent::PartBegin(head) => transcript.begin(head),
            FormEvent::Data(data) => transcript.add(data),
            FormEvent::PartEnd => transcript.end_part(),
            FormEvent::End => transcript.ended = true,
        }
    }
    assert!(chunk.is_empty(), "a chunk is consumed before the next one is requested");
    Ok(())
}

/// Reads a body with the boundary layer only.
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

fn feed_scan(scanner: &mut Scanner, mut chunk: &[u8], transcript: &mut Transcript<Vec<u8>>) -> Result<(), FormError> {
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
