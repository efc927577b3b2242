//! The errors of processing a file. The kind is decided where the error is raised.
//!
//! Independent of the queue and of the report: the job maps each kind to an acknowledgement or a retry, in one place.

use contract::ErrorCode;

/// The reason why a file did not become a set of outputs.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The file breaks a rule of the service, and a retry would have the same result. The content's status shows the
    /// code, and the detail, which says in words what is wrong. The cause is what a program or a library says about the
    /// file, for the log.
    #[error("{}: {detail}{}", code.as_str(), in_brackets(cause.as_deref()))]
    Rejected { code: ErrorCode, detail: String, cause: Option<String> },
    /// The file or this machine is to blame, and nothing here tells which: a time limit, a crash, an output that is not
    /// whole. A later attempt may succeed.
    #[error("{0}")]
    Undecided(String),
    /// A problem of this machine, which no file can cause. A later attempt may succeed.
    #[error("{0}")]
    Transient(String),
    /// An error of this service, such as an output that differs from the plan. The next attempt would fail in the same
    /// way.
    #[error("{0}")]
    Permanent(String),
}

impl MediaError {
    /// The file is not a video that the service accepts.
    pub(super) fn invalid_format(detail: impl Into<String>) -> Self {
        Self::Rejected { code: ErrorCode::ContentFileInvalidFormat, detail: detail.into(), cause: None }
    }

    /// A program or a library cannot read the file.
    pub(super) fn unreadable(detail: &str, cause: String) -> Self {
        let (detail, cause) = (detail.to_owned(), Some(cause));
        Self::Rejected { code: ErrorCode::ContentFileInvalidFormat, detail, cause }
    }

    /// The file sent as the thumbnail is not a usable picture.
    pub(super) fn invalid_thumbnail(detail: &str, cause: String) -> Self {
        let (detail, cause) = (detail.to_owned(), Some(cause));
        Self::Rejected { code: ErrorCode::ContentThumbnailInvalid, detail, cause }
    }

    /// The captions of this language cannot be shown with the video.
    pub(super) fn invalid_captions(language: &str) -> Self {
        let detail = format!("the captions in `{language}` have no text within the video");
        Self::Rejected { code: ErrorCode::ContentCaptionsInvalid, detail, cause: None }
    }

    /// ffmpeg decoded no frame of the source.
    pub(super) fn no_frame() -> Self {
        Self::invalid_format("no frame of the video can be decoded")
    }

    /// A disk or process error: a problem of this machine, not of the file.
    pub(super) fn io(action: &str, error: &std::io::Error) -> Self {
        Self::Transient(format!("{action}: {error}"))
    }
}

fn in_brackets(cause: Option<&str>) -> String {
    cause.map(|cause| format!(" ({cause})")).unwrap_or_default()
}
