//! The subtitle tracks of a video: the published WebVTT tracks, and the source's tracks that are left out.

use serde::{Deserialize, Serialize};

/// The most published tracks of a video. Players show them in one menu.
pub const MAX_SUBTITLE_TRACKS: u32 = 8;

/// More than the number of streams that an origin accepts in a file.
pub const MAX_DROPPED_TRACKS: usize = 64;

/// The start of the names of the form fields with the captions of an upload. The rest is the language.
pub const CAPTIONS_FIELD_PREFIX: &str = "captions_file_";

pub const MAX_SUBTITLE_LABEL_CHARACTERS: usize = 80;

/// The length of a language tag (BCP 47) with language, script and region.
const MAX_LANGUAGE_BYTES: usize = 12;
const MAX_FORMAT_BYTES: usize = 40;

/// A published track. Its files are `MediaFile::Subtitles` and `MediaFile::SubtitlePlaylist`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SubtitleTrack {
    /// The number in the names of its files. Tracks are numbered from 1 on.
    pub number: u32,
    /// A language tag such as `en` or `pt-BR` (BCP 47); null if the source does not say.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub language: Option<String>,
    /// The entry in a player's menu.
    pub label: String,
    /// Whether players show the track unless the viewer chooses otherwise.
    pub is_default: bool,
    /// Whether the track translates only passages that viewers of the video's own language would not understand.
    pub is_forced: bool,
    /// Whether the track also describes sounds.
    pub is_for_hearing_impaired: bool,
}

/// A subtitle track of the uploaded file that is not published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DroppedSubtitles {
    /// The codec, as ffmpeg names it.
    pub format: String,
    /// A language tag (BCP 47); null if the file does not specify it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub language: Option<String>,
    pub reason: DropReason,
}

/// The reason why a subtitle track of the uploaded file is not published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// It consists of pictures, which no browser can show.
    Pictures,
    /// It cannot be read.
    Unreadable,
    /// It has no text within the duration of the video.
    Empty,
    /// It has far more text than people can read.
    TooLarge,
    /// The video has more tracks than are published.
    TooMany,
}

impl SubtitleTrack {
    /// Whether label and language have the form that players and pages rely on.
    pub fn is_valid(&self) -> bool {
        let characters = self.label.chars().count();
        (1..=MAX_SUBTITLE_TRACKS).contains(&self.number)
            && (1..=MAX_SUBTITLE_LABEL_CHARACTERS).contains(&characters)
            && !self.label.chars().any(char::is_control)
            && self.language.as_deref().is_none_or(is_language)
    }
}

impl DroppedSubtitles {
    /// Whether format and language have the form that a status can show.
    pub fn is_valid(&self) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        (1..=MAX_FORMAT_BYTES).contains(&self.format.len())
            && self.format.bytes().all(is_plain)
            && self.language.as_deref().is_none_or(is_language)
    }
}

/// Returns a language tag in its usual form, such as `pt-BR` for `pt-br`, or `None` for any other text. A tag has a
/// language, possibly a script, and possibly a region.
pub fn language_tag(text: &str) -> Option<String> {
    let mut parts = text.split('-').peekable();
    let language = parts.next().filter(|part| (2..=3).contains(&part.len()) && is_alphabetic(part))?;
    let mut tag = vec![language.to_ascii_lowercase()];
    if let Some(script) = parts.next_if(|part| part.len() == 4 && is_alphabetic(part)) {
        let (first, rest) = script.split_at(1);
        tag.push(first.to_ascii_uppercase() + &rest.to_ascii_lowercase());
    }
    let is_number = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_region = |part: &str| (part.len() == 2 && is_alphabetic(part)) || is_number(part);
    tag.extend(parts.next_if(|part| is_region(part)).map(str::to_ascii_uppercase));
    parts.next().is_none().then(|| tag.join("-"))
}

fn is_alphabetic(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether the text is a language of two or three letters, possibly with a script and a region.
fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let is_word = |part: &str| (2..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let language = parts.next().unwrap_or_default();
    text.len() <= MAX_LANGUAGE_BYTES
        && (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && parts.all(is_word)
}

#[cfg(feature = "openapi")]
impl DroppedSubtitles {
    pub fn example() -> Self {
        Self { format: "hdmv_pgs_subtitle".to_owned(), language: Some("fr".to_owned()), reason: DropReason::Pictures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_short_tag() {
        for (text, is_valid) in [
            ("en", true),
            ("fil", true),
            ("pt-BR", true),
            ("zh-Hant-TW", true),
            ("es-419", true),
            ("", false),
            ("EN", false),
            ("english", false),
            ("en-", false),
            ("en\"", false),
            ("en-x y", false),
        ] {
            assert_eq!(is_language(text), is_valid, "{text:?}");
        }
    }

    #[test]
    fn a_language_tag_is_brought_into_its_usual_form() {
        for (text, tag) in [
            ("en", Some("en")),
            ("EN", Some("en")),
            ("pt-br", Some("pt-BR")),
            ("ZH-hant-tw", Some("zh-Hant-TW")),
            ("es-419", Some("es-419")),
            ("fil", Some("fil")),
        ] {
            assert_eq!(language_tag(text).as_deref(), tag, "{text:?}");
            assert!(tag.is_some_and(is_language), "{text:?}");
        }
        for text in
            ["", "e", "english", "en-", "-en", "en_US", "en-x-a", "en-US-Latn", "en\"", "é", "en-é", "12", "en-4é"]
        {
            assert_eq!(language_tag(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_track_has_a_number_and_a_visible_label() {
        let track = |number, label: &str| SubtitleTrack {
            number,
            language: Some("en".to_owned()),
            label: label.to_owned(),
            is_default: false,
            is_forced: false,
            is_for_hearing_impaired: false,
        };
        assert!(track(1, "English").is_valid() && track(MAX_SUBTITLE_TRACKS, &"é".repeat(80)).is_valid());
        for (number, label) in [(0, "English"), (9, "English"), (1, ""), (1, "a\nb"), (1, &"a".repeat(81))] {
            assert!(!track(number, label).is_valid(), "{number} {label:?}");
        }
    }

    #[test]
    fn a_dropped_track_names_a_plain_format() {
        let dropped =
            |format: &str| DroppedSubtitles { format: format.to_owned(), language: None, reason: DropReason::Pictures };
        assert!(dropped("hdmv_pgs_subtitle").is_valid());
        for format in ["", "<b>", &"a".repeat(41)] {
            assert!(!dropped(format).is_valid(), "{format:?}");
        }
    }
}
