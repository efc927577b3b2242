//! How well copies in disguise are recognised, and how far strangers are apart: prints one table.
//!
//! `cargo run --release -p origin --example moderation_matrix -- FOLDER [VECTORS]` makes the clips in FOLDER with
//! ffmpeg, what is there already stays; VECTORS is a folder with real clips below `media`.

mod clips;

use anyhow::Context;
use clips::{DISGUISES, NATURAL, ORIGINAL, SYNTHETIC};
use contract::PictureHash;
use contract::blocklist::ALIKE_BITS;
use origin::moderation::hash;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

struct Clip {
    name: &'static str,
    /// Of the original, then of each disguise.
    hashes: Vec<Vec<PictureHash>>,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("name a folder for the clips")?;
    let mut found = Vec::new();
    for (name, input) in inputs(arguments.next().as_deref()) {
        found.push(hash_clip(name, &folder.join(name), &input)?);
    }
    println!("{} clips; alike means <= {ALIKE_BITS} bits", found.len());
    for (index, (disguise, ..)) in DISGUISES.iter().enumerate() {
        print_disguise(disguise, index + 1, &found);
    }
    print_strangers(&found);
    Ok(())
}

fn inputs(vectors: Option<&Path>) -> Vec<(&'static str, Vec<OsString>)> {
    let made = SYNTHETIC.iter().map(|(name, source)| {
        let input = ["-f", "lavfi", "-i", source].map(OsString::from);
        (*name, input.to_vec())
    });
    let real = vectors.into_iter().flat_map(|vectors| {
        NATURAL.iter().map(|(name, path)| {
            let path = vectors.join("media").join(path);
            (*name, vec!["-i".into(), path.into_os_string()])
        })
    });
    made.chain(real).collect()
}

fn hash_clip(name: &'static str, folder: &Path, input: &[OsString]) -> anyhow::Result<Clip> {
    std::fs::create_dir_all(folder)?;
    let input: Vec<&OsStr> = input.iter().map(AsRef::as_ref).collect();
    let original = clips::make_original(folder, &input)?;
    let mut hashes = vec![hash_video(&original)?];
    for index in 0..DISGUISES.len() {
        hashes.push(hash_video(&clips::make_disguise(&original, index)?)?);
    }
    Ok(Clip { name, hashes })
}

fn hash_video(video: &Path) -> anyhow::Result<Vec<PictureHash>> {
    let mut hashes = Vec::new();
    for frame in clips::frames(video)? {
        hashes.extend(hash::hash(&hash::decode(&std::fs::read(frame)?)?));
    }
    Ok(hashes)
}

fn nearest(one: &[PictureHash], two: &[PictureHash]) -> Option<u32> {
    let distances = one
        .iter()
        .flat_map(|one| two.iter().map(|two| one.distance(two)));
    distances.min()
}

fn print_disguise(disguise: &str, index: usize, clips: &[Clip]) {
    let distance = |clip: &Clip| Some((nearest(&clip.hashes[0], &clip.hashes[index])?, clip.name));
    let mut distances: Vec<_> = clips.iter().filter_map(distance).collect();
    distances.sort_unstable();
    let caught = distances
        .iter()
        .filter(|(distance, _)| *distance <= ALIKE_BITS)
        .count();
    let (all, worst) = (distances.len(), distances.last());
    println!(
        "{disguise:16} caught {caught} of {all}, median {:?}, worst {worst:?}",
        distances.get(all / 2)
    );
}

fn print_strangers(clips: &[Clip]) {
    let mut strangers = Vec::new();
    for (index, one) in clips.iter().enumerate() {
        for two in &clips[index + 1..] {
            let all = two
                .hashes
                .iter()
                .filter_map(|hashes| nearest(&one.hashes[0], hashes));
            strangers.extend(all.min().map(|distance| (distance, one.name, two.name)));
        }
    }
    strangers.sort_unstable();
    println!(
        "{} pairs of an {ORIGINAL} and a stranger, nearest: {:?}",
        strangers.len(),
        &strangers[..strangers.len().min(8)]
    );
}
