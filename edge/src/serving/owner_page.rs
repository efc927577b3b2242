//! The page of a video that is not public yet, for its owner: how far it is. Nobody else gets it, and nobody keeps it.

use super::calendar::date_and_time_for_people;
use super::caption::{SplitCaption, split, without_bidi_controls};
use super::document::{Document, Framing, Page, STYLE, Scripting};
use super::html::escape;
use crate::unix_seconds::UnixSeconds;
use contract::api::ContentStatus;
use contract::{ContentState, Stage};

const HEAD: &str = "<meta name=\"robots\" content=\"noindex\">\n";

/// Returns the page. The script of the page loads it again when the status may have changed.
pub(crate) fn owner_page(status: &ContentStatus) -> Page {
    let caption = status.caption.as_deref().map(without_bidi_controls).unwrap_or_default();
    let SplitCaption { heading_html, .. } = split(&caption);
    let heading = if heading_html.is_empty() { "Your video" } else { &heading_html };
    let check =
        status.check_after_seconds.map(|seconds| format!(" data-check-after=\"{seconds}\"")).unwrap_or_default();
    let main = format!(
        "<div class=\"message\"{check}>\n\
         {}<h1 dir=\"auto\">{heading}</h1>\n\
         {}\
         <p>Only you can see this page. Everybody else sees the video here once it is published.</p>\n\
         </div>\n",
        picture(status),
        progress(status),
    );
    let (framing, scripting) = (Framing::Nobody, Scripting::PageScript);
    Document { title: "Not published yet", style: STYLE, head: HEAD, main: &main, framing, scripting }.page()
}

fn picture(status: &ContentStatus) -> String {
    let largest = status.thumbnails.last().zip(status.width.zip(status.height));
    let element = |(thumbnail, (width, height)): (&contract::api::Thumbnail, (u32, u32))| {
        let url = escape(&thumbnail.url);
        format!("<img src=\"{url}\" width=\"{width}\" height=\"{height}\" alt=\"\">\n")
    };
    largest.map(element).unwrap_or_default()
}

fn progress(status: &ContentStatus) -> String {
    let percent = status.progress_percent;
    match (status.state, status.stage, status.detail.as_deref(), status.scheduled_publish_at_unix) {
        (ContentState::Scheduled, _, _, Some(at)) => {
            format!("<p>It will be published on {}.</p>\n", date_and_time_for_people(UnixSeconds(at)))
        }
        // What it is waiting for.
        (_, _, Some(detail), _) => format!("<p>{}</p>\n", escape(detail)),
        (_, stage, ..) => format!(
            "<p>{}</p>\n<progress max=\"100\" value=\"{percent}\" aria-label=\"Progress\">{percent} %</progress>\n",
            stage.map_or("Being processed.", describe)
        ),
    }
}

const fn describe(stage: Stage) -> &'static str {
    match stage {
        Stage::Queued => "Waiting to be processed.",
        Stage::Download | Stage::Inspect => "The video is being examined.",
        Stage::Transcode => "The video is being converted.",
        Stage::Moderate => "The video is being checked.",
        Stage::Store => "The video is being stored.",
    }
}
