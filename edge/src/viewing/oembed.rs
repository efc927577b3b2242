//! oEmbed (<https://oembed.com>), by which another site requests the player of a page.

use super::published_video::{PixelSize, PublishedVideo};
use contract::api::{Oembed, PublicUrls};
use contract::paths::{EMBED, OEMBED, PAGE};
use std::fmt::Write;

/// The seconds for which another site may cache the response: the same as for every response about a video.
const CACHE_SECONDS: u32 = 60;

impl PublishedVideo<'_> {
    /// Returns the player of the video, within the size that the other site has room for.
    pub(crate) fn oembed(&self, max_width: Option<u32>, max_height: Option<u32>) -> Oembed {
        let limit = |side: Option<u32>| side.unwrap_or(u32::MAX).max(1);
        let size = self.embedded_size().within(limit(max_width), limit(max_height));
        let PublicUrls { poster, .. } = self.urls.public(&self.media);
        let PixelSize { width, height } = size;
        let poster_size = self.poster_size().filter(|_| self.has_preview_picture());
        Oembed {
            version: "1.0".to_owned(),
            kind: "video".to_owned(),
            title: self.title(),
            author_name: self.channel_name.map(str::to_owned),
            provider_name: self.site_name().to_owned(),
            provider_url: self.urls.site().to_owned(),
            cache_age: CACHE_SECONDS,
            // The specification wants the size of a thumbnail together with its address.
            thumbnail_url: poster_size.map(|_| poster),
            thumbnail_width: poster_size.map(|size| size.width),
            thumbnail_height: poster_size.map(|size| size.height),
            is_sensitive: self.is_sensitive,
            is_ai_generated: self.is_ai_generated,
            html: self.embed_code(size),
            width,
            height,
        }
    }
}

/// Returns the address at which other sites request the player of a page.
pub(super) fn oembed_url(site: &str, page: &str) -> String {
    format!("{site}{OEMBED}?url={}", percent_encode(page))
}

/// Returns the slug of the page or player with this address, or `None` if the address is not on the site.
pub(crate) fn slug_of<'a>(address: &'a str, site: &str) -> Option<&'a str> {
    let path = address.strip_prefix(site.trim_end_matches('/'))?;
    let path = path.split(['?', '#']).next()?;
    path.strip_prefix(PAGE).or_else(|| path.strip_prefix(EMBED))
}

/// Encodes everything but letters, digits and the marks that a query may contain as they are.
fn percent_encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_page_or_player_has_a_slug() {
        for address in
            ["https://a.example/meme/s-1", "https://a.example/embed/s-1?x=y#z", "https://a.example/meme/s-1?u=1"]
        {
            assert_eq!(slug_of(address, "https://a.example/"), Some("s-1"), "{address}");
        }
        for address in
            ["https://b.example/meme/s", "https://a.example.evil/meme/s", "/meme/s", "https://a.example/media/s", ""]
        {
            assert_eq!(slug_of(address, "https://a.example"), None, "{address}");
        }
    }

    #[test]
    fn the_address_of_the_page_is_encoded() {
        let url = oembed_url("https://a.example", "https://a.example/meme/s-1");
        assert_eq!(url, "https://a.example/oembed?url=https%3A%2F%2Fa.example%2Fmeme%2Fs-1");
    }
}
