//! A caption in a page: text with its hashtags marked, and its first words as a title.

use super::html::escape;

/// Longer titles are cut off wherever they are shown.
const TITLE_CHARACTERS: usize = 90;
/// What a preview of the page shows of the caption.
const DESCRIPTION_CHARACTERS: usize = 200;

/// The caption as HTML. There is no page of a hashtag yet, so they lead nowhere.
pub fn marked_up(caption: &str) -> String {
    pieces(caption)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => escape(text),
            Piece::Tag(tag) => format!("<b>{}</b>", escape(tag)),
        })
        .collect()
}

/// The first line, as far as it fits; `None` when there is nothing to read.
pub fn title(caption: &str) -> Option<String> {
    let mut lines = caption.lines().map(one_line);
    let first = lines.find(|line| !line.is_empty())?;
    Some(shortened(&first, TITLE_CHARACTERS))
}

/// The caption in one line, as far as it fits.
pub fn description(caption: &str) -> String {
    shortened(&one_line(caption), DESCRIPTION_CHARACTERS)
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    /// With its `#`.
    Tag(&'a str),
}

/// The caption, cut before and behind each hashtag.
fn pieces(caption: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut rest, mut may_begin) = (caption, true);
    let mut text_from = caption;
    while let Some(character) = rest.chars().next() {
        let length = tag_length(rest).filter(|_| may_begin);
        if let Some(length) = length {
            let (tag, behind) = rest.split_at(length);
            push_text(&mut pieces, text_from, rest);
            pieces.push(Piece::Tag(tag));
            (rest, text_from, may_begin) = (behind, behind, false);
        } else {
            may_begin = !is_tag_character(character) && character != '#' && character != '&';
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    push_text(&mut pieces, text_from, rest);
    pieces
}

/// What stands from one place to a later one of the same text.
fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, from: &'a str, until: &str) {
    let text = from.get(..from.len() - until.len()).unwrap_or_default();
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

/// The length of the hashtag that the text begins with. A number alone is none: `#1` is a place.
fn tag_length(text: &str) -> Option<usize> {
    let name = text.strip_prefix('#')?;
    let end = name.find(|character| !is_tag_character(character));
    let name = name.get(..end.unwrap_or(name.len()))?;
    let is_name = name.chars().any(|character| !character.is_numeric());
    is_name.then_some(1 + name.len())
}

fn is_tag_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{}…", kept.trim_end())
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
        ] {
            assert_eq!(marked_up(caption), expected, "{caption}");
        }
    }

    #[test]
    fn a_title_is_the_first_line_that_says_something() {
        assert_eq!(
            title(" \n  Hello   you \nmore").as_deref(),
            Some("Hello you")
        );
        assert_eq!(title(" \n\t"), None);
        let long = title(&"word ".repeat(50)).unwrap();
        assert!(long.ends_with('…') && long.chars().count() <= TITLE_CHARACTERS);
    }

    proptest! {
        #[test]
        fn marking_loses_nothing_and_lets_nothing_through(caption in "[#<>&\"a_1 \\PC]{0,60}") {
            let marked = marked_up(&caption);
            let unmarked = marked.replace("<b>", "").replace("</b>", "");
            prop_assert_eq!(unmarked, escape(&caption));
        }
    }
}
