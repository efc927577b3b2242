//! The two documents of a published video: its page, and the player alone, which other sites show in a frame.

use super::calendar::{date_for_people, rfc3339};
use super::caption::{SplitCaption, split};
use super::document::{Document, Framing, Page, STYLE, Scripting};
use super::html::escape;
use super::published_video::PublishedVideo;

impl PublishedVideo<'_> {
    /// Returns the page: the player, the caption, and how to share the video.
    pub(crate) fn page(&self) -> Page {
        let name = self.site_name();
        let head = format!("{}{}", self.preview_tags(), self.structured_data());
        let main = format!("{}{}{}", self.player(), self.text(), self.share());
        self.document(&format!("{} · {name}", self.title()), &head, &main, Framing::Nobody)
    }

    /// Returns the player alone.
    pub(crate) fn embed(&self) -> Page {
        let page = escape(&self.urls.page());
        let head = format!("<link rel=\"canonical\" href=\"{page}\">\n<meta name=\"robots\" content=\"noindex\">\n");
        let title = self.title();
        let main = format!("<h1 class=\"unseen\" dir=\"auto\">{}</h1>\n{}", escape(&title), self.player());
        self.document(&title, &head, &main, Framing::Everybody)
    }

    fn document(&self, title: &str, head: &str, main: &str, framing: Framing) -> Page {
        let fills_frame = match framing {
            Framing::Nobody => "",
            Framing::Everybody => EMBED_STYLE,
        };
        let style = format!("{STYLE}{}{fills_frame}", self.player_style());
        Document { title, style: &style, head, main, framing, scripting: Scripting::PageScript }.page()
    }

    /// Returns the heading, the channel, the date, and the rest of the caption.
    fn text(&self) -> String {
        let SplitCaption { heading_html, rest_html } = self.caption.as_deref().map(split).unwrap_or_default();
        let heading = if heading_html.is_empty() { escape(&self.title()) } else { heading_html };
        let (machine, human) = (rfc3339(self.published_at), date_for_people(self.published_at));
        let channel = |name| format!("<span class=\"channel\" dir=\"auto\">{}</span> · ", escape(name));
        let channel = self.channel_name.map(channel).unwrap_or_default();
        let paragraph = format!("<p class=\"caption\" dir=\"auto\">{rest_html}</p>\n");
        let paragraph = if rest_html.is_empty() { "" } else { &paragraph };
        format!(
            "<h1 dir=\"auto\">{heading}</h1>\n\
             <p class=\"byline\">{channel}<time datetime=\"{machine}\">{human}</time></p>\n\
             {paragraph}"
        )
    }
}

/// The player fills the frame, whatever its shape.
const EMBED_STYLE: &str = include_str!("../../site/embed.css");
