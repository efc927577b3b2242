//! The frames of a clip that moderation compares: samples at regular intervals, and frames unlike any sample. Leaves
//! out the eight random samples, so that a repetition has the same result.

use crate::disguises::{ffmpeg, run};
use anyhow::Context;
use contract::moderation::FrameHash;
use image::GrayImage;
use origin::moderation::distinct::distinct_frames;
use origin::moderation::hash::picture_hashes;
use std::path::Path;

/// All clips have 25 frames a second, except clips of another speed. A sample is taken about every half second.
const SAMPLE_EVERY: usize = 12;
const MS_A_FRAME: u64 = 40;
/// Every frame at two sizes, as the origin extracts them.
const BOTH_SIZES: &str = "[0:v]split[a][b];[a]scale=512:512:force_original_aspect_ratio=decrease,format=gray[large];\
                          [b]scale=48:48:force_original_aspect_ratio=decrease:flags=area,format=gray[small]";

/// Returns the hashes of a clip's examined frames that have enough detail.
pub(crate) fn examined_hashes(video: &Path) -> anyhow::Result<Vec<FrameHash>> {
    let (large, small) = (video.with_extension("large.y4m"), video.with_extension("small.y4m"));
    let mut extract = ffmpeg();
    extract.arg("-i").arg(video).args(["-filter_complex", BOTH_SIZES, "-strict", "-1"]);
    run(extract.args(["-map", "[large]"]).arg(&large).args(["-map", "[small]"]).arg(&small))?;
    let hashes = hash_examined(&read_pictures(&large)?, &read_pictures(&small)?);
    std::fs::remove_file(large)?;
    std::fs::remove_file(small)?;
    Ok(hashes)
}

fn hash_examined(large: &[GrayImage], small: &[GrayImage]) -> Vec<FrameHash> {
    let samples: Vec<u64> = (0..small.len() as u64).step_by(SAMPLE_EVERY).collect();
    let mut numbers = distinct_frames(small, &samples).numbers;
    numbers.extend(samples);
    numbers.sort_unstable();
    let picture = |number: u64| Some((number * MS_A_FRAME, large.get(usize::try_from(number).ok()?)?));
    let pictures = numbers.into_iter().filter_map(picture);
    pictures.flat_map(|(at_ms, picture)| frame_hashes(at_ms, picture)).collect()
}

fn frame_hashes(at_ms: u64, picture: &GrayImage) -> impl Iterator<Item = FrameHash> {
    picture_hashes(picture).into_iter().map(move |hash| FrameHash { at_ms, hash })
}

/// Reads grey pictures from a file in the format YUV4MPEG2.
fn read_pictures(path: &Path) -> anyhow::Result<Vec<GrayImage>> {
    let bytes = std::fs::read(path)?;
    let end = bytes.iter().position(|byte| *byte == b'\n').context("no header")?;
    let (header, rest) = bytes.split_at(end + 1);
    let header = std::str::from_utf8(header)?;
    let side = |name: char| -> anyhow::Result<u32> {
        let side = header.split_whitespace().find_map(|field| field.strip_prefix(name)?.parse().ok());
        side.with_context(|| format!("no {name} in {header}"))
    };
    let (width, height) = (side('W')?, side('H')?);
    let frame = "FRAME\n".len() + width as usize * height as usize;
    let picture = |frame: &[u8]| GrayImage::from_raw(width, height, frame["FRAME\n".len()..].to_vec());
    Ok(rest.chunks_exact(frame).filter_map(picture).collect())
}
