//! The slug of a content, which is in the URL of its page: its caption in lower-case ASCII, shortened, and an id that
//! makes it unique.
//!
//! For a compacted content, the column `slug_url` holds `~` and the id: the rest follows from the caption. If the owner
//! changes the caption later, the previous caption is kept in `slug_caption`.

use icu_normalizer::DecomposingNormalizerBorrowed;
use serde::Deserialize;

/// The length of the random id. A deleted content keeps only this part. The queries for a slug repeat the number.
pub(crate) const ID_LENGTH: usize = 10;
/// The maximum number of a caption's characters in a slug.
const TEXT_LENGTH: usize = 60;

/// The prefix of the short form.
const SHORT: char = '~';

/// The SQL condition for the content with the slug `?1`. For a short slug it compares only the id, so the caller must
/// compare the slug that it reads.
pub(crate) const MAY_HAVE_SLUG: &str = "slug_url IN (?1, '~' || substr(?1, -10))";

/// The SQL expression from which a `Slug` is read.
pub(crate) const SLUG_VALUE: &str =
    "iif(slug_url GLOB '~*', slug_url || '/' || coalesce(slug_caption, caption, ''), slug_url)";

/// The same as a column.
pub(crate) const SLUG_COLUMN: &str = constcat::concat!(SLUG_VALUE, " AS slug_url");

/// The slug of a content, read from the database.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Slug(String);

impl Slug {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for Slug {
    fn from(column: String) -> Self {
        let short = column.strip_prefix(SHORT).and_then(|short| short.split_once('/'));
        Self(short.map_or_else(|| column.clone(), |(id, caption)| slug(Some(caption), id)))
    }
}

/// Whether a stored slug is in the short form.
pub(crate) fn is_short(stored: &str) -> bool {
    stored.starts_with(SHORT)
}

/// Returns the slug in its long form. `caption` must be the caption at the time when the slug was shortened.
pub(crate) fn long_form(stored: &str, caption: Option<&str>) -> Slug {
    Slug(stored.strip_prefix(SHORT).map_or_else(|| stored.to_owned(), |id| slug(caption, id)))
}

/// Returns the random id at the end of a slug, in either form.
pub(crate) fn id_of(stored: &str) -> &str {
    stored.len().checked_sub(ID_LENGTH).and_then(|start| stored.get(start..)).unwrap_or(stored)
}

/// Returns the slug of a content with this caption.
pub(crate) fn slug(caption: Option<&str>, id: &str) -> String {
    let text = caption.map(readable).unwrap_or_default();
    if text.is_empty() { id.to_owned() } else { format!("{text}-{id}") }
}

/// Returns the short form, or `None` if the slug does not follow from the caption.
pub(crate) fn shortened(full: &str, caption: Option<&str>) -> Option<String> {
    let (_, id) = full.split_at_checked(full.len().checked_sub(ID_LENGTH)?)?;
    (slug(caption, id) == full).then(|| format!("{SHORT}{id}"))
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
        if slug.len() >= TEXT_LENGTH {
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
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    const ID: &str = "aB3dE5gH7j";

    #[test]
    fn a_caption_becomes_readable_ascii() {
        assert_eq!(readable("Hello, World! #fun"), "hello-world-fun");
        assert_eq!(readable("  Çà et là — Straße & Ærø’s "), "ca-et-la-strasse-aeros");
        assert_eq!(readable("日本語"), "");
        assert_eq!(readable("ﬁnal ①"), "final-1");
        assert_eq!(slug(Some("日本"), ID), ID);
    }

    /// Published addresses are derived from this text. If a newer Unicode version changes it, restore the long slugs of
    /// compacted contents first.
    #[test]
    fn every_character_has_the_text_that_it_always_had() {
        let mut digest = Sha256::new();
        for character in ('\0'..=char::MAX).map(|character| format!("a{character}b")) {
            digest.update(readable(&character));
            digest.update([0]);
        }
        let beginning = u64::from_be_bytes(digest.finalize()[..8].try_into().unwrap());
        assert_eq!(beginning, 0x4707_61f2_7148_f7f0);
    }

    proptest! {
        #[test]
        fn a_slug_ends_with_its_id_and_is_restored_from_it(caption in proptest::option::of(".{0,300}")) {
            let full = slug(caption.as_deref(), ID);
            prop_assert!(full.ends_with(ID));
            let short = shortened(&full, caption.as_deref()).unwrap();
            prop_assert_eq!(&short, &format!("~{ID}"));
            let column = format!("{short}/{}", caption.unwrap_or_default());
            prop_assert_eq!(Slug::from(column), Slug::from(full.clone()));
            prop_assert_eq!(Slug::from(full.clone()).into_string(), full);
        }

        #[test]
        fn a_slug_is_short_ascii_that_needs_no_escaping(caption in ".{0,300}") {
            let slug = slug(Some(&caption), ID);
            prop_assert!(slug.len() <= TEXT_LENGTH + 2 + ID_LENGTH);
            prop_assert!(slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
            prop_assert!(!slug.starts_with('-') && !slug.contains("--"));
        }

        #[test]
        fn a_slug_that_does_not_follow_from_the_caption_stays(full in "\\PC{0,30}") {
            prop_assert!(shortened(&full, Some("a caption")).is_none());
        }
    }
}
