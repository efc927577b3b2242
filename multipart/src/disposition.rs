//! `Content-Disposition: form-data`, in every quoting that real clients write, and in no other.
//!
//! Clients agree on `name="…"` and disagree on a quote inside it: browsers write `%22`, curl
//! and most libraries `\"`, old browsers a bare `"`. The name decides what a part is, so it is
//! read strictly; a bare quote is let pass in a file name alone, which decides nothing.
//! It must not know which names are expected.

use crate::caps::MAX_PARAMETERS;
use crate::error::Error;
use crate::extended_value;
use crate::grammar::{is_space, split_token};

/// The two parameters that matter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Disposition {
    pub(crate) name: String,
    pub(crate) filename: Option<String>,
}

struct Parameter<'a> {
    name: &'a str,
    value: String,
}

impl Disposition {
    /// Reads the header's value.
    pub(crate) fn parse(value: &str) -> Result<Self, Error> {
        let (kind, rest) = split_token(value);
        if !kind.eq_ignore_ascii_case("form-data") {
            return Err(Error::DispositionNotFormData);
        }
        Self::from_parameters(parse_parameters(rest)?)
    }

    fn from_parameters(parameters: Vec<Parameter<'_>>) -> Result<Self, Error> {
        let (mut name, mut filename, mut extended) = (None, None, None);
        for Parameter { name: key, value } in parameters {
            match key.to_ascii_lowercase().as_str() {
                "name" => name = Some(value),
                "filename" => filename = Some(value),
                "filename*" => extended = Some(extended_value::decode(&value)?),
                "name*" => return Err(Error::NameExtended),
                _ => {}
            }
        }
        let name = name
            .filter(|name| !name.is_empty())
            .ok_or(Error::NameMissing)?;
        // RFC 7578 forbids `filename*`, so where both are there the plain one is the rule-abiding.
        Ok(Self {
            name,
            filename: filename.or(extended),
        })
    }
}

fn parse_parameters(text: &str) -> Result<Vec<Parameter<'_>>, Error> {
    let mut parameters: Vec<Parameter<'_>> = Vec::new();
    let mut rest = next_start(text)?;
    while !rest.is_empty() {
        let (parameter, after) = parse_parameter(rest)?;
        if parameters
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(parameter.name))
        {
            return Err(Error::ParameterRepeated);
        }
        if parameters.len() >= MAX_PARAMETERS {
            return Err(Error::TooManyParameters);
        }
        parameters.push(parameter);
        rest = after;
    }
    Ok(parameters)
}

/// Skips to the next parameter; there must be a semicolon before it.
fn next_start(text: &str) -> Result<&str, Error> {
    let text = text.trim_start_matches(is_space);
    if text.is_empty() || text.starts_with(';') {
        Ok(text.trim_start_matches([' ', '\t', ';']))
    } else {
        Err(Error::ParameterMalformed)
    }
}

/// One parameter, and the text from the next one on.
fn parse_parameter(text: &str) -> Result<(Parameter<'_>, &str), Error> {
    let (name, after_name) = split_token(text);
    let value = after_name
        .strip_prefix('=')
        .ok_or(Error::ParameterMalformed)?;
    if name.is_empty() {
        return Err(Error::ParameterMalformed);
    }
    if let Some(quoted) = value.strip_prefix('"') {
        let may_hold_bare_quotes = name.eq_ignore_ascii_case("filename");
        let (value, rest) = parse_quoted(quoted, may_hold_bare_quotes)?;
        let rest = rest.trim_start_matches([' ', '\t', ';']);
        return Ok((Parameter { name, value }, rest));
    }
    let (value, rest) = split_token(value);
    Ok((
        Parameter {
            name,
            value: value.to_owned(),
        },
        next_start(rest)?,
    ))
}

/// The text of a quoted value, whose opening quote is behind us, and what follows it.
///
/// A backslash escapes a quote or a backslash and is itself elsewhere (`C:\clip.mp4`). `%22` is
/// a quote. `%0D` and `%0A` stay as they are: a name must never turn into two lines.
fn parse_quoted(text: &str, may_hold_bare_quotes: bool) -> Result<(String, &str), Error> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let plain = rest
            .find(['"', '\\', '%'])
            .ok_or(Error::QuoteUnterminated)?;
        let (before, special) = rest.split_at(plain);
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
            if !may_hold_bare_quotes {
                return Err(Error::QuoteInName);
            }
        }
        value.push(character);
    }
}

/// Whether a bare quote before this text is the closing one: the header ends, or the next
/// parameter begins. Some clients forget the semicolon.
fn ends_value(after: &str) -> bool {
    let next = after.trim_start_matches(is_space);
    if next.is_empty() || next.starts_with(';') {
        return true;
    }
    let (token, rest) = split_token(next);
    count(after.len() - rest.len());
    next.len() < after.len() && !token.is_empty() && rest.starts_with('=')
}

/// Counts bytes that are looked at, for the test that holds them to a constant per byte.
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
    fn a_quoted_value_is_looked_at_at_most_three_times() {
        for escape in [
            "\\\"", "%22", "\\\\", "\"", "\" ", "\"a ", "\" a", "\"    a", "%", "a",
        ] {
            for repetitions in [100, 1_000, 10_000, 100_000] {
                let value = format!("{}\"", escape.repeat(repetitions));
                EXAMINED.set(0);
                assert!(parse_quoted(&value, true).is_ok(), "{escape:?}");
                assert!(
                    EXAMINED.get() <= 3 * value.len(),
                    "{escape:?} {repetitions} times"
                );
            }
        }
    }
}
