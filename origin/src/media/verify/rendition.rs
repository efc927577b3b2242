//! Checks one rendition in HLS: its segments and its playlist.

use super::mismatch::{mismatch, not_written};
use super::video::{self, VideoFacts};
use crate::media::encode::{MediaPlaylist, bit_rate};
use crate::media::files::output;
use crate::media::plan::{Plan, Rung};
use crate::media::{MediaContext, MediaError};
use contract::MediaFile;
use std::fs;

/// What the master playlist tells players about one rendition.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendition {
    /// The number in the rung's name: 720 in `720p`.
    pub name: u32,
    pub width: u32,
    pub height: u32,
    pub peak_bits_per_second: u64,
    pub average_bits_per_second: u64,
    pub codecs: String,
    pub frame_rate: f64,
}

pub(super) fn check(context: &MediaContext<'_>, plan: &Plan, rung: &Rung) -> Result<Rendition, MediaError> {
    let segments = MediaFile::Segments(rung.name);
    let facts = video::check(context, plan, rung, segments)?;
    let bytes = super::size(context.folder, segments)?;
    let playlist = check_playlist(context, plan, rung, &facts, bytes)?;
    let average = bit_rate(bytes, facts.seconds);
    let VideoFacts { stream, .. } = facts;
    let codecs = codecs(&stream.profile, stream.level, plan.sound.is_some());
    Ok(Rendition {
        name: rung.name,
        width: rung.width,
        height: rung.height,
        // The average includes the file's header. If all segments are alike, it would exceed the peak.
        peak_bits_per_second: playlist.peak.max(average),
        average_bits_per_second: average,
        codecs: codecs.ok_or_else(|| mismatch(segments, &format!("profile {}", stream.profile)))?,
        frame_rate: plan.rate.per_second(),
    })
}

/// Checks that the playlist covers the whole file of segments.
fn check_playlist(
    context: &MediaContext<'_>,
    plan: &Plan,
    rung: &Rung,
    facts: &VideoFacts,
    bytes: u64,
) -> Result<MediaPlaylist, MediaError> {
    let name = MediaFile::Playlist(rung.name);
    let text = fs::read_to_string(output(context.folder, name)).map_err(|error| not_written(name, &error))?;
    let playlist = MediaPlaylist::parse(&text, rung.name);
    let covers_video = (playlist.seconds - facts.video_seconds).abs() <= video::tolerance(plan);
    if !playlist.is_whole || playlist.bytes != bytes || !covers_video {
        return Err(mismatch(name, &format!("{playlist:?} for {bytes} bytes and {} s", facts.seconds)));
    }
    Ok(playlist)
}

/// Returns the codec names by RFC 6381, or `None` for a profile that our encodes never have.
fn codecs(profile: &str, level: i32, with_sound: bool) -> Option<String> {
    let profile = match profile {
        "Constrained Baseline" => "42E0",
        "Main" => "4D40",
        "High" => "6400",
        _ => return None,
    };
    let sound = if with_sound { ",mp4a.40.2" } else { "" };
    Some(format!("avc1.{profile}{level:02X}{sound}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_named_as_players_expect() {
        assert_eq!(codecs("High", 31, true).as_deref(), Some("avc1.64001F,mp4a.40.2"));
        assert_eq!(codecs("Constrained Baseline", 30, false).as_deref(), Some("avc1.42E01E"));
        assert_eq!(codecs("High 10", 31, false), None);
    }
}
