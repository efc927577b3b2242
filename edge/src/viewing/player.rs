//! The player of a video in a page: an element that plays without a script, and that the script of the page turns into
//! a player with scrubbing and keyboard control.

use super::html::Text;
use super::published_video::PublishedVideo;
use crate::contents::content_urls::ContentUrls;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::MediaFile;
use contract::api::PublicUrls;
use contract::job::Quality;
use contract::subtitles::SubtitleTrack;
use maud::{Markup, html};

/// Up to this bit rate the MP4 comes before HLS. A browser shows the MP4 at full height from the first frame, but
/// begins HLS with the smallest rendition, regardless of the playlist's order. This leaves a 3 Mbit/s connection some
/// headroom; a larger MP4 would stall on it, which HLS avoids. `ops/bench/first-picture` measures both.
const MP4_FIRST_BITS_PER_SECOND: u64 = 2_500_000;

/// The colour behind a video that has not loaded yet, if its own colour is unknown.
const UNKNOWN_COLOUR: &str = "#808080";

impl PublishedVideo<'_> {
    /// Returns the style of the video's place on the page: its shape, so that nothing moves when it loads, and roughly
    /// its colour.
    pub(super) fn player_style(&self) -> String {
        let (width, height) = (self.media.width, self.media.height);
        let colour = mean_colour(&self.media.thumbhash).unwrap_or_else(|| UNKNOWN_COLOUR.to_owned());
        format!(".stage{{background:{colour};--width:{width};--height:{height}}}")
    }

    pub(super) fn player(&self) -> Markup {
        let relative = ContentUrls { site: "", ..self.urls };
        let PublicUrls { video, hls, poster, storyboard_track, .. } = relative.public(&self.media);
        html! {
            div class="stage" {
                @if self.is_sensitive { (warning()) }
                // The script of the page waits for the full quality as long as this says that it is missing.
                media-controller data-quality=[self.is_first_quality().then_some("first")] {
                    // Before the warning of a sensitive video is read, nothing of it is shown or loaded.
                    video slot="media" controls playsinline preload=(if self.is_sensitive { "none" } else { "metadata" })
                        width=(self.media.width) height=(self.media.height)
                        poster=[self.has_preview_picture().then(|| Text(&poster))] {
                        // By preference: a browser plays the first source that it can.
                        @if self.plays_best_as_mp4() { (mp4_source(&video)) (hls_source(&hls)) }
                        @else { (hls_source(&hls)) (mp4_source(&video)) }
                        @if let Some(track) = storyboard_track {
                            // The label identifies the track for the player.
                            track default kind="metadata" label="thumbnails" src=(Text(&track));
                        }
                        // For players of the MP4. In HLS, the playlist names the same files.
                        @for track in &self.media.subtitles { (subtitles(track, &relative)) }
                        a href=(Text(&video)) { "Download the video" }
                    }
                }
            }
        }
    }

    /// Whether only the lower renditions exist yet. The full quality will have the same addresses.
    fn is_first_quality(&self) -> bool {
        self.media.quality == Quality::First
    }

    /// The MP4 of the first quality will be replaced while people watch it. The renditions of HLS stay as they are.
    fn plays_best_as_mp4(&self) -> bool {
        if self.is_first_quality() {
            return false;
        }
        let name = MediaFile::Video.to_string();
        let video = self.media.files.iter().find(|file| file.name == name);
        let bits = video.map_or(u64::MAX, |video| video.size_bytes.saturating_mul(8));
        bits.saturating_mul(1_000) <= self.media.duration_ms.saturating_mul(MP4_FIRST_BITS_PER_SECOND)
    }
}

/// Returns the warning that covers a sensitive video until the viewer selects "Show video". In a browser without
/// scripts, it is a text above the video.
fn warning() -> Markup {
    html! {
        div class="warning" {
            p { strong { "Sensitive content" } }
            p { "Some viewers may find this video disturbing or unsuitable." }
            button type="button" { "Show video" }
        }
    }
}

fn hls_source(url: &str) -> Markup {
    html! { source src=(Text(url)) type="application/vnd.apple.mpegurl"; }
}

fn mp4_source(url: &str) -> Markup {
    html! { source src=(Text(url)) type="video/mp4"; }
}

fn subtitles(track: &SubtitleTrack, urls: &ContentUrls<'_>) -> Markup {
    // Only captions may be of an unknown language.
    let is_caption = track.is_for_hearing_impaired || track.language.is_none();
    let url = urls.file(MediaFile::Subtitles(track.number));
    html! {
        track kind=(if is_caption { "captions" } else { "subtitles" }) srclang=[track.language.as_deref().map(Text)]
            label=(Text(&track.label)) src=(Text(&url)) default[track.is_default];
    }
}

/// Returns the mean colour of the video's picture in CSS notation, or `None` for an invalid ThumbHash.
fn mean_colour(thumbhash: &str) -> Option<String> {
    // The library panics on a shorter ThumbHash with transparency: it reads the sixth byte without a check.
    let bytes = STANDARD.decode(thumbhash).ok().filter(|bytes| bytes.len() > 5)?;
    let (red, green, blue, _) = thumbhash::thumb_hash_to_average_rgba(&bytes).ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 255")]
    let byte = |part: f32| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
    let (red, green, blue) = (byte(red), byte(green), byte(blue));
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_colour_is_that_of_the_thumbhash() {
        assert_eq!(mean_colour("3OcRJYB4d3h/iIeHeEh3eIhw+j3A").as_deref(), Some("#6a7674"));
        assert_eq!(mean_colour("3OcRJYB4").as_deref(), Some("#6a7674"));
        for invalid in ["", "!", "AAAA", "AACAAAA="] {
            assert_eq!(mean_colour(invalid), None, "{invalid}");
        }
    }
}
