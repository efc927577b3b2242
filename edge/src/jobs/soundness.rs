//! Whether a report can be believed at all, before the database is asked: an origin that is mistaken is told so, and
//! nothing of a content changes.

use contract::MediaFile;
use contract::job::{JobOutcome, JobReport, REFUSAL_CODES, StoredFile, StoredMedia};
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::{Finding, FrameHash};
use std::collections::HashSet;

/// Without these there is nothing to show.
const REQUIRED: [MediaFile; 3] = [
    MediaFile::Video,
    MediaFile::MasterPlaylist,
    MediaFile::Poster,
];
/// A ThumbHash has at most 25 bytes, which are 36 characters of base64.
const MAX_THUMBHASH_CHARACTERS: usize = 36;

/// What is wrong with the report, if anything is.
pub fn fault(report: &JobReport) -> Option<String> {
    if !report.id.is_sound() {
        return Some("`generation` or `origin` is not one.".to_owned());
    }
    match &report.outcome {
        JobOutcome::Processed {
            media,
            findings,
            frames,
        } => media_fault(media)
            .or_else(|| findings.iter().find_map(finding_fault))
            .or_else(|| frames.iter().find_map(frame_fault)),
        JobOutcome::Refused { code, .. } => {
            let is_known = REFUSAL_CODES.contains(code);
            let code = code.as_str();
            (!is_known).then(|| format!("`{code}` is not a code that an origin refuses with."))
        }
        JobOutcome::Failed { .. } => None,
    }
}

fn media_fault(media: &StoredMedia) -> Option<String> {
    let is_measured = (1..=MAX_SAFE_INTEGER).contains(&media.duration_ms);
    if !is_measured || media.width == 0 || media.height == 0 {
        return Some("`media` has no duration or no size.".to_owned());
    }
    if media.thumbhash.len() > MAX_THUMBHASH_CHARACTERS || !media.thumbhash.bytes().all(is_base64) {
        return Some("`thumbhash` is not one in base64.".to_owned());
    }
    files_fault(&media.files)
}

fn files_fault(files: &[StoredFile]) -> Option<String> {
    let mut names = HashSet::new();
    for StoredFile { name, size_bytes } in files {
        let Some(file) = MediaFile::parse(name) else {
            return Some(format!(
                "`{name}` is not the name of a file that a job makes."
            ));
        };
        if !names.insert(file) {
            return Some(format!("`{name}` stands there twice."));
        }
        if !(1..=MAX_SAFE_INTEGER).contains(size_bytes) {
            return Some(format!("`{name}` has no size."));
        }
    }
    let missing = REQUIRED.iter().find(|file| !names.contains(file))?;
    Some(format!("`{missing}` is missing."))
}

fn finding_fault(finding: &Finding) -> Option<String> {
    let mut times = finding.from_ms.iter().chain(&finding.until_ms);
    let is_sound = times.all(|time| *time <= MAX_SAFE_INTEGER);
    (!is_sound).then(|| "A finding lies outside of every video.".to_owned())
}

fn frame_fault(frame: &FrameHash) -> Option<String> {
    let is_sound = frame.at_ms <= MAX_SAFE_INTEGER;
    (!is_sound).then(|| "A frame lies outside of every video.".to_owned())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::processed;
    use contract::ErrorCode;
    use contract::job::JobId;

    fn report(outcome: JobOutcome) -> JobReport {
        let id = JobId {
            content_uuid: "c".to_owned(),
            generation: 1,
            origin: "a".to_owned(),
        };
        JobReport { id, outcome }
    }

    fn with(change: impl Fn(&mut StoredMedia)) -> Option<String> {
        let mut outcome = processed(&[]);
        if let JobOutcome::Processed { media, .. } = &mut outcome {
            change(media);
        }
        fault(&report(outcome))
    }

    #[test]
    fn a_whole_report_is_sound() {
        assert_eq!(with(|_| {}), None);
    }

    #[test]
    fn every_file_has_a_name_that_a_job_gives_once_and_a_size() {
        for wrong in ["", "../../sources/x/video", "source.mp4", "video.mp4"] {
            let fault = with(|media| {
                let name = wrong.to_owned();
                media.files.push(StoredFile {
                    name,
                    size_bytes: 1,
                });
            });
            assert!(fault.is_some(), "{wrong}");
        }
        assert!(with(|media| media.files[0].size_bytes = 0).is_some());
    }

    #[test]
    fn what_cannot_be_shown_is_not_processed() {
        for file in REQUIRED {
            let name = file.to_string();
            assert!(with(|media| media.files.retain(|one| one.name != name)).is_some());
        }
        assert!(with(|media| media.width = 0).is_some());
        assert!(with(|media| media.duration_ms = 0).is_some());
        assert!(with(|media| media.thumbhash = "<script>".to_owned()).is_some());
    }

    #[test]
    fn an_origin_refuses_with_a_rule_of_the_service_alone() {
        for code in ErrorCode::ALL {
            let detail = String::new();
            let refused = report(JobOutcome::Refused {
                code: *code,
                detail,
            });
            assert_eq!(fault(&refused).is_none(), REFUSAL_CODES.contains(code));
        }
    }

    #[test]
    fn a_frame_outside_of_every_video_is_refused() {
        let mut outcome = processed(&[]);
        if let JobOutcome::Processed { frames, .. } = &mut outcome {
            frames[0].at_ms = 1 << 53;
        }
        assert!(fault(&report(outcome)).is_some());
    }
}
