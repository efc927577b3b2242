//! Small clips, made by ffmpeg: something that moves, with or without a tone.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What a clip is made of. It has 25 frames a second.
#[derive(Clone, Copy, Debug)]
pub struct Clip {
    /// Its file's name, whose ending tells ffmpeg the container.
    pub name: &'static str,
    pub size: (u32, u32),
    pub milliseconds: u32,
    pub has_sound: bool,
    /// ffmpeg's arguments between the pictures and the file.
    pub encoding: &'static str,
    pub way: Way,
}

/// How the file comes to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Written,
    /// Through a pipe: nothing at its beginning can tell its length.
    Piped,
    /// Turned by a quarter afterwards, as phones do.
    Turned,
}

pub const H264: &str = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac";

impl Clip {
    pub const fn mp4(name: &'static str) -> Self {
        Self {
            name,
            size: (320, 180),
            milliseconds: 2_480,
            has_sound: true,
            encoding: H264,
            way: Way::Written,
        }
    }

    /// Its size as it is to be seen.
    pub const fn shown(&self) -> (u32, u32) {
        match self.way {
            Way::Turned => (self.size.1, self.size.0),
            _ => self.size,
        }
    }

    pub fn make(&self, folder: &Path) -> Result<Vec<u8>> {
        let path = folder.join(self.name);
        self.encode(&path)?;
        let path = match self.way {
            Way::Turned => turned(&path)?,
            _ => path,
        };
        std::fs::read(&path).with_context(|| format!("reading {}", path.display()))
    }

    /// How long the file that was made plays: some codecs round their sound up.
    pub fn plays(&self, folder: &Path) -> Result<u32> {
        Ok(told(&folder.join(self.name))?.unwrap_or(self.milliseconds))
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
        if self.way == Way::Piped {
            ffmpeg.arg("pipe:1").stdout(File::create(path)?);
        } else {
            ffmpeg.arg(path);
        }
        succeed(ffmpeg).map(drop)
    }
}

/// How long the file plays, if it says so; in milliseconds.
fn told(path: &Path) -> Result<Option<u32>> {
    let mut ffprobe = Command::new("ffprobe");
    ffprobe.args(["-loglevel", "error", "-show_entries", "format=duration"]);
    ffprobe.args(["-print_format", "default=nokey=1:noprint_wrappers=1"]);
    ffprobe.arg(path);
    let text = String::from_utf8(succeed(ffprobe)?)?;
    let seconds: Option<f64> = text.trim().parse().ok();
    let played = seconds.map(Duration::from_secs_f64);
    Ok(played
        .map(|played| u32::try_from(played.as_millis()))
        .transpose()?)
}

fn turned(path: &Path) -> Result<PathBuf> {
    let turned = path.with_file_name("turned.mov");
    let mut ffmpeg = ffmpeg();
    ffmpeg.arg("-i").arg(path);
    ffmpeg.args(["-c", "copy", "-metadata:s:v:0", "rotate=90"]);
    ffmpeg.arg(&turned);
    succeed(ffmpeg)?;
    Ok(turned)
}

/// A picture of one colour.
pub fn picture(folder: &Path, name: &str, colour: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    let mut ffmpeg = ffmpeg();
    let colour = format!("color={colour}:size=640x360");
    ffmpeg.args(["-f", "lavfi", "-i", &colour, "-frames:v", "1"]);
    ffmpeg.arg(&path);
    succeed(ffmpeg)?;
    Ok(std::fs::read(path)?)
}

/// The same JPEG with a comment at its beginning.
pub fn commented(jpeg: &[u8], comment: &str) -> Result<Vec<u8>> {
    let length = u16::try_from(comment.len() + 2)?.to_be_bytes();
    let (start, rest) = jpeg.split_at(2);
    Ok([start, &[0xFF, 0xFE], &length, comment.as_bytes(), rest].concat())
}

pub fn ffmpeg() -> Command {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]);
    ffmpeg
}

/// What the program printed, if it succeeded.
pub fn succeed(mut program: Command) -> Result<Vec<u8>> {
    let output = program.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program:?}: {errors}");
    Ok(output.stdout)
}
