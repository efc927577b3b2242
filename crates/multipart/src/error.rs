//! The errors of a malformed body. Each text tells the client what to change.
//!
//! The variants are the parser's policy. Each is a kind of body that another parser might interpret differently, or
//! that could cause unbounded work. This module must not depend on HTTP: the caller maps every variant to a 4xx status.

use core::fmt;

/// An error in a request body. After the first error, a parser returns the same error again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormError {
    /// The body ended without any boundary.
    NoBoundary,
    /// The body ended before its closing boundary.
    Truncated,
    /// More bytes before the first boundary than allowed.
    PreambleTooLong,
    /// The boundary occurs in the preamble, but not at the start of a line.
    BoundaryInPreamble,
    /// Text is followed directly by the closing boundary: the form's parts were not recognised.
    PreambleWithoutParts,
    /// A boundary is followed by neither a line end nor two hyphens.
    BoundaryRunsOn,
    /// A boundary follows a part's headers without a line end of its own.
    BoundaryAfterHeaders,
    /// A boundary occurs among a part's headers, before the empty line.
    HeadersUnfinished,
    /// More bytes after the closing boundary than allowed.
    EpilogueTooLong,
    /// More parts than allowed.
    TooManyParts,
    /// One part's headers are larger than allowed.
    HeadersTooLong,
    /// The headers of all parts together are larger than allowed.
    TotalHeadersTooLong,
    /// One part has more headers than allowed.
    TooManyHeaders,
    /// A header line is not `Name: value`.
    HeaderMalformed,
    /// A header continues on a second line.
    HeaderFolded,
    /// The headers contain a CR or LF on its own.
    HeaderBareLineBreak,
    /// A header contains NUL or another control character.
    HeaderControlCharacter,
    /// A header is not UTF-8.
    HeaderNotUtf8,
    /// A header that is used occurs twice.
    HeaderRepeated,
    /// A part has no `Content-Disposition`.
    DispositionMissing,
    /// A `Content-Disposition` is not `form-data`.
    DispositionNotFormData,
    /// A parameter is neither `name=token` nor `name="text"`.
    ParameterMalformed,
    /// A parameter occurs twice.
    ParameterRepeated,
    /// More parameters than [`crate::MAX_PARAMETERS`].
    TooManyParameters,
    /// A quoted value has no closing quote.
    QuoteUnterminated,
    /// A quoted name contains a quote that is not written as `%22` or `\"`.
    QuoteInName,
    /// A part has no `name`, or an empty one.
    NameMissing,
    /// A part uses `name*`, which RFC 7578 forbids.
    NameExtended,
    /// A `filename*` is not `UTF-8''` followed by percent-encoded UTF-8.
    FilenameExtendedMalformed,
    /// A `Content-Transfer-Encoding` is not defined by MIME.
    TransferEncodingUnknown,
}

impl FormError {
    /// Says what is wrong and what to do, for the client's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::NoBoundary => {
                "the body does not contain the boundary of its Content-Type. Let the HTTP client write the Content-Type"
            }
            Self::Truncated => "the body ends before its closing boundary. Send the whole body again",
            Self::PreambleTooLong => {
                "the body does not begin with its boundary. Use the same boundary in Content-Type and body"
            }
            Self::BoundaryInPreamble => {
                "the first boundary is not at the start of a line. Begin the body with --boundary"
            }
            Self::PreambleWithoutParts => {
                "there is text before the closing boundary but no part. Begin every part with --boundary"
            }
            Self::BoundaryRunsOn => {
                "a boundary is followed by other text. End each boundary with CRLF and the last one with --, and use a boundary that does not occur in the content"
            }
            Self::BoundaryAfterHeaders => {
                "a boundary directly follows a part's headers. Put CRLF between an empty value and the boundary"
            }
            Self::HeadersUnfinished => "a part's headers do not end with an empty line. Add one before the content",
            Self::EpilogueTooLong => "there are too many bytes after the closing boundary. End the body there",
            Self::TooManyParts => "the form has too many parts. Send only the documented fields",
            Self::HeadersTooLong => {
                "a part's headers are too large. Use a shorter file name and send only the headers that forms need"
            }
            Self::TotalHeadersTooLong => {
                "the headers of all parts together are too large. Use shorter names and send only the documented fields"
            }
            Self::TooManyHeaders => "a part has too many headers. Send only the headers that forms need",
            Self::HeaderMalformed => "a part has a malformed header line. Write each header as \"Name: value\"",
            Self::HeaderFolded => "a part's header spans two lines. Write it on one line",
            Self::HeaderBareLineBreak => "a part's headers contain a CR or LF on its own. End each line with CRLF",
            Self::HeaderControlCharacter => "a part's headers contain a control character. Remove or encode it",
            Self::HeaderNotUtf8 => "a part's headers are not UTF-8. Encode names and file names as UTF-8",
            Self::HeaderRepeated => "a part has a duplicate header. Send it once",
            Self::DispositionMissing => {
                "a part has no Content-Disposition. Send form-data with a name, as HTML forms do"
            }
            Self::DispositionNotFormData => "a part's Content-Disposition is not form-data. Write form-data",
            Self::ParameterMalformed => {
                "a Content-Disposition parameter is malformed. Write name=\"value\" and separate parameters with semicolons"
            }
            Self::ParameterRepeated => "a Content-Disposition has a duplicate parameter. Send it once",
            Self::TooManyParameters => "a Content-Disposition has too many parameters. Send only name and filename",
            Self::QuoteUnterminated => "a quoted value in a Content-Disposition has no closing quote. Add it",
            Self::QuoteInName => "a quoted name contains a bare quote. Write it as %22",
            Self::NameMissing => "a part has no name. Give each part the name of its field",
            Self::NameExtended => "a part uses name*. Write the name as plain UTF-8 in name=\"...\"",
            Self::FilenameExtendedMalformed => {
                "filename* is not UTF-8'' followed by percent-encoded UTF-8. Use filename=\"...\" in plain UTF-8"
            }
            Self::TransferEncodingUnknown => {
                "a part's Content-Transfer-Encoding is unknown. Omit it and send the bytes unencoded"
            }
        }
    }
}

impl fmt::Display for FormError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for FormError {}
