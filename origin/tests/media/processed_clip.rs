//! The outputs of a clip, and an independent view of them: ffmpeg and ffprobe called afresh, without any of the
//! product's code.

use crate::clips::{Clip, H264, moving};
use crate::opened::{OpenedFile, opened};
use contract::MediaFile;
use origin::media::all_stages::{ProcessedFile, process_file};
use origin::media::encode::EncodeReport;
use origin::media::encoders::{Encoders, SecondCodec};
use origin::media::plan::{Plan, ThumbnailChoice};
use origin::media::verify::VerifiedOutputs;
use origin::media::{CancelFlag, MediaContext, MediaError, NoConfinement, Tools};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

pub(crate) fn tools() -> Tools {
    Tools {
        ffmpeg: PathBuf::from("ffmpeg"),
        ffprobe: PathBuf::from("ffprobe"),
        confinement: Arc::new(NoConfinement),
        threads: 2,
        encoders: Encoders::default(),
    }
}

/// The outputs of a file, and what each stage returned.
#[derive(Debug)]
pub(crate) struct ProcessedClip {
    pub(crate) folder: TempDir,
    pub(crate) plan: Plan,
    pub(crate) report: EncodeReport,
    pub(crate) verified: VerifiedOutputs,
    /// Every output with its size in bytes.
    pub(crate) files: Vec<(MediaFile, u64)>,
    progress: Vec<u8>,
}

/// Runs all stages on a file.
pub(crate) fn process(source: &Path, thumbnail: &ThumbnailChoice) -> Result<ProcessedClip, MediaError> {
    process_with(&tools(), source, thumbnail)
}

/// Runs all stages on a clip, including the stages for a second codec.
pub(crate) fn processed_in(codec: SecondCodec, clip: &Clip) -> ProcessedClip {
    let tools = Tools { encoders: Encoders { second_codec: Some(codec), ..Encoders::default() }, ..tools() };
    process_with(&tools, &clip.path(), &ThumbnailChoice::Best).unwrap_or_else(|error| panic!("{error:?}"))
}

pub(crate) fn process_with(
    tools: &Tools,
    source: &Path,
    thumbnail: &ThumbnailChoice,
) -> Result<ProcessedClip, MediaError> {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancelFlag::default();
    let context = MediaContext { tools, source, folder: folder.path(), cancel: &cancel };
    let mut progress = Vec::new();
    let ProcessedFile { plan, report, verified, files } =
        process_file(&context, thumbnail, |percent| progress.push(percent))?;
    Ok(ProcessedClip { folder, plan, report, verified, files, progress })
}

/// Runs all stages on a clip, which must succeed.
pub(crate) fn processed(clip: &Clip) -> ProcessedClip {
    process(&clip.path(), &ThumbnailChoice::Best).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Runs all stages on a [`Clip::with_sound`], and checks its outputs.
pub(crate) fn processed_and_checked(clip: &Clip) -> ProcessedClip {
    let outputs = processed(clip);
    let mut files = opened(&[outputs.checked_files(true), vec![clip.path()]].concat());
    let source = files.pop().unwrap();
    // For a fragmented file, ffmpeg's duration is the end.
    let is_end = (0.9..1.1).contains(&source.start);
    let seconds = if is_end { source.seconds - source.start } else { source.seconds };
    outputs.check_opened(&files, (160, 90), seconds, true);
    outputs
}

/// Writes a shell script that takes the place of ffmpeg.
pub(crate) fn script(folder: &Path, commands: &str) -> PathBuf {
    let path = folder.join("ffmpeg");
    std::fs::write(&path, format!("#!/bin/bash\n{commands}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Returns the outputs of a plain [`Clip::with_sound`], shared by the tests that only look at them.
pub(crate) fn plain_outputs() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| processed_and_checked(&Clip::with_sound("source.mp4", "")))
}

/// Returns the outputs of a clip without sound, shared in the same way.
pub(crate) fn silent_outputs() -> &'static ProcessedClip {
    static OUTPUTS: OnceLock<ProcessedClip> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let outputs = processed(&Clip::new("source.mp4", &format!("{} {H264}", moving("160x90", "30", 2.0))));
        outputs.check(160, 90, 2.0, false);
        outputs
    })
}

/// Returns a clip whose video can be copied, and its outputs, shared by the tests that only look at them.
pub(crate) fn copied_outputs() -> &'static (Clip, ProcessedClip) {
    static OUTPUTS: OnceLock<(Clip, ProcessedClip)> = OnceLock::new();
    OUTPUTS.get_or_init(|| {
        let clip = Clip::with_sound("source.mp4", "-crf 35");
        let outputs = processed_and_checked(&clip);
        (clip, outputs)
    })
}

/// Returns the error code with which a file is rejected.
pub(crate) fn rejection_code(source: &Path) -> &'static str {
    match process(source, &ThumbnailChoice::Best) {
        Err(MediaError::Rejected { code, .. }) => code.as_str(),
        other => panic!("not rejected: {other:?}"),
    }
}

impl ProcessedClip {
    /// Returns the path of an output.
    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join("out").join(name)
    }

    /// Returns the peak bit rate that the master playlist states for a rendition.
    pub(crate) fn stated_peak(&self, name: &str) -> u64 {
        let master = std::fs::read_to_string(self.out("hls/master.m3u8")).unwrap();
        let lines: Vec<&str> = master.lines().collect();
        let entry = lines.windows(2).find(|pair| pair[1] == name).unwrap()[0];
        let (_, rest) = entry.split_once("BANDWIDTH=").unwrap();
        rest.split_once(',').unwrap().0.parse().unwrap()
    }

    /// Returns a copy of the whole folder, for a test that changes files of shared outputs.
    pub(crate) fn copied_folder(&self) -> TempDir {
        let copy = tempfile::tempdir().unwrap();
        let everything = format!("{}/.", self.folder.path().display());
        let status = Command::new("cp").arg("-r").arg(everything).arg(copy.path()).status().unwrap();
        assert!(status.success());
        copy
    }

    /// Returns the names of the rungs.
    pub(crate) fn rungs(&self) -> Vec<u32> {
        self.plan.rungs.iter().map(|rung| rung.name).collect()
    }

    /// Checks what must hold for the outputs of every clip.
    pub(crate) fn check(&self, width: u32, height: u32, seconds: f64, with_sound: bool) {
        self.check_opened(&opened(&self.checked_files(with_sound)), (width, height), seconds, with_sound);
    }

    /// Returns the paths of the progressive file, of each rung and, if the clip has sound, of the sound.
    fn checked_files(&self, with_sound: bool) -> Vec<PathBuf> {
        let rungs = self.plan.rungs.iter().map(|rung| format!("hls/{}p.mp4", rung.name));
        let sound = with_sound.then(|| "hls/sound.mp4".to_owned());
        assert_eq!(self.out("hls/sound.mp4").exists(), with_sound);
        std::iter::once("video.mp4".to_owned()).chain(rungs).chain(sound).map(|name| self.out(&name)).collect()
    }

    fn check_opened(&self, files: &[OpenedFile], size: (u32, u32), seconds: f64, with_sound: bool) {
        let (top, rungs) = (self.plan.rungs[0], &self.plan.rungs);
        assert_eq!((top.width, top.height), size);
        self.check_file(&files[0], size, seconds, with_sound);
        // The pictures may end before the sound.
        let pictures = self.plan.rate.seconds_at(self.plan.frame_count).min(seconds);
        for (file, rung) in files[1..].iter().zip(rungs) {
            self.check_file(file, (rung.width, rung.height), pictures, false);
        }
        let sound = files.get(1 + rungs.len());
        // The sound is a separate rendition.
        assert!(sound.is_none_or(|sound| sound.has_streams(&[&["Audio:", "aac"]])), "{sound:?}");
        assert_eq!(self.progress.last(), Some(&100));
        assert!(self.progress.is_sorted());
        assert!(!self.report.thumbhash.is_empty());
    }

    fn check_file(&self, file: &OpenedFile, (width, height): (u32, u32), seconds: f64, with_sound: bool) {
        let size = format!("{width}x{height}");
        let streams = [&["Video:", "h264", "yuv420p", &size][..], &["Audio:", "aac", "stereo"]];
        assert!(file.has_streams(&streams[..=usize::from(with_sound)]), "{size}: {file:?}");
        assert!(!file.has_side_data, "there is a display matrix: {file:?}");
        let frame = self.plan.rate.frame_seconds() + 0.001;
        assert!((file.seconds - seconds).abs() <= frame, "{seconds} s: {file:?}");
    }
}

/// ffprobe's description of a file.
pub(crate) fn ffprobe(path: &Path) -> Value {
    let output = Command::new("ffprobe")
        .args(["-v", "error", "-of", "json", "-show_streams", "-show_format"])
        .arg(path)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the colour in the middle of a picture, as red, green and blue.
pub(crate) fn centre_colour(path: &Path) -> [u8; 3] {
    let picture = image::open(path).unwrap().to_rgb8();
    picture.get_pixel(picture.width() / 2, picture.height() / 2).0
}
