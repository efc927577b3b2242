//! The names of an upload: random where they must not be guessable, readable where people see them.

use crate::ids::{ContentUuid, UploadUuid};
use crate::ports::entropy::{Entropy, random_base62};
use icu_normalizer::DecomposingNormalizerBorrowed;
use uuid::{Builder, Uuid};

/// The random names that are chosen before the body is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UploadNames {
    /// Identifies the reservation and the source objects.
    pub upload_uuid: UploadUuid,
    pub content_uuid: ContentUuid,
    pub media_name: String,
    /// Makes the slug unique.
    slug_id: String,
}

/// The number is also in `0021_deleted_words.sql`, which leaves only the id when a content is deleted.
const SLUG_ID_LENGTH: usize = 10;
/// The most characters of a caption in a page's URL.
const SLUG_TEXT_LENGTH: usize = 60;

impl UploadNames {
    pub(crate) fn generate(entropy: &mut impl Entropy, now_ms: u64) -> Self {
        Self {
            upload_uuid: UploadUuid::new(time_ordered_uuid(entropy, now_ms).to_string()),
            content_uuid: ContentUuid::new(time_ordered_uuid(entropy, now_ms).to_string()),
            media_name: random_base62::<24>(entropy) + ".mp4",
            slug_id: random_base62::<SLUG_ID_LENGTH>(entropy),
        }
    }

    /// Returns the slug: the caption in lower-case ASCII, shortened, followed by an id that makes it unique.
    pub(crate) fn slug(&self, caption: Option<&str>) -> String {
        let text = caption.map(readable).unwrap_or_default();
        if text.is_empty() { self.slug_id.clone() } else { format!("{text}-{}", self.slug_id) }
    }
}

/// Returns a version 7 UUID, which sorts by time and so keeps related rows close together.
pub(crate) fn time_ordered_uuid(entropy: &mut impl Entropy, now_ms: u64) -> Uuid {
    let mut random = [0; 10];
    entropy.fill(&mut random);
    Builder::from_unix_timestamp_millis(now_ms, &random).into_uuid()
}

/// Returns the ASCII letters and digits of the caption as hyphenated words. Accents are removed, other scripts are
/// dropped.
fn readable(caption: &str) -> String {
    let folded = DecomposingNormalizerBorrowed::new_nfkd().normalize_iter(caption.chars());
    let mut slug = String::new();
    for character in folded.flat_map(letters) {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !is_accent(character) && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= SLUG_TEXT_LENGTH {
            break;
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// Transliterates Latin letters that do not decompose into an ASCII letter and an accent.
fn letters(character: char) -> impl Iterator<Item = char> {
    let written = match character {
        'ß' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'ł' | 'Ł' => "l",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        '\'' | '’' => "\u{301}",
        _ => "",
    };
    let itself = written.is_empty().then_some(character);
    written.chars().chain(itself)
}

/// Whether the character is a combining mark that belongs to the letter before it.
fn is_accent(character: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::entropy::testing::Seeded;
    use proptest::prelude::*;

    #[test]
    fn a_caption_becomes_readable_ascii() {
        assert_eq!(readable("Hello, World! #fun"), "hello-world-fun");
        assert_eq!(readable("  Çà et là — Straße & Ærø’s "), "ca-et-la-strasse-aeros");
        assert_eq!(readable("日本語"), "");
        assert_eq!(readable("ﬁnal ①"), "final-1");
    }

    #[test]
    fn names_are_distinct_and_well_formed() {
        let names = UploadNames::generate(&mut Seeded::new(1), 1_700_000_000_000);
        assert_ne!(names.upload_uuid.as_str(), names.content_uuid.as_str());
        assert_eq!(Uuid::parse_str(names.content_uuid.as_str()).unwrap().get_version_num(), 7);
        assert_eq!(names.media_name.find(".mp4"), Some(24));
        assert_eq!(names.slug(None).len(), SLUG_ID_LENGTH);
        assert_eq!(names.slug(Some("日本")), names.slug(None));
    }

    proptest! {
        #[test]
        fn the_last_10_characters_of_a_slug_are_its_id(caption in ".{0,300}") {
            let names = UploadNames::generate(&mut Seeded::new(2), 0);
            prop_assert!(names.slug(Some(&caption)).ends_with(&names.slug(None)));
            prop_assert_eq!(names.slug(None).len(), 10);
        }

        #[test]
        fn a_slug_is_short_ascii_that_needs_no_escaping(caption in ".{0,300}") {
            let slug = UploadNames::generate(&mut Seeded::new(2), 0).slug(Some(&caption));
            prop_assert!(slug.len() <= SLUG_TEXT_LENGTH + 2 + SLUG_ID_LENGTH);
            prop_assert!(slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
            prop_assert!(!slug.starts_with('-') && !slug.contains("--"));
        }
    }
}
