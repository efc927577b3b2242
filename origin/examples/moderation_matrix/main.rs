//! Measures how well disguised copies of a video are recognised, and how often unrelated videos match.
//!
//! `cargo run -p origin --example moderation_matrix -- FOLDER [VECTORS]` makes the clips in FOLDER with
//! ffmpeg and keeps existing clips. VECTORS is a folder with real clips below `media` and `pdq`. The limit of differing
//! bits is chosen with one set of clips; the table is about another set.

mod clips;
mod disguises;
mod frames;
mod tables;

use anyhow::Context;
use clips::Input;
use contract::moderation::FrameHash;
use disguises::DISGUISES;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

struct Clip {
    name: &'static str,
    /// The hashes of the original clip, followed by each disguise's hashes.
    hashes: Vec<Vec<FrameHash>>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("The folder for the clips is missing. Pass it as the first argument.")?;
    let vectors = arguments.next();
    if vectors.is_none() {
        println!("SKIPPED: the real clips, because no folder of VECTORS was given.");
    }
    let held_out = hash_clips(clips::held_out(vectors.as_deref()), &folder.join("held-out"))?;
    tables::print_disguises(&held_out);
    tables::print_insets(&held_out);
    tables::print_false_alarms(&held_out);
    let chosen_with = hash_clips(clips::to_choose_with(vectors.as_deref()), &folder.join("chosen-with"))?;
    tables::print_choice(&chosen_with);
    Ok(())
}

/// Hashes the clips that have enough detail for a hash.
fn hash_clips(inputs: Vec<Input>, folder: &Path) -> anyhow::Result<Vec<Clip>> {
    let mut clips = Vec::new();
    let mut plain = Vec::new();
    for (name, input) in inputs {
        match hash_clip(name, &folder.join(name), &input)? {
            Some(clip) => clips.push(clip),
            None => plain.push(name),
        }
    }
    println!("{} clips; without enough detail: {plain:?}", clips.len());
    Ok(clips)
}

fn hash_clip(name: &'static str, folder: &Path, input: &[std::ffi::OsString]) -> anyhow::Result<Option<Clip>> {
    std::fs::create_dir_all(folder)?;
    let input: Vec<&OsStr> = input.iter().map(AsRef::as_ref).collect();
    let plain = disguises::make_plain(folder, &input)?;
    let mut hashes = vec![frames::examined_hashes(&plain)?];
    if hashes[0].is_empty() {
        return Ok(None);
    }
    for index in 0..DISGUISES.len() {
        hashes.push(frames::examined_hashes(&disguises::make_disguise(&plain, index)?)?);
    }
    Ok(Some(Clip { name, hashes }))
}
