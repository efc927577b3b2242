//! The captions of an upload: their field names, and the checks that the service will make.

use crate::refusal::Refusal;
use contract::ErrorCode;
use contract::api::UploadRules;
use contract::limits::{MAX_CAPTIONS_TEXT_BYTES, VIDEO_DURATION_MS};
use contract::subtitles::{CAPTIONS_FIELD_PREFIX, language_tag};
use std::collections::BTreeMap;

/// WebVTT or SubRip files by language.
pub type Captions = BTreeMap<String, Vec<u8>>;

/// Returns the name of the form field with the captions of this language.
pub(crate) fn field(language: &str) -> String {
    format!("{CAPTIONS_FIELD_PREFIX}{language}")
}

/// Refuses captions that the service would refuse, or that an origin would drop because no text is shown in the video.
pub(crate) fn check(captions: &Captions, rules: &UploadRules, duration_ms: Option<u64>) -> Result<(), Refusal> {
    let end_ms = duration_ms.unwrap_or(u64::MAX).min(*VIDEO_DURATION_MS.end());
    let mut bytes_left = rules.max_captions_bytes;
    for (place, (language, file)) in (1..).zip(captions) {
        let refused = |code, detail| Err(Refusal::foreseen(code, &field(language), detail));
        if language_tag(language).is_none() {
            return refused(ErrorCode::ContentCaptionsLanguageInvalid, None);
        }
        if place > rules.max_captions_languages {
            return refused(ErrorCode::ContentCaptionsTooMany, Some(too_many(rules)));
        }
        let Some(rest) = bytes_left.checked_sub(file.len()) else {
            return refused(ErrorCode::ContentCaptionsInvalid, Some(too_large(rules)));
        };
        bytes_left = rest;
        if subtitles::rewritten(file, end_ms, MAX_CAPTIONS_TEXT_BYTES).is_none() {
            return refused(ErrorCode::ContentCaptionsInvalid, None);
        }
    }
    Ok(())
}

fn too_many(rules: &UploadRules) -> String {
    format!("An upload can have captions in at most {} languages.", rules.max_captions_languages)
}

fn too_large(rules: &UploadRules) -> String {
    format!("All captions of an upload together can have at most {} KiB.", rules.max_captions_bytes / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRT: &[u8] = b"1\n00:00:03,000 --> 00:00:04,000\nHello\n";

    fn code(files: &[(&str, &[u8])], duration_ms: u64) -> String {
        let captions = files.iter().map(|(language, file)| ((*language).to_owned(), file.to_vec())).collect();
        let checked = check(&captions, &UploadRules::new(1, 1, 1), Some(duration_ms));
        checked.map_or_else(|refusal| format!("{} {}", refusal.code, refusal.field.unwrap()), |()| String::new())
    }

    #[test]
    fn captions_are_refused_with_the_code_of_the_service() {
        let half = [SRT, &vec![b'\n'; 300_000]].concat();
        assert_eq!(code(&[("de", SRT), ("pt-BR", SRT)], 5_000), "");
        assert_eq!(code(&[("de", b"a text")], 5_000), "content_captions_invalid captions_file_de");
        assert_eq!(code(&[("de", &half), ("en", &half)], 5_000), "content_captions_invalid captions_file_en");
        assert_eq!(code(&[("de_DE", SRT)], 5_000), "content_captions_language_invalid captions_file_de_DE");
        let languages = ["de", "en", "es", "fr", "it", "nl", "pl", "pt", "zh"].map(|language| (language, SRT));
        assert_eq!(code(&languages, 5_000), "content_captions_too_many captions_file_zh");
    }

    #[test]
    fn text_after_the_end_of_the_video_is_refused_before_an_origin_does() {
        assert_eq!(code(&[("de", SRT)], 3_000), "content_captions_invalid captions_file_de");
    }
}
