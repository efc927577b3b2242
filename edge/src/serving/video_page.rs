//! The page of a published video. The caller has decided that the video may be shown.

use super::calendar::{date_for_people, rfc3339};
use super::caption::{caption_html, description, title};
use super::html::escape;
use super::page::{Document, Page, STYLE};
use crate::contents::content_urls::ContentUrls;
use crate::unix_seconds::UnixSeconds;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::api::PublicUrls;
use contract::job::StoredMedia;
use std::fmt::Write;

/// The colour behind a video that has not loaded yet, if its own colour is unknown.
const UNKNOWN_COLOUR: &str = "#808080";

/// The facts about a video that its page shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublishedVideo<'a> {
    pub urls: ContentUrls<'a>,
    pub caption: Option<&'a str>,
    pub published_at: UnixSeconds,
    pub media: &'a StoredMedia,
}

impl PublishedVideo<'_> {
    pub(super) fn page(&self) -> Page {
        let title = self.title();
        let name = site_name(self.urls.site);
        Document {
            title: &format!("{title} · {name}"),
            style: &format!("{STYLE}{}", self.style()),
            head: &self.preview_tags(&title, name),
            main: &self.main(&title),
        }
        .page()
    }

    fn title(&self) -> String {
        let title = self.caption.and_then(title);
        title.unwrap_or_else(|| format!("Video of {}", date_for_people(self.published_at)))
    }

    /// Returns the style of the video's place on the page until it loads: its shape, so that the page does not jump,
    /// and roughly its colour.
    fn style(&self) -> String {
        let (width, height) = (self.media.width, self.media.height);
        let colour = mean_colour(&self.media.thumbhash).unwrap_or_else(|| UNKNOWN_COLOUR.to_owned());
        format!(".stage{{background:{colour};max-width:calc(80vh*{width}/{height})}}")
    }

    /// Returns the tags from which other sites and messengers build a preview of a link to the page.
    fn preview_tags(&self, title: &str, name: &str) -> String {
        let PublicUrls { page, video, poster, .. } = self.urls.public();
        let description = self.caption.map(description).unwrap_or_default();
        let (width, height) = (self.media.width.to_string(), self.media.height.to_string());
        let published = rfc3339(self.published_at);
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

    /// Lists the sources by preference, because a browser plays the first that it can.
    fn main(&self, title: &str) -> String {
        let relative = ContentUrls { site: "", ..self.urls };
        let PublicUrls { video, hls, poster, .. } = relative.public();
        let (video, hls, poster) = (escape(&video), escape(&hls), escape(&poster));
        let (width, height) = (self.media.width, self.media.height);
        let caption = self.caption_paragraph();
        let title = escape(title);
        let (machine, human) = (rfc3339(self.published_at), date_for_people(self.published_at));
        format!(
            "<h1 class=\"unseen\" dir=\"auto\">{title}</h1>\n\
             <div class=\"stage\">\n\
             <video controls playsinline preload=\"metadata\" width=\"{width}\" height=\"{height}\" poster=\"{poster}\" \
             aria-label=\"{title}\">\n\
             <source src=\"{hls}\" type=\"application/vnd.apple.mpegurl\">\n\
             <source src=\"{video}\" type=\"video/mp4\">\n\
             <a href=\"{video}\">Download the video</a>\n\
             </video>\n\
             </div>\n\
             {caption}<p><time datetime=\"{machine}\">{human}</time></p>\n"
        )
    }

    /// Returns an empty string if there is no caption to show.
    fn caption_paragraph(&self) -> String {
        let caption = self.caption.map(caption_html).unwrap_or_default();
        match caption.trim() {
            "" => String::new(),
            caption => format!("<p class=\"caption\" dir=\"auto\">{caption}</p>\n"),
        }
    }
}

/// Returns the mean colour of the video's picture in CSS notation, or `None` for an invalid ThumbHash.
fn mean_colour(thumbhash: &str) -> Option<String> {
    // The library panics on a shorter ThumbHash with transparency: it reads the sixth byte without a check.
    let bytes = STANDARD.decode(thumbhash).ok().filter(|bytes| bytes.len() > 5)?;
    let (red, green, blue, _) = thumbhash::thumb_hash_to_average_rgba(&bytes).ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 255")]
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let (red, green, blue) = (byte(red), byte(green), byte(blue));
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

/// Returns the site's host name as people write it, without `www.` and the port.
fn site_name(site: &str) -> &str {
    let host = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_colour_is_that_of_the_thumbhash() {
        assert_eq!(mean_colour("3OcRJYB4d3h/iIeHeEh3eIhw+j3A").as_deref(), Some("#6a7674"));
        assert_eq!(mean_colour("3OcRJYB4").as_deref(), Some("#6a7674"));
        for invalid in ["", "!", "AAAA", "AACAAAA="] {
            assert_eq!(mean_colour(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn a_sites_name_is_its_host_without_www_and_port() {
        for (site, expected) in [
            ("https://www.clipgate.example/", "clipgate.example"),
            ("http://localhost:8787", "localhost"),
            ("clips.example", "clips.example"),
        ] {
            assert_eq!(site_name(site), expected);
        }
    }
}
