//! Parses `Content-Disposition: form-data` in all quoting styles of real clients, and refuses any other.
//!
//! Clients agree on `name="…"` but escape a quotation mark differently: browsers write `%22`, curl and most libraries
//! `\"`, old browsers a bare `"`. The name decides what a part is, so it is parsed strictly. A bare quotation mark is
//! accepted only in a file name, because nothing depends on that. This module must not depend on which names are
//! expected.

use crate::caps::MAX_PARAMETERS;
use crate::error::FormError;
use crate::extended_value;
use crate::grammar::{is_space, split_token};

/// The two parameters that are used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ContentDisposition {
    pub(crate) name: String,
    pub(crate) filename: Option<String>,
}

struct DispositionParameter<'a> {
    name: &'a str,
    value: String,
}

impl ContentDisposition {
    /// Parses the header's value.
    pub(crate) fn parse(value: &str) -> Result<Self, FormError> {
        let (kind, rest) = split_token(value);
        if !kind.eq_ignore_ascii_case("form-data") {
            return Err(FormError::DispositionNotFormData);
        }
        Self::from_parameters(parse_parameters(rest)?)
    }

    fn from_parameters(parameters: Vec<DispositionParameter<'_>>) -> Result<Self, FormError> {
        let (mut name, mut filename, mut extended) = (None, None, None);
        for DispositionParameter { name: key, value } in parameters {
            match key.to_ascii_lowercase().as_str() {
                "name" => name = Some(value),
                "filename" => filename = Some(value),
                "filename*" => extended = Some(extended_value::decode(&value)?),
                "name*" => return Err(FormError::NameExtended),
                _ => {}
            }
        }
        let name = name.filter(|name| !name.is_empty()).ok_or(FormError::NameMissing)?;
        // RFC 7578 forbids `filename*`, so a plain `filename` has precedence.
        Ok(Self { name, filename: filename.or(extended) })
    }
}

fn parse_parameters(text: &str) -> Result<Vec<DispositionParameter<'_>>, FormError> {
    let mut parameters: Vec<DispositionParameter<'_>> = Vec::new();
    let mut rest = next_start(text)?;
    while !rest.is_empty() {
        let (parameter, after) = parse_parameter(rest)?;
        if parameters.iter().any(|earlier| earlier.name.eq_ignore_ascii_case(parameter.name)) {
            return Err(FormError::ParameterRepeated);
        }
        if parameters.len() >= MAX_PARAMETERS {
            return Err(FormError::TooManyParameters);
        }
        parameters.push(parameter);
        rest = after;
    }
    Ok(parameters)
}

/// Skips to the next parameter, which must follow a semicolon.
fn next_start(text: &str) -> Result<&str, FormError> {
    let text = text.trim_start_matches(is_space);
    if text.is_empty() || text.starts_with(';') {
        Ok(text.trim_start_matches([' ', '\t', ';']))
    } else {
        Err(FormError::ParameterMalformed)
    }
}

/// Parses one parameter. Returns it with the rest of the text, which starts at the next parameter.
fn parse_parameter(text: &str) -> Result<(DispositionParameter<'_>, &str), FormError> {
    let (name, after_name) = split_token(text);
    let value = after_name.strip_prefix('=').ok_or(FormError::ParameterMalformed)?;
    if name.is_empty() {
        return Err(FormError::ParameterMalformed);
    }
    if let Some(quoted) = value.strip_prefix('"') {
        let accepts_bare_quotes = name.eq_ignore_ascii_case("filename");
        let (value, rest) = parse_quoted(quoted, accepts_bare_quotes)?;
        let rest = rest.trim_start_matches([' ', '\t', ';']);
        return Ok((DispositionParameter { name, value }, rest));
    }
    let (value, rest) = split_token(value);
    Ok((DispositionParameter { name, value: value.to_owned() }, next_start(rest)?))
}

/// Parses a quoted value after its opening quote. Returns it with the rest of the text.
///
/// A backslash escapes a quote or a backslash; elsewhere it is literal (`C:\clip.mp4`). `%22` is a quote. `%0D` and
/// `%0A` stay encoded, so that a name never becomes two lines.
fn parse_quoted(text: &str, accepts_bare_quotes: bool) -> Result<(String, &str), FormError> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let special_at = rest.find(['"', '\\', '%']).ok_or(FormError::QuoteUnterminated)?;
        let (before, special) = rest.split_at(special_at);
        count(before.len() + 1);
        value.push_str(before);
        let (character, length) = match special.as_bytes() {
            [b'\\', b'"', ..] => ('"', 2),
            [b'\\', b'\\', ..] => ('\\', 2),
            [b'%', b'2', b'2', ..] => ('"', 3),
            [b'\\', ..] => ('\\', 1),
            [b'%', ..] => ('%', 1),
            _ => ('"', 1),
        };
        rest = special.get(length..).unwrap_or_default();
        if special.starts_with('"') {
            if ends_value(rest) {
                return Ok((value, rest));
            }
            if !accepts_bare_quotes {
                return Err(FormError::QuoteInName);
            }
        }
        value.push(character);
    }
}

/// Whether a bare quote before this text is the closing quote: the header ends or the next parameter begins. Some
/// clients omit the semicolon.
fn ends_value(after: &str) -> bool {
    let next = after.trim_start_matches(is_space);
    if next.is_empty() || next.starts_with(';') {
        return true;
    }
    let (token, rest) = split_token(next);
    count(after.len() - rest.len());
    next.len() < after.len() && !token.is_empty() && rest.starts_with('=')
}

/// Counts examined bytes, so that a test can assert how often each byte is examined. Does nothing outside of tests.
fn count(bytes: usize) {
    #[cfg(test)]
    tests::EXAMINED.set(tests::EXAMINED.get() + bytes);
    #[cfg(not(test))]
    let _ = bytes;
}

#[cfg(test)]
mod tests {
    use super::parse_quoted;
    use std::cell::Cell;

    thread_local! {
        pub(super) static EXAMINED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn each_byte_of_a_quoted_value_is_examined_at_most_three_times() {
        for escape in ["\\\"", "%22", "\\\\", "\"", "\" ", "\"a ", "\" a", "\"    a", "%", "a"] {
            for repetitions in [100, 1_000, 10_000, 100_000] {
                let value = format!("{}\"", escape.repeat(repetitions));
                EXAMINED.set(0);
                assert!(parse_quoted(&value, true).is_ok(), "{escape:?}");
                assert!(EXAMINED.get() <= 3 * value.len(), "{escape:?} {repetitions} times");
            }
        }
    }

    #[test]
    fn the_token_after_a_bare_quote_is_counted() {
        EXAMINED.set(0);
        assert!(parse_quoted("a\"bc d\"", true).is_ok());
        let (first_quote, token, second_quote) = (2, 2, 5);
        assert_eq!(EXAMINED.get(), first_quote + token + second_quote);
    }
}
