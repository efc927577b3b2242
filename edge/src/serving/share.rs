//! Sharing a video: its link, and the code that embeds its player in another site.

use super::html::escape;
use super::published_video::{PixelSize, PublishedVideo};
use contract::api::PublicUrls;

impl PublishedVideo<'_> {
    /// Returns the buttons and the embed code. The buttons need the script and are invisible without it; the code can
    /// be copied by hand.
    pub(super) fn share(&self) -> String {
        let (page, code) = (escape(&self.urls.page()), escape(&self.embed_code(self.embedded_size())));
        format!(
            "<div class=\"share\" data-link=\"{page}\">\n\
             <button type=\"button\" data-copy=\"link\">Copy link</button>\n\
             <details>\n\
             <summary>Embed</summary>\n\
             <textarea readonly rows=\"4\" aria-label=\"Embed code\">{code}</textarea>\n\
             <button type=\"button\" data-copy=\"code\">Copy code</button>\n\
             </details>\n\
             <button type=\"button\" data-share=\"\">Share</button>\n\
             <p role=\"status\"></p>\n\
             </div>\n"
        )
    }

    /// Returns the HTML with which another site shows the player.
    pub(super) fn embed_code(&self, size: PixelSize) -> String {
        let PublicUrls { embed, .. } = self.urls.public(&self.media);
        let (embed, title) = (escape(&embed), escape(&self.title()));
        let PixelSize { width, height } = size;
        format!(
            "<iframe src=\"{embed}\" width=\"{width}\" height=\"{height}\" title=\"{title}\" loading=\"lazy\" \
             frameborder=\"0\" allow=\"picture-in-picture\" allowfullscreen></iframe>"
        )
    }
}
