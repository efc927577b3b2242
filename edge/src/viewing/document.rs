//! HTML documents: the frame that all pages share, and their security policy.
//!
//! A page loads nothing from other sites, and has no inline script or style except the style in its head.

use super::html::Text;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::paths::{ICON, SCRIPTS};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("../../site/page.css");

/// The version of `site/page.js`: a hash of its bytes. The build of the Worker sets it; native builds serve no script.
const SCRIPT_VERSION: &str = match option_env!("PAGE_SCRIPT_VERSION") {
    Some(version) => version,
    None => "native",
};

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// An HTML document, and the headers under which a browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub html: String,
    pub security_policy: String,
    framing: Framing,
}

/// The sites that may show the document in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Nobody,
    Everybody,
}

/// Whether the document has the script of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scripting {
    None,
    PageScript,
}

impl Page {
    /// Returns the headers and the body of the answer.
    pub(crate) fn into_parts(self) -> (HeaderMap, String) {
        let mut headers = HeaderMap::new();
        let (opener, resource) = match self.framing {
            Framing::Nobody => ("same-origin", "same-origin"),
            Framing::Everybody => ("unsafe-none", "cross-origin"),
        };
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (CROSS_ORIGIN_OPENER_POLICY, opener),
            (CROSS_ORIGIN_RESOURCE_POLICY, resource),
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

/// The parts in which pages differ.
pub(super) struct Document<'a> {
    pub title: &'a str,
    /// CSS.
    pub style: &'a str,
    pub head: Markup,
    pub main: Markup,
    pub framing: Framing,
    pub scripting: Scripting,
}

impl Document<'_> {
    pub(super) fn page(&self) -> Page {
        let html = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (Text(self.title)) }
                    link rel="icon" href=(ICON);
                    (self.head)
                    // A module does not run before the document is complete.
                    @if self.scripting == Scripting::PageScript { script type="module" src=(script_path()) {} }
                    style { (PreEscaped(self.style)) }
                }
                body { main { (self.main) } }
            }
        };
        let html = html.into_string();
        Page { html, security_policy: self.security_policy(), framing: self.framing }
    }

    /// Allows pictures, media and the script of this site, the script's requests to this site, the page's own style,
    /// and nothing else.
    fn security_policy(&self) -> String {
        let ancestors = match self.framing {
            Framing::Nobody => "'none'",
            Framing::Everybody => "*",
        };
        // The elements of the player contain empty style elements, which the script fills through the CSSOM.
        let (script, empty_style) = match self.scripting {
            Scripting::None => ("", String::new()),
            Scripting::PageScript => ("script-src 'self'; connect-src 'self'; ", format!(" {}", style_source(""))),
        };
        let style = style_source(self.style);
        format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}; \
             img-src 'self'; media-src 'self'; {script}style-src {style}{empty_style}"
        )
    }
}

/// Asks search engines to leave the page out.
pub(super) fn no_index() -> Markup {
    html! { meta name="robots" content="noindex"; }
}

fn style_source(style: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(style.as_bytes())))
}

/// Returns the path of the script, which changes with the script.
pub(crate) fn script_path() -> String {
    format!("{SCRIPTS}{SCRIPT_VERSION}.js")
}
