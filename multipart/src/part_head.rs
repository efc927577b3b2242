//! A part's header block, read strictly into the three facts that a form needs.
//!
//! Headers that decide nothing (RFC 7578 says to ignore them) are only checked for form.
//! It must not know the rest of the body.

use crate::disposition::Disposition;
use crate::error::Error;
use crate::grammar::{is_space, split_token};

/// What a part says about itself. All of it is the sender's claim; nothing is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHead {
    /// The field's name; never empty.
    pub name: String,
    /// The file name: of `filename`, else of `filename*`. It may hold path separators.
    pub filename: Option<String>,
    /// The media type as written, if one is.
    pub content_type: Option<String>,
    /// How the sender says the content is encoded. The content is passed on as sent.
    pub transfer_encoding: TransferEncoding,
}

/// The value of `Content-Transfer-Encoding`, which HTTP does not need and HTML tells to ignore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TransferEncoding {
    /// Absent, 7bit, 8bit or binary: the content is what it is.
    #[default]
    Identity,
    /// The sender says that the content is base64 text.
    Base64,
    /// The sender says that the content is quoted-printable text.
    QuotedPrintable,
}

/// The headers seen so far of one part.
#[derive(Default)]
struct Headers<'a> {
    disposition: Option<&'a str>,
    content_type: Option<&'a str>,
    transfer_encoding: Option<&'a str>,
}

impl PartHead {
    /// Reads a block of header lines, each with its CRLF.
    pub(crate) fn parse(block: &[u8], max_headers: usize) -> Result<Self, Error> {
        let mut headers = Headers::default();
        let mut rest = block;
        let mut count = 0;
        while !rest.is_empty() {
            let (line, after) = split_line(rest)?;
            rest = after;
            count += 1;
            if count > max_headers {
                return Err(Error::TooManyHeaders);
            }
            let (name, value) = parse_line(line)?;
            headers.remember(name, value)?;
        }
        headers.into_head()
    }
}

impl<'a> Headers<'a> {
    fn remember(&mut self, name: &str, value: &'a str) -> Result<(), Error> {
        let slot = if name.eq_ignore_ascii_case("content-disposition") {
            &mut self.disposition
        } else if name.eq_ignore_ascii_case("content-type") {
            &mut self.content_type
        } else if name.eq_ignore_ascii_case("content-transfer-encoding") {
            &mut self.transfer_encoding
        } else {
            return Ok(());
        };
        match slot.replace(value) {
            Some(_) => Err(Error::HeaderRepeated),
            None => Ok(()),
        }
    }

    fn into_head(self) -> Result<PartHead, Error> {
        let disposition = Disposition::parse(self.disposition.ok_or(Error::DispositionMissing)?)?;
        Ok(PartHead {
            name: disposition.name,
            filename: disposition.filename,
            content_type: self
                .content_type
                .filter(|value| !value.is_empty())
                .map(str::to_owned),
            transfer_encoding: self
                .transfer_encoding
                .map_or(Ok(TransferEncoding::Identity), TransferEncoding::parse)?,
        })
    }
}

impl TransferEncoding {
    fn parse(value: &str) -> Result<Self, Error> {
        match value.to_ascii_lowercase().as_str() {
            "7bit" | "8bit" | "binary" => Ok(Self::Identity),
            "base64" => Ok(Self::Base64),
            "quoted-printable" => Ok(Self::QuotedPrintable),
            _ => Err(Error::TransferEncodingUnknown),
        }
    }
}

/// The first line without its CRLF, and the rest. A CR or LF alone ends no line.
fn split_line(block: &[u8]) -> Result<(&[u8], &[u8]), Error> {
    let Some(end) = memchr::memchr2(b'\r', b'\n', block) else {
        return Err(Error::HeaderMalformed);
    };
    let (line, rest) = block.split_at_checked(end).unwrap_or_default();
    match rest.strip_prefix(b"\r\n") {
        Some(rest) => Ok((line, rest)),
        None => Err(Error::HeaderBareLineBreak),
    }
}

/// A header's name and value, the value without the white space around it.
fn parse_line(line: &[u8]) -> Result<(&str, &str), Error> {
    if line.first().is_some_and(|&byte| is_space(char::from(byte))) {
        return Err(Error::HeaderFolded);
    }
    if line
        .iter()
        .any(|byte| byte.is_ascii_control() && *byte != b'\t')
    {
        return Err(Error::HeaderControlCharacter);
    }
    let line = core::str::from_utf8(line).map_err(|_| Error::HeaderNotUtf8)?;
    let (name, rest) = split_token(line);
    match rest.strip_prefix(':') {
        Some(value) if !name.is_empty() => Ok((name, value.trim_matches(is_space))),
        _ => Err(Error::HeaderMalformed),
    }
}
