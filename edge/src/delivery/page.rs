//! The page of a content: one small document, nothing of anybody else, no script.
//!
//! It renders what it is given. Whether there is something to show, its caller has decided.

use super::caption::{description, marked_up, title};
use super::html::escape;
use super::time::{date, rfc3339};
use crate::contents::addresses::Addresses;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY};
use axum::http::{HeaderMap, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::api::PublicUrls;
use contract::job::StoredMedia;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("../../site/page.css");
/// Behind a video that has not come yet, when nothing is known of its colours.
const UNKNOWN_COLOUR: &str = "#808080";

const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

/// A document, and the policy under which a browser shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub html: String,
    pub security_policy: String,
}

impl Page {
    /// The headers of its answer, and its body.
    pub fn into_parts(self) -> (HeaderMap, String) {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (REFERRER_POLICY, "strict-origin-when-cross-origin"),
            (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        // Words of ours and base64 always are a header's value.
        if let Ok(policy) = HeaderValue::from_str(&self.security_policy) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        (headers, self.html)
    }
}

/// What a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub addresses: Addresses<'a>,
    pub caption: Option<&'a str>,
    pub published_at_unix: u64,
    pub media: &'a StoredMedia,
}

impl Shown<'_> {
    pub fn page(&self) -> Page {
        let title = self.title();
        let name = site_name(self.addresses.site);
        document(&Parts {
            title: &format!("{title} · {name}"),
            style: &format!("{STYLE}{}", self.style()),
            head: &self.preview_tags(&title, name),
            main: &self.main(&title),
        })
    }

    fn title(&self) -> String {
        let title = self.caption.and_then(title);
        title.unwrap_or_else(|| format!("Video of {}", date(self.published_at_unix)))
    }

    /// The place of the video has its form and about its colour before it is there, so nothing moves when it comes.
    fn style(&self) -> String {
        let (width, height) = (self.media.width, self.media.height);
        let colour = colour(&self.media.thumbhash).unwrap_or_else(|| UNKNOWN_COLOUR.to_owned());
        format!(".stage{{background:{colour};max-width:calc(80vh*{width}/{height})}}")
    }

    /// What other sites and messengers show of a link to the page.
    fn preview_tags(&self, title: &str, name: &str) -> String {
        let PublicUrls {
            page,
            video,
            poster,
            ..
        } = self.addresses.public();
        let description = self.caption.map(description).unwrap_or_default();
        let (width, height) = (self.media.width.to_string(), self.media.height.to_string());
        let published = rfc3339(self.published_at_unix);
        let duration = (self.media.duration_ms / 1000).to_string();
        let mut tags = format!("<link rel=\"canonical\" href=\"{}\">\n", escape(&page));
        for (kind, key, value) in [
            ("name", "description", description.as_str()),
            ("property", "og:type", "video.other"),
            ("property", "og:site_name", name),
            ("property", "og:title", title),
            ("property", "og:description", &description),
            ("property", "og:url", &page),
            ("property", "og:image", &poster),
            ("property", "og:video", &video),
            ("property", "og:video:type", "video/mp4"),
            ("property", "og:video:width", &width),
            ("property", "og:video:height", &height),
            ("property", "video:duration", &duration),
            ("property", "video:release_date", &published),
            ("name", "twitter:card", "summary_large_image"),
            ("name", "twitter:title", title),
            ("name", "twitter:description", &description),
            ("name", "twitter:image", &poster),
        ] {
            if !value.is_empty() {
                let value = escape(value);
                // Writing to a string cannot fail.
                let _ = writeln!(tags, "<meta {kind}=\"{key}\" content=\"{value}\">");
            }
        }
        tags
    }

    /// Sources in the order of preference: a browser takes the first that it can play.
    fn main(&self, title: &str) -> String {
        let own = Addresses {
            site: "",
            ..self.addresses
        };
        let PublicUrls {
            video, hls, poster, ..
        } = own.public();
        let (video, hls, poster) = (escape(&video), escape(&hls), escape(&poster));
        let (width, height) = (self.media.width, self.media.height);
        let caption = self.caption.map(marked_up).unwrap_or_default();
        let caption = match caption.trim() {
            "" => String::new(),
            caption => format!("<p class=\"caption\" dir=\"auto\">{caption}</p>\n"),
        };
        let (title, time) = (escape(title), self.published_at_unix);
        let (machine, human) = (rfc3339(time), date(time));
        format!(
            "<h1 class=\"unseen\" dir=\"auto\">{title}</h1>\n\
             <div class=\"stage\">\n\
             <video controls playsinline preload=\"metadata\" width=\"{width}\" height=\"{height}\" poster=\"{poster}\" \
             aria-label=\"{title}\">\n\
             <source src=\"{hls}\" type=\"application/vnd.apple.mpegurl\">\n\
             <source src=\"{video}\" type=\"video/mp4\">\n\
             <a href=\"{video}\">The video as a file</a>\n\
             </video>\n\
             </div>\n\
             {caption}<p><time datetime=\"{machine}\">{human}</time></p>\n"
        )
    }
}

/// What is answered for every address that shows nothing, whatever the reason.
pub fn nothing_here() -> Page {
    notice(
        "Nothing here",
        "There is no video at this address, or not any more.",
    )
}

/// What a browser shows when the request itself fails.
pub fn failure() -> Page {
    notice("That did not work", "Please try again in a moment.")
}

fn notice(title: &str, text: &str) -> Page {
    document(&Parts {
        title,
        style: STYLE,
        head: "<meta name=\"robots\" content=\"noindex\">\n",
        main: &format!("<h1>{title}</h1>\n<p>{text}</p>\n"),
    })
}

struct Parts<'a> {
    /// As text; the others are HTML and CSS.
    title: &'a str,
    style: &'a str,
    head: &'a str,
    main: &'a str,
}

fn document(parts: &Parts<'_>) -> Page {
    let Parts {
        style, head, main, ..
    } = parts;
    let title = escape(parts.title);
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
    Page {
        html,
        security_policy: security_policy(style),
    }
}

/// Nothing is allowed but pictures and media of this very site, and the one style that stands in the page.
fn security_policy(style: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         img-src 'self'; media-src 'self'; style-src 'sha256-{hash}'"
    )
}

/// The mean colour of the video's picture, as CSS writes it.
fn colour(thumbhash: &str) -> Option<String> {
    // The library looks at the sixth byte of one with transparency without asking whether it is there.
    let bytes = STANDARD
        .decode(thumbhash)
        .ok()
        .filter(|bytes| bytes.len() > 5)?;
    let (red, green, blue, _) = thumbhash::thumb_hash_to_average_rgba(&bytes).ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to 255"
    )]
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let (red, green, blue) = (byte(red), byte(green), byte(blue));
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// The host that people know the site by.
fn site_name(site: &str) -> &str {
    let host = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests;
