//! Parses a part's header block strictly, and returns what a form needs from it.
//!
//! RFC 7578 says to ignore other headers, so only their syntax is checked. This module must not depend on the rest of
//! the body.

use crate::disposition::ContentDisposition;
use crate::error::FormError;
use crate::grammar::{is_space, split_token};

/// The headers of a part, as sent by the client. Nothing is verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHead {
    /// The field's name. Never empty.
    pub name: String,
    /// The file name, from `filename` or otherwise from `filename*`. It may contain path separators.
    pub filename: Option<String>,
    /// The media type as sent, if there is one.
    pub content_type: Option<String>,
    /// The encoding that the client declares. The content is passed on as sent.
    pub transfer_encoding: TransferEncoding,
}

/// The value of `Content-Transfer-Encoding`, which HTTP does not need and HTML says to ignore.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TransferEncoding {
    /// Absent, 7bit, 8bit or binary: the content is not encoded.
    #[default]
    Identity,
    /// The client declares base64 content.
    Base64,
    /// The client declares quoted-printable content.
    QuotedPrintable,
}

/// The headers of one part that were read so far.
#[derive(Default)]
struct PartHeaders<'a> {
    disposition: Option<&'a str>,
    content_type: Option<&'a str>,
    transfer_encoding: Option<&'a str>,
}

impl PartHead {
    /// Parses a block of header lines, each ending with CRLF.
    pub(crate) fn parse(block: &[u8], max_headers: usize) -> Result<Self, FormError> {
        let mut headers = PartHeaders::default();
        let mut rest = block;
        let mut count = 0;
        while !rest.is_empty() {
            let (line, after) = split_line(rest)?;
            rest = after;
            count += 1;
            if count > max_headers {
                return Err(FormError::TooManyHeaders);
            }
            let (name, value) = parse_line(line)?;
            headers.record(name, value)?;
        }
        headers.into_head()
    }
}

impl<'a> PartHeaders<'a> {
    fn record(&mut self, name: &str, value: &'a str) -> Result<(), FormError> {
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
            Some(_) => Err(FormError::HeaderRepeated),
            None => Ok(()),
        }
    }

    fn into_head(self) -> Result<PartHead, FormError> {
        let disposition = ContentDisposition::parse(self.disposition.ok_or(FormError::DispositionMissing)?)?;
        Ok(PartHead {
            name: disposition.name,
            filename: disposition.filename,
            content_type: self.content_type.filter(|value| !value.is_empty()).map(str::to_owned),
            transfer_encoding: self
                .transfer_encoding
                .map_or(Ok(TransferEncoding::Identity), TransferEncoding::parse)?,
        })
    }
}

impl TransferEncoding {
    fn parse(value: &str) -> Result<Self, FormError> {
        match value.to_ascii_lowercase().as_str() {
            "7bit" | "8bit" | "binary" => Ok(Self::Identity),
            "base64" => Ok(Self::Base64),
            "quoted-printable" => Ok(Self::QuotedPrintable),
            _ => Err(FormError::TransferEncodingUnknown),
        }
    }
}

/// Returns the first line without its CRLF, and the rest. A CR or LF on its own is an error.
fn split_line(block: &[u8]) -> Result<(&[u8], &[u8]), FormError> {
    let Some(end) = memchr::memchr2(b'\r', b'\n', block) else {
        return Err(FormError::HeaderMalformed);
    };
    let (line, rest) = block.split_at_checked(end).unwrap_or_default();
    match rest.strip_prefix(b"\r\n") {
        Some(rest) => Ok((line, rest)),
        None => Err(FormError::HeaderBareLineBreak),
    }
}

/// Returns a header's name, and its value without surrounding white space.
fn parse_line(line: &[u8]) -> Result<(&str, &str), FormError> {
    if line.first().is_some_and(|&byte| is_space(char::from(byte))) {
        return Err(FormError::HeaderFolded);
    }
    if line.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') {
        return Err(FormError::HeaderControlCharacter);
    }
    let line = core::str::from_utf8(line).map_err(|_| FormError::HeaderNotUtf8)?;
    let (name, rest) = split_token(line);
    match rest.strip_prefix(':') {
        Some(value) if !name.is_empty() => Ok((name, value.trim_matches(is_space))),
        _ => Err(FormError::HeaderMalformed),
    }
}
