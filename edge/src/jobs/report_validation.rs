//! Validates a report before the database sees it. An invalid report changes nothing.

use contract::MediaFile;
use contract::job::{JobOutcome, JobReport, REFUSAL_CODES, StoredFile, StoredMedia, StoredPictures, StoredSubtitles};
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::{Finding, FrameHash};
use contract::subtitles::{DroppedSubtitles, MAX_DROPPED_TRACKS, SubtitleTrack};
use std::collections::HashSet;

/// The files that are required to show a content.
const REQUIRED: [MediaFile; 3] = [MediaFile::Video, MediaFile::MasterPlaylist, MediaFile::Poster];
/// A ThumbHash has at most 25 bytes, which are 36 characters of base64.
const MAX_THUMBHASH_CHARACTERS: usize = 36;

/// Returns an explanation of the first error in the report.
pub(super) fn validate_report(report: &JobReport) -> Result<(), String> {
    if !report.id.is_valid() {
        return Err("`generation` or `origin` is invalid.".to_owned());
    }
    match &report.outcome {
        JobOutcome::Processed { media, findings, frames, examination } => {
            validate_media(media)?;
            findings.iter().try_for_each(validate_finding)?;
            let are_times = examination.plain_frames_at_ms.iter().all(|time| is_time(*time));
            require(are_times, || "The time of a frame is too large.".to_owned())?;
            frames.iter().try_for_each(validate_frame)
        }
        JobOutcome::Completed { media } => {
            require(media.quality.is_full(), || "`media` is not complete.".to_owned())?;
            validate_media(media)
        }
        JobOutcome::Thumbnail { pictures, findings, frames } => {
            validate_pictures(pictures)?;
            findings.iter().try_for_each(validate_finding)?;
            frames.iter().try_for_each(validate_frame)
        }
        JobOutcome::Captions { subtitles, findings, .. } => {
            validate_files(&subtitles.files)?;
            validate_stored_subtitles(subtitles)?;
            findings.iter().try_for_each(validate_finding)
        }
        JobOutcome::Refused { code, .. } => {
            let code_name = code.as_str();
            require(REFUSAL_CODES.contains(code), || format!("An origin cannot refuse a file with `{code_name}`."))
        }
        JobOutcome::Failed { .. } | JobOutcome::Undecided { .. } => Ok(()),
    }
}

fn require(is_valid: bool, explanation: impl FnOnce() -> String) -> Result<(), String> {
    if is_valid { Ok(()) } else { Err(explanation()) }
}

fn validate_media(media: &StoredMedia) -> Result<(), String> {
    let has_duration = (1..=MAX_SAFE_INTEGER).contains(&media.duration_ms);
    let has_dimensions = media.width > 0 && media.height > 0;
    require(has_duration && has_dimensions, || "`media` has no duration, width or height.".to_owned())?;
    validate_thumbhash(&media.thumbhash)?;
    validate_files(&media.files)?;
    let missing = REQUIRED.iter().find(|file| !media.has(**file));
    missing.map_or(Ok(()), |file| Err(format!("`{file}` is missing.")))?;
    validate_subtitles(media)
}

/// Requires exactly the poster and the thumbnails.
fn validate_pictures(pictures: &StoredPictures) -> Result<(), String> {
    validate_thumbhash(&pictures.thumbhash)?;
    validate_files(&pictures.files)?;
    let is_expected = |file: &MediaFile| pictures.files.iter().any(|stored| stored.name == file.to_string());
    let are_all = pictures.files.len() == MediaFile::THUMBNAILS.len() && MediaFile::THUMBNAILS.iter().all(is_expected);
    require(are_all, || "`files` are not the poster and the thumbnails.".to_owned())
}

fn validate_thumbhash(thumbhash: &str) -> Result<(), String> {
    let is_thumbhash = thumbhash.len() <= MAX_THUMBHASH_CHARACTERS && thumbhash.bytes().all(is_base64);
    require(is_thumbhash, || "`thumbhash` is not a ThumbHash in base64.".to_owned())
}

/// Requires the files of the tracks and the master playlist, and allows no file that does not depend on subtitles.
fn validate_stored_subtitles(subtitles: &StoredSubtitles) -> Result<(), String> {
    validate_tracks(&subtitles.tracks, &subtitles.files)?;
    let is_listed = |number| subtitles.tracks.iter().any(|track| track.number == number);
    let is_expected = |file: &StoredFile| match MediaFile::parse(&file.name) {
        Some(MediaFile::Subtitles(number) | MediaFile::SubtitlePlaylist(number)) => is_listed(number),
        file => file.is_some_and(MediaFile::depends_on_subtitles),
    };
    let has_playlist = subtitles.files.iter().any(|file| file.name == MediaFile::MasterPlaylist.to_string());
    let are_expected = has_playlist && subtitles.files.iter().all(is_expected);
    require(are_expected, || "`files` are not the subtitle tracks and the files that list them.".to_owned())
}

/// Requires valid tracks, each with a number of its own and both of its files.
fn validate_tracks(tracks: &[SubtitleTrack], files: &[StoredFile]) -> Result<(), String> {
    let mut numbers = HashSet::new();
    for track in tracks {
        let number = track.number;
        require(track.is_valid(), || format!("Subtitle track {number} has no valid number, label or language."))?;
        require(numbers.insert(number), || format!("Subtitle track {number} is listed twice."))?;
        let needed = [MediaFile::SubtitlePlaylist(number), MediaFile::Subtitles(number)].map(|file| file.to_string());
        let missing = needed.iter().find(|name| !files.iter().any(|file| file.name == **name));
        missing.map_or(Ok(()), |name| Err(format!("`{name}` is missing.")))?;
    }
    Ok(())
}

fn validate_subtitles(media: &StoredMedia) -> Result<(), String> {
    validate_tracks(&media.subtitles, &media.files)?;
    let dropped = &media.dropped_subtitles;
    let is_valid = dropped.len() <= MAX_DROPPED_TRACKS && dropped.iter().all(DroppedSubtitles::is_valid);
    require(is_valid, || "`dropped_subtitles` is too long, or names no format or language.".to_owned())
}

fn validate_files(files: &[StoredFile]) -> Result<(), String> {
    let mut names = HashSet::new();
    for StoredFile { name, size_bytes } in files {
        let file = MediaFile::parse(name).ok_or_else(|| format!("A job does not produce a file named `{name}`."))?;
        require(names.insert(file), || format!("`{name}` is listed twice."))?;
        require((1..=MAX_SAFE_INTEGER).contains(size_bytes), || format!("`{name}` has no size."))?;
    }
    Ok(())
}

fn validate_finding(finding: &Finding) -> Result<(), String> {
    let mut times = finding.from_ms.into_iter().chain(finding.until_ms);
    require(times.all(is_time), || "The time of a finding is too large.".to_owned())
}

fn validate_frame(frame: &FrameHash) -> Result<(), String> {
    require(is_time(frame.at_ms), || "The time of a frame is too large.".to_owned())
}

fn is_time(milliseconds: u64) -> bool {
    milliseconds <= MAX_SAFE_INTEGER
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::{processed, with_subtitles};
    use contract::ErrorCode;
    use contract::job::JobId;
    use contract::subtitles::DropReason;

    fn report(outcome: JobOutcome) -> JobReport {
        let id = JobId { content_uuid: "c".to_owned(), generation: 1, origin: "a".to_owned() };
        JobReport { id, outcome }
    }

    fn validate_with(change: impl Fn(&mut StoredMedia, &mut Vec<Finding>, &mut Vec<FrameHash>)) -> Result<(), String> {
        let mut outcome = processed(&[contract::moderation::Recommendation::Pass]);
        if let JobOutcome::Processed { media, findings, frames, .. } = &mut outcome {
            change(media, findings, frames);
        }
        validate_report(&report(outcome))
    }

    fn validate_media_with(change: impl Fn(&mut StoredMedia)) -> Result<(), String> {
        validate_with(|media, _, _| change(media))
    }

    #[test]
    fn a_complete_report_is_valid() {
        assert_eq!(validate_media_with(|_| {}), Ok(()));
    }

    #[test]
    fn an_invalid_job_is_named_first() {
        let mut report = report(JobOutcome::Failed { detail: String::new() });
        assert_eq!(validate_report(&report), Ok(()));
        report.id.origin = String::new();
        assert_eq!(validate_report(&report), Err("`generation` or `origin` is invalid.".to_owned()));
    }

    #[test]
    fn every_file_has_a_known_name_once_and_a_size() {
        for wrong in ["", "../../sources/x/video", "source.mp4", "video.mp4"] {
            let result = validate_media_with(|media| {
                let name = wrong.to_owned();
                media.files.push(StoredFile { name, size_bytes: 1 });
            });
            assert!(result.is_err(), "{wrong}");
        }
        for (size_bytes, is_valid) in [(0, false), (1, true), (MAX_SAFE_INTEGER, true), (MAX_SAFE_INTEGER + 1, false)] {
            let result = validate_media_with(|media| media.files[0].size_bytes = size_bytes);
            assert_eq!(result.is_ok(), is_valid, "{size_bytes}");
        }
    }

    #[test]
    fn media_that_cannot_be_shown_is_invalid() {
        for file in REQUIRED {
            let name = file.to_string();
            let result = validate_media_with(|media| media.files.retain(|one| one.name != name));
            assert_eq!(result, Err(format!("`{name}` is missing.")));
        }
        assert!(validate_media_with(|media| media.width = 0).is_err());
        assert!(validate_media_with(|media| media.height = 0).is_err());
        assert!(validate_media_with(|media| media.duration_ms = 0).is_err());
        assert!(validate_media_with(|media| media.duration_ms = MAX_SAFE_INTEGER + 1).is_err());
    }

    #[test]
    fn a_subtitle_track_is_listed_once_with_both_of_its_files() {
        let validate = |change: fn(&mut StoredMedia)| {
            validate_media_with(|media| {
                *media = with_subtitles();
                change(media);
            })
        };
        assert_eq!(validate(|_| ()), Ok(()));
        let changes: [fn(&mut StoredMedia); 5] = [
            |media| media.subtitles.push(media.subtitles[0].clone()),
            |media| media.subtitles[0].number = 2,
            |media| media.subtitles[0].label = "a\nb".to_owned(),
            |media| media.subtitles[0].language = Some("\"><script>".to_owned()),
            |media| media.files.retain(|file| !file.name.contains(".vtt")),
        ];
        for change in changes {
            assert!(validate(change).is_err());
        }
    }

    #[test]
    fn a_dropped_track_names_its_format() {
        let dropped = |format: &str, count| {
            validate_media_with(|media| {
                let (format, reason) = (format.to_owned(), DropReason::Pictures);
                media.dropped_subtitles = vec![DroppedSubtitles { format, language: None, reason }; count];
            })
        };
        assert_eq!(dropped("hdmv_pgs_subtitle", 1), Ok(()));
        assert!(dropped("<b>", 1).is_err() && dropped("dvd_subtitle", MAX_DROPPED_TRACKS + 1).is_err());
    }

    #[test]
    fn a_thumbhash_is_at_most_36_characters_of_base64() {
        let thumbhash = |text: &str| validate_media_with(|media| text.clone_into(&mut media.thumbhash)).is_ok();
        assert!(thumbhash(&"aZ09+/=".repeat(5)));
        assert!(thumbhash(&"a".repeat(36)));
        assert!(!thumbhash(&"a".repeat(37)));
        assert!(!thumbhash("<script>"));
    }

    #[test]
    fn captions_are_their_tracks_and_the_files_that_list_them() {
        let validate = |change: fn(&mut StoredSubtitles)| {
            let media = with_subtitles();
            let is_part = |file: &StoredFile| MediaFile::parse(&file.name).is_some_and(MediaFile::depends_on_subtitles);
            let files = media.files.into_iter().filter(is_part).collect();
            let mut subtitles = StoredSubtitles { tracks: media.subtitles, files };
            change(&mut subtitles);
            let examination = contract::moderation::Examination::default();
            validate_report(&report(JobOutcome::Captions { subtitles, findings: Vec::new(), examination }))
        };
        assert_eq!(validate(|_| ()), Ok(()));
        let changes: [fn(&mut StoredSubtitles); 4] = [
            |subtitles| subtitles.files.retain(|file| file.name != MediaFile::MasterPlaylist.to_string()),
            |subtitles| subtitles.files.push(StoredFile { name: MediaFile::Poster.to_string(), size_bytes: 1 }),
            |subtitles| subtitles.files.push(StoredFile { name: MediaFile::Subtitles(2).to_string(), size_bytes: 1 }),
            |subtitles| subtitles.tracks.clear(),
        ];
        for change in changes {
            assert!(validate(change).is_err());
        }
    }

    #[test]
    fn a_thumbnail_is_the_poster_and_its_smaller_sizes() {
        let validate = |change: fn(&mut StoredPictures)| {
            let files = MediaFile::THUMBNAILS.map(|file| StoredFile { name: file.to_string(), size_bytes: 1 });
            let mut pictures = StoredPictures { thumbhash: "bmV3".to_owned(), files: files.into() };
            change(&mut pictures);
            validate_report(&report(JobOutcome::Thumbnail { pictures, findings: Vec::new(), frames: Vec::new() }))
        };
        assert_eq!(validate(|_| ()), Ok(()));
        let changes: [fn(&mut StoredPictures); 5] = [
            |pictures| pictures.thumbhash = "<script>".to_owned(),
            |pictures| pictures.files.truncate(1),
            |pictures| pictures.files.push(StoredFile { name: MediaFile::Video.to_string(), size_bytes: 1 }),
            |pictures| pictures.files[0].name = MediaFile::Video.to_string(),
            |pictures| pictures.files[0].size_bytes = 0,
        ];
        for change in changes {
            assert!(validate(change).is_err());
        }
    }

    #[test]
    fn an_origin_refuses_files_with_refusal_codes_only() {
        for code in ErrorCode::ALL {
            let refusal = report(JobOutcome::Refused { code: *code, detail: String::new() });
            assert_eq!(validate_report(&refusal).is_ok(), REFUSAL_CODES.contains(code));
        }
    }

    #[test]
    fn a_time_beyond_the_largest_safe_integer_is_invalid() {
        for (time, is_valid) in [(MAX_SAFE_INTEGER, true), (MAX_SAFE_INTEGER + 1, false)] {
            assert_eq!(validate_with(|_, _, frames| frames[0].at_ms = time).is_ok(), is_valid);
            assert_eq!(validate_with(|_, findings, _| findings[0].from_ms = Some(time)).is_ok(), is_valid);
            assert_eq!(validate_with(|_, findings, _| findings[0].until_ms = Some(time)).is_ok(), is_valid);
        }
    }
}
