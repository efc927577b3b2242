//! The language of a track, from the code in its file. Pure.
//!
//! Only codes that exist are used: the field could hold any text.

/// Codes for bibliographies, which Matroska and ffmpeg use, and the codes for all other purposes.
const BIBLIOGRAPHIC: [(&str, &str); 20] = [
    ("alb", "sqi"),
    ("arm", "hye"),
    ("baq", "eus"),
    ("bur", "mya"),
    ("chi", "zho"),
    ("cze", "ces"),
    ("dut", "nld"),
    ("fre", "fra"),
    ("geo", "kat"),
    ("ger", "deu"),
    ("gre", "ell"),
    ("ice", "isl"),
    ("mac", "mkd"),
    ("may", "msa"),
    ("mao", "mri"),
    ("per", "fas"),
    ("rum", "ron"),
    ("slo", "slk"),
    ("tib", "bod"),
    ("wel", "cym"),
];

/// Codes that name no language.
const NO_LANGUAGE: [&str; 4] = ["und", "mul", "mis", "zxx"];

/// A language, possibly with a script and a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// The tag by BCP 47.
    pub tag: String,
    /// The name that its own speakers use, if that is known, otherwise the English one.
    pub name: String,
}

impl Language {
    /// Parses a code of ISO 639, or a tag that begins with one. Returns `None` for anything else, and for an undefined
    /// language.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(['-', '_']);
        let language = find(&parts.next()?.to_ascii_lowercase())?;
        let code = language.to_639_1().unwrap_or_else(|| language.to_639_3());
        let variants: Vec<String> = parts.map_while(variant).take(2).collect();
        let name = capitalised(language.to_autonym().unwrap_or_else(|| language.to_name()));
        if variants.is_empty() {
            return Some(Self { tag: code.to_owned(), name });
        }
        Some(Self { tag: format!("{code}-{}", variants.join("-")), name: format!("{name} ({})", variants.join(", ")) })
    }
}

fn find(code: &str) -> Option<isolang::Language> {
    if NO_LANGUAGE.contains(&code) {
        return None;
    }
    let terminological = BIBLIOGRAPHIC.iter().find(|(bibliographic, _)| *bibliographic == code);
    let code = terminological.map_or(code, |(_, code)| code);
    if code.len() == 2 { isolang::Language::from_639_1(code) } else { isolang::Language::from_639_3(code) }
}

/// Returns a script (`Hans`) or a region (`BR`, `419`) in its usual form, or `None` for any other part of a tag.
fn variant(part: &str) -> Option<String> {
    let is_word = part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    match part.len() {
        2 if is_word => Some(part.to_ascii_uppercase()),
        3 if is_number => Some(part.to_owned()),
        4 if is_word => Some(capitalised(&part.to_ascii_lowercase())),
        _ => None,
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_has_the_shortest_code_and_its_own_name() {
        for (text, tag, name) in [
            ("eng", "en", "English"),
            ("ger", "de", "Deutsch"),
            ("deu", "de", "Deutsch"),
            ("FRA", "fr", "Français"),
            ("pt-br", "pt-BR", "Português (BR)"),
            ("zh_hant_TW", "zh-Hant-TW", "中文 (Hant, TW)"),
            ("es-419-x-secret", "es-419", "Español (419)"),
            ("fil", "fil", "Filipino"),
        ] {
            let language = Language::parse(text).unwrap();
            assert_eq!((language.tag.as_str(), language.name.as_str()), (tag, name));
        }
    }

    #[test]
    fn what_names_no_language_is_ignored() {
        for text in ["", "und", "zxx", "xx", "english", "Jane Doe", "48", "-en", "\u{e9}n"] {
            assert_eq!(Language::parse(text), None, "{text}");
        }
    }
}
