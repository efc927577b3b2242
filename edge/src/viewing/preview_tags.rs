//! The tags from which other sites, messengers and search engines build a preview of a link to the page.

use super::calendar::rfc3339;
use super::document::no_index;
use super::html::Text;
use super::oembed::oembed_url;
use super::published_video::{PixelSize, PublishedVideo};
use contract::api::PublicUrls;
use maud::{Markup, html};

impl PublishedVideo<'_> {
    pub(super) fn preview_tags(&self) -> Markup {
        let page = self.urls.page();
        html! {
            link rel="canonical" href=(Text(&page));
            @if self.is_unlisted { (no_index()) } @else {
                link rel="alternate" type="application/json+oembed" href=(Text(&oembed_url(self.urls.site(), &page)))
                    title=(Text(&self.title()));
            }
            @for (key, value) in self.names().iter().filter(|(_, value)| !value.is_empty()) {
                meta name=(key) content=(Text(value));
            }
            @for (key, value) in self.properties().iter().filter(|(_, value)| !value.is_empty()) {
                meta property=(key) content=(Text(value));
            }
        }
    }

    fn names(&self) -> Vec<(&'static str, String)> {
        let PublicUrls { embed, poster, .. } = self.urls.public(&self.media);
        let (title, description, player) = (self.title(), self.description(), self.embedded_size());
        let texts =
            [("description", description.clone()), ("twitter:title", title), ("twitter:description", description)];
        if !self.has_preview_picture() {
            return texts.into_iter().chain([("twitter:card", "summary".to_owned())]).collect();
        }
        let with_player = [
            ("twitter:card", "player".to_owned()),
            ("twitter:image", poster),
            ("twitter:player", embed),
            ("twitter:player:width", player.width.to_string()),
            ("twitter:player:height", player.height.to_string()),
        ];
        texts.into_iter().chain(with_player).collect()
    }

    fn properties(&self) -> Vec<(&'static str, String)> {
        let PublicUrls { page, video, poster, .. } = self.urls.public(&self.media);
        let (title, size) = (self.title(), self.size());
        let poster_side = |side: fn(PixelSize) -> u32| self.poster_size().map(|size| side(size).to_string());
        let texts = [
            ("og:type", "video.other".to_owned()),
            ("og:site_name", self.site_name().to_owned()),
            ("og:title", title.clone()),
            ("og:description", self.description()),
            ("og:url", page),
            ("video:duration", self.seconds().to_string()),
            ("video:release_date", rfc3339(self.published_at)),
        ];
        if !self.has_preview_picture() {
            return texts.into();
        }
        let with_files = [
            ("og:image", poster),
            ("og:image:type", "image/jpeg".to_owned()),
            ("og:image:width", poster_side(|size| size.width).unwrap_or_default()),
            ("og:image:height", poster_side(|size| size.height).unwrap_or_default()),
            ("og:image:alt", title),
            ("og:video", video),
            ("og:video:type", "video/mp4".to_owned()),
            ("og:video:width", size.width.to_string()),
            ("og:video:height", size.height.to_string()),
        ];
        texts.into_iter().chain(with_files).collect()
    }
}
