//! Why a body is refused, in words that tell its sender what to change.
//!
//! The set of variants is the parser's policy: each stands for one kind of body that another
//! parser might read differently or could be made to work on without limit. It must not know
//! HTTP: every one of them is the caller's 4xx.

use core::fmt;

/// What is wrong with a request body. After the first error a parser only repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Error {
    /// The body ended, and no boundary had been seen.
    NoBoundary,
    /// The body ended before its closing boundary.
    Truncated,
    /// More bytes before the first boundary than the cap.
    PreambleTooLong,
    /// The boundary stands in the preamble, but not at the start of a line.
    BoundaryInPreamble,
    /// Text, and then at once the closing boundary: a form whose parts were not recognised.
    PreambleWithoutParts,
    /// A boundary that is followed by neither a line end nor two hyphens.
    BoundaryRunsOn,
    /// A boundary where a part's content should begin, without a line end of its own.
    BoundaryAfterHeaders,
    /// A boundary among a part's headers, before the empty line that ends them.
    HeadersUnfinished,
    /// More bytes after the closing boundary than the cap.
    EpilogueTooLong,
    /// More parts than the cap.
    TooManyParts,
    /// One part's headers are larger than the cap.
    HeadersTooLong,
    /// One part has more headers than the cap.
    TooManyHeaders,
    /// A header line that is not `Name: value`.
    HeaderMalformed,
    /// A header continued on a second line.
    HeaderFolded,
    /// A carriage return or a line feed alone inside the headers.
    HeaderBareLineBreak,
    /// A NUL or another control character in a header.
    HeaderControlCharacter,
    /// A header that is not UTF-8.
    HeaderNotUtf8,
    /// One of the headers that decide about a part is there twice.
    HeaderRepeated,
    /// A part without `Content-Disposition`.
    DispositionMissing,
    /// A `Content-Disposition` that is not `form-data`.
    DispositionNotFormData,
    /// A parameter that is not `name=token` or `name="text"`.
    ParameterMalformed,
    /// The same parameter twice.
    ParameterRepeated,
    /// More parameters than [`crate::MAX_PARAMETERS`].
    TooManyParameters,
    /// A quoted value that does not end.
    QuoteUnterminated,
    /// A quote inside a quoted name that is not written as `%22` or `\"`.
    QuoteInName,
    /// A part without a `name`, or with an empty one.
    NameMissing,
    /// `name*`, which RFC 7578 forbids.
    NameExtended,
    /// A `filename*` that is not `UTF-8''` and percent-encoded UTF-8.
    FilenameExtendedMalformed,
    /// A `Content-Transfer-Encoding` that MIME does not know.
    TransferEncodingUnknown,
}

impl Error {
    /// What is wrong and what to do, for the sender's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::NoBoundary => {
                "the boundary named in Content-Type does not occur in the body: let the HTTP client write Content-Type itself"
            }
            Self::Truncated => {
                "the body ends before its closing boundary: send it again, completely"
            }
            Self::PreambleTooLong => {
                "the body does not begin with its boundary: check that Content-Type and body name the same one"
            }
            Self::BoundaryInPreamble => {
                "the first boundary is not at the start of a line: begin the body with --boundary"
            }
            Self::PreambleWithoutParts => {
                "there is text before the closing boundary but no part: begin every part with --boundary"
            }
            Self::BoundaryRunsOn => {
                "a boundary is followed by other text: end it with CRLF, the last one with --, and choose one that the content does not contain"
            }
            Self::BoundaryAfterHeaders => {
                "a boundary follows a part's headers at once: put CRLF between an empty value and the boundary"
            }
            Self::HeadersUnfinished => {
                "a boundary follows a part's headers without an empty line: end the headers with one"
            }
            Self::EpilogueTooLong => {
                "there are more bytes after the closing boundary: end the body there"
            }
            Self::TooManyParts => "the form has too many parts: send only the documented fields",
            Self::HeadersTooLong => {
                "a part's headers are too large: send a shorter file name and only the headers of a form"
            }
            Self::TooManyHeaders => "a part has too many headers: send only those of a form",
            Self::HeaderMalformed => "a part has a header line that is not \"Name: value\"",
            Self::HeaderFolded => "a part's header runs over two lines: write it on one",
            Self::HeaderBareLineBreak => {
                "a part's headers hold a CR or LF alone: end each line with CRLF"
            }
            Self::HeaderControlCharacter => {
                "a part's headers hold a control character: remove or encode it"
            }
            Self::HeaderNotUtf8 => {
                "a part's headers are not UTF-8: encode names and file names as UTF-8"
            }
            Self::HeaderRepeated => "a part has the same header twice: send it once",
            Self::DispositionMissing => {
                "a part has no Content-Disposition: send form-data with a name, as HTML forms do"
            }
            Self::DispositionNotFormData => {
                "a part's Content-Disposition is not form-data: write form-data"
            }
            Self::ParameterMalformed => {
                "a Content-Disposition parameter is not name=\"value\": quote the value and separate with semicolons"
            }
            Self::ParameterRepeated => {
                "a Content-Disposition has the same parameter twice: send it once"
            }
            Self::TooManyParameters => {
                "a Content-Disposition has too many parameters: send name and filename"
            }
            Self::QuoteUnterminated => {
                "a quoted value in Content-Disposition does not end: close the quote"
            }
            Self::QuoteInName => "a quoted name holds a bare quote: write it as %22",
            Self::NameMissing => "a part has no name: give each field its name",
            Self::NameExtended => {
                "a part uses name*: write the name as plain UTF-8 in name=\"...\""
            }
            Self::FilenameExtendedMalformed => {
                "filename* is not UTF-8'' and percent-encoded UTF-8: use filename=\"...\" in plain UTF-8"
            }
            Self::TransferEncodingUnknown => {
                "a part's Content-Transfer-Encoding is unknown: leave it out and send the bytes as they are"
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for Error {}
