//! The boundary layer: where parts begin and end, and where their headers end.
//!
//! It splits a body into header blocks and content without parsing either, so it can be tested with MIME's own test
//! vectors, which have no `Content-Disposition`. Between two chunks it keeps only one header block (or a short
//! preamble) and a count. This module must not depend on names, files or fields.

use crate::boundary::Boundary;
use crate::caps::Caps;
use crate::delimiter::{Delimiter, DelimiterSearch};
use crate::error::FormError;
use core::ops::Range;
use memchr::memmem;

/// The empty line after the headers, with the line end before it.
const HEADERS_END: &[u8] = b"\r\n\r\n";
const CRLF: &[u8] = b"\r\n";

/// An event while a body is scanned.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanEvent<'a> {
    /// The part's header lines, each with its line end, without the empty line.
    Headers(&'a [u8]),
    /// Content of the part. Never empty.
    Data(&'a [u8]),
    /// The part is complete.
    PartEnd,
    /// The closing boundary. The body is complete.
    End,
}

/// Splits a body into parts.
#[derive(Debug)]
pub struct Scanner {
    caps: Caps,
    state: ScanState,
    delimiter: Delimiter,
    /// The preamble. After the first boundary: the current part's headers, preceded by the line end of their boundary.
    window: Vec<u8>,
    parts: usize,
    /// Bytes of the headers of all earlier parts.
    header_bytes: usize,
    headers_examined: u64,
    failed: Option<FormError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScanState {
    /// Before the first boundary.
    Preamble,
    /// Between a boundary and the two bytes of its line end. `first` is the first of these bytes, if it has been read.
    AfterBoundary {
        first: Option<u8>,
    },
    Headers,
    Content,
    /// The closing boundary was read but not yet reported.
    Closing,
    Epilogue {
        bytes: usize,
    },
}

/// The result of a step. Contains ranges instead of slices, so that the state may change before the event is built.
enum ScanStep {
    Headers(Range<usize>),
    Data(usize),
    Withheld(Range<usize>),
    PartEnd,
    End,
    Continue,
}

impl Scanner {
    /// Creates a scanner for a new body. Allocates all of its buffers, so that scanning allocates nothing.
    pub fn new(boundary: &Boundary, caps: Caps) -> Self {
        let room = caps.preamble_bytes.max(window_for_headers(caps.header_bytes));
        Self {
            caps,
            state: ScanState::Preamble,
            delimiter: Delimiter::new(boundary),
            window: Vec::with_capacity(room),
            parts: 0,
            header_bytes: 0,
            headers_examined: 0,
            failed: None,
        }
    }

    /// Returns the next event, or `None` if all of `input` was consumed. Advances `input` past the bytes read.
    pub fn next_event<'event, 'input: 'event>(
        &'event mut self,
        input: &mut &'input [u8],
    ) -> Result<Option<ScanEvent<'event>>, FormError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let step = loop {
            if input.is_empty() && self.state != ScanState::Closing {
                return Ok(None);
            }
            match self.step(input) {
                Ok(ScanStep::Continue) => {}
                Ok(step) => break step,
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            }
        };
        Ok(self.event(step, input))
    }

    /// Returns an error unless the closing boundary was read.
    pub fn finish(&self) -> Result<(), FormError> {
        match (self.failed, self.state) {
            (Some(error), _) => Err(error),
            (None, ScanState::Closing | ScanState::Epilogue { .. }) => Ok(()),
            (None, ScanState::Preamble) => Err(FormError::NoBoundary),
            (None, _) => Err(FormError::Truncated),
        }
    }

    /// Returns how many bytes were examined so far, counting repeated examinations. Tests use it to check that the work
    /// per byte is constant.
    pub fn bytes_examined(&self) -> u64 {
        self.delimiter.examined().saturating_add(self.headers_examined)
    }

    fn step(&mut self, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        match self.state {
            ScanState::Preamble => self.step_preamble(input),
            ScanState::AfterBoundary { first } => self.step_after_boundary(first, input),
            ScanState::Headers => self.step_headers(input),
            ScanState::Content => self.step_content(input),
            ScanState::Closing => {
                self.state = ScanState::Epilogue { bytes: 0 };
                Ok(ScanStep::End)
            }
            ScanState::Epilogue { bytes } => self.step_epilogue(bytes, input),
        }
    }

    fn event<'event, 'input: 'event>(
        &'event self,
        step: ScanStep,
        input: &mut &'input [u8],
    ) -> Option<ScanEvent<'event>> {
        Some(match step {
            ScanStep::Headers(range) => ScanEvent::Headers(self.window.get(range)?),
            ScanStep::Data(length) => ScanEvent::Data(take(input, length)),
            ScanStep::Withheld(range) => ScanEvent::Data(self.delimiter.text().get(range)?),
            ScanStep::PartEnd => ScanEvent::PartEnd,
            ScanStep::End => ScanEvent::End,
            ScanStep::Continue => return None,
        })
    }

    /// Stores the preamble, which is short or refused, to check it when the first boundary arrives.
    fn step_preamble(&mut self, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        match self.delimiter.search(input) {
            DelimiterSearch::NoDelimiter(length) => {
                let bytes = take(input, length);
                Self::keep_preamble(&mut self.window, self.caps, bytes)?;
            }
            DelimiterSearch::Withheld(range) => {
                let bytes = self.delimiter.text().get(range).unwrap_or_default();
                Self::keep_preamble(&mut self.window, self.caps, bytes)?;
            }
            DelimiterSearch::Undecided(length) => {
                take(input, length);
            }
            DelimiterSearch::Delimiter { consumed, .. } => {
                take(input, consumed);
                if memmem::find(&self.window, self.delimiter.dashed_boundary()).is_some() {
                    return Err(FormError::BoundaryInPreamble);
                }
                self.state = ScanState::AfterBoundary { first: None };
            }
        }
        Ok(ScanStep::Continue)
    }

    fn keep_preamble(window: &mut Vec<u8>, caps: Caps, bytes: &[u8]) -> Result<(), FormError> {
        if bytes.len() > caps.preamble_bytes.saturating_sub(window.len()) {
            return Err(FormError::PreambleTooLong);
        }
        window.extend_from_slice(bytes);
        Ok(())
    }

    /// A line end begins a part, and two hyphens close the body. Anything else is refused, because some parsers treat
    /// such a line as content and others as a boundary.
    fn step_after_boundary(&mut self, first: Option<u8>, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        let Some(&byte) = take(input, 1).first() else {
            return Ok(ScanStep::Continue);
        };
        match (first, byte) {
            (None, b'\r' | b'-') => {
                self.state = ScanState::AfterBoundary { first: Some(byte) };
                Ok(ScanStep::Continue)
            }
            (Some(b'\r'), b'\n') => self.begin_part(),
            (Some(b'-'), b'-') => self.close(),
            _ => Err(FormError::BoundaryRunsOn),
        }
    }

    fn begin_part(&mut self) -> Result<ScanStep, FormError> {
        if self.parts >= self.caps.parts {
            return Err(FormError::TooManyParts);
        }
        let previous = self.end_of_part();
        self.parts += 1;
        self.state = ScanState::Headers;
        self.window.clear();
        // With the boundary's line end in front, an empty header block ends like any other.
        self.window.extend_from_slice(CRLF);
        Ok(previous)
    }

    fn close(&mut self) -> Result<ScanStep, FormError> {
        if self.parts == 0 && self.window.iter().any(|byte| !CRLF.contains(byte)) {
            return Err(FormError::PreambleWithoutParts);
        }
        self.state = ScanState::Closing;
        Ok(self.end_of_part())
    }

    fn end_of_part(&self) -> ScanStep {
        if self.parts == 0 { ScanStep::Continue } else { ScanStep::PartEnd }
    }

    fn step_headers(&mut self, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        let known = self.window.len();
        let (limit, too_long) = self.header_limit();
        let room = window_for_headers(limit).saturating_sub(known);
        let added = input.get(..room.min(input.len())).unwrap_or_default();
        self.window.extend_from_slice(added);
        let search_from = known.saturating_sub(HEADERS_END.len() - 1);
        let unsearched = self.window.get(search_from..).unwrap_or_default();
        self.headers_examined = self.headers_examined.saturating_add(unsearched.len() as u64);
        let Some(found) = memmem::find(unsearched, HEADERS_END) else {
            take(input, added.len());
            let full = added.len() == room;
            return if full { Err(too_long) } else { Ok(ScanStep::Continue) };
        };
        let last_line_end = search_from + found + CRLF.len();
        take(input, last_line_end + CRLF.len() - known);
        // The line end at the start of the window does not count. The empty line counts, but is not in the window.
        self.header_bytes += last_line_end;
        if self.delimiter.is_in(self.window.get(..last_line_end).unwrap_or_default()) {
            return Err(FormError::HeadersUnfinished);
        }
        self.state = ScanState::Content;
        self.delimiter.at_line_start();
        Ok(ScanStep::Headers(CRLF.len()..last_line_end))
    }

    /// Returns how many bytes the current part's headers may have, and the error for more.
    fn header_limit(&self) -> (usize, FormError) {
        let left = self.caps.total_header_bytes.saturating_sub(self.header_bytes);
        if left < self.caps.header_bytes {
            (left, FormError::TotalHeadersTooLong)
        } else {
            (self.caps.header_bytes, FormError::HeadersTooLong)
        }
    }

    fn step_content(&mut self, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        match self.delimiter.search(input) {
            DelimiterSearch::NoDelimiter(length) => Ok(ScanStep::Data(length)),
            DelimiterSearch::Withheld(range) => Ok(ScanStep::Withheld(range)),
            DelimiterSearch::Undecided(length) => {
                take(input, length);
                Ok(ScanStep::Continue)
            }
            DelimiterSearch::Delimiter { at_start: true, .. } => Err(FormError::BoundaryAfterHeaders),
            DelimiterSearch::Delimiter { consumed, .. } => {
                take(input, consumed);
                self.state = ScanState::AfterBoundary { first: None };
                Ok(ScanStep::Continue)
            }
        }
    }

    /// Drops the bytes after the closing boundary, as RFC 2046 requires, up to a limit.
    fn step_epilogue(&mut self, bytes: usize, input: &mut &[u8]) -> Result<ScanStep, FormError> {
        let bytes = bytes.saturating_add(take(input, input.len()).len());
        if bytes > self.caps.epilogue_bytes {
            return Err(FormError::EpilogueTooLong);
        }
        self.state = ScanState::Epilogue { bytes };
        Ok(ScanStep::Continue)
    }
}

/// Returns the size of a part's headers plus the line end of the boundary before them.
fn window_for_headers(header_bytes: usize) -> usize {
    header_bytes.saturating_add(CRLF.len())
}

/// Splits off the first bytes of the input.
fn take<'input>(input: &mut &'input [u8], length: usize) -> &'input [u8] {
    let (front, rest) = input.split_at_checked(length).unwrap_or((input, &[]));
    *input = rest;
    front
}
