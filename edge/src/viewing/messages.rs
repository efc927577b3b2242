//! The pages that show a message: at addresses without a video, after failures, and at the site's own address.

use super::document::{Document, Framing, Page, STYLE, Scripting, no_index};
use contract::paths::{DOCS, OPENAPI};
use maud::{Markup, html};

/// The page for every URL without content. It does not reveal why.
pub(crate) fn nothing_here() -> Page {
    message(Framing::Nobody, NOTHING_HERE)
}

/// The same message for the player in a frame of another site.
pub(crate) fn nothing_to_embed() -> Page {
    message(Framing::Everybody, NOTHING_HERE)
}

/// The page for every address of the documentation that does not exist.
pub(crate) fn no_documentation() -> Page {
    let text = html! {
        h1 { "Nothing here" }
        p { "The documentation has no such page. See " a href=(DOCS) { "its first page" } "." }
    };
    document("Nothing here", no_index(), &text, Framing::Nobody)
}

/// The page that a browser shows if the request itself fails.
pub(crate) fn failure() -> Page {
    message(Framing::Everybody, ("Something went wrong", "Please try again in a moment."))
}

/// The page at the site's own address.
pub(crate) fn front_page() -> Page {
    let text = html! {
        h1 { "Clipgate" }
        p {
            "Short videos, published by programs. With one API key, a program posts a video, and the video goes through "
            "the same checks as an upload from the app."
        }
        h2 { "For developers" }
        p {
            "The " a href=(DOCS) { "documentation" } " begins with a quick start. The "
            a href=(OPENAPI) { "description of the API" }
            " (OpenAPI 3.1) has every operation, with its fields, codes and examples: many tools generate a client from it."
        }
        h2 { "For viewers" }
        p { "Each video has a page of its own. Open the link that its author shared." }
    };
    let head = html! { meta name="description" content="Short videos, published by programs with one API key."; };
    document("Clipgate", head, &text, Framing::Nobody)
}

const NOTHING_HERE: (&str, &str) = ("Nothing here", "There is no video at this address, or it has been removed.");

fn message(framing: Framing, (title, text): (&str, &str)) -> Page {
    document(title, no_index(), &html! { h1 { (title) } p { (text) } }, framing)
}

fn document(title: &str, head: Markup, text: &Markup, framing: Framing) -> Page {
    let main = html! { div class="message" { (text) } };
    Document { title, style: STYLE, head, main, framing, scripting: Scripting::None }.page()
}
