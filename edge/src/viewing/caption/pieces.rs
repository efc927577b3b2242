//! The pieces of a caption: text, hashtags and links.

use linkify::{LinkFinder, LinkKind};

#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// Includes the `#`.
    Hashtag(&'a str),
    /// An address that begins with `http://` or `https://`.
    Link(&'a str),
}

impl<'a> Piece<'a> {
    pub(super) const fn text(&self) -> &'a str {
        match self {
            Self::Text(text) | Self::Hashtag(text) | Self::Link(text) => text,
        }
    }
}

/// Splits the caption before and after each link and each hashtag.
pub(super) fn pieces(caption: &str) -> Vec<Piece<'_>> {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    let spans = finder.spans(caption);
    let pieces = spans.map(|span| match span.kind() {
        Some(_) if is_web_address(span.as_str()) => vec![Piece::Link(span.as_str())],
        _ => hashtags(span.as_str()),
    });
    pieces.flatten().collect()
}

/// Whether the link leads to a website. Other schemes, such as `javascript:`, stay text.
fn is_web_address(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// Splits a text before and after each hashtag.
fn hashtags(caption: &str) -> Vec<Piece<'_>> {
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
