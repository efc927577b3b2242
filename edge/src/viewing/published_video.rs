//! The facts about a published video that its page, its player and other sites show. The caller has checked that the
//! video may be shown.

use super::calendar::date_for_people;
use super::caption::{description, title};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::content_urls::ContentUrls;
use contract::job::StoredMedia;

/// The longer side of a player on another site, unless that site requests a smaller player.
const EMBEDDED_SIDE: u32 = 640;

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct PublishedVideo<'a> {
    pub urls: ContentUrls<'a>,
    /// The caption, without characters that change the direction of text.
    pub caption: Option<String>,
    pub channel_name: Option<&'a str>,
    pub published_at: UnixSeconds,
    pub media: StoredMedia,
    /// Whether the owner sent the poster. Its size may then differ from the video's.
    pub has_own_poster: bool,
    pub is_unlisted: bool,
    pub is_sensitive: bool,
    pub is_ai_generated: bool,
}

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelSize {
    pub width: u32,
    pub height: u32,
}

impl PixelSize {
    /// Returns the largest size of the same shape within these limits, but never larger than `self`.
    pub(super) fn within(self, max_width: u32, max_height: u32) -> Self {
        let fit = |side: u32, from: u32, to: u32| {
            let side = u64::from(side) * u64::from(to) / u64::from(from.max(1));
            u32::try_from(side).unwrap_or(u32::MAX).max(1)
        };
        let width = self.width.min(max_width);
        let size = Self { width, height: fit(self.height, self.width, width) };
        let height = size.height.min(max_height);
        Self { width: fit(size.width, size.height, height), height }
    }
}

impl PublishedVideo<'_> {
    pub(super) fn title(&self) -> String {
        let title = self.caption.as_deref().and_then(title);
        title.unwrap_or_else(|| format!("Video of {}", date_for_people(self.published_at)))
    }

    /// Returns the caption as one line, or an empty string.
    pub(super) fn description(&self) -> String {
        self.caption.as_deref().map(description).unwrap_or_default()
    }

    pub(super) const fn size(&self) -> PixelSize {
        PixelSize { width: self.media.width, height: self.media.height }
    }

    /// Returns the size of the player on another site.
    pub(super) fn embedded_size(&self) -> PixelSize {
        self.size().within(EMBEDDED_SIDE, EMBEDDED_SIDE)
    }

    /// Returns the size of the poster if it is known: it is a frame of the video unless the owner sent a picture.
    pub(super) fn poster_size(&self) -> Option<PixelSize> {
        (!self.has_own_poster).then(|| self.size())
    }

    /// Whether a link to the page is shown with a picture. A sensitive video shows nothing before its warning is read.
    pub(super) const fn has_preview_picture(&self) -> bool {
        !self.is_sensitive
    }

    pub(super) const fn seconds(&self) -> u64 {
        self.media.duration_ms / 1000
    }

    /// Returns the site's host name as people write it, without `www.` and the port.
    pub(super) fn site_name(&self) -> &str {
        site_name(self.urls.site)
    }
}

fn site_name(site: &str) -> &str {
    let host = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_player_keeps_its_shape_within_the_limits() {
        let size = |width, height| PixelSize { width, height };
        for (original, (max_width, max_height), expected) in [
            (size(1920, 1080), (640, 640), size(640, 360)),
            (size(1080, 1920), (640, 640), size(360, 640)),
            (size(320, 240), (640, 640), size(320, 240)),
            (size(640, 360), (320, 100), size(177, 100)),
            (size(1920, 2), (100, 100), size(100, 1)),
            (size(640, 360), (0, 0), size(1, 1)),
        ] {
            assert_eq!(original.within(max_width.max(1), max_height.max(1)), expected);
        }
    }
}
