//! The pages that show a message: at addresses without a video, after failures, and at the site's own address.

use super::document::{Document, Framing, Page, STYLE, Scripting};
use contract::paths::{DOCS, OPENAPI};

const NO_INDEX: &str = "<meta name=\"robots\" content=\"noindex\">\n";

/// The page for every URL that has nothing to show. It does not reveal why.
pub(crate) fn nothing_here() -> Page {
    message(Framing::Nobody, NOTHING_HERE)
}

/// The same message for the player in a frame of another site.
pub(crate) fn nothing_to_embed() -> Page {
    message(Framing::Everybody, NOTHING_HERE)
}

/// The page for every address of the documentation that does not exist.
pub(crate) fn no_documentation() -> Page {
    let text = format!(
        "<h1>Nothing here</h1>\n<p>The documentation has no such page. See <a href=\"{DOCS}\">its first page</a>.</p>\n"
    );
    document("Nothing here", NO_INDEX, &text, Framing::Nobody)
}

/// The page that a browser shows if the request itself fails.
pub(crate) fn failure() -> Page {
    message(Framing::Everybody, ("Something went wrong", "Please try again in a moment."))
}

/// The page at the site's own address.
pub(crate) fn front_page() -> Page {
    let text = format!(
        "<h1>Clipgate</h1>\n\
         <p>Short videos, published by programs. With one API key, a program posts a video, and the video goes through \
         the same checks as an upload from the app.</p>\n\
         <h2>For developers</h2>\n\
         <p>The <a href=\"{DOCS}\">documentation</a> begins with a quick start. The \
         <a href=\"{OPENAPI}\">description of the API</a> (OpenAPI 3.1) has every operation, with its fields, codes and \
         examples: many tools generate a client from it.</p>\n\
         <h2>For viewers</h2>\n\
         <p>Each video has a page of its own. Open the link that its author shared.</p>\n"
    );
    let head = "<meta name=\"description\" content=\"Short videos, published by programs with one API key.\">\n";
    document("Clipgate", head, &text, Framing::Nobody)
}

const NOTHING_HERE: (&str, &str) = ("Nothing here", "There is no video at this address, or it has been removed.");

fn message(framing: Framing, (title, text): (&str, &str)) -> Page {
    document(title, NO_INDEX, &format!("<h1>{title}</h1>\n<p>{text}</p>\n"), framing)
}

fn document(title: &str, head: &str, text: &str, framing: Framing) -> Page {
    let main = format!("<div class=\"message\">\n{text}</div>\n");
    Document { title, style: STYLE, head, main: &main, framing, scripting: Scripting::None }.page()
}
