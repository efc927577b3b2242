//! Captions in a page: the text with its hashtags marked, and a title and a description made of it.

use super::html::escape;

/// Longer titles are truncated here, because every place that shows a title would truncate them.
const MAX_TITLE_CHARACTERS: usize = 90;
/// A link preview shows at most about this much of the caption.
const MAX_DESCRIPTION_CHARACTERS: usize = 200;

/// Returns the caption as HTML. Hashtags are marked but not linked, because they have no pages yet.
pub(super) fn caption_html(caption: &str) -> String {
    pieces(caption)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => escape(text),
            Piece::Hashtag(hashtag) => format!("<b>{}</b>", escape(hashtag)),
        })
        .collect()
}

/// Returns the first line that is not blank, truncated, or `None` if there is none.
pub(super) fn title(caption: &str) -> Option<String> {
    let mut lines = caption.lines().map(one_line);
    let first = lines.find(|line| !line.is_empty())?;
    Some(truncate(&first, MAX_TITLE_CHARACTERS))
}

/// Returns the caption as one line, truncated.
pub(super) fn description(caption: &str) -> String {
    truncate(&one_line(caption), MAX_DESCRIPTION_CHARACTERS)
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    /// Includes the `#`.
    Hashtag(&'a str),
}

/// Splits the caption before and after each hashtag.
fn pieces(caption: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut text_start, mut may_start_hashtag) = (caption, caption, true);
    while let Some(character) = rest.chars().next() {
        let length = hashtag_length(rest).filter(|_| may_start_hashtag);
        if let Some(length) = length {
            let (hashtag, after) = rest.split_at(length);
            push_text(&mut pieces, text_start, rest);
            pieces.push(Piece::Hashtag(hashtag));
            (rest, text_start, may_start_hashtag) = (after, after, false);
        } else {
            may_start_hashtag = !is_hashtag_character(character) && character != '#' && character != '&';
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    push_text(&mut pieces, text_start, rest);
    pieces
}

/// Adds the text between two positions. A position is given as the part of the caption that follows it.
fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, start: &'a str, end: &str) {
    let text = start.get(..start.len() - end.len()).unwrap_or_default();
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

/// Returns the length of the hashtag that the text begins with. A number alone, such as `#1`, is a rank, not a hashtag.
fn hashtag_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix('#')?;
    let end = name.find(|character| !is_hashtag_character(character));
    let name = name.get(..end.unwrap_or(name.len()))?;
    let is_name = name.chars().any(|character| !character.is_numeric());
    is_name.then_some(1 + name.len())
}

fn is_hashtag_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn truncate(text: &str, max_characters: usize) -> String {
    if text.chars().count() <= max_characters {
        return text.to_owned();
    }
    let start: String = text.chars().take(max_characters - 1).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hashtags_are_marked_and_nothing_else() {
        for (caption, expected) in [
            ("so #fun!", "so <b>#fun</b>!"),
            ("#日本 #a_1", "<b>#日本</b> <b>#a_1</b>"),
            ("a#b ##c #1 # #", "a#b ##c #1 # #"),
            ("#a#b", "<b>#a</b>#b"),
            ("(#x)<#y>", "(<b>#x</b>)&lt;<b>#y</b>&gt;"),
            ("&#39;", "&amp;#39;"),
            ("&#a", "&amp;#a"),
        ] {
            assert_eq!(caption_html(caption), expected, "{caption}");
        }
    }

    #[test]
    fn a_title_is_the_first_line_that_is_not_blank() {
        assert_eq!(title(" \n  Hello   you \nmore").as_deref(), Some("Hello you"));
        assert_eq!(title(" \n\t"), None);
        let long = title(&"word ".repeat(50)).unwrap();
        assert!(long.ends_with('…') && long.chars().count() <= MAX_TITLE_CHARACTERS);
    }

    #[test]
    fn a_text_is_truncated_only_if_it_is_too_long() {
        assert_eq!(truncate("äbcd", 4), "äbcd");
        assert_eq!(truncate("äbcde", 4), "äbc…");
        assert_eq!(description(&"x".repeat(200)), "x".repeat(200));
        assert_eq!(description(&"x".repeat(201)), "x".repeat(199) + "…");
        assert_eq!(description(" a\n b "), "a b");
    }

    proptest! {
        #[test]
        fn marking_loses_no_text_and_adds_no_other_markup(caption in "[#<>&\"a_1 \\PC]{0,60}") {
            let marked = caption_html(&caption);
            let unmarked = marked.replace("<b>", "").replace("</b>", "");
            prop_assert_eq!(unmarked, escape(&caption));
        }
    }
}
