//! HTML documents: the frame that all pages share, and the pages that show a message.
//!
//! A page has no script and loads nothing from other sites.

use super::html::escape;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("../../site/page.css");

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// An HTML document, and the security policy under which a browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub html: String,
    pub security_policy: String,
}

impl Page {
    /// Returns the headers and the body of the answer.
    pub(crate) fn into_parts(self) -> (HeaderMap, String) {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        // The policy consists of fixed words and base64, so it is always a valid header value.
        if let Ok(policy) = HeaderValue::from_str(&self.security_policy) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        (headers, self.html)
    }
}

/// The page for every URL that has nothing to show. It does not reveal why.
pub(crate) fn nothing_here() -> Page {
    message("Nothing here", "There is no video at this address, or it has been removed.")
}

/// The page that a browser shows if the request itself fails.
pub(crate) fn failure() -> Page {
    message("Something went wrong", "Please try again in a moment.")
}

fn message(title: &str, text: &str) -> Page {
    Document {
        title,
        style: STYLE,
        head: "<meta name=\"robots\" content=\"noindex\">\n",
        main: &format!("<h1>{title}</h1>\n<p>{text}</p>\n"),
    }
    .page()
}

/// The parts in which pages differ.
pub(super) struct Document<'a> {
    /// Plain text. The other parts are HTML and CSS.
    pub title: &'a str,
    pub style: &'a str,
    pub head: &'a str,
    pub main: &'a str,
}

impl Document<'_> {
    pub(super) fn page(&self) -> Page {
        let Self { style, head, main, .. } = self;
        let title = escape(self.title);
        let html = format!(
            "<!doctype html>\n\
             <html lang=\"en\">\n\
             <head>\n\
             <meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n\
             {head}<style>{style}</style>\n\
             </head>\n\
             <body>\n\
             <main>\n\
             {main}</main>\n\
             </body>\n\
             </html>\n"
        );
        Page { html, security_policy: security_policy(style) }
    }
}

/// Allows pictures and media of this site and the page's own style, and nothing else.
fn security_policy(style: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         img-src 'self'; media-src 'self'; style-src 'sha256-{hash}'"
    )
}
