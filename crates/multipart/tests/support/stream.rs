//! Bodies too large to store, generated chunk by chunk: a start, a repeated piece, an end.

#![allow(dead_code, reason = "each test binary uses only some of it")]

use multipart::{Boundary, Caps, FormError, FormEvent, Parser};

pub(crate) struct StreamedBody {
    pub(crate) boundary: String,
    pub(crate) start: Vec<u8>,
    pub(crate) repeated: Vec<u8>,
    /// At least this many bytes of repetitions.
    pub(crate) length: usize,
    pub(crate) end: Vec<u8>,
    pub(crate) chunk: usize,
}

pub(crate) struct ParseRun {
    pub(crate) outcome: Result<(), FormError>,
    /// Bytes passed to the parser before it refused the body or the body ended.
    pub(crate) bytes_read: usize,
    pub(crate) content_bytes: usize,
    pub(crate) bytes_examined: u64,
}

impl StreamedBody {
    /// Returns a body with one file part whose content is `repeated`.
    pub(crate) fn with_content(boundary: &str, repeated: &[u8], length: usize) -> Self {
        Self {
            boundary: boundary.to_owned(),
            start: format!("--{boundary}\r\nContent-Disposition: form-data; name=f\r\n\r\n.").into_bytes(),
            repeated: repeated.to_vec(),
            length,
            end: format!("\r\n--{boundary}--\r\n").into_bytes(),
            chunk: 64 * 1024,
        }
    }

    /// Parses the body. The caller owns the chunk buffer, as in production.
    pub(crate) fn run(&self, caps: Caps) -> ParseRun {
        let content_type = format!("multipart/form-data; boundary=\"{}\"", self.boundary);
        let boundary = Boundary::from_content_type(&content_type).expect("a valid boundary");
        let mut parser = Parser::new(&boundary, caps);
        let mut run = ParseRun { outcome: Ok(()), bytes_read: 0, content_bytes: 0, bytes_examined: 0 };
        let refused = self.for_each_chunk(|chunk| run.feed(&mut parser, chunk).is_ok());
        run.outcome = parser.finish();
        assert_eq!(refused, run.outcome.is_err() && run.outcome != Err(FormError::Truncated));
        run.bytes_examined = parser.bytes_examined();
        run
    }

    /// Returns whether `feed` stopped the iteration.
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

impl ParseRun {
    fn feed(&mut self, parser: &mut Parser, mut chunk: &[u8]) -> Result<(), FormError> {
        self.bytes_read += chunk.len();
        while let Some(event) = parser.next_event(&mut chunk)? {
            if let FormEvent::Data(data) = event {
                self.content_bytes += data.len();
            }
        }
        Ok(())
    }
}
