//! The boundary layer: where parts begin and end, and where their headers stop.
//!
//! It cuts a body into header blocks and content without reading either, so it can be held to
//! MIME's own test vectors, which have no `Content-Disposition`. All it keeps between chunks is
//! one header block (or a short preamble) and a count. It must not know names, files or fields.

use crate::boundary::Boundary;
use crate::caps::Caps;
use crate::delimiter::{Delimiter, Found};
use crate::error::Error;
use core::ops::Range;
use memchr::memmem;

/// The empty line after the headers, with the end of the line before it.
const HEADERS_END: &[u8] = b"\r\n\r\n";
const CRLF: &[u8] = b"\r\n";

/// A piece of a body.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanEvent<'a> {
    /// A part's header lines, each with its line end, without the empty line.
    Headers(&'a [u8]),
    /// Content of the part; never empty.
    Data(&'a [u8]),
    /// The part is complete.
    PartEnd,
    /// The closing boundary: the body is complete.
    End,
}

/// Cuts a body into parts.
#[derive(Debug)]
pub struct Scanner {
    caps: Caps,
    state: State,
    delimiter: Delimiter,
    /// A part's headers (after the line end of its boundary), before that the preamble.
    window: Vec<u8>,
    parts: usize,
    headers_examined: u64,
    failed: Option<Error>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first boundary.
    Preamble,
    /// After a boundary, before the two bytes that say what it is; perhaps one of them is known.
    AfterBoundary {
        first: Option<u8>,
    },
    Headers,
    Content,
    /// The closing boundary is read, but not reported.
    Closing,
    Epilogue {
        bytes: usize,
    },
}

/// What a step found; as ranges, so that the state may still change while it is decided.
enum Step {
    Headers(Range<usize>),
    Data(usize),
    Held(Range<usize>),
    PartEnd,
    End,
    Continue,
}

impl Scanner {
    /// A scanner at the start of a body. All that it will ever hold is allocated here.
    pub fn new(boundary: &Boundary, caps: Caps) -> Self {
        let room = caps.preamble_bytes.max(window_for_headers(caps));
        Self {
            caps,
            state: State::Preamble,
            delimiter: Delimiter::new(boundary),
            window: Vec::with_capacity(room),
            parts: 0,
            headers_examined: 0,
            failed: None,
        }
    }

    /// The next event, or `None` when all of `input` is used up. `input` moves past what was read.
    pub fn next_event<'event, 'input: 'event>(
        &'event mut self,
        input: &mut &'input [u8],
    ) -> Result<Option<ScanEvent<'event>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let step = loop {
            if input.is_empty() && self.state != State::Closing {
                return Ok(None);
            }
            match self.step(input) {
                Ok(Step::Continue) => {}
                Ok(step) => break step,
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        };
        Ok(self.event(step, input))
    }

    /// Whether the body was complete: an error unless its closing boundary has been seen.
    pub fn finish(&self) -> Result<(), Error> {
        match (self.failed, self.state) {
            (Some(error), _) => Err(error),
            (None, State::Closing | State::Epilogue { .. }) => Ok(()),
            (None, State::Preamble) => Err(Error::NoBoundary),
            (None, _) => Err(Error::Truncated),
        }
    }

    /// How many bytes were looked at so far, each as often as it was looked at: the measure by
    /// which tests hold the work to a constant per byte.
    pub fn bytes_examined(&self) -> u64 {
        self.delimiter
            .examined()
            .saturating_add(self.headers_examined)
    }

    fn step(&mut self, input: &mut &[u8]) -> Result<Step, Error> {
        match self.state {
            State::Preamble => self.step_preamble(input),
            State::AfterBoundary { first } => self.step_after_boundary(first, input),
            State::Headers => self.step_headers(input),
            State::Content => self.step_content(input),
            State::Closing => {
                self.state = State::Epilogue { bytes: 0 };
                Ok(Step::End)
            }
            State::Epilogue { bytes } => self.step_epilogue(bytes, input),
        }
    }

    fn event<'event, 'input: 'event>(
        &'event self,
        step: Step,
        input: &mut &'input [u8],
    ) -> Option<ScanEvent<'event>> {
        Some(match step {
            Step::Headers(range) => ScanEvent::Headers(self.window.get(range)?),
            Step::Data(length) => ScanEvent::Data(take(input, length)),
            Step::Held(range) => ScanEvent::Data(self.delimiter.text().get(range)?),
            Step::PartEnd => ScanEvent::PartEnd,
            Step::End => ScanEvent::End,
            Step::Continue => return None,
        })
    }

    /// Keeps the preamble (it is short, or refused) to judge it when the first boundary comes.
    fn step_preamble(&mut self, input: &mut &[u8]) -> Result<Step, Error> {
        match self.delimiter.search(input) {
            Found::Other(length) => {
                let bytes = take(input, length);
                Self::keep_preamble(&mut self.window, self.caps, bytes)?;
            }
            Found::Held(range) => {
                let bytes = self.delimiter.text().get(range).unwrap_or_default();
                Self::keep_preamble(&mut self.window, self.caps, bytes)?;
            }
            Found::Undecided(length) => {
                take(input, length);
            }
            Found::Delimiter { consumed, .. } => {
                take(input, consumed);
                if memmem::find(&self.window, self.delimiter.dashed_boundary()).is_some() {
                    return Err(Error::BoundaryInPreamble);
                }
                self.state = State::AfterBoundary { first: None };
            }
        }
        Ok(Step::Continue)
    }

    fn keep_preamble(window: &mut Vec<u8>, caps: Caps, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() > caps.preamble_bytes.saturating_sub(window.len()) {
            return Err(Error::PreambleTooLong);
        }
        window.extend_from_slice(bytes);
        Ok(())
    }

    /// A line end begins a part, two hyphens close the body, and anything else is refused:
    /// some parsers take it for content, others for a boundary.
    fn step_after_boundary(&mut self, first: Option<u8>, input: &mut &[u8]) -> Result<Step, Error> {
        let Some(&byte) = take(input, 1).first() else {
            return Ok(Step::Continue);
        };
        match (first, byte) {
            (None, b'\r' | b'-') => {
                self.state = State::AfterBoundary { first: Some(byte) };
                Ok(Step::Continue)
            }
            (Some(b'\r'), b'\n') => self.begin_part(),
            (Some(b'-'), b'-') => self.close(),
            _ => Err(Error::BoundaryRunsOn),
        }
    }

    fn begin_part(&mut self) -> Result<Step, Error> {
        if self.parts >= self.caps.parts {
            return Err(Error::TooManyParts);
        }
        let previous = self.end_of_part();
        self.parts += 1;
        self.state = State::Headers;
        self.window.clear();
        // With the boundary's line end in front, headers and no headers end alike.
        self.window.extend_from_slice(CRLF);
        Ok(previous)
    }

    fn close(&mut self) -> Result<Step, Error> {
        if self.parts == 0 && self.window.iter().any(|byte| !CRLF.contains(byte)) {
            return Err(Error::PreambleWithoutParts);
        }
        self.state = State::Closing;
        Ok(self.end_of_part())
    }

    fn end_of_part(&self) -> Step {
        if self.parts == 0 {
            Step::Continue
        } else {
            Step::PartEnd
        }
    }

    fn step_headers(&mut self, input: &mut &[u8]) -> Result<Step, Error> {
        let known = self.window.len();
        let room = window_for_headers(self.caps).saturating_sub(known);
        let added = input.get(..room.min(input.len())).unwrap_or_default();
        self.window.extend_from_slice(added);
        let search_from = known.saturating_sub(HEADERS_END.len() - 1);
        let unsearched = self.window.get(search_from..).unwrap_or_default();
        self.headers_examined = self
            .headers_examined
            .saturating_add(unsearched.len() as u64);
        let Some(found) = memmem::find(unsearched, HEADERS_END) else {
            take(input, added.len());
            let full = added.len() == room;
            return if full {
                Err(Error::HeadersTooLong)
            } else {
                Ok(Step::Continue)
            };
        };
        let last_line_end = search_from + found + CRLF.len();
        take(input, last_line_end + CRLF.len() - known);
        if self
            .delimiter
            .is_in(self.window.get(..last_line_end).unwrap_or_default())
        {
            return Err(Error::HeadersUnfinished);
        }
        self.state = State::Content;
        self.delimiter.at_line_start();
        Ok(Step::Headers(CRLF.len()..last_line_end))
    }

    fn step_content(&mut self, input: &mut &[u8]) -> Result<Step, Error> {
        match self.delimiter.search(input) {
            Found::Other(length) => Ok(Step::Data(length)),
            Found::Held(range) => Ok(Step::Held(range)),
            Found::Undecided(length) => {
                take(input, length);
                Ok(Step::Continue)
            }
            Found::Delimiter { at_start: true, .. } => Err(Error::BoundaryAfterHeaders),
            Found::Delimiter { consumed, .. } => {
                take(input, consumed);
                self.state = State::AfterBoundary { first: None };
                Ok(Step::Continue)
            }
        }
    }

    /// Drops what follows the closing boundary, as RFC 2046 asks, but not without end.
    fn step_epilogue(&mut self, bytes: usize, input: &mut &[u8]) -> Result<Step, Error> {
        let bytes = bytes.saturating_add(take(input, input.len()).len());
        if bytes > self.caps.epilogue_bytes {
            return Err(Error::EpilogueTooLong);
        }
        self.state = State::Epilogue { bytes };
        Ok(Step::Continue)
    }
}

/// A part's headers, and the line end of the boundary before them.
fn window_for_headers(caps: Caps) -> usize {
    caps.header_bytes.saturating_add(CRLF.len())
}

/// Splits off the first bytes of the input.
fn take<'input>(input: &mut &'input [u8], length: usize) -> &'input [u8] {
    let (front, rest) = input.split_at_checked(length).unwrap_or((input, &[]));
    *input = rest;
    front
}
