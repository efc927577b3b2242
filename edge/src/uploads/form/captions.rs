//! The captions of an upload: a form part for each language, named `captions_file_` and the language.
//!
//! A file is held until its part ends. Then only its text and times are kept, as plain WebVTT.

use super::duplicate_field;
use crate::base::refusal::Refusal;
use contract::limits::{MAX_CAPTIONS_BYTES, MAX_CAPTIONS_TEXT_BYTES, VIDEO_DURATION_MS};
use contract::mistake::{is_short_text, not_a_file};
use contract::subtitles::{CAPTIONS_FIELD_PREFIX, MAX_SUBTITLE_TRACKS, language_tag};
use contract::{ErrorCode, FormField};

/// The field of captions that are sent later. In an upload it is refused, not ignored: its name lacks the language.
pub(crate) const CAPTIONS_FILE: &str = FormField::CaptionsFile.name();

/// The captions of one language.
#[derive(Debug)]
pub(crate) struct LanguageCaptions {
    pub language: String,
    /// Plain WebVTT.
    pub webvtt: String,
}

/// The captions of a form so far.
#[derive(Debug, Default)]
pub(crate) struct FormCaptions {
    complete: Vec<LanguageCaptions>,
    arriving: Option<ArrivingFile>,
    /// The bytes of all files so far.
    received_bytes: usize,
}

/// The file that is being received.
#[derive(Debug)]
struct ArrivingFile {
    field: String,
    language: String,
    /// Whether the form part has a file name.
    is_file: bool,
    bytes: Vec<u8>,
}

/// Returns the language in the name of a form part with captions, or `None` for any other name.
pub(crate) fn language_in(name: &str) -> Option<&str> {
    if name == CAPTIONS_FILE { Some("") } else { name.strip_prefix(CAPTIONS_FIELD_PREFIX) }
}

/// Returns the text and the times of a captions file as WebVTT. Returns `None` if the file has no text, or too much.
pub(crate) fn plain_webvtt(file: &[u8]) -> Option<String> {
    subtitles::rewritten(file, *VIDEO_DURATION_MS.end(), MAX_CAPTIONS_TEXT_BYTES)
}

impl FormCaptions {
    /// Begins a file. Refuses an invalid language tag, and a second file of the same language.
    pub(super) fn begin(&mut self, field: &str, language: &str, is_file: bool) -> Result<(), Refusal> {
        let language = language_tag(language).ok_or_else(|| invalid_language(field))?;
        if self.complete.iter().any(|captions| captions.language == language) {
            return Err(duplicate_field(field));
        }
        self.arriving = Some(ArrivingFile { field: field.to_owned(), language, is_file, bytes: Vec::new() });
        Ok(())
    }

    /// Appends bytes to the file. `bytes` is not empty.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let (is_full, bytes_left) = (self.complete.len() >= MAX_SUBTITLE_TRACKS as usize, self.bytes_left());
        let Some(file) = &mut self.arriving else { return Ok(()) };
        if is_full {
            return Err(too_many(&file.field));
        }
        if bytes.len() > bytes_left {
            return Err(too_large(&file.field));
        }
        self.received_bytes += bytes.len();
        file.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the current file, if there is one, and keeps its text. An empty file counts as not sent.
    pub(super) fn end(&mut self) -> Result<(), Refusal> {
        let Some(ArrivingFile { field, language, is_file, bytes }) =
            self.arriving.take().filter(|file| !file.bytes.is_empty())
        else {
            return Ok(());
        };
        let invalid = || {
            let refusal = Refusal::new(ErrorCode::ContentCaptionsInvalid).with_field(&field);
            let is_name = !is_file && is_short_text(&bytes);
            if is_name { refusal.with_detail(not_a_file(&field, &bytes, false)) } else { refusal }
        };
        let mut webvtt = plain_webvtt(&bytes).ok_or_else(invalid)?;
        webvtt.shrink_to_fit();
        self.complete.push(LanguageCaptions { language, webvtt });
        Ok(())
    }

    /// Returns the maximum total bytes of the files that may still follow.
    pub(super) fn bytes_left(&self) -> usize {
        MAX_CAPTIONS_BYTES.saturating_sub(self.received_bytes)
    }

    /// Returns the memory that the captions take.
    pub(super) fn held_bytes(&self) -> usize {
        let texts = self.complete.iter().map(|captions| captions.webvtt.capacity()).sum::<usize>();
        texts + self.arriving.as_ref().map_or(0, |file| file.bytes.capacity())
    }

    /// Returns the captions in the order of their languages, so that the order of the form does not matter.
    pub(crate) fn into_sorted(mut self) -> Vec<LanguageCaptions> {
        self.complete.sort_by(|one, other| one.language.cmp(&other.language));
        self.complete
    }
}

fn invalid_language(field: &str) -> Refusal {
    let detail = "The field name must end with a language tag, such as `captions_file_en`, `captions_file_pt-BR` or \
                  `captions_file_zh-Hant`.";
    Refusal::new(ErrorCode::ContentCaptionsLanguageInvalid).with_field(field).with_detail(detail)
}

fn too_many(field: &str) -> Refusal {
    let detail = format!("An upload can have captions in at most {MAX_SUBTITLE_TRACKS} languages. Omit the others.");
    Refusal::new(ErrorCode::ContentCaptionsTooMany).with_field(field).with_detail(detail)
}

fn too_large(field: &str) -> Refusal {
    let detail = format!(
        "All captions of an upload together can have at most {} KiB. Send smaller files, or send some of them later \
         with `update_captions`.",
        MAX_CAPTIONS_BYTES / 1024
    );
    Refusal::new(ErrorCode::ContentCaptionsInvalid).with_field(field).with_detail(detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRT: &[u8] = b"1\n00:00:01,000 --> 00:00:02,000\nHello\n";

    fn add(captions: &mut FormCaptions, field: &str, bytes: &[u8]) -> Result<(), ErrorCode> {
        let outcome = captions.begin(field, language_in(field).unwrap(), true).and_then(|()| {
            if !bytes.is_empty() {
                captions.append(bytes)?;
            }
            captions.end()
        });
        outcome.map_err(|refusal| {
            assert_eq!(refusal.field.as_deref(), Some(field));
            refusal.code
        })
    }

    #[test]
    fn the_name_of_a_field_tells_the_language() {
        for (name, language) in [
            ("captions_file_de", Some("de")),
            ("captions_file_pt-BR", Some("pt-BR")),
            ("captions_file_", Some("")),
            ("captions_file", Some("")),
            ("captions_files", None),
            ("captions", None),
            ("Captions_file_de", None),
        ] {
            assert_eq!(language_in(name), language, "{name}");
        }
    }

    #[test]
    fn only_text_and_times_are_kept_in_the_order_of_languages() {
        let mut captions = FormCaptions::default();
        add(&mut captions, "captions_file_PT-br", SRT).unwrap();
        add(&mut captions, "captions_file_de", b"WEBVTT\n\n00:01.000 --> 00:02.000 line:0\n<b>Hallo\n").unwrap();
        add(&mut captions, "captions_file_fr", b"").unwrap();
        let held = captions.held_bytes();
        let sorted = captions.into_sorted();
        assert_eq!(held, sorted.iter().map(|captions| captions.webvtt.len()).sum::<usize>());
        let [german, portuguese] = &sorted[..] else { panic!("{sorted:?}") };
        assert_eq!((german.language.as_str(), portuguese.language.as_str()), ("de", "pt-BR"));
        assert!(german.webvtt.ends_with("\n\n00:00:01.000 --> 00:00:02.000\nHallo\n"), "{german:?}");
    }

    #[test]
    fn what_is_no_language_or_no_captions_is_refused_and_so_is_a_second_file_of_a_language() {
        let mut captions = FormCaptions::default();
        for field in ["captions_file", "captions_file_", "captions_file_german", "captions_file_de_DE"] {
            assert_eq!(add(&mut captions, field, SRT), Err(ErrorCode::ContentCaptionsLanguageInvalid), "{field}");
        }
        assert_eq!(add(&mut captions, "captions_file_de", b"a text"), Err(ErrorCode::ContentCaptionsInvalid));
        // The empty file input of a browser does not count as a file of its language.
        add(&mut captions, "captions_file_de", b"").unwrap();
        add(&mut captions, "captions_file_de", SRT).unwrap();
        assert_eq!(add(&mut captions, "captions_file_DE", SRT), Err(ErrorCode::RequestMalformed));
    }

    #[test]
    fn a_ninth_language_is_refused_at_its_first_byte() {
        let mut captions = FormCaptions::default();
        for language in ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"] {
            add(&mut captions, &format!("captions_file_{language}"), SRT).unwrap();
        }
        add(&mut captions, "captions_file_ii", b"").unwrap();
        captions.begin("captions_file_ii", "ii", true).unwrap();
        assert_eq!(captions.append(b"x").unwrap_err().code, ErrorCode::ContentCaptionsTooMany);
    }

    #[test]
    fn all_files_together_are_refused_at_the_first_byte_beyond_the_limit() {
        let mut captions = FormCaptions::default();
        add(&mut captions, "captions_file_de", SRT).unwrap();
        captions.begin("captions_file_fr", "fr", true).unwrap();
        captions.append(&vec![b'\n'; MAX_CAPTIONS_BYTES - SRT.len()]).unwrap();
        assert_eq!(captions.bytes_left(), 0);
        let refusal = captions.append(b"x").unwrap_err();
        assert_eq!(refusal.code, ErrorCode::ContentCaptionsInvalid);
        assert!(refusal.detail.unwrap().contains("512 KiB"));
    }
}
