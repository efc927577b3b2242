//! The trace that a request, an upload and its jobs belong to, as the `traceparent` header of W3C Trace Context writes
//! it: `00-{trace id}-{parent id}-{flags}`.
//!
//! `tracestate` is dropped, as the specification allows: it would add up to 512 vendor-specific bytes to every video.

use crate::hexadecimal::{hexadecimal, parse_hexadecimal};
use std::fmt;

/// The name of the header.
pub const TRACEPARENT: &str = "traceparent";

/// The longest header that is read. A header of version 00 has 55 bytes; a later version may append to them.
pub const MAX_TRACEPARENT_BYTES: usize = 256;

const SAMPLED: u8 = 1;

/// A trace, and the span of it that caused the next piece of work. Neither id is zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: [u8; 16],
    parent_id: [u8; 8],
    /// Whether the parent was probably recorded somewhere.
    is_sampled: bool,
}

impl TraceContext {
    /// Reads a header. Returns `None` if it is invalid; the specification then demands a new trace.
    ///
    /// A version after 00 is read as far as 00 defines it. Of the flags, only `sampled` has a meaning in all of them.
    pub fn parse(header: &str) -> Option<Self> {
        if header.len() > MAX_TRACEPARENT_BYTES {
            return None;
        }
        let mut parts = header.splitn(5, '-');
        let [version] = parse_hexadecimal(parts.next()?)?;
        let (trace_id, parent_id) = (parse_hexadecimal(parts.next()?)?, parse_hexadecimal(parts.next()?)?);
        let [flags] = parse_hexadecimal(parts.next()?)?;
        let has_valid_length = version != 0 || parts.next().is_none();
        let is_valid = version != 0xff && has_valid_length && trace_id != [0; 16] && parent_id != [0; 8];
        is_valid.then_some(Self { trace_id, parent_id, is_sampled: flags & SAMPLED != 0 })
    }

    /// Begins a trace from random bytes. Its parent is not recorded anywhere, so it is not sampled.
    pub fn begin(random: [u8; 24]) -> Self {
        let (mut trace_id, mut parent_id) = ([0; 16], [0; 8]);
        for (to, from) in trace_id.iter_mut().chain(&mut parent_id).zip(random) {
            *to = from;
        }
        Self { trace_id: non_zero(trace_id), parent_id: non_zero(parent_id), is_sampled: false }
    }

    /// Returns the same trace with another parent, for what that span causes.
    #[must_use]
    pub fn with_parent(self, span_id: [u8; 8], is_sampled: bool) -> Self {
        Self { parent_id: non_zero(span_id), is_sampled, ..self }
    }

    pub fn trace_id(&self) -> [u8; 16] {
        self.trace_id
    }

    /// Returns the parent if it was probably recorded. A span with an unknown parent would look like a broken trace.
    pub fn recorded_parent(&self) -> Option<[u8; 8]> {
        self.is_sampled.then_some(self.parent_id)
    }

    /// Returns the id that all log lines of a trace contain: 32 hexadecimal digits.
    pub fn trace_id_text(&self) -> String {
        hexadecimal(&self.trace_id)
    }
}

/// Writes the header, always in version 00.
impl fmt::Display for TraceContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace_id, parent_id) = (hexadecimal(&self.trace_id), hexadecimal(&self.parent_id));
        write!(out, "00-{trace_id}-{parent_id}-{:02x}", u8::from(self.is_sampled))
    }
}

impl fmt::Debug for TraceContext {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// An id of only zeros is invalid, and a source of random bytes may return them.
fn non_zero<const LENGTH: usize>(mut id: [u8; LENGTH]) -> [u8; LENGTH] {
    if id == [0; LENGTH]
        && let Some(last) = id.last_mut()
    {
        *last = 1;
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const PARENT: &str = "b7ad6b7169203331";

    fn header() -> String {
        format!("00-{TRACE}-{PARENT}-01")
    }

    #[test]
    fn a_header_of_version_00_is_read_and_written_again() {
        let context = TraceContext::parse(&header()).unwrap();
        assert_eq!(context.trace_id_text(), TRACE);
        assert_eq!(context.recorded_parent().map(|id| hexadecimal(&id)).as_deref(), Some(PARENT));
        assert_eq!([context.to_string(), format!("{context:?}")], [header(), header()]);
    }

    #[test]
    fn an_invalid_header_is_refused() {
        let zeros = "0".repeat(32);
        let invalid = [
            String::new(),
            "00".to_owned(),
            "garbage".to_owned(),
            header().to_uppercase(),
            header() + "-",
            header() + "-extra",
            header() + "0",
            format!(" {}", header()),
            format!("{}, {}", header(), header()),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("00-{zeros}-{PARENT}-01"),
            format!("00-{TRACE}-{}-01", &zeros[..16]),
            format!("00-{TRACE}-{PARENT}-0"),
            format!("00-{TRACE}-{PARENT}-0g"),
            format!("0-{TRACE}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", &TRACE[1..]),
            format!("00-{TRACE}ä-{PARENT}-01"),
            format!("01-{TRACE}-{PARENT}-01{}", "-".repeat(MAX_TRACEPARENT_BYTES)),
        ];
        for header in invalid {
            assert_eq!(TraceContext::parse(&header), None, "{header:?}");
        }
    }

    #[test]
    fn a_later_version_may_add_to_the_header_up_to_the_longest() {
        let later = format!("01-{TRACE}-{PARENT}-01-");
        let longest = later.clone() + &"x".repeat(MAX_TRACEPARENT_BYTES - later.len());
        assert_eq!(TraceContext::parse(&longest), TraceContext::parse(&header()));
        assert_eq!(TraceContext::parse(&(longest + "x")), None);
    }

    #[test]
    fn only_the_sampled_flag_is_kept() {
        for (flags, expected) in [("00", "00"), ("01", "01"), ("02", "00"), ("ff", "01")] {
            let context = TraceContext::parse(&format!("00-{TRACE}-{PARENT}-{flags}")).unwrap();
            assert_eq!(context.to_string(), format!("00-{TRACE}-{PARENT}-{expected}"));
            assert_eq!(context.recorded_parent().is_some(), expected == "01");
        }
    }

    #[test]
    fn a_new_trace_is_valid_even_without_entropy() {
        let context = TraceContext::begin([0; 24]);
        assert_eq!(TraceContext::parse(&context.to_string()), Some(context));
        assert_eq!(context.recorded_parent(), None, "nobody records the parent of a new trace");
    }

    proptest! {
        #[test]
        fn every_new_trace_is_valid_and_as_random_as_its_bytes(random: [u8; 24]) {
            let context = TraceContext::begin(random);
            let ids = [&context.trace_id()[..], &context.parent_id].concat();
            prop_assert!(ids == random || random[..16] == [0; 16] || random[16..] == [0; 8]);
            prop_assert_eq!(TraceContext::parse(&context.to_string()), Some(context));
        }

        #[test]
        fn a_child_keeps_the_trace(random: [u8; 24], span_id: [u8; 8], is_sampled: bool) {
            let context = TraceContext::begin(random);
            let child = context.with_parent(span_id, is_sampled);
            prop_assert_eq!(child.trace_id(), context.trace_id());
            prop_assert_eq!(TraceContext::parse(&child.to_string()), Some(child));
        }

        #[test]
        fn any_text_is_refused_or_has_the_form_of_the_specification(text in "[0-9a-gA-F-]{0,60}|\\PC{0,300}") {
            if let Some(context) = TraceContext::parse(&text) {
                prop_assert!(text.len() >= 55 && text.len() <= MAX_TRACEPARENT_BYTES);
                prop_assert_eq!(&text[3..53], &context.to_string()[3..53]);
            }
        }

        #[test]
        fn a_later_version_is_read_as_version_00(version in 1_u8..=0xfe, rest in "(-[ -~]{0,100})?") {
            let later = format!("{version:02x}-{TRACE}-{PARENT}-01{rest}");
            prop_assert_eq!(TraceContext::parse(&later), TraceContext::parse(&header()));
        }

        #[test]
        fn a_later_version_may_only_be_continued_by_a_dash(version in 0_u8..=0xfe, rest in "[^-]\\PC{0,20}") {
            prop_assert_eq!(TraceContext::parse(&format!("{version:02x}-{TRACE}-{PARENT}-01{rest}")), None);
        }

        #[test]
        fn one_wrong_character_makes_a_header_invalid(place in 0_usize..55, wrong in "[^0-9a-f-]") {
            let mut text: Vec<char> = header().chars().collect();
            text[place] = wrong.chars().next().unwrap();
            prop_assert_eq!(TraceContext::parse(&text.into_iter().collect::<String>()), None);
        }
    }
}
