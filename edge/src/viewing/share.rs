//! Sharing a video: its link, and the code that embeds its player in another site.

use super::html::Text;
use super::published_video::{PixelSize, PublishedVideo};
use contract::api::PublicUrls;
use maud::{Markup, html};

impl PublishedVideo<'_> {
    /// Returns the buttons and the embed code. The buttons need the script and are invisible without it; the code can
    /// be copied by hand.
    pub(super) fn share(&self) -> Markup {
        html! {
            div class="share" data-link=(Text(&self.urls.page())) {
                button type="button" data-copy="link" { "Copy link" }
                details {
                    summary { "Embed" }
                    textarea readonly rows="4" aria-label="Embed code" {
                        (Text(&self.embed_code(self.embedded_size())))
                    }
                    button type="button" data-copy="code" { "Copy code" }
                }
                button type="button" data-share="" { "Share" }
                p role="status" {}
            }
        }
    }

    /// Returns the HTML with which another site shows the player.
    pub(super) fn embed_code(&self, PixelSize { width, height }: PixelSize) -> String {
        let PublicUrls { embed, .. } = self.urls.public(&self.media);
        let code = html! {
            iframe src=(Text(&embed)) width=(width) height=(height) title=(Text(&self.title())) loading="lazy"
                frameborder="0" allow="picture-in-picture" allowfullscreen {}
        };
        code.into_string()
    }
}
