//! Finds `CRLF--boundary` in a stream of chunks, holding nothing but a count between them.
//!
//! A delimiter has one CR, its first byte, because no boundary may contain one. So what looks
//! like the start of a delimiter at a chunk's end is always some first bytes of the delimiter
//! itself: keeping how many is enough, and when the next chunk disproves it those bytes are
//! handed out from the delimiter's own text. It must not know what a part is.

use crate::boundary::Boundary;
use core::ops::Range;
use memchr::memmem::Finder;

/// The line end that the start of a body, and of a part's content, is taken to follow.
const LINE_END: usize = 2;

#[derive(Debug)]
pub(crate) struct Delimiter {
    text: Vec<u8>,
    finder: Finder<'static>,
    /// How many bytes of the delimiter the input ended with.
    matched: usize,
    /// How many of those the input did not really hold: see [`Delimiter::at_line_start`].
    assumed: usize,
    examined: u64,
}

/// What the front of the input is. Each `usize` is how many bytes of the input it takes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Bytes that are no delimiter.
    Other(usize),
    /// Bytes of earlier chunks that are no delimiter after all: this range of [`Delimiter::text`].
    Held(Range<usize>),
    /// The delimiter ends after these bytes.
    Delimiter {
        consumed: usize,
        /// It began right where the search began, so it had no line end of its own.
        at_start: bool,
    },
    /// All of the input may be the start of a delimiter.
    Undecided(usize),
}

impl Delimiter {
    pub(crate) fn new(boundary: &Boundary) -> Self {
        let text = [b"\r\n--", boundary.as_str().as_bytes()].concat();
        let finder = Finder::new(&text).into_owned();
        Self {
            text,
            finder,
            matched: LINE_END,
            assumed: LINE_END,
            examined: 0,
        }
    }

    /// Starts a new search at a place that follows a line end.
    pub(crate) fn at_line_start(&mut self) {
        self.matched = LINE_END;
        self.assumed = LINE_END;
    }

    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// `--boundary`, without the line end.
    pub(crate) fn dashed_boundary(&self) -> &[u8] {
        self.text.get(LINE_END..).unwrap_or_default()
    }

    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.finder.find(bytes).is_some()
    }

    /// How many bytes were looked at so far, each as often as it was looked at.
    pub(crate) fn examined(&self) -> u64 {
        self.examined
    }

    /// What the front of `input` is; `input` is not empty.
    pub(crate) fn search(&mut self, input: &[u8]) -> Found {
        if self.matched > 0
            && let Some(found) = self.resume(input)
        {
            return found;
        }
        self.search_afresh(input)
    }

    /// Goes on with a delimiter whose first bytes were seen; nothing if there was none to hand out.
    fn resume(&mut self, input: &[u8]) -> Option<Found> {
        let missing = self.text.get(self.matched..).unwrap_or_default();
        let same = missing
            .iter()
            .zip(input)
            .take_while(|(ours, theirs)| ours == theirs)
            .count();
        let complete = same == missing.len();
        self.count(input.len().min(same + 1));
        if complete {
            let at_start = self.assumed > 0;
            self.forget();
            return Some(Found::Delimiter {
                consumed: same,
                at_start,
            });
        }
        if same == input.len() {
            self.matched += same;
            return Some(Found::Undecided(same));
        }
        let held = self.assumed..self.matched;
        self.forget();
        (!held.is_empty()).then_some(Found::Held(held))
    }

    fn search_afresh(&mut self, input: &[u8]) -> Found {
        match self.finder.find(input) {
            Some(0) => {
                self.count(self.text.len());
                Found::Delimiter {
                    consumed: self.text.len(),
                    at_start: false,
                }
            }
            Some(start) => {
                self.count(start + self.text.len());
                Found::Other(start)
            }
            None => {
                self.count(input.len());
                self.hold_end(input)
            }
        }
    }

    /// Keeps back what may be a delimiter's start: only the last CR can be one.
    fn hold_end(&mut self, input: &[u8]) -> Found {
        let near_end = input.len().saturating_sub(self.text.len() - 1);
        let last_bytes = input.get(near_end..).unwrap_or_default();
        let Some(start) = memchr::memrchr(b'\r', last_bytes).map(|at| near_end + at) else {
            return Found::Other(input.len());
        };
        if !self
            .text
            .starts_with(input.get(start..).unwrap_or_default())
        {
            return Found::Other(input.len());
        }
        if start > 0 {
            return Found::Other(start);
        }
        self.matched = input.len();
        Found::Undecided(input.len())
    }

    fn forget(&mut self) {
        self.matched = 0;
        self.assumed = 0;
    }

    fn count(&mut self, bytes: usize) {
        self.examined = self.examined.saturating_add(bytes as u64);
    }
}
