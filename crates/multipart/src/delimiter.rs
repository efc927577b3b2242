//! Finds `CRLF--boundary` in a stream of chunks, and keeps only a count between two chunks.
//!
//! A delimiter contains a single CR, its first byte, because boundaries contain none. A possible start of a delimiter
//! at the end of a chunk is therefore always a prefix of the delimiter itself. Keeping its length is enough: if the
//! next chunk does not continue the delimiter, the withheld bytes are taken from the delimiter's own text. This module
//! must not depend on what a part is.

use crate::boundary::Boundary;
use core::ops::Range;
use memchr::memmem::Finder;

/// The length of the line end that is assumed before a body and before a part's content.
const LINE_END: usize = 2;

#[derive(Debug)]
pub(crate) struct Delimiter {
    text: Vec<u8>,
    finder: Finder<'static>,
    /// The number of bytes of the delimiter at the end of the input.
    matched: usize,
    /// The number of matched bytes that were assumed, not read: see [`Delimiter::at_line_start`].
    assumed: usize,
    examined: u64,
}

/// The result of a search at the beginning of the input. Each `usize` is a number of bytes of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DelimiterSearch {
    /// Bytes that do not belong to a delimiter.
    NoDelimiter(usize),
    /// Withheld bytes of earlier chunks that do not belong to a delimiter: this range of [`Delimiter::text`].
    Withheld(Range<usize>),
    /// The delimiter ends after these bytes.
    Delimiter {
        consumed: usize,
        /// Whether the delimiter began where the search began, without a line end of its own.
        at_start: bool,
    },
    /// The whole input may be the start of a delimiter.
    Undecided(usize),
}

impl Delimiter {
    pub(crate) fn new(boundary: &Boundary) -> Self {
        let text = [b"\r\n--", boundary.as_str().as_bytes()].concat();
        let finder = Finder::new(&text).into_owned();
        Self { text, finder, matched: LINE_END, assumed: LINE_END, examined: 0 }
    }

    /// Starts a new search directly after a line end.
    pub(crate) fn at_line_start(&mut self) {
        self.matched = LINE_END;
        self.assumed = LINE_END;
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// `--boundary` without the line end.
    pub(crate) fn dashed_boundary(&self) -> &[u8] {
        self.text.get(LINE_END..).unwrap_or_default()
    }

    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.finder.find(bytes).is_some()
    }

    /// Returns how many bytes were examined so far, counting repeated examinations.
    pub(crate) fn examined(&self) -> u64 {
        self.examined
    }

    /// Searches the input, which must not be empty.
    pub(crate) fn search(&mut self, input: &[u8]) -> DelimiterSearch {
        if self.matched > 0
            && let Some(found) = self.resume(input)
        {
            return found;
        }
        self.search_anew(input)
    }

    /// Continues a delimiter that began in an earlier chunk. Returns `None` if it does not continue and no byte was
    /// withheld.
    fn resume(&mut self, input: &[u8]) -> Option<DelimiterSearch> {
        let missing = self.text.get(self.matched..).unwrap_or_default();
        let same = missing.iter().zip(input).take_while(|(ours, theirs)| ours == theirs).count();
        let complete = same == missing.len();
        self.count(input.len().min(same + 1));
        if complete {
            let at_start = self.assumed > 0;
            self.reset();
            return Some(DelimiterSearch::Delimiter { consumed: same, at_start });
        }
        if same == input.len() {
            self.matched += same;
            return Some(DelimiterSearch::Undecided(same));
        }
        let withheld = self.assumed..self.matched;
        self.reset();
        (!withheld.is_empty()).then_some(DelimiterSearch::Withheld(withheld))
    }

    fn search_anew(&mut self, input: &[u8]) -> DelimiterSearch {
        match self.finder.find(input) {
            Some(0) => {
                self.count(self.text.len());
                DelimiterSearch::Delimiter { consumed: self.text.len(), at_start: false }
            }
            Some(start) => {
                self.count(start + self.text.len());
                DelimiterSearch::NoDelimiter(start)
            }
            None => {
                self.count(input.len());
                self.withhold_possible_start(input)
            }
        }
    }

    /// Withholds the possible start of a delimiter. Only the last CR can be one.
    fn withhold_possible_start(&mut self, input: &[u8]) -> DelimiterSearch {
        let near_end = input.len().saturating_sub(self.text.len() - 1);
        let last_bytes = input.get(near_end..).unwrap_or_default();
        let Some(start) = memchr::memrchr(b'\r', last_bytes).map(|at| near_end + at) else {
            return DelimiterSearch::NoDelimiter(input.len());
        };
        if !self.text.starts_with(input.get(start..).unwrap_or_default()) {
            return DelimiterSearch::NoDelimiter(input.len());
        }
        if start > 0 {
            return DelimiterSearch::NoDelimiter(start);
        }
        self.matched = input.len();
        DelimiterSearch::Undecided(input.len())
    }

    fn reset(&mut self) {
        self.matched = 0;
        self.assumed = 0;
    }

    fn count(&mut self, bytes: usize) {
        self.examined = self.examined.saturating_add(bytes as u64);
    }
}
