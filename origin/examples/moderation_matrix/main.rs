//! Measures how well disguised copies of a video are recognised, and how different unrelated videos are. Prints one
//! table.
//!
//! `cargo run --release -p origin --example moderation_matrix -- FOLDER [VECTORS]` makes the clips in FOLDER with
//! ffmpeg and keeps those that already exist. VECTORS is a folder with real clips below `media`.

mod clips;

use anyhow::Context;
use clips::{DISGUISES, NATURAL, SYNTHETIC};
use contract::PictureHash;
use origin::moderation::hash;
use similar_hashes::MAX_DISTANCE_BITS;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

struct Clip {
    name: &'static str,
    /// The hashes of the undisguised clip, followed by those of each disguise.
    hashes: Vec<Vec<PictureHash>>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("The folder for the clips is missing. Pass it as the first argument.")?;
    let mut clips = Vec::new();
    for (name, input) in inputs(arguments.next().as_deref()) {
        clips.push(hash_clip(name, &folder.join(name), &input)?);
    }
    println!("{} clips. Frames within {MAX_DISTANCE_BITS} bits match.", clips.len());
    for (index, (disguise, ..)) in DISGUISES.iter().enumerate() {
        print_disguise(disguise, index + 1, &clips);
    }
    print_unrelated(&clips);
    Ok(())
}

fn inputs(vectors: Option<&Path>) -> Vec<(&'static str, Vec<OsString>)> {
    let synthetic = SYNTHETIC.iter().map(|(name, source)| {
        let input = ["-f", "lavfi", "-i", source].map(OsString::from);
        (*name, input.to_vec())
    });
    let natural = vectors.into_iter().flat_map(|vectors| {
        NATURAL.iter().map(|(name, path)| {
            let path = vectors.join("media").join(path);
            (*name, vec!["-i".into(), path.into_os_string()])
        })
    });
    synthetic.chain(natural).collect()
}

fn hash_clip(name: &'static str, folder: &Path, input: &[OsString]) -> anyhow::Result<Clip> {
    std::fs::create_dir_all(folder)?;
    let input: Vec<&OsStr> = input.iter().map(AsRef::as_ref).collect();
    let plain = clips::make_plain(folder, &input)?;
    let mut hashes = vec![hash_video(&plain)?];
    for index in 0..DISGUISES.len() {
        hashes.push(hash_video(&clips::make_disguise(&plain, index)?)?);
    }
    Ok(Clip { name, hashes })
}

fn hash_video(video: &Path) -> anyhow::Result<Vec<PictureHash>> {
    let mut hashes = Vec::new();
    for frame in clips::frames(video)? {
        hashes.extend(hash::picture_hash(&hash::decode(&std::fs::read(frame)?)?));
    }
    Ok(hashes)
}

/// Returns the distance of the two most similar frames, one of which may be turned or mirrored.
fn nearest(first: &[PictureHash], second: &[PictureHash]) -> Option<u32> {
    let distances = first.iter().flat_map(|a| second.iter().map(|b| a.distance_in_any_orientation(b)));
    distances.min()
}

fn print_disguise(disguise: &str, index: usize, clips: &[Clip]) {
    let distance = |clip: &Clip| Some((nearest(&clip.hashes[0], &clip.hashes[index])?, clip.name));
    let mut distances: Vec<_> = clips.iter().filter_map(distance).collect();
    distances.sort_unstable();
    let recognised = distances.iter().filter(|(distance, _)| *distance <= MAX_DISTANCE_BITS).count();
    let (all, worst) = (distances.len(), distances.last());
    println!("{disguise:20} recognised {recognised} of {all}, median {:?}, worst {worst:?}", distances.get(all / 2));
}

fn print_unrelated(clips: &[Clip]) {
    let mut pairs = Vec::new();
    for (index, first) in clips.iter().enumerate() {
        for second in &clips[index + 1..] {
            let distances = second.hashes.iter().filter_map(|hashes| nearest(&first.hashes[0], hashes));
            pairs.extend(distances.min().map(|distance| (distance, first.name, second.name)));
        }
    }
    pairs.sort_unstable();
    println!("{} pairs of unrelated clips, nearest: {:?}", pairs.len(), &pairs[..pairs.len().min(8)]);
    let plain = clips.iter().filter(|clip| clip.hashes[0].is_empty()).map(|clip| clip.name);
    println!("without a hash: {:?}", plain.collect::<Vec<_>>());
}
