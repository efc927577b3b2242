//! The two documents of a published video: its page, and the player alone, which other sites show in a frame.

use super::calendar::{date_for_people, rfc3339};
use super::caption::{SplitCaption, split};
use super::document::{Document, Framing, Page, STYLE, Scripting, no_index};
use super::html::Text;
use super::published_video::PublishedVideo;
use maud::{Markup, html};

impl PublishedVideo<'_> {
    /// Returns the page: the player, the caption, and how to share the video.
    pub(crate) fn page(&self) -> Page {
        let name = self.site_name();
        let head = html! { (self.preview_tags()) (self.structured_data()) };
        let main = html! { (self.player()) (self.text()) (self.share()) };
        self.document(&format!("{} · {name}", self.title()), head, main, Framing::Nobody)
    }

    /// Returns the player alone.
    pub(crate) fn embed(&self) -> Page {
        let title = self.title();
        let head = html! { link rel="canonical" href=(Text(&self.urls.page())); (no_index()) };
        let main = html! {
            h1 class="unseen" dir="auto" { (Text(&title)) }
            (self.player())
            @if self.is_ai_generated { p class="mark" { (MADE_WITH_AI) } }
        };
        self.document(&title, head, main, Framing::Everybody)
    }

    fn document(&self, title: &str, head: Markup, main: Markup, framing: Framing) -> Page {
        let fills_frame = match framing {
            Framing::Nobody => "",
            Framing::Everybody => EMBED_STYLE,
        };
        let style = format!("{STYLE}{}{fills_frame}", self.player_style());
        Document { title, style: &style, head, main, framing, scripting: Scripting::PageScript }.page()
    }

    /// Returns the heading, the channel, the date, and the rest of the caption.
    fn text(&self) -> Markup {
        let SplitCaption { heading, rest } = self.caption.as_deref().map(split).unwrap_or_default();
        html! {
            h1 dir="auto" { @if heading.0.is_empty() { (Text(&self.title())) } @else { (heading) } }
            p class="byline" {
                @if let Some(name) = self.channel_name { span class="channel" dir="auto" { (Text(name)) } " · " }
                time datetime=(rfc3339(self.published_at)) { (date_for_people(self.published_at)) }
                @if self.is_ai_generated { " · " (MADE_WITH_AI) }
            }
            @if !rest.0.is_empty() { p class="caption" dir="auto" { (rest) } }
        }
    }
}

/// The mark of a video that was made with AI.
const MADE_WITH_AI: &str = "AI-generated";

/// Makes the player fill a frame of any shape.
const EMBED_STYLE: &str = include_str!("../../site/embed.css");
