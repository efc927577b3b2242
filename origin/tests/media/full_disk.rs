//! If the disk becomes full while ffmpeg writes, the job is retried, no matter which file is truncated.

use crate::clips::{AAC, Clip, H264, moving, tone};
use crate::processed_clip::tools;
use origin::media::encode::write_outputs;
use origin::media::lists::write_lists;
use origin::media::package::write_renditions;
use origin::media::plan::{Plan, ThumbnailChoice, plan_sound};
use origin::media::source::inspect;
use origin::media::verify::check_outputs;
use origin::media::{Access, CancelFlag, Confinement, MediaContext, MediaError, Tools};
use sandbox::KillGuard;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const FILES: [&str; 6] = [
    "out/video.mp4",
    "rungs/240p.mp4",
    "out/storyboard.jpg",
    "out/preview.webp",
    "frames/0002.jpg",
    "candidates/0001.jpg",
];

/// Tells the script that replaces ffmpeg what to truncate.
#[derive(Clone, Debug)]
struct Truncation {
    file: &'static str,
    to_nothing: bool,
    /// The folder for what ffmpeg wrote. All runs have the same source and the same plan, so one encode is enough.
    kept: PathBuf,
}

impl Confinement for Truncation {
    fn confine(&self, command: &mut Command, _access: &Access<'_>) -> std::io::Result<Option<KillGuard>> {
        command.env("DAMAGED", self.file).env("KEPT", &self.kept);
        if self.to_nothing {
            command.env("EMPTIED", "1");
        }
        Ok(None)
    }
}

/// Runs every stage before the encode. A full disk does not affect them.
fn plan(source: &Path) -> Plan {
    let folder = tempfile::tempdir().unwrap();
    let context = MediaContext { tools: &tools(), source, folder: folder.path(), cancel: &CancelFlag::default() };
    let inspection = inspect(&context).unwrap();
    let sound = plan_sound(&context, &inspection).unwrap();
    Plan::new(&inspection, sound, &ThumbnailChoice::Best)
}

/// Runs the stages from the encode on, with a file truncated behind ffmpeg's back.
fn encode_and_verify(source: &Path, plan: &Plan, truncation: Truncation) -> Result<(), MediaError> {
    let folder = tempfile::tempdir().unwrap();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/media/full_disk.sh");
    let tools = Tools { ffmpeg: script, confinement: Arc::new(truncation), ..tools() };
    let context = MediaContext { tools: &tools, source, folder: folder.path(), cancel: &CancelFlag::default() };
    let report = write_outputs(&context, plan, &ThumbnailChoice::Best, |_| ())?;
    write_renditions(&context, plan)?;
    let verified = check_outputs(&context, plan, &report.subtitles)?;
    write_lists(&context, plan, &verified, &report.subtitles).map(drop)
}

#[test]
fn outputs_that_a_full_disk_truncates_are_made_again() {
    let inputs = format!("{} {}", moving("640x96", "5", 2.5), tone(2.5));
    let clip = Clip::new("source.mp4", &format!("{inputs} {H264} {AAC}"));
    let plan = plan(&clip.path());
    let kept = tempfile::tempdir().unwrap();
    let encode = |file, to_nothing| {
        let truncation = Truncation { file, to_nothing, kept: kept.path().to_owned() };
        encode_and_verify(&clip.path(), &plan, truncation)
    };
    encode("nothing", true).expect("nothing is truncated");
    assert!(std::fs::read_dir(kept.path()).unwrap().count() > 0, "no encode is kept");
    for (number, file) in FILES.into_iter().enumerate() {
        // An everyday run alternates between a part of the file and nothing.
        let is_even = number % 2 == 0;
        for to_nothing in fixtures::cases(vec![is_even], vec![false, true]) {
            let result = encode(file, to_nothing);
            assert!(matches!(result, Err(MediaError::Undecided(_))), "{file}, {to_nothing}: {result:?}");
        }
    }
}
