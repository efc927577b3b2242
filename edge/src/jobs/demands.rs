//! The evidence that a report needs before its video is published without a moderator.
//!
//! The edge does not trust origins: a faulty origin, or someone who stole its key, could report an unexamined video as
//! harmless. Missing evidence becomes a finding that requires a moderator. Pure.

use crate::contents::life::works::KnownFacts;
use contract::job::{JobReport, StoredMedia};
use contract::moderation::{Check, Examination, Finding, FrameHash, Recommendation};
use contract::{MediaFile, ObjectKey};

/// Origins examine frames at least this often, up to `MAX_REGULAR_FRAMES`.
const MIN_STEP_MS: u64 = 500;
const MAX_REGULAR_FRAMES: u64 = 63;
/// The frames of a video with less than one frame per second are farther apart.
const TOLERATED_GAP_MS: u64 = 2_000;
/// The edge and origins measure durations in different ways.
const TOLERATED_DIFFERENCE_MS: u64 = 1_000;

/// The parts of a report about a processed video.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProcessedVideo<'a> {
    pub media: &'a StoredMedia,
    pub frames: &'a [FrameHash],
    pub examination: &'a Examination,
}

/// Returns one finding for each piece of missing evidence.
/// `duration_ms` is the duration that the edge measured during the upload.
pub(super) fn missing_evidence(
    report: &JobReport,
    video: ProcessedVideo<'_>,
    facts: KnownFacts<'_>,
    duration_ms: u64,
) -> Vec<Finding> {
    let checks = missing_checks(video.examination, facts.requires_classifier);
    let frames = missing_frames(video, duration_ms);
    let objects = missing_objects(report, video.media, facts.stored);
    checks.into_iter().chain(frames).chain(objects).map(finding).collect()
}

fn finding(note: String) -> Finding {
    let (check, recommendation) = (Check::Report, Recommendation::Review);
    Finding { check, recommendation, from_ms: None, until_ms: None, score: None, note: Some(note) }
}

fn missing_checks(examination: &Examination, requires_classifier: bool) -> Option<String> {
    let required = Check::OF_EVERY_JOB.into_iter().chain(requires_classifier.then_some(Check::Classifier));
    let missing: Vec<_> = required.filter(|check| !examination.checks.contains(check)).map(Check::as_str).collect();
    (!missing.is_empty()).then(|| format!("the origin did not make these checks: {}", missing.join(", ")))
}

fn missing_frames(video: ProcessedVideo<'_>, duration_ms: u64) -> Option<String> {
    if video.media.duration_ms.abs_diff(duration_ms) > TOLERATED_DIFFERENCE_MS {
        let reported_ms = video.media.duration_ms;
        return Some(format!("the origin reports a duration of {reported_ms} ms instead of {duration_ms} ms"));
    }
    if video.frames.is_empty() {
        return Some("no frame can be compared with the blocklist".to_owned());
    }
    let hashed = video.frames.iter().map(|frame| frame.at_ms);
    let mut times: Vec<_> = hashed.chain(video.examination.plain_frames_at_ms.iter().copied()).collect();
    times.extend([0, duration_ms]);
    times.sort_unstable();
    let gap_ms = times.iter().zip(times.iter().skip(1)).map(|(one, next)| next - one).max().unwrap_or(0);
    (gap_ms > largest_gap_ms(duration_ms)).then(|| format!("no frame of {gap_ms} ms was examined"))
}

fn largest_gap_ms(duration_ms: u64) -> u64 {
    2 * MIN_STEP_MS.max(duration_ms / MAX_REGULAR_FRAMES) + TOLERATED_GAP_MS
}

fn missing_objects(report: &JobReport, media: &StoredMedia, stored: &[(String, u64)]) -> Option<String> {
    let (content_uuid, generation) = (report.id.content_uuid.as_str(), report.id.generation);
    let is_stored = |name: &str, size_bytes: u64| {
        MediaFile::parse(name).is_some_and(|file| {
            let key = ObjectKey::Media { content_uuid, generation, file }.path();
            stored.iter().any(|(stored, size)| *stored == key && *size == size_bytes)
        })
    };
    let missing = media.files.iter().filter(|file| !is_stored(&file.name, file.size_bytes));
    let missing: Vec<_> = missing.map(|file| file.name.as_str()).collect();
    (!missing.is_empty()).then(|| format!("not stored with the reported size: {}", missing.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::job;
    use crate::jobs::tests::stored_media;
    use contract::PictureHash;
    use contract::job::JobOutcome;

    struct Case {
        report: JobReport,
        stored: Vec<(String, u64)>,
        duration_ms: u64,
        requires_classifier: bool,
    }

    impl Case {
        /// Returns a complete report.
        fn complete() -> Self {
            let media = stored_media();
            let duration_ms = media.duration_ms;
            let path = |file: &contract::job::StoredFile| {
                let file = MediaFile::parse(&file.name).unwrap();
                ObjectKey::Media { content_uuid: "c", generation: 1, file }.path()
            };
            let stored = media.files.iter().map(|file| (path(file), file.size_bytes)).collect();
            let hash = PictureHash::from_bytes([5; PictureHash::BYTES]);
            let frames = vec![FrameHash { at_ms: 0, hash }];
            let plain_frames_at_ms = (0..duration_ms / 500).map(|number| number * 500).collect();
            let examination = Examination { checks: Check::OF_EVERY_JOB.to_vec(), plain_frames_at_ms };
            let outcome = JobOutcome::Processed { media, findings: vec![], frames, examination };
            let report = JobReport { id: job("a", 1), outcome };
            Self { report, stored, duration_ms, requires_classifier: false }
        }

        fn notes(&self) -> Vec<String> {
            let JobOutcome::Processed { media, frames, examination, .. } = &self.report.outcome else {
                panic!("not processed");
            };
            let Self { stored, duration_ms, requires_classifier, .. } = self;
            let facts = KnownFacts { stored, requires_classifier: *requires_classifier };
            let video = ProcessedVideo { media, frames, examination };
            let findings = missing_evidence(&self.report, video, facts, *duration_ms);
            assert!(findings.iter().all(|finding| finding.recommendation == Recommendation::Review));
            findings.into_iter().filter_map(|finding| finding.note).collect()
        }

        fn examination(&mut self) -> &mut Examination {
            match &mut self.report.outcome {
                JobOutcome::Processed { examination, .. } => examination,
                _ => panic!("not processed"),
            }
        }
    }

    #[test]
    fn a_complete_report_lacks_nothing() {
        assert_eq!(Case::complete().notes(), Vec::<String>::new());
    }

    #[test]
    fn each_check_that_was_not_made_is_missed() {
        for missing in Check::OF_EVERY_JOB {
            let mut case = Case::complete();
            case.examination().checks.retain(|check| *check != missing);
            assert_eq!(case.notes(), [format!("the origin did not make these checks: {}", missing.as_str())]);
        }
    }

    #[test]
    fn the_classifier_is_missed_where_every_origin_has_one() {
        let mut case = Case { requires_classifier: true, ..Case::complete() };
        assert_eq!(case.notes(), ["the origin did not make these checks: classifier"]);
        case.examination().checks.push(Check::Classifier);
        assert_eq!(case.notes().len(), 0);
    }

    #[test]
    fn a_part_without_examined_frames_is_missed() {
        let mut case = Case::complete();
        case.examination().plain_frames_at_ms.truncate(3);
        assert_eq!(case.notes(), ["no frame of 4000 ms was examined"]);
    }

    #[test]
    fn the_largest_gap_and_difference_are_tolerated() {
        let mut case = Case::complete();
        case.examination().plain_frames_at_ms = vec![1_000, 4_000];
        assert_eq!(case.notes(), Vec::<String>::new());
        case.examination().plain_frames_at_ms = vec![1_000, 4_001];
        assert_eq!(case.notes(), ["no frame of 3001 ms was examined"]);
        let reported = Case::complete();
        for (more, is_tolerated) in [(TOLERATED_DIFFERENCE_MS, true), (TOLERATED_DIFFERENCE_MS + 1, false)] {
            let case = Case { duration_ms: reported.duration_ms + more, ..Case::complete() };
            assert_eq!(case.notes().is_empty(), is_tolerated, "{more}");
        }
    }

    #[test]
    fn the_frames_of_a_long_video_may_be_farther_apart() {
        assert_eq!([2_000, 31_500, 63_000, 120_000].map(largest_gap_ms), [3_000, 3_000, 4_000, 5_808]);
    }

    #[test]
    fn a_video_without_any_hash_is_missed() {
        let mut case = Case::complete();
        if let JobOutcome::Processed { frames, .. } = &mut case.report.outcome {
            frames.clear();
        }
        assert_eq!(case.notes(), ["no frame can be compared with the blocklist"]);
    }

    #[test]
    fn a_shorter_duration_does_not_excuse_missing_frames() {
        let case = Case { duration_ms: 60_000, ..Case::complete() };
        assert_eq!(case.notes().len(), 1);
    }

    #[test]
    fn each_object_that_is_not_stored_or_has_another_size_is_missed() {
        for index in 0..Case::complete().stored.len() {
            let mut case = Case::complete();
            let (key, _) = case.stored.remove(index);
            let name = key.trim_start_matches("media/c/1/").to_owned();
            assert_eq!(case.notes(), [format!("not stored with the reported size: {name}")]);
            let mut case = Case::complete();
            case.stored[index].1 += 1;
            assert_eq!(case.notes(), [format!("not stored with the reported size: {name}")]);
        }
    }
}
