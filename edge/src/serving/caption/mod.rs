//! Captions in a page: a heading and the rest of the text, with links and hashtags, and a title and a description.
//!
//! The heading is the beginning of the caption and the rest is what follows it, so nothing is shown or read out twice.

mod pieces;

use self::pieces::{Piece, pieces};
use super::html::escape;
use contract::is_bidi_control;

/// A longer first line is split: the heading is what fits, and the rest goes below it. Every place that shows a title
/// would truncate it at about this length.
const MAX_HEADING_CHARACTERS: usize = 90;
/// A link preview shows at most about this much of the caption.
const MAX_DESCRIPTION_CHARACTERS: usize = 200;

/// A caption, split into its heading and the rest. Both have marked hashtags and links.
#[derive(Debug, Default, PartialEq)]
pub(super) struct SplitCaption {
    pub heading_html: String,
    pub rest_html: String,
}

/// Returns the caption without the characters that change the direction of what follows them. A title with such a
/// character could reverse the text around it.
pub(super) fn without_bidi_controls(caption: &str) -> String {
    caption.chars().filter(|character| !is_bidi_control(*character)).collect()
}

/// Returns the first line that is not blank, truncated, or `None` if there is none.
pub(super) fn title(caption: &str) -> Option<String> {
    let mut lines = caption.lines().map(one_line);
    let first = lines.find(|line| !line.is_empty())?;
    Some(truncate(&first, MAX_HEADING_CHARACTERS))
}

/// Returns the caption as one line, truncated.
pub(super) fn description(caption: &str) -> String {
    truncate(&one_line(caption), MAX_DESCRIPTION_CHARACTERS)
}

/// Splits the caption after its first line, or within it if it is long: never within a link or a hashtag.
pub(super) fn split(caption: &str) -> SplitCaption {
    let caption = caption.trim();
    let (first, rest) = caption.split_once('\n').unwrap_or((caption, ""));
    let rest = rest.trim().replace('\r', "");
    let (heading, overflow) = split_line(pieces(first.trim_end()));
    let overflow_html = html(&overflow);
    let is_split = !overflow_html.trim().is_empty();
    let rest_html =
        [overflow_html.trim(), &html(&pieces(&rest))].join(if is_split && !rest.is_empty() { "\n" } else { "" });
    let heading_html = format!("{}{}", html(&heading).trim_end(), if is_split { "…" } else { "" });
    SplitCaption { heading_html, rest_html }
}

/// Splits a line into what a heading has room for, and the rest. The heading gets at least one piece.
fn split_line(line: Vec<Piece<'_>>) -> (Vec<Piece<'_>>, Vec<Piece<'_>>) {
    let (mut heading, mut rest, mut room) = (Vec::new(), Vec::new(), MAX_HEADING_CHARACTERS);
    for piece in line {
        let length = piece.text().chars().count();
        if !rest.is_empty() {
            rest.push(piece);
        } else if length <= room {
            room -= length;
            heading.push(piece);
        } else if let Piece::Text(text) = piece {
            let (start, end) = split_text(text, room);
            heading.push(Piece::Text(start));
            rest.push(Piece::Text(end));
        } else if heading.is_empty() {
            room = 0;
            heading.push(piece);
        } else {
            rest.push(piece);
        }
    }
    (heading, rest)
}

/// Splits a text after the last space within this many characters, or exactly there if it has no space.
fn split_text(text: &str, characters: usize) -> (&str, &str) {
    let end = text.char_indices().nth(characters).map_or(text.len(), |(end, _)| end);
    let start = text.get(..end).unwrap_or_default();
    text.split_at(start.rfind(char::is_whitespace).unwrap_or(end))
}

fn html(pieces: &[Piece<'_>]) -> String {
    let html = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => escape(text),
        // Hashtags are marked but not linked, because they have no pages yet.
        Piece::Hashtag(hashtag) => format!("<b>{}</b>", escape(hashtag)),
        Piece::Link(url) => link(url),
    });
    html.collect()
}

/// The direction is stated because the text around the link may have another one. `ugc` tells search engines that the
/// site does not vouch for the link.
fn link(url: &str) -> String {
    let url = escape(url);
    format!("<a href=\"{url}\" rel=\"ugc nofollow noopener noreferrer\" target=\"_blank\" dir=\"ltr\">{url}</a>")
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
mod tests;
