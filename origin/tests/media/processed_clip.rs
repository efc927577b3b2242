//! The outputs of a clip, and an independent view of them: ffprobe called afresh, without any of the product's code.

use crate::clips::Clip;
use origin::media::{
    CancelFlag, EncodeReport, Encoders, MediaContext, MediaError, NoConfinement, Plan, SecondCodec, ThumbnailChoice,
    Tools, VerifiedOutputs, process_file,
};
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
    progress: Vec<u8>,
}

/// Runs all stages on a file.
pub(crate) fn process(source: &Path, thumbnail: &ThumbnailChoice) -> Result<ProcessedClip, MediaError> {
    process_with(&tools(), source, thumbnail)
}

/// Runs all stages on a clip, also those for a second codec.
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
    let (plan, report, verified) = process_file(&context, thumbnail, |percent| progress.push(percent))?;
    Ok(ProcessedClip { folder, plan, report, verified, progress })
}

/// Runs all stages on a clip, which must succeed.
pub(crate) fn processed(clip: &Clip) -> ProcessedClip {
    process(&clip.path(), &ThumbnailChoice::Best).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Runs all stages on a [`Clip::with_sound`], and checks its outputs.
pub(crate) fn processed_and_checked(clip: &Clip) -> ProcessedClip {
    let outputs = processed(clip);
    outputs.check(320, 180, duration(&ffprobe(&clip.path())).unwrap(), true);
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
        let top = self.plan.rungs[0];
        assert_eq!((top.width, top.height), (width, height));
        self.check_file(&self.out("video.mp4"), (width, height), seconds, with_sound, 0.0);
        // The pictures may end before the sound.
        let pictures = self.plan.rate.seconds_at(self.plan.frame_count).min(seconds);
        for rung in &self.plan.rungs {
            let path = self.out(&format!("hls/{}p.mp4", rung.name));
            self.check_file(&path, (rung.width, rung.height), pictures, false, 0.0);
        }
        self.check_sound(with_sound);
        assert_eq!(self.progress.last(), Some(&100));
        assert!(self.progress.is_sorted());
        assert!(!self.report.thumbhash.is_empty());
    }

    /// Checks that the sound is a rendition of its own.
    fn check_sound(&self, with_sound: bool) {
        let path = self.out("hls/sound.mp4");
        assert_eq!(path.exists(), with_sound);
        if with_sound {
            let description = ffprobe(&path);
            assert_eq!(description["streams"][0]["codec_name"], "aac");
            assert_eq!(description["streams"].as_array().unwrap().len(), 1);
        }
    }

    fn check_file(&self, path: &Path, size: (u32, u32), seconds: f64, with_sound: bool, hidden_sound: f64) {
        let name = path.display();
        let description = ffprobe(path);
        let video = &description["streams"][0];
        assert_eq!(video["codec_name"], "h264", "{name}");
        assert_eq!(video["pix_fmt"], "yuv420p", "{name}");
        assert_eq!((&video["width"], &video["height"]), (&size.0.into(), &size.1.into()), "{name}");
        assert_eq!(video.get("side_data_list"), None, "{name} has a display matrix");
        let streams = description["streams"].as_array().unwrap().len();
        assert_eq!(streams, 1 + usize::from(with_sound), "{name}");
        if with_sound {
            assert_eq!(description["streams"][1]["codec_name"], "aac");
            assert_eq!(description["streams"][1]["channels"], 2);
        }
        let length: f64 = description["format"]["duration"].as_str().unwrap().parse().unwrap();
        let frame = self.plan.rate.frame_seconds() + 0.001;
        assert!((length - seconds).abs() <= frame + hidden_sound, "{length} instead of {seconds}: {name}");
    }
}

/// Returns how long a file plays, by ffprobe's description of it.
fn duration(description: &Value) -> Option<f64> {
    let duration = description["format"]["duration"].as_str()?.parse::<f64>().ok()?;
    let start = description["format"]["start_time"].as_str()?.parse::<f64>().ok()?;
    // For a fragmented file, ffprobe's duration is the end.
    Some(if (0.9..1.1).contains(&start) { duration - start } else { duration })
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
