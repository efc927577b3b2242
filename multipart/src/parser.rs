//! The form layer: a body as parts that have names.
//!
//! It reads each header block that the scanner cuts out and passes content through untouched.
//! It must not know which names the caller expects.

use crate::boundary::Boundary;
use crate::caps::Caps;
use crate::error::Error;
use crate::part_head::PartHead;
use crate::scanner::{ScanEvent, Scanner};

/// A piece of a form.
#[derive(Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A part begins; its content follows.
    PartBegin(PartHead),
    /// Content of the part, borrowed from the chunk; never empty.
    Data(&'a [u8]),
    /// The part is complete.
    PartEnd,
    /// The closing boundary: the form is complete, and what follows does not count.
    End,
}

/// Reads a form that arrives in chunks.
#[derive(Debug)]
pub struct Parser {
    scanner: Scanner,
    max_headers: usize,
    failed: Option<Error>,
}

impl Parser {
    /// A parser at the start of a body.
    pub fn new(boundary: &Boundary, caps: Caps) -> Self {
        Self {
            scanner: Scanner::new(boundary, caps),
            max_headers: caps.headers,
            failed: None,
        }
    }

    /// The next event, or `None` when all of `input` is used up and the next chunk is due.
    ///
    /// `input` moves past what was read. However a body is cut into chunks, the same events come
    /// (only `Data` may be cut elsewhere) and the same error; after an error, always that error.
    pub fn next_event<'event, 'input: 'event>(
        &'event mut self,
        input: &mut &'input [u8],
    ) -> Result<Option<Event<'event>>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let event = match self.scanner.next_event(input)? {
            None => return Ok(None),
            Some(ScanEvent::Data(bytes)) => Event::Data(bytes),
            Some(ScanEvent::PartEnd) => Event::PartEnd,
            Some(ScanEvent::End) => Event::End,
            Some(ScanEvent::Headers(block)) => match PartHead::parse(block, self.max_headers) {
                Ok(head) => Event::PartBegin(head),
                Err(error) => {
                    self.failed = Some(error);
                    return Err(error);
                }
            },
        };
        Ok(Some(event))
    }

    /// Whether the form was complete: an error unless its closing boundary has been seen.
    ///
    /// A stream that ended is not proof: the platform may turn a client's abort into a clean end.
    pub fn finish(&self) -> Result<(), Error> {
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
