//! A disk that becomes full while ffmpeg writes: the job is tried again, whichever file it was.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::made::tools;
use origin::media::{Access, Confine, MediaError, Stop, Thumbnail, Tools, Workshop, process};
use sandbox::Leash;

/// Tells the script that stands for ffmpeg what to cut.
#[derive(Debug)]
struct Cutting {
    file: &'static str,
    to_nothing: bool,
}

impl Confine for Cutting {
    fn confine(
        &self,
        command: &mut Command,
        _access: &Access<'_>,
    ) -> std::io::Result<Option<Leash>> {
        command.env("DAMAGED", self.file);
        if self.to_nothing {
            command.env("EMPTIED", "1");
        }
        Ok(None)
    }
}

fn on_a_full_disk(source: &Path, file: &'static str, to_nothing: bool) -> Result<(), MediaError> {
    let folder = tempfile::tempdir().unwrap();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/media/full_disk.sh");
    let tools = Tools {
        ffmpeg: script,
        confine: Arc::new(Cutting { file, to_nothing }),
        ..tools()
    };
    let shop = Workshop {
        tools: &tools,
        source,
        folder: folder.path(),
        stop: &Stop::default(),
    };
    process(&shop, &Thumbnail::Best, |_| ()).map(drop)
}

#[test]
fn whatever_a_full_disk_cuts_short_is_tried_again() {
    let inputs = format!("{} {}", moving("320x180", "30", 2.5), tone(2.5));
    let clip = Clip::make("source.mp4", &format!("{inputs} {H264} {AAC}"));
    on_a_full_disk(&clip.path(), "nothing", true).expect("nothing is cut");
    for file in [
        "out/video.mp4",
        "out/hls/180p.mp4",
        "out/hls/180p.m3u8",
        "out/storyboard.jpg",
        "out/preview.webp",
        "frames/0002.jpg",
        "candidates/0001.jpg",
    ] {
        for to_nothing in [false, true] {
            let outcome = on_a_full_disk(&clip.path(), file, to_nothing);
            assert!(
                matches!(outcome, Err(MediaError::Transient(_))),
                "{file}, {to_nothing}: {outcome:?}"
            );
        }
    }
}
