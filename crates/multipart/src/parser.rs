//! The form layer: splits a body into named parts.
//!
//! It parses each header block that the scanner separates, and passes content on unchanged. This module must not
//! depend on which names the caller expects.

use crate::boundary::Boundary;
use crate::caps::Caps;
use crate::error::FormError;
use crate::part_head::PartHead;
use crate::scanner::{ScanEvent, Scanner};

/// An event while a form is read.
#[derive(Debug, PartialEq, Eq)]
pub enum FormEvent<'a> {
    /// A part begins. Its content follows.
    PartBegin(PartHead),
    /// Content of the part, borrowed from the chunk. Never empty.
    Data(&'a [u8]),
    /// The part is complete.
    PartEnd,
    /// The closing boundary. The form is complete, and later bytes are ignored.
    End,
}

/// Parses a form that arrives in chunks.
#[derive(Debug)]
pub struct Parser {
    scanner: Scanner,
    max_headers: usize,
    failed: Option<FormError>,
}

impl Parser {
    /// Creates a parser for a new body.
    pub fn new(boundary: &Boundary, caps: Caps) -> Self {
        Self { scanner: Scanner::new(boundary, caps), max_headers: caps.headers, failed: None }
    }

    /// Returns the next event, or `None` if all of `input` was consumed and the next chunk is needed.
    ///
    /// Advances `input` past the bytes read. Every split of a body into chunks gives the same events and the same
    /// error; only `Data` may be split differently. After an error, the same error is returned again.
    pub fn next_event<'event, 'input: 'event>(
        &'event mut self,
        input: &mut &'input [u8],
    ) -> Result<Option<FormEvent<'event>>, FormError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let event = match self.scanner.next_event(input)? {
            None => return Ok(None),
            Some(ScanEvent::Data(bytes)) => FormEvent::Data(bytes),
            Some(ScanEvent::PartEnd) => FormEvent::PartEnd,
            Some(ScanEvent::End) => FormEvent::End,
            Some(ScanEvent::Headers(block)) => match PartHead::parse(block, self.max_headers) {
                Ok(head) => FormEvent::PartBegin(head),
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            },
        };
        Ok(Some(event))
    }

    /// Returns an error unless the closing boundary was read.
    ///
    /// The end of the stream is not proof of a complete form: the platform may turn a client's abort into a clean end.
    pub fn finish(&self) -> Result<(), FormError> {
        match self.failed {
            Some(error) => Err(error),
            None => self.scanner.finish(),
        }
    }

    /// See [`Scanner::bytes_examined`].
    pub fn bytes_examined(&self) -> u64 {
        self.scanner.bytes_examined()
    }
}
