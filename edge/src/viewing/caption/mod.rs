//! Captions in a page: a heading and the rest, with links and hashtags, and a title and a description.
//!
//! The heading is the beginning of the caption and the rest follows it, so nothing is shown or read out twice.

mod pieces;

use self::pieces::{Piece, pieces};
use super::html::Text;
use contract::is_bidi_control;
use maud::{Markup, PreEscaped, html};

/// A longer first line is split between the heading and the text below. Every place that shows a title would truncate
/// it at about this length.
const MAX_HEADING_CHARACTERS: usize = 90;
/// A link preview shows at most about this much of the caption.
const MAX_DESCRIPTION_CHARACTERS: usize = 200;

/// A caption, split into its heading and the rest. Both have marked hashtags and links.
#[derive(Debug)]
pub(super) struct SplitCaption {
    pub heading: Markup,
    pub rest: Markup,
}

impl Default for SplitCaption {
    fn default() -> Self {
        Self { heading: PreEscaped(String::new()), rest: PreEscaped(String::new()) }
    }
}

/// Returns the caption without characters that change the direction of the following text. In a title, such a character
/// could reverse the text around it.
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
    let (heading, overflow) = (marked(&heading), marked(&overflow));
    let (heading, overflow) = (heading.trim_end(), overflow.trim());
    let is_split = !overflow.is_empty();
    let separator = if is_split && !rest.is_empty() { "\n" } else { "" };
    SplitCaption {
        heading: html! { (PreEscaped(heading)) @if is_split { "…" } },
        rest: html! { (PreEscaped(overflow)) (separator) (PreEscaped(marked(&pieces(&rest)))) },
    }
}

/// Splits a line into the heading and the rest. The heading gets at least one piece.
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

/// Returns the HTML of pieces.
fn marked(pieces: &[Piece<'_>]) -> String {
    let html = html! {
        @for piece in pieces {
            @match piece {
                Piece::Text(text) => (Text(text)),
                // Hashtags are marked but not linked, because they have no pages yet.
                Piece::Hashtag(hashtag) => b { (Text(hashtag)) },
                // The direction is stated because the text around the link may have another one. `ugc` tells search
                // engines that the site does not vouch for the link.
                Piece::Link(url) =>
                    a href=(Text(url)) rel="ugc nofollow noopener noreferrer" target="_blank" dir="ltr" { (Text(url)) },
            }
        }
    };
    html.into_string()
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
