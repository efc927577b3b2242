//! PDQ: the perceptual hash that services exchange, with a measure of how much detail the picture shows.
//!
//! Written by hand after the description and the reference implementation in facebook/ThreatExchange, because the crate
//! `pdqhash` needs the decoders of `image` 0.23, which are no longer maintained. A test compares the hashes with the
//! reference implementation's.
//!
//! A picture is blurred, reduced to 64 by 64 pixels, and transformed by a cosine transform. The signs of its 16 by 16
//! lowest frequencies, relative to their median, are the hash. Pure: pixels in, a hash out.

use contract::PictureHash;
use image::GrayImage;
use std::array::from_fn;
use std::f32::consts::PI;
use std::sync::LazyLock;

/// The side of the reduced picture in pixels.
const REDUCED: usize = 64;
/// The number of frequencies in each direction. The hash has a bit for each pair.
const FREQUENCIES: usize = 16;
/// The passes of the box filter. Two of them blur like a tent.
const BLURS: usize = 2;
/// The sum of the differences between neighbouring pixels that is one per cent of quality.
const DIFFERENCE_OF_ONE_PERCENT: u32 = 90;

/// The hash of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdq {
    pub hash: PictureHash,
    /// The detail of the picture, from 0 to 100. The hash of a picture below 50 depends on chance.
    pub quality: u32,
}

type Reduced = [[f32; REDUCED]; REDUCED];
type Frequencies = [[f32; FREQUENCIES]; FREQUENCIES];

/// The cosines of the transform. The constant part of a picture, its brightness, is left out.
static COSINES: LazyLock<[[f32; REDUCED]; FREQUENCIES]> = LazyLock::new(|| {
    let scale = (2.0 / exact(REDUCED)).sqrt();
    let angle = |frequency, position| PI * exact(frequency + 1) * exact(2 * position + 1) / exact(2 * REDUCED);
    from_fn(|frequency| from_fn(|position| scale * angle(frequency, position).cos()))
});

/// Returns the hash of a picture, or `None` if the picture is empty.
pub fn pdq(picture: &GrayImage) -> Option<Pdq> {
    let reduced = reduce(picture)?;
    Some(Pdq { hash: hash(&transform(&reduced)), quality: quality(&reduced) })
}

/// Blurs the picture by as much as the reduction needs, and takes the pixel in the middle of each of 64 by 64 cells.
fn reduce(picture: &GrayImage) -> Option<Reduced> {
    let (width, height) = (usize::try_from(picture.width()).ok()?, usize::try_from(picture.height()).ok()?);
    if width == 0 || height == 0 {
        return None;
    }
    let mut pixels: Vec<f32> = picture.iter().map(|pixel| f32::from(*pixel)).collect();
    for _ in 0..BLURS {
        pixels = blur_and_transpose(&pixels, width);
        pixels = blur_and_transpose(&pixels, height);
    }
    let middle = |cell: usize, side: usize| (2 * cell + 1) * side / (2 * REDUCED);
    Some(from_fn(|row| from_fn(|column| pixels[middle(row, height) * width + middle(column, width)])))
}

/// Blurs each row, and returns the columns of the result as rows.
fn blur_and_transpose(pixels: &[f32], width: usize) -> Vec<f32> {
    let window = width.div_ceil(2 * REDUCED);
    let height = pixels.len() / width;
    let mut transposed = vec![0.0; pixels.len()];
    for (y, row) in pixels.chunks_exact(width).enumerate() {
        for (x, average) in moving_average(row, window).enumerate() {
            transposed[x * height + y] = average;
        }
    }
    transposed
}

/// Returns the average of the `window` values around each value, as far as they exist.
fn moving_average(values: &[f32], window: usize) -> impl Iterator<Item = f32> {
    let after = window / 2;
    let before = window - 1 - after;
    let mut sum: f32 = values.iter().take(after).sum();
    (0..values.len()).map(move |index| {
        sum += values.get(index + after).copied().unwrap_or_default();
        if let Some(left) = index.checked_sub(before + 1) {
            sum -= values[left];
        }
        let count = (index + after + 1).min(values.len()) - index.saturating_sub(before);
        sum / exact(count)
    })
}

/// Returns the differences between neighbouring pixels, as a percentage of what a picture with enough detail has.
fn quality(reduced: &Reduced) -> u32 {
    let pairs = (0..REDUCED).flat_map(|line| (1..REDUCED).map(move |next| (line, next)));
    let sum: u32 = pairs
        .map(|(line, next)| {
            percent_difference(reduced[next][line], reduced[next - 1][line])
                + percent_difference(reduced[line][next], reduced[line][next - 1])
        })
        .sum();
    (sum / DIFFERENCE_OF_ONE_PERCENT).min(100)
}

/// Returns the difference of two pixels in whole per cent of the maximum brightness.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 100, and cut off on purpose"
)]
fn percent_difference(one: f32, other: f32) -> u32 {
    ((one - other) * 100.0 / 255.0).abs() as u32
}

/// Returns the lowest frequencies: rows by vertical, columns by horizontal frequency.
fn transform(reduced: &Reduced) -> Frequencies {
    let cosines = &*COSINES;
    let dot = |one: &[f32; REDUCED], other: &[f32; REDUCED]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    let horizontal: [[f32; REDUCED]; FREQUENCIES] =
        from_fn(|frequency| from_fn(|row| dot(&cosines[frequency], &reduced[row])));
    from_fn(|vertical| from_fn(|frequency| dot(&cosines[vertical], &horizontal[frequency])))
}

/// Returns a bit for each frequency: whether it is above the median. The lowest frequencies are the last bits.
fn hash(frequencies: &Frequencies) -> PictureHash {
    let values = frequencies.as_flattened();
    let mut sorted = values.to_vec();
    let (_, median, _) = sorted.select_nth_unstable_by((values.len() - 1) / 2, f32::total_cmp);
    let mut bytes = [0; PictureHash::BYTES];
    for (byte, values) in bytes.iter_mut().rev().zip(values.chunks_exact(8)) {
        *byte = values.iter().rev().fold(0, |byte, value| byte << 1 | u8::from(value > median));
    }
    PictureHash::from_bytes(bytes)
}

/// Returns a small number as a float.
#[expect(clippy::cast_precision_loss, reason = "at most the side of a picture, which a float represents exactly")]
fn exact(number: usize) -> f32 {
    number as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moderation::hash::decode;
    use contract::Appearance;
    use image::Luma;
    use image::imageops::{flip_horizontal, flip_vertical, invert, rotate90};
    use std::path::{Path, PathBuf};

    /// Decoders of JPEG differ by a few levels.
    const DECODER_BITS: u32 = 10;
    /// Bits of frequencies near the median, and pixels at slightly different positions.
    const TURNED_BITS: u32 = 32;

    /// A row of the list of expected hashes.
    struct Expected {
        file: PathBuf,
        quality: u32,
        hash: PictureHash,
    }

    /// Returns the pictures of the reference implementation with their hashes, if they are on this machine.
    fn expected() -> Vec<Expected> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors/pdq");
        let Ok(list) = std::fs::read_to_string(folder.join("expected.csv")) else {
            println!("skipped: the reference hashes of PDQ are not on this machine");
            return Vec::new();
        };
        let row = |line: &str| {
            let fields: Vec<_> = line.split(',').collect();
            let (quality, hash) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
            Expected { file: folder.join(fields[0]), quality, hash }
        };
        list.lines().skip(1).map(row).collect()
    }

    fn hash_of(picture: &GrayImage) -> PictureHash {
        pdq(picture).unwrap().hash
    }

    /// Blocks of changing sizes and shades.
    fn drawing(width: u32, height: u32) -> GrayImage {
        GrayImage::from_fn(width, height, |x, y| {
            let cell = (x * 9 / width + 97 * (y * 7 / height)).wrapping_mul(0x9E37_79B1);
            Luma([(cell ^ (cell >> 15)).wrapping_mul(0x85EB_CA6B).to_be_bytes()[0]])
        })
    }

    #[test]
    fn the_hashes_are_those_of_the_reference_implementation() {
        for Expected { file, quality, hash } in expected() {
            let found = pdq(&decode(&std::fs::read(&file).unwrap()).unwrap()).unwrap();
            assert!(
                found.hash.distance(&hash) <= DECODER_BITS,
                "{}: {} bits",
                file.display(),
                found.hash.distance(&hash)
            );
            assert!(found.quality.abs_diff(quality) <= 2, "{}: {} of {quality}", file.display(), found.quality);
        }
    }

    #[test]
    fn the_hash_of_a_turned_or_inverted_picture_is_the_turned_or_inverted_hash() {
        let picture = drawing(512, 384);
        let inverted = |mut picture| {
            invert(&mut picture);
            picture
        };
        let turned = [rotate90(&picture), flip_horizontal(&picture), flip_vertical(&picture)];
        for picture in turned.into_iter().flat_map(|picture| [picture.clone(), inverted(picture)]) {
            let appearances = hash_of(&drawing(512, 384)).appearances();
            let nearest = appearances.iter().map(|(hash, _)| hash.distance(&hash_of(&picture))).min();
            assert!(nearest <= Some(TURNED_BITS), "{nearest:?}");
        }
    }

    #[test]
    fn the_nearest_appearance_says_what_was_done_to_a_picture() {
        let picture = drawing(512, 384);
        for (is_mirrored, quarters, is_inverted) in (0..16).map(|number| (number % 2 == 1, number / 2 % 4, number >= 8))
        {
            let mut changed = if is_mirrored { flip_horizontal(&picture) } else { picture.clone() };
            for _ in 0..quarters {
                changed = rotate90(&changed);
            }
            if is_inverted {
                invert(&mut changed);
            }
            let (appearance, _) = hash_of(&picture).nearest_appearance(&hash_of(&changed));
            assert_eq!(appearance, Appearance { is_mirrored, turned_degrees: quarters * 90, is_inverted });
        }
    }

    #[test]
    fn half_of_the_bits_are_set() {
        for (width, height) in [(1, 1), (1, 500), (48, 27), (64, 64), (512, 288), (700, 700)] {
            let bits: u32 = hash_of(&drawing(width, height)).words().into_iter().map(u64::count_ones).sum();
            let expected = if width.min(height) == 1 { 0..=128 } else { 120..=128 };
            assert!(expected.contains(&bits), "{width}x{height}: {bits}");
        }
    }

    #[test]
    fn a_plain_picture_has_no_quality_and_a_detailed_one_has_all() {
        assert_eq!(pdq(&GrayImage::from_pixel(320, 180, Luma([90]))).unwrap().quality, 0);
        assert_eq!(pdq(&drawing(320, 180)).unwrap().quality, 100);
        assert_eq!(pdq(&GrayImage::new(0, 7)), None);
    }

    #[test]
    fn the_average_is_that_of_the_values_around() {
        let average = |window| moving_average(&[1.0, 2.0, 6.0, 3.0], window).collect::<Vec<_>>();
        assert_eq!(average(1), [1.0, 2.0, 6.0, 3.0]);
        assert_eq!(average(2), [1.5, 4.0, 4.5, 3.0]);
        assert_eq!(average(3), [1.5, 3.0, 11.0 / 3.0, 4.5]);
        assert_eq!(average(9), [3.0; 4]);
    }
}
