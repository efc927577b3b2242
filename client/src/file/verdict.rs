//! What the service would say about a file, in its words. It judges with the same prober and the same limits.

use crate::refusal::Refusal;
use contract::ErrorCode;
use contract::limits::VIDEO_DURATION_MS;
use probe::{FileRefusal, Media, Prober, Verdict};

/// Judges a file while it is read.
#[derive(Debug, Default)]
pub(super) struct FileJudge(Prober);

impl FileJudge {
    /// Takes the next bytes. Refuses the file as soon as they prove it invalid.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let longest = *VIDEO_DURATION_MS.end();
        match self.0.feed(bytes) {
            Verdict::Refused(reason) => return Err(unsupported(reason)),
            Verdict::Provisional(media) if media.duration_ms > longest => {
                return Err(wrong_duration(media.duration_ms));
            }
            _ => {}
        }
        let proven = self.0.proven_ms();
        if proven > longest { Err(wrong_duration(proven)) } else { Ok(()) }
    }

    /// Ends the file and returns the final verdict, which may differ from what a header declared.
    pub(super) fn finish(self) -> Result<Media, Refusal> {
        let media = self.0.finish().map_err(|reason| unsupported(&reason))?;
        if VIDEO_DURATION_MS.contains(&media.duration_ms) { Ok(media) } else { Err(wrong_duration(media.duration_ms)) }
    }
}

fn unsupported(reason: &FileRefusal) -> Refusal {
    let mut detail = reason.to_string();
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Refusal::foreseen(ErrorCode::ContentFileInvalidFormat, "file", Some(detail + "."))
}

fn wrong_duration(milliseconds: u64) -> Refusal {
    let (shortest, longest) = (VIDEO_DURATION_MS.start() / 1000, VIDEO_DURATION_MS.end() / 1000);
    let played = format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000);
    let detail = format!("The video is {played} seconds long. It must be {shortest} to {longest} seconds long.");
    Refusal::foreseen(ErrorCode::ContentVideoDurationInvalid, "file", Some(detail))
}

/// Returns the refusal of a file that is larger than the service accepts.
pub(super) fn too_large(bytes: u64, most: u64) -> Refusal {
    let detail = format!(
        "The video has {bytes} bytes, and the service accepts {most}. Encode it with a lower bit rate or resolution."
    );
    Refusal::foreseen(ErrorCode::ContentFileTooLarge, "file", Some(detail))
}
