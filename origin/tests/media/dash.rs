//! The DASH manifest leads to the same segments as the playlists of HLS.

use crate::processed_clip::{ProcessedClip, plain_outputs, silent_outputs};
use std::collections::HashSet;

fn manifest(outputs: &ProcessedClip) -> String {
    std::fs::read_to_string(outputs.out("manifest.mpd")).unwrap()
}

/// Returns the values of an attribute.
fn values<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    text.split(start.as_str()).skip(1).map(|part| part.split_once('"').unwrap().0).collect()
}

#[test]
fn the_manifest_names_the_segments_of_the_playlists() {
    let outputs = plain_outputs();
    let manifest = manifest(outputs);
    let files: HashSet<_> = values(&manifest, "media").into_iter().chain(values(&manifest, "sourceURL")).collect();
    assert_eq!(files, HashSet::from(["hls/90p.mp4", "hls/sound.mp4"]));
    for name in ["90p", "sound"] {
        let text = std::fs::read_to_string(outputs.out(&format!("hls/{name}.m3u8"))).unwrap();
        for range in text.lines().filter_map(|line| line.strip_prefix("#EXT-X-BYTERANGE:")) {
            let (length, offset) = range.split_once('@').unwrap();
            let (length, offset): (u64, u64) = (length.parse().unwrap(), offset.parse().unwrap());
            let range = format!("mediaRange=\"{offset}-{}\"", offset + length - 1);
            assert!(manifest.contains(&range), "{range}: {manifest}");
        }
    }
    assert_eq!(values(&manifest, "frameRate"), [outputs.plan.rate.to_string()]);
    let listed = outputs.files.iter().find(|(file, _)| file.to_string() == "manifest.mpd");
    assert_eq!(listed.map(|(_, bytes)| *bytes), Some(manifest.len() as u64));
}

#[test]
fn a_video_without_sound_has_a_manifest_without_sound() {
    let manifest = manifest(silent_outputs());
    assert!(!manifest.contains("audio"));
    assert_eq!(values(&manifest, "codecs").len(), 1);
}
