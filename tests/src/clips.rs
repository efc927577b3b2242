//! Small clips made by ffmpeg: a moving picture, with or without a tone.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The properties of a clip, which has 25 frames per second.
#[derive(Clone, Copy, Debug)]
pub struct Clip {
    /// The file name. Its extension tells ffmpeg the container.
    pub name: &'static str,
    pub size: (u32, u32),
    pub milliseconds: u32,
    pub has_sound: bool,
    /// ffmpeg's arguments between the inputs and the output.
    pub encoding: &'static str,
    pub packaging: Packaging,
}

/// The structure of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packaging {
    Seekable,
    /// Through a pipe, so that ffmpeg cannot go back and write the duration into the header.
    Piped,
    /// With metadata that rotates it by a quarter turn, as phones write it.
    Rotated,
}

/// H.264 with AAC, encoded quickly.
pub const H264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac";

impl Clip {
    pub const fn mp4(name: &'static str) -> Self {
        Self {
            name,
            size: (320, 180),
            milliseconds: 2_480,
            has_sound: true,
            encoding: H264,
            packaging: Packaging::Seekable,
        }
    }

    /// Returns the size at which players show it.
    pub const fn displayed_size(&self) -> (u32, u32) {
        match self.packaging {
            Packaging::Rotated => (self.size.1, self.size.0),
            _ => self.size,
        }
    }

    /// Makes the file and returns its bytes.
    pub fn make(&self, folder: &Path) -> Result<Vec<u8>> {
        let path = folder.join(self.name);
        self.encode(&path)?;
        let path = match self.packaging {
            Packaging::Rotated => rotated(&path)?,
            _ => path,
        };
        std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
    }

    /// Returns the duration of the file in milliseconds. Some codecs round the sound up.
    pub fn duration_ms(&self, folder: &Path) -> Result<u32> {
        Ok(declared_duration_ms(&folder.join(self.name))?.unwrap_or(self.milliseconds))
    }

    fn encode(&self, path: &Path) -> Result<()> {
        let ((width, height), ms) = (self.size, self.milliseconds);
        let mut ffmpeg = ffmpeg();
        let pictures = format!("testsrc2=size={width}x{height}:rate=25:duration={ms}ms");
        ffmpeg.args(["-f", "lavfi", "-i", &pictures]);
        if self.has_sound {
            let tone = format!("sine=frequency=440:sample_rate=48000:duration={ms}ms");
            ffmpeg.args(["-f", "lavfi", "-i", &tone]);
        }
        ffmpeg.args(self.encoding.split(' '));
        if self.packaging == Packaging::Piped {
            ffmpeg.arg("pipe:1").stdout(File::create(path)?);
        } else {
            ffmpeg.arg(path);
        }
        run_to_end(ffmpeg).map(drop)
    }
}

/// Returns the duration in milliseconds, if the file declares one.
fn declared_duration_ms(path: &Path) -> Result<Option<u32>> {
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args(["-loglevel", "error", "-show_entries", "format=duration"]);
    ffprobe.args(["-print_format", "default=nokey=1:noprint_wrappers=1"]);
    ffprobe.arg(path);
    let text = String::from_utf8(run_to_end(ffprobe)?)?;
    let seconds: Option<f64> = text.trim().parse().ok();
    let duration = seconds.map(Duration::from_secs_f64);
    Ok(duration.map(|duration| u32::try_from(duration.as_millis())).transpose()?)
}

fn rotated(path: &Path) -> Result<PathBuf> {
    let rotated = path.with_file_name("rotated.mov");
    let mut ffmpeg = ffmpeg();
    ffmpeg.arg("-i").arg(path);
    ffmpeg.args(["-c", "copy", "-metadata:s:v:0", "rotate=90"]);
    ffmpeg.arg(&rotated);
    run_to_end(ffmpeg)?;
    Ok(rotated)
}

/// Makes a picture of one colour.
pub fn picture(folder: &Path, name: &str, colour: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    let mut ffmpeg = ffmpeg();
    let colour = format!("color={colour}:size=640x360");
    ffmpeg.args(["-f", "lavfi", "-i", &colour, "-frames:v", "1"]);
    ffmpeg.arg(&path);
    run_to_end(ffmpeg)?;
    Ok(std::fs::read(path)?)
}

/// Returns the JPEG with a comment at its beginning.
pub fn with_jpeg_comment(jpeg: &[u8], comment: &str) -> Result<Vec<u8>> {
    let length = u16::try_from(comment.len() + 2)?.to_be_bytes();
    let (start, rest) = jpeg.split_at(2);
    Ok([start, &[0xFF, 0xFE], &length, comment.as_bytes(), rest].concat())
}

/// Returns an ffmpeg command that overwrites its output and prints only errors.
pub fn ffmpeg() -> Command {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
    ffmpeg
}

/// Runs a program to its end and returns its output. Fails unless it succeeds.
pub fn run_to_end(mut program: Command) -> Result<Vec<u8>> {
    let output = program.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program:?}: {errors}");
    Ok(output.stdout)
}
