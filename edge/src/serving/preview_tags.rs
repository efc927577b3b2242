//! The tags from which other sites, messengers and search engines build a preview of a link to the page.

use super::calendar::rfc3339;
use super::html::escape;
use super::oembed::oembed_url;
use super::published_video::{PixelSize, PublishedVideo};
use contract::api::PublicUrls;
use std::fmt::Write;

impl PublishedVideo<'_> {
    pub(super) fn preview_tags(&self) -> String {
        let mut tags = self.links();
        for (kind, key, value) in self.properties() {
            if !value.is_empty() {
                let value = escape(&value);
                // Writing to a string cannot fail.
                let _ = writeln!(tags, "<meta {kind}=\"{key}\" content=\"{value}\">");
            }
        }
        tags
    }

    fn links(&self) -> String {
        let page = self.urls.page();
        let (oembed, title) = (escape(&oembed_url(self.urls.site(), &page)), escape(&self.title()));
        format!(
            "<link rel=\"canonical\" href=\"{}\">\n\
             <link rel=\"alternate\" type=\"application/json+oembed\" href=\"{oembed}\" title=\"{title}\">\n",
            escape(&page)
        )
    }

    fn properties(&self) -> Vec<(&'static str, &'static str, String)> {
        let PublicUrls { page, embed, video, poster, .. } = self.urls.public(&self.media);
        let (title, description) = (self.title(), self.description());
        let (size, player) = (self.size(), self.embedded_size());
        let poster_side = |side: fn(PixelSize) -> u32| self.poster_size().map(|size| side(size).to_string());
        vec![
            ("name", "description", description.clone()),
            ("property", "og:type", "video.other".to_owned()),
            ("property", "og:site_name", self.site_name().to_owned()),
            ("property", "og:title", title.clone()),
            ("property", "og:description", description.clone()),
            ("property", "og:url", page),
            ("property", "og:image", poster.clone()),
            ("property", "og:image:type", "image/jpeg".to_owned()),
            ("property", "og:image:width", poster_side(|size| size.width).unwrap_or_default()),
            ("property", "og:image:height", poster_side(|size| size.height).unwrap_or_default()),
            ("property", "og:image:alt", title.clone()),
            ("property", "og:video", video),
            ("property", "og:video:type", "video/mp4".to_owned()),
            ("property", "og:video:width", size.width.to_string()),
            ("property", "og:video:height", size.height.to_string()),
            ("property", "video:duration", self.seconds().to_string()),
            ("property", "video:release_date", rfc3339(self.published_at)),
            ("name", "twitter:card", "player".to_owned()),
            ("name", "twitter:title", title),
            ("name", "twitter:description", description),
            ("name", "twitter:image", poster),
            ("name", "twitter:player", embed),
            ("name", "twitter:player:width", player.width.to_string()),
            ("name", "twitter:player:height", player.height.to_string()),
        ]
    }
}
