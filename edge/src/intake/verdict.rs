//! What the prober says of the file, as the answer that the sender gets.

use crate::error::ApiError;
use contract::ErrorCode;
use contract::limits::VIDEO_DURATION_MS;
use probe::{Media, Prober, Refusal, Verdict};

/// Judges a file while it streams past: an error as soon as the bytes prove one.
#[derive(Debug, Default)]
pub struct Judge(Prober);

impl Judge {
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        let longest = *VIDEO_DURATION_MS.end();
        match self.0.feed(bytes) {
            Verdict::Refused(refusal) => return Err(refused(refusal)),
            // Long enough to refuse is final enough: a header that says so, or the timestamps that prove it.
            Verdict::Provisional(media) if media.duration_ms > longest => {
                return Err(wrong_duration(media.duration_ms));
            }
            _ => {}
        }
        let proven = self.0.proven_ms();
        if proven > longest {
            Err(wrong_duration(proven))
        } else {
            Ok(())
        }
    }

    /// The last word, which may overturn what a header declared.
    pub fn finish(self) -> Result<Media, ApiError> {
        let media = self.0.finish().map_err(|refusal| refused(&refusal))?;
        if VIDEO_DURATION_MS.contains(&media.duration_ms) {
            Ok(media)
        } else {
            Err(wrong_duration(media.duration_ms))
        }
    }
}

fn refused(refusal: &Refusal) -> ApiError {
    let mut detail = refusal.to_string();
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    ApiError::new(ErrorCode::ContentFileInvalidFormat)
        .with_field("file")
        .with_detail(detail + ".")
}

fn wrong_duration(milliseconds: u64) -> ApiError {
    let seconds = |milliseconds: u64| format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
    let (shortest, longest) = (
        VIDEO_DURATION_MS.start() / 1000,
        VIDEO_DURATION_MS.end() / 1000,
    );
    let played = seconds(milliseconds);
    let detail = format!(
        "The video plays for {played} seconds; it must play for {shortest} to {longest} seconds."
    );
    ApiError::new(ErrorCode::ContentVideoDurationInvalid)
        .with_field("file")
        .with_detail(detail)
}
