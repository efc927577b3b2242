//! The files of each step: those that it makes, and those that an earlier step has made.

use super::files::{output, rung_file};
use super::plan::{Plan, SecondLadder};
use contract::{MediaFile, RenditionName};
use std::path::{Path, PathBuf};

/// Returns the renditions that the plan's step makes, those in H.264 first, each with its file.
pub(super) fn made_renditions(plan: &Plan, folder: &Path) -> Vec<(RenditionName, PathBuf)> {
    let in_h264 = plan.made_rungs().map(|(index, rung)| {
        let name = RenditionName::from(rung.name);
        let is_progressive = index == plan.progressive_rung();
        (name, if is_progressive { output(folder, MediaFile::Video) } else { rung_file(folder, name) })
    });
    let second = plan.second_ladder().into_iter().flat_map(SecondLadder::names);
    in_h264.chain(second.map(|name| (name, rung_file(folder, name)))).collect()
}

/// Returns the files of the first step that its second step does not make again, if the source has this many subtitle
/// tracks.
pub fn earlier_files(plan: &Plan, subtitle_tracks: u32) -> Vec<MediaFile> {
    let names = plan.earlier_rungs().map(|rung| RenditionName::from(rung.name));
    let mut files = MediaFile::all(names, subtitle_tracks);
    files.retain(|file| match file {
        MediaFile::MasterPlaylist | MediaFile::DashManifest => false,
        MediaFile::Video => !plan.makes_progressive(),
        file if file.is_low_sound() => plan.has_earlier_low_sound(),
        file => plan.sound.is_some() || !file.is_sound(),
    });
    files
}
