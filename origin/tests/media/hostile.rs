//! Files that are made to do harm, and work that is called off: refused or bounded, and nothing is left running.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::clips::{Clip, H264, moving, tone};
use crate::made::{make, rejection, tools};
use origin::media::{MediaError, Stop, Thumbnail, Workshop, process};

/// The vectors are outside the project; without them only what is made here is tested.
fn vectors() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/vectors");
    let root = std::env::var_os("CLIPGATE_VECTORS").map_or(beside, PathBuf::from);
    let folder = root.join("hostile-media");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("the vectors are not there: hostile files are not tested");
    None
}

#[test]
fn hostile_files_are_refused_before_anything_is_decoded() {
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
        assert_eq!(
            rejection(&folder.join(name)),
            "content_file_invalid_format",
            "{name}"
        );
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
    }
}

#[test]
fn files_that_name_other_files_never_show_them() {
    let Some(folder) = vectors() else { return };
    for name in [
        "dref_ext.mov",
        "gab2_file.avi",
        "gab2_http.avi",
        "xbin_file.avi",
        "xbin_http.avi",
    ] {
        // Some are videos besides what they attempt; whatever becomes of them, it ends, and by a decision.
        match make(&folder.join(name), &Thumbnail::Best) {
            Ok(_) | Err(MediaError::Rejected { .. }) => {}
            Err(error) => panic!("{name}: {error:?}"),
        }
    }
}

#[test]
fn a_forged_duration_does_not_open_the_gate() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {H264}", moving("32x32", "25", 130.0)),
    );
    let mut bytes = std::fs::read(clip.path()).unwrap();
    for (header, at) in [(b"mvhd", 16), (b"tkhd", 20), (b"mdhd", 16)] {
        let place = bytes
            .windows(4)
            .position(|window| window == header)
            .unwrap()
            + 4
            + at;
        bytes[place..place + 4].copy_from_slice(&60_000_u32.to_be_bytes());
    }
    let forged = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(forged.path(), bytes).unwrap();
    assert_eq!(rejection(forged.path()), "content_video_duration_invalid");
}

/// A PNG's text with this value, as a chunk.
fn text_chunk(value: &[u8]) -> Vec<u8> {
    let body = [b"tEXtComment\0", value].concat();
    let crc = !body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    });
    let length = u32::try_from(body.len() - 4).unwrap().to_be_bytes();
    [&length[..], &body, &crc.to_be_bytes()].concat()
}

#[test]
fn a_title_in_every_frame_does_not_hide_the_flashes() {
    let strobe = "-f lavfi -i color=c=black:s=64x64:r=30:d=3 -vf format=gray,geq=lum='if(lt(mod(N,6),3),60,235)'";
    let clip = Clip::make("%03d.png", &format!("{strobe} -f image2"));
    let folder = clip.path().parent().unwrap().to_owned();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        // Behind the signature and the header, where text may stand.
        bytes.splice(33..33, text_chunk(b"a\nframe:\nlavfi.black_start=1"));
        std::fs::write(&path, bytes).unwrap();
    }
    let clip = clip.from("source.mov", "-c copy -r 30");
    let findings = make(&clip.path(), &Thumbnail::Best)
        .unwrap()
        .outputs
        .findings;
    assert!(!findings.flashing.is_empty(), "{findings:?}");
    assert_eq!(findings.black, []);
}

#[test]
fn packets_that_nobody_can_look_at_are_not_copied_into_the_outputs() {
    let clip = Clip::make(
        "source.mp4",
        &format!("{} {H264} -crf 35", moving("320x180", "30", 3.0)),
    );
    let mut bytes = std::fs::read(clip.path()).unwrap();
    let place = |name: &[u8; 4]| bytes.windows(4).position(|four| four == name).unwrap();
    let (from, to) = (place(b"mdat"), place(b"moov"));
    bytes[usize::midpoint(from, to)..to - 4].fill(0);
    std::fs::write(clip.path(), bytes).unwrap();
    assert_eq!(rejection(&clip.path()), "content_file_invalid_format");
}

#[test]
fn half_a_file_is_rejected() {
    let clip = Clip::make(
        "source.mp4",
        &format!(
            "{} {H264} -movflags +faststart",
            moving("320x180", "25", 4.0)
        ),
    );
    let bytes = std::fs::read(clip.path()).unwrap();
    let half = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(half.path(), &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(rejection(half.path()), "content_file_invalid_format");
}

#[test]
fn work_that_is_called_off_ends_at_once_and_leaves_no_process() {
    let inputs = format!("{} {}", moving("1280x720", "60", 20.0), tone(20.0));
    let clip = Clip::make(
        "source.mkv",
        &format!("{inputs} -c:v mpeg4 -q:v 5 -c:a aac"),
    );
    let folder = tempfile::tempdir().unwrap();
    let (tools, call_off, source) = (tools(), Stop::default(), clip.path());
    let shop = Workshop {
        tools: &tools,
        source: &source,
        folder: folder.path(),
        stop: &call_off,
    };
    let mut called_off = None;
    let outcome = process(&shop, &Thumbnail::Best, |_| {
        called_off.get_or_insert_with(Instant::now);
        call_off.raise();
    });
    assert!(
        matches!(outcome, Err(MediaError::Transient(_))),
        "{outcome:?}"
    );
    assert!(called_off.unwrap().elapsed() < Duration::from_secs(5));
    assert!(!runs_on(&source.to_string_lossy()));
}

/// Whether any process has this path among its arguments.
fn runs_on(path: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|arguments| String::from_utf8_lossy(&arguments).contains(path))
}
