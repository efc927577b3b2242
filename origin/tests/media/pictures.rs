//! The pictures of the outputs, the frames for moderation, and what the detectors observe.

use crate::clips::{Clip, H264, ffmpeg, moving};
use crate::processed_clip::{ProcessedClip, centre_colour, plain_outputs, process, processed, tools};
use contract::MediaFile;
use origin::media::encode::{extract_frames, write_other_thumbnail};
use origin::media::plan::ThumbnailChoice;
use origin::media::verify::check_thumbnails;
use origin::media::{CancelFlag, MediaContext};
use origin::moderation::distinct::MAX_DISTINCT;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

#[test]
fn a_requested_thumbnail_is_exactly_that_frame() {
    // Each frame is a single shade of grey, far from its neighbours' shades.
    let shades = "-f lavfi -i color=c=black:s=64x64:r=25:d=3 -vf format=gray,geq=lum='20+40*mod(N,5)'";
    let clip = Clip::new("source.mkv", &format!("{shades} -c:v ffv1"));
    let quick = &[(1039, 25_i32), (1040, 26), (60_000, 74)][..];
    let deep = &[(0, 0), (1000, 25), (1039, 25), (1040, 26), (2960, 74), (60_000, 74)];
    for (time, frame) in fixtures::cases(quick, deep) {
        let outputs = process(&clip.path(), &ThumbnailChoice::AtMs(*time)).unwrap();
        let [red, ..] = centre_colour(&outputs.out("poster.jpg"));
        let expected = f64::from(20 + 40 * (frame % 5));
        assert!((f64::from(red) - expected).abs() < 6.0, "{time} ms: {red} instead of {expected}");
    }
}

#[test]
fn another_thumbnail_is_the_frame_on_screen_of_the_published_video() {
    let shades = "-f lavfi -i color=c=black:s=64x36:r=25:d=3 -vf format=gray,geq=lum='20+40*mod(N,5)',scale=320:180";
    let published = processed(&Clip::new("source.mkv", &format!("{shades} -c:v ffv1")));
    // The last time is past the last frame, which ends there.
    let quick = &[(1_039, 25_i32), (1_040, 26), (3_000, 74)][..];
    for (time, frame) in fixtures::cases(quick, &[(0, 0), (1_000, 25), (1_039, 25), (1_040, 26), (3_000, 74)]) {
        let (folder, files) = other_thumbnail(&published, &ThumbnailChoice::AtMs(*time));
        let poster = folder.path().join("out/poster.jpg");
        let [red, ..] = centre_colour(&poster);
        let expected = f64::from(20 + 40 * (frame % 5));
        assert!((f64::from(red) - expected).abs() < 10.0, "{time} ms: {red} instead of {expected}");
        assert_eq!(image::image_dimensions(&poster).unwrap(), (320, 180));
        assert_eq!(files.len(), 3);
    }
    let (folder, _) = other_thumbnail(&published, &ThumbnailChoice::Best);
    assert!(folder.path().join("poster.jpg").exists(), "there is no copy for moderation");
}

#[test]
fn another_thumbnail_of_a_sent_picture_has_none_of_its_metadata() {
    let published = plain_outputs();
    let folder = tempfile::tempdir().unwrap();
    let picture = red_picture(folder.path());
    let (folder, files) = other_thumbnail(published, &ThumbnailChoice::SentPicture(picture));
    assert_eq!(files.len(), 3);
    for (name, size) in
        [("out/poster.jpg", (900, 600)), ("out/thumbnail-320.jpg", (320, 214)), ("poster.jpg", (512, 342))]
    {
        let path = folder.path().join(name);
        assert_eq!(image::image_dimensions(&path).unwrap(), size, "{name}");
        assert!(centre_colour(&path)[0] > 240, "{name}");
        assert!(!std::fs::read(&path).unwrap().windows(6).any(|window| window == b"SECRET"), "{name}");
    }
}

/// ffmpeg rejects a flat sum of more than about a hundred terms.
#[test]
fn as_many_frames_are_extracted_as_moderation_asks_for() {
    let shades = "-f lavfi -i color=c=black:s=64x64:r=25:d=12 -vf format=gray,geq=lum='20+40*mod(N,5)'";
    let clip = Clip::new("source.mkv", &format!("{shades} -c:v ffv1"));
    let (outputs, tools, cancel) = (processed(&clip), tools(), CancelFlag::default());
    let source = clip.path();
    let context = MediaContext { tools: &tools, source: &source, folder: outputs.folder.path(), cancel: &cancel };
    let numbers: Vec<_> = (1..=MAX_DISTINCT as u64).collect();
    let frames = extract_frames(&context, &outputs.plan, &numbers).unwrap();
    assert_eq!(frames.len(), numbers.len());
    for (frame, number) in frames.iter().zip(numbers).step_by(51) {
        let expected = f64::from(20 + 40 * u8::try_from(number % 5).unwrap());
        assert!((f64::from(centre_colour(frame)[0]) - expected).abs() < 10.0, "frame {number}");
    }
}

/// Makes a red picture with a comment.
fn red_picture(folder: &Path) -> PathBuf {
    ffmpeg(folder, "-f lavfi -i color=c=red:s=900x600 -frames:v 1 -metadata comment=SECRET red.png");
    folder.join("red.png")
}

/// Makes another thumbnail from the progressive file of these outputs. Returns its folder and its pictures.
fn other_thumbnail(published: &ProcessedClip, choice: &ThumbnailChoice) -> (TempDir, Vec<(MediaFile, u64)>) {
    let (folder, tools, cancel) = (tempfile::tempdir().unwrap(), tools(), CancelFlag::default());
    let source = published.out(&MediaFile::Video.to_string());
    let context = MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &cancel };
    write_other_thumbnail(&context, choice, published.verified.duration_ms).unwrap();
    let files = check_thumbnails(&context).unwrap();
    (folder, files)
}

#[test]
fn every_picture_has_the_colours_of_the_video() {
    let colour = "-f lavfi -i color=c=0xBF1F7F:s=320x180:r=10:d=3 \
        -vf scale=out_color_matrix=bt709:out_range=limited,format=yuv420p \
        -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv -c:v libx264 -crf 10";
    let outputs = processed(&Clip::new("source.mp4", colour));
    // The preview is compressed most.
    for (name, tolerance) in [
        ("poster.jpg", 4),
        ("thumbnail-320.jpg", 4),
        ("storyboard.jpg", 4),
        ("../frames/0001.jpg", 4),
        ("preview.webp", 10),
    ] {
        let actual = centre_colour(&outputs.out(name));
        let is_close = actual.iter().zip([191_u8, 31, 127]).all(|(a, b)| a.abs_diff(b) <= tolerance);
        assert!(is_close, "{name}: {actual:?}");
    }
}

#[test]
fn the_best_thumbnail_is_neither_black_nor_faded() {
    let fades = "-vf fade=in:0:40,fade=out:55:35";
    let clip = Clip::new("source.mp4", &format!("{} {fades} {H264}", moving("160x90", "30", 3.0)));
    let outputs = processed(&clip);
    let poster = image::open(outputs.out("poster.jpg")).unwrap().to_luma8();
    let brightest = poster.pixels().map(|pixel| pixel.0[0]).max().unwrap();
    assert!(brightest > 200, "{brightest}");
    assert_eq!(outputs.report.observations.flashing, []);
}

#[test]
fn a_sent_picture_becomes_the_poster_and_thumbnails_without_its_metadata() {
    let clip = Clip::with_sound("source.mp4", "");
    let folder = tempfile::tempdir().unwrap();
    let picture = red_picture(folder.path());
    let outputs = process(&clip.path(), &ThumbnailChoice::SentPicture(picture)).unwrap();
    for (name, size) in
        [("poster.jpg", (900, 600)), ("thumbnail-640.jpg", (640, 426)), ("thumbnail-320.jpg", (320, 214))]
    {
        assert_eq!(image::image_dimensions(outputs.out(name)).unwrap(), size, "{name}");
        let bytes = std::fs::read(outputs.out(name)).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"SECRET"));
        let [red, green, _] = centre_colour(&outputs.out(name));
        assert!(red > 240 && green < 15, "{name}");
    }
    let for_moderation = outputs.folder.path().join("poster.jpg");
    assert_eq!(image::image_dimensions(&for_moderation).unwrap(), (512, 342));
    assert!(centre_colour(&for_moderation)[0] > 240, "moderation does not see the sent picture");
}

#[test]
fn a_sent_file_that_is_not_a_picture_is_rejected() {
    let clip = Clip::with_sound("source.mp4", "");
    let error = process(&clip.path(), &ThumbnailChoice::SentPicture(clip.path())).unwrap_err().to_string();
    assert!(error.starts_with("content_thumbnail_invalid"), "{error}");
}

#[test]
fn the_frames_for_moderation_and_all_pictures_are_written() {
    let outputs = plain_outputs();
    let frames = std::fs::read_dir(outputs.folder.path().join("frames")).unwrap().count();
    assert_eq!(frames, 5, "one frame every half second");
    let for_moderation = image::image_dimensions(outputs.folder.path().join("poster.jpg")).unwrap();
    assert_eq!(for_moderation, image::image_dimensions(outputs.out("poster.jpg")).unwrap());
    let board = image::image_dimensions(outputs.out("storyboard.jpg")).unwrap();
    assert_eq!(board, (3 * 160, 90));
    let preview = std::fs::read(outputs.out("preview.webp")).unwrap();
    let frames = preview.windows(4).filter(|window| window == b"ANMF").count();
    assert!(frames > 10, "the preview has only {frames} frames");
    assert!(outputs.files.iter().all(|(file, bytes)| *bytes > 0 && outputs.out(&file.to_string()).is_file()));
}

#[test]
fn black_and_frozen_pictures_are_observed() {
    let black = format!("-f lavfi -i color=c=black:s=64x64:r=30:d=3 {H264}");
    let observations = processed(&Clip::new("source.mp4", &black)).report.observations;
    assert_eq!((observations.black.len(), observations.frozen.len()), (1, 1), "{observations:?}");
}
