//! Checks the file while it streams past, and turns the prober's verdict into a refusal.

use crate::refusal::Refusal;
use contract::ErrorCode;
use contract::limits::VIDEO_DURATION_MS;
use probe::{FileRefusal, Media, Prober, Verdict};

/// Checks a file while it streams past, and refuses it as soon as its bytes prove it invalid.
#[derive(Debug, Default)]
pub(crate) struct FileChecker(Prober);

impl FileChecker {
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let longest = *VIDEO_DURATION_MS.end();
        match self.0.feed(bytes) {
            Verdict::Refused(reason) => return Err(unsupported(reason)),
            // A header that declares too long a duration is reason enough to refuse, just as timestamps that prove one.
            Verdict::Provisional(media) if media.duration_ms > longest => {
                return Err(wrong_duration(media.duration_ms));
            }
            _ => {}
        }
        let proven = self.0.proven_ms();
        if proven > longest { Err(wrong_duration(proven)) } else { Ok(()) }
    }

    /// Ends the file and returns the final verdict, which may differ from what a header declared.
    pub(crate) fn finish(self) -> Result<Media, Refusal> {
        let media = self.0.finish().map_err(|reason| unsupported(&reason))?;
        if VIDEO_DURATION_MS.contains(&media.duration_ms) { Ok(media) } else { Err(wrong_duration(media.duration_ms)) }
    }
}

/// Writes a duration for people, to the millisecond.
pub(crate) fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

fn unsupported(reason: &FileRefusal) -> Refusal {
    let mut detail = reason.to_string();
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Refusal::new(ErrorCode::ContentFileInvalidFormat).with_field("file").with_detail(detail + ".")
}

fn wrong_duration(milliseconds: u64) -> Refusal {
    let (shortest, longest) = (VIDEO_DURATION_MS.start() / 1000, VIDEO_DURATION_MS.end() / 1000);
    let played = seconds(milliseconds);
    let detail = format!("The video is {played} seconds long. It must be {shortest} to {longest} seconds long.");
    Refusal::new(ErrorCode::ContentVideoDurationInvalid).with_field("file").with_detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(milliseconds: u32) -> Result<u64, Refusal> {
        let mut checker = FileChecker::default();
        checker.feed(&fixtures::mp4(milliseconds, 2_000, 1))?;
        checker.finish().map(|media| media.duration_ms)
    }

    #[test]
    fn both_ends_of_the_duration_are_accepted() {
        assert_eq!(verdict(2_000).unwrap(), 2_000);
        assert_eq!(verdict(120_000).unwrap(), 120_000);
    }

    #[test]
    fn a_wrong_duration_is_named_to_the_millisecond_with_the_limits() {
        for (milliseconds, length) in [(1_999, "1.999"), (120_001, "120.001"), (121_050, "121.050")] {
            let refusal = verdict(milliseconds).unwrap_err();
            assert_eq!(
                (refusal.code, refusal.field.as_deref()),
                (ErrorCode::ContentVideoDurationInvalid, Some("file"))
            );
            let expected = format!("The video is {length} seconds long. It must be 2 to 120 seconds long.");
            assert_eq!(refusal.detail, Some(expected));
        }
    }

    #[test]
    fn a_declared_duration_beyond_the_limit_is_refused_before_the_media() {
        let file = fixtures::mp4(121_000, 100_000, 1);
        assert!(FileChecker::default().feed(&file[..1_000]).is_err());
    }

    #[test]
    fn a_file_that_is_not_a_video_is_refused_in_a_sentence() {
        let refusal = FileChecker::default().feed(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR").unwrap_err();
        assert_eq!((refusal.code, refusal.field.as_deref()), (ErrorCode::ContentFileInvalidFormat, Some("file")));
        assert_eq!(refusal.detail.as_deref(), Some("Not a supported video: PNG (image)."));
    }
}
