//! Bodies too large to hold, made chunk by chunk: a start, something repeated, an end.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use multipart::{Boundary, Caps, Error, Event, Parser};

pub(crate) struct Body {
    pub(crate) boundary: String,
    pub(crate) start: Vec<u8>,
    pub(crate) repeated: Vec<u8>,
    /// At least so many bytes of repetitions.
    pub(crate) length: usize,
    pub(crate) end: Vec<u8>,
    pub(crate) chunk: usize,
}

pub(crate) struct Run {
    pub(crate) outcome: Result<(), Error>,
    /// Bytes handed to the parser before it refused or the body ended.
    pub(crate) bytes_read: usize,
    pub(crate) content_bytes: usize,
    pub(crate) bytes_examined: u64,
}

impl Body {
    /// One file part with this content, repeated.
    pub(crate) fn of_content(boundary: &str, repeated: &[u8], length: usize) -> Self {
        Self {
            boundary: boundary.to_owned(),
            start: format!("--{boundary}\r\nContent-Disposition: form-data; name=f\r\n\r\n.")
                .into_bytes(),
            repeated: repeated.to_vec(),
            length,
            end: format!("\r\n--{boundary}--\r\n").into_bytes(),
            chunk: 64 * 1024,
        }
    }

    /// Parses the body. The chunk buffer is the caller's, as in production.
    pub(crate) fn run(&self, caps: Caps) -> Run {
        let content_type = format!("multipart/form-data; boundary=\"{}\"", self.boundary);
        let boundary = Boundary::from_content_type(&content_type).expect("a legal boundary");
        let mut parser = Parser::new(&boundary, caps);
        let mut run = Run {
            outcome: Ok(()),
            bytes_read: 0,
            content_bytes: 0,
            bytes_examined: 0,
        };
        let refused = self.for_each_chunk(|chunk| run.feed(&mut parser, chunk).is_ok());
        run.outcome = parser.finish();
        assert_eq!(
            refused,
            run.outcome.is_err() && run.outcome != Err(Error::Truncated)
        );
        run.bytes_examined = parser.bytes_examined();
        run
    }

    /// Whether it was stopped.
    fn for_each_chunk(&self, mut feed: impl FnMut(&[u8]) -> bool) -> bool {
        let count = self.length.div_ceil(self.repeated.len().max(1));
        let pieces = std::iter::once(&self.start[..])
            .chain(std::iter::repeat_n(&self.repeated[..], count))
            .chain(std::iter::once(&self.end[..]));
        let mut buffer = Vec::with_capacity(self.chunk);
        for mut piece in pieces {
            while !piece.is_empty() {
                let (front, rest) = piece.split_at(piece.len().min(self.chunk - buffer.len()));
                buffer.extend_from_slice(front);
                piece = rest;
                if buffer.len() == self.chunk {
                    if !feed(&buffer) {
                        return true;
                    }
                    buffer.clear();
                }
            }
        }
        !feed(&buffer)
    }
}

impl Run {
    fn feed(&mut self, parser: &mut Parser, mut chunk: &[u8]) -> Result<(), Error> {
        self.bytes_read += chunk.len();
        while let Some(event) = parser.next_event(&mut chunk)? {
            if let Event::Data(data) = event {
                self.content_bytes += data.len();
            }
        }
        Ok(())
    }
}
