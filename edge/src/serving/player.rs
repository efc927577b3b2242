//! The player of a video in a page: an element that plays without a script, and that the script of the page turns into
//! a player with scrubbing and keyboard control.

use super::html::escape;
use super::published_video::PublishedVideo;
use crate::contents::content_urls::ContentUrls;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use contract::MediaFile;
use contract::api::PublicUrls;

/// Up to this bit rate the MP4 comes before HLS. A browser shows it at full height from the first frame, whereas it
/// begins HLS with the smallest rendition, whatever the order of the playlist. A line of 3 Mbit/s has some to spare; a
/// larger MP4 stops on it, which HLS avoids. `bench/first-picture` measures both.
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

    pub(super) fn player(&self) -> String {
        let relative = ContentUrls { site: "", ..self.urls };
        let PublicUrls { video, hls, poster, storyboard_track, .. } = relative.public(&self.media);
        let (video, hls, poster) = (escape(&video), escape(&hls), escape(&poster));
        let sources = self.sources(&video, &hls);
        let (width, height) = (self.media.width, self.media.height);
        let storyboard = storyboard_track.map(|track| storyboard_track_element(&track)).unwrap_or_default();
        format!(
            "<div class=\"stage\">\n\
             <media-controller>\n\
             <video slot=\"media\" controls playsinline preload=\"metadata\" width=\"{width}\" height=\"{height}\" \
             poster=\"{poster}\">\n\
             {sources}{storyboard}<a href=\"{video}\">Download the video</a>\n\
             </video>\n\
             </media-controller>\n\
             </div>\n"
        )
    }

    /// Lists the sources by preference, because a browser plays the first that it can.
    fn sources(&self, video: &str, hls: &str) -> String {
        let hls = format!("<source src=\"{hls}\" type=\"application/vnd.apple.mpegurl\">\n");
        let mp4 = format!("<source src=\"{video}\" type=\"video/mp4\">\n");
        if self.plays_best_as_mp4() { mp4 + &hls } else { hls + &mp4 }
    }

    fn plays_best_as_mp4(&self) -> bool {
        let name = MediaFile::Video.to_string();
        let video = self.media.files.iter().find(|file| file.name == name);
        let bits = video.map_or(u64::MAX, |video| video.size_bytes.saturating_mul(8));
        bits.saturating_mul(1_000) <= self.media.duration_ms.saturating_mul(MP4_FIRST_BITS_PER_SECOND)
    }
}

/// The label identifies the track for the player.
fn storyboard_track_element(url: &str) -> String {
    format!("<track default kind=\"metadata\" label=\"thumbnails\" src=\"{}\">\n", escape(url))
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
