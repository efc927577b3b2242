//! Puts the samples of a track on the timeline that all renditions share. Pure.
//!
//! Players of HLS ignore edit lists. So the first frame must be presented at its own decoding time, and sound must not
//! begin with the packet that only warms up its decoder.

use super::track::Track;

/// Gives the track the timeline of the renditions.
pub(super) fn normalise(track: &mut Track) {
    if track.is_video() {
        start_at_zero(track);
    } else {
        drop_warm_up(track);
    }
}

/// Presents the first frame at zero. An encode begins there exactly, and a copy except for the rounding of its
/// container's clock.
fn start_at_zero(track: &mut Track) {
    let first = track.samples.iter().map(|sample| sample.time).min().unwrap_or(0);
    for sample in &mut track.samples {
        sample.time -= first;
    }
}

/// Drops packets that end before zero. The first one that is left may begin up to a packet before zero, and is moved.
fn drop_warm_up(track: &mut Track) {
    track.samples.retain(|sample| sample.end() > 0);
    let early = track.samples.first().map_or(0, |sample| sample.time.min(0));
    for sample in &mut track.samples {
        sample.time -= early;
    }
}
