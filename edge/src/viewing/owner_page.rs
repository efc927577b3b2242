//! The page of a video that is not public yet, for its owner only. It shows the progress, and is never cached.

use super::calendar::date_and_time_for_people;
use super::caption::{SplitCaption, split, without_bidi_controls};
use super::document::{Document, Framing, Page, STYLE, Scripting, no_index};
use super::html::Text;
use crate::base::unix_seconds::UnixSeconds;
use contract::api::ContentStatus;
use contract::{ContentState, Stage};
use maud::{Markup, html};

/// Returns the page. The script of the page loads it again when the status may have changed.
pub(crate) fn owner_page(status: &ContentStatus) -> Page {
    let caption = status.caption.as_deref().map(without_bidi_controls).unwrap_or_default();
    let SplitCaption { heading, .. } = split(&caption);
    let main = html! {
        div class="message" data-check-after=[status.check_after_seconds] {
            (picture(status))
            h1 dir="auto" { @if heading.0.is_empty() { "Your video" } @else { (heading) } }
            (progress(status))
            p { "Only you can see this page. Everybody else sees the video here once it is published." }
        }
    };
    let (framing, scripting) = (Framing::Nobody, Scripting::PageScript);
    Document { title: "Not published yet", style: STYLE, head: no_index(), main, framing, scripting }.page()
}

fn picture(status: &ContentStatus) -> Markup {
    let largest = status.thumbnails.last().zip(status.width.zip(status.height));
    html! {
        @if let Some((thumbnail, (width, height))) = largest {
            img src=(Text(&thumbnail.url)) width=(width) height=(height) alt="";
        }
    }
}

fn progress(status: &ContentStatus) -> Markup {
    let percent = status.progress_percent;
    match (status.state, status.stage, status.detail.as_deref(), status.scheduled_publish_at_unix) {
        (ContentState::Scheduled, _, _, at) if status.needs_release => html! {
            p {
                "It is approved, and will be published once you release it"
                @if let Some(at) = at { ", but not before " (date_and_time_for_people(UnixSeconds(at))) }
                "."
            }
        },
        (ContentState::Scheduled, _, _, Some(at)) => html! {
            p { "It will be published on " (date_and_time_for_people(UnixSeconds(at))) "." }
        },
        // The detail says what the video is waiting for.
        (_, _, Some(detail), _) => html! { p { (Text(detail)) } },
        (_, stage, ..) => html! {
            p { (stage.map_or("Being processed.", describe)) }
            progress max="100" value=(percent) aria-label="Progress" { (percent) " %" }
        },
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
