//! How the work on a file can end badly, decided where it is raised.
//!
//! Knows neither queue nor report: the job maps each of the three to an ack or a retry, in one place.

use contract::ErrorCode;

/// Why a file did not become a set of outputs.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The sender's fault, and final: the code stands in the content's status.
    #[error("{}: {detail}", code.as_str())]
    Rejected { code: ErrorCode, detail: String },
    /// Nobody's fault as far as one can see; the next attempt may succeed.
    #[error("{0}")]
    Transient(String),
    /// Ours, and the next attempt would end the same way.
    #[error("{0}")]
    Permanent(String),
}

impl MediaError {
    /// The file is not a video that the service takes.
    pub(super) fn format(detail: impl Into<String>) -> Self {
        Self::Rejected {
            code: ErrorCode::ContentFileInvalidFormat,
            detail: detail.into(),
        }
    }

    /// The picture that was sent as thumbnail is none.
    pub(super) fn picture(detail: impl Into<String>) -> Self {
        Self::Rejected {
            code: ErrorCode::ContentThumbnailInvalid,
            detail: detail.into(),
        }
    }

    /// Disk and process trouble: it belongs to this machine and this moment.
    pub(super) fn trouble(doing: &str, error: &std::io::Error) -> Self {
        Self::Transient(format!("{doing}: {error}"))
    }
}
