//! Hostile files and cancelled work are rejected or bounded, and no process is left running.

use crate::clips::{Clip, H264, ffmpeg, moving, position};
use crate::processed_clip::{process, processed, rejection_code, tools};
use origin::media::all_stages::process_file;
use origin::media::plan::ThumbnailChoice;
use origin::media::{CancelFlag, MediaContext, MediaError};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Returns the hostile test vectors. They are not part of the project; without them, only files made here are tested.
pub(crate) fn vectors() -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    let root = std::env::var_os("CLIPGATE_VECTORS").map_or(default, PathBuf::from);
    let folder = root.join("hostile-media");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("{} does not exist: skipping the hostile files", folder.display());
    None
}

#[test]
fn hostile_files_are_rejected_before_anything_is_decoded() {
    let Some(folder) = vectors() else { return };
    for name in [
        "bomb_dims.mov",
        "concat_rel.mp4",
        "dash_abs.mp4",
        "ffconcat_file.mp4",
        "hls_http.mp4",
        "rtsp_ref.mp4",
        "svg_file.mp4",
    ] {
        let start = Instant::now();
        assert_eq!(rejection_code(&folder.join(name)), "content_file_invalid_format", "{name}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
    }
}

#[test]
fn files_that_refer_to_other_files_are_processed_or_rejected() {
    let Some(folder) = vectors() else { return };
    for name in ["dref_ext.mov", "gab2_file.avi", "gab2_http.avi", "xbin_file.avi", "xbin_http.avi"] {
        // Some are valid videos apart from what they attempt. Either way, the work ends with a decision.
        match process(&folder.join(name), &ThumbnailChoice::Best) {
            Ok(_) | Err(MediaError::Rejected { .. }) => {}
            Err(error) => panic!("{name}: {error:?}"),
        }
    }
}

#[test]
fn a_forged_duration_does_not_bypass_the_limit() {
    let clip = Clip::new("source.mp4", &format!("{} {H264}", moving("32x32", "25", 130.0)));
    clip.edit(|bytes| {
        for (header, offset) in [(b"mvhd", 16), (b"tkhd", 20), (b"mdhd", 16)] {
            let at = position(bytes, *header) + 4 + offset;
            bytes[at..at + 4].copy_from_slice(&60_000_u32.to_be_bytes());
        }
    });
    assert_eq!(rejection_code(&clip.path()), "content_video_duration_invalid");
}

/// Returns a PNG text chunk with this value.
fn text_chunk(value: &[u8]) -> Vec<u8> {
    let body = [b"tEXtComment\0", value].concat();
    let crc = !body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    });
    let length = u32::try_from(body.len() - 4).unwrap().to_be_bytes();
    [&length[..], &body, &crc.to_be_bytes()].concat()
}

#[test]
fn a_title_in_every_frame_does_not_hide_flashes() {
    let strobe = "-f lavfi -i color=c=black:s=64x64:r=30:d=3 -vf format=gray,geq=lum='if(lt(mod(N,6),3),60,235)'";
    let clip = Clip::new("%03d.png", &format!("{strobe} -f image2"));
    let folder = clip.path().parent().unwrap().to_owned();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        // After the signature and the header, where text is allowed.
        bytes.splice(33..33, text_chunk(b"a\nframe:\nlavfi.black_start=1"));
        std::fs::write(&path, bytes).unwrap();
    }
    let clip = clip.convert("source.mov", "-c copy -r 30");
    let observations = processed(&clip).report.observations;
    assert!(!observations.flashing.is_empty(), "{observations:?}");
    assert_eq!(observations.black, []);
}

#[test]
fn packets_that_cannot_be_decoded_are_not_copied_into_the_outputs() {
    let clip = Clip::new("source.mp4", &format!("{} {H264} -crf 35", moving("160x90", "30", 3.0)));
    clip.erase_second_half();
    assert_eq!(rejection_code(&clip.path()), "content_file_invalid_format");
}

#[test]
fn a_video_with_too_many_pixels_a_second_is_refused_before_it_is_decoded() {
    // One flat picture, again and again, a thousand times a second.
    let picture = "-f lavfi -i color=gray:s=5000x4000:r=1:d=1 -c:v libx264 -preset veryfast -pix_fmt yuv420p";
    let clip = Clip::new("picture.h264", picture);
    clip.edit(|bytes| *bytes = bytes.repeat(5000));
    let folder = clip.path().parent().unwrap().to_owned();
    ffmpeg(&folder, "-r 1000 -f h264 -i picture.h264 -c copy bomb.mp4");
    let started = Instant::now();
    assert_eq!(rejection_code(&folder.join("bomb.mp4")), "content_file_invalid_format");
    println!("5,000 pictures of 20 megapixels are refused after {:.1} s", started.elapsed().as_secs_f64());
    assert!(started.elapsed() < Duration::from_mins(1));
}

#[test]
fn half_a_file_is_rejected() {
    let clip = Clip::new("source.mp4", &format!("{} {H264} -movflags +faststart", moving("320x180", "25", 4.0)));
    clip.edit(|bytes| bytes.truncate(bytes.len() / 2));
    assert_eq!(rejection_code(&clip.path()), "content_file_invalid_format");
}

#[test]
fn cancelled_work_ends_at_once_and_leaves_no_process() {
    // Large enough that its encode takes several times longer than ffmpeg's first report of progress.
    let clip = Clip::new("source.mkv", &format!("{} -c:v mpeg4 -q:v 5", moving("640x360", "30", 8.0)));
    let folder = tempfile::tempdir().unwrap();
    let (tools, cancel, source) = (tools(), CancelFlag::default(), clip.path());
    let context = MediaContext { tools: &tools, source: &source, folder: folder.path(), cancel: &cancel };
    let mut cancelled_at = None;
    let result = process_file(&context, &ThumbnailChoice::Best, |_| {
        cancelled_at.get_or_insert_with(Instant::now);
        cancel.cancel();
    });
    assert!(matches!(result, Err(MediaError::Transient(_))), "{result:?}");
    assert!(cancelled_at.unwrap().elapsed() < Duration::from_secs(5));
    assert!(!is_in_use(&source.to_string_lossy()));
}

/// Whether any process has this path among its arguments.
fn is_in_use(path: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|arguments| String::from_utf8_lossy(&arguments).contains(path))
}
