//! The disguises of a clip, which ffmpeg makes.

use anyhow::{Context, ensure};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Longer clips are cut to this length, because the rest would add little to the result.
const SECONDS: &str = "3";

/// The filter that lays a video into a frame of this width and height, in front of a blurred copy.
macro_rules! blurred {
    ($width:literal, $height:literal, $blur:literal) => {
        concat!(
            "split[a][b];[a]scale=",
            $width,
            ":",
            $height,
            ":force_original_aspect_ratio=increase,crop=",
            $width,
            ":",
            $height,
            ",",
            $blur,
            "[c];[b]scale=",
            $width,
            ":",
            $height,
            ":force_original_aspect_ratio=decrease[d];",
            "[c][d]overlay=(W-w)/2:(H-h)/2"
        )
    };
}

/// The film in which videos are hidden.
const CLEAN: &str = "testsrc2=s=640x360:r=25";

/// A wide video in a taller frame, above and below which a blurred copy of it fills the frame. The last one is turned
/// before, so that the copies are beside it.
const BLURRED_9_16: &str = blurred!("540", "960", "gblur=sigma=10");
const BLURRED_AND_DARKENED_9_16: &str = blurred!("540", "960", "gblur=sigma=20,eq=brightness=-0.15");
const BLURRED_1_1: &str = blurred!("640", "640", "gblur=sigma=12");
const BLURRED_4_5: &str = blurred!("640", "800", "boxblur=10:2");
const BLURRED_SIDES: &str = concat!("transpose=1,", blurred!("960", "540", "gblur=sigma=10"));
const QUADRANTS: &str = "scale=640:-4,split=4[a][b][c][d];[a]crop=iw/2:ih/2:iw/2:ih/2[e];[b]crop=iw/2:ih/2:0:0[f];\
     [c]crop=iw/2:ih/2:iw/2:0[g];[d]crop=iw/2:ih/2:0:ih/2[h];[e][f][g][h]xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0";
const TILES: &str =
    "scale=320:-2,split=4[a][b][c][d];[a][b][c][d]xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0,scale=640:-2";

const HIDDEN_ONE_A_SECOND: &str = "[1:v][0:v]scale2ref[clean][video];[clean][video]overlay=enable='eq(mod(n,25),17)'";
const HIDDEN_BUT_13: &str = "[1:v][0:v]scale2ref[clean][video];[clean][video]overlay=enable='mod(n,13)'";
const HIDDEN_BUT_15: &str = "[1:v][0:v]scale2ref[clean][video];[clean][video]overlay=enable='mod(n,15)'";
const HIDDEN_BUT_57: &str = "[1:v][0:v]scale2ref[clean][video];[clean][video]overlay=enable='mod(n,57)'";

/// Disguises: the name, the filter, and the options that set the compression. `[1:v]` is a clean film, in which the
/// video is hidden.
pub(crate) const DISGUISES: &[(&str, &str, &[&str])] = &[
    ("re-encoded at 150 kbit/s", "null", &["-b:v", "150k", "-maxrate", "150k", "-bufsize", "300k"]),
    ("scaled to half", "scale=trunc(iw/4)*2:trunc(ih/4)*2", &["-crf", "30"]),
    ("letterbox 10 %", "pad=iw:trunc(ih*0.6)*2:0:(oh-ih)/2:black", &["-crf", "30"]),
    ("pillarbox 10 %", "pad=trunc(iw*0.6)*2:ih:(ow-iw)/2:0:0xF0F0F0", &["-crf", "30"]),
    ("coloured border 10 %", "pad=trunc(iw*0.6)*2:trunc(ih*0.6)*2:(ow-iw)/2:(oh-ih)/2:0x305030", &["-crf", "30"]),
    ("5 % cropped", "crop=trunc(iw*0.475)*2:trunc(ih*0.475)*2", &["-crf", "30"]),
    ("5 % cropped on each side", "crop=trunc(iw*0.45)*2:trunc(ih*0.45)*2", &["-crf", "30"]),
    ("10 % cropped on each side", "crop=trunc(iw*0.4)*2:trunc(ih*0.4)*2", &["-crf", "30"]),
    ("mirrored", "hflip", &["-crf", "30"]),
    ("upside down", "vflip,hflip", &["-crf", "30"]),
    ("turned by 90 degrees", "transpose=1", &["-crf", "30"]),
    ("turned and mirrored", "transpose=0", &["-crf", "30"]),
    ("colours inverted", "negate", &["-crf", "30"]),
    ("turned by 3 degrees", "rotate=3*PI/180", &["-crf", "30"]),
    ("turned by 7 degrees", "rotate=7*PI/180", &["-crf", "30"]),
    ("beside its mirror image", "split[a][b];[b]hflip[c];[a][c]hstack", &["-crf", "30"]),
    ("slower, 0.9", "setpts=PTS/0.9", &["-crf", "30"]),
    ("faster, 1.1", "setpts=PTS/1.1", &["-crf", "30"]),
    (
        "a line of text",
        "drawtext=text='Watch more at example.com':fontsize=w/18:fontcolor=white:box=1:boxcolor=black@0.5:boxborderw=8:x=(w-tw)/2:y=h*0.8",
        &["-crf", "30"],
    ),
    ("a logo", "drawbox=x=iw*0.03:y=ih*0.05:w=iw*0.15:h=ih*0.12:color=red:t=fill", &["-crf", "30"]),
    ("brighter and more contrast", "eq=brightness=0.12:contrast=1.2:saturation=1.5", &["-crf", "30"]),
    (
        "a small picture in it",
        "split[a][b];[b]scale=trunc(iw/8)*2:trunc(ih/8)*2,negate[c];[a][c]overlay=W-w-8:H-h-8",
        &["-crf", "30"],
    ),
    (
        "inside of another picture",
        "split[a][b];[b]scale=trunc(iw*0.3)*2:trunc(ih*0.3)*2[c];[a]hue=h=180,gblur=20[d];[d][c]overlay=(W-w)/2:(H-h)/2",
        &["-crf", "30"],
    ),
    ("9:16 with blurred copies", BLURRED_9_16, &["-crf", "30"]),
    ("9:16 with dark blurred copies", BLURRED_AND_DARKENED_9_16, &["-crf", "30"]),
    ("1:1 with blurred copies", BLURRED_1_1, &["-crf", "30"]),
    ("4:5 with blurred copies", BLURRED_4_5, &["-crf", "30"]),
    ("turned, 16:9 with blurred copies", BLURRED_SIDES, &["-crf", "30"]),
    ("halves swapped", "split[a][b];[a]crop=iw/2:ih:iw/2:0[c];[b]crop=iw/2:ih:0:0[d];[c][d]hstack", &["-crf", "30"]),
    ("quadrants shuffled", QUADRANTS, &["-crf", "30"]),
    ("four tiles", TILES, &["-crf", "30"]),
    ("rolled by a third", "scroll=hpos=0.33:vpos=0.33", &["-crf", "30"]),
    ("edges only", "edgedetect=low=0.1:high=0.3", &["-crf", "30"]),
    ("one frame in each second of another film", HIDDEN_ONE_A_SECOND, &["-crf", "30"]),
    ("every 13th frame from another film", HIDDEN_BUT_13, &["-crf", "30"]),
    ("every 15th frame from another film", HIDDEN_BUT_15, &["-crf", "30"]),
    ("every 57th frame from another film", HIDDEN_BUT_57, &["-crf", "30"]),
];

/// Encodes the original clip, unless its file exists.
pub(crate) fn make_plain(folder: &Path, input: &[&OsStr]) -> anyhow::Result<PathBuf> {
    let path = folder.join("plain.mp4");
    let filter = "scale=640:-2,setsar=1,fps=25,format=yuv420p";
    encode(input, filter, &["-crf", "22"], &path)?;
    Ok(path)
}

/// Makes one disguise of a clip, unless it exists.
pub(crate) fn make_disguise(plain: &Path, index: usize) -> anyhow::Result<PathBuf> {
    let (_, filter, strength) = DISGUISES[index];
    let path = plain.with_file_name(format!("disguise-{index}.mp4"));
    encode(&["-i".as_ref(), plain.as_ref()], filter, strength, &path)?;
    Ok(path)
}

fn encode(input: &[&OsStr], filter: &str, strength: &[&str], path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut ffmpeg = ffmpeg();
    ffmpeg.args(input);
    if filter.contains("[1:v]") {
        ffmpeg.args(["-f", "lavfi", "-i", CLEAN, "-filter_complex", filter]);
    } else {
        ffmpeg.args(["-vf", filter]);
    }
    ffmpeg.args(["-t", SECONDS, "-an", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast"]);
    run(ffmpeg.args(strength).arg(path))
}

pub(crate) fn ffmpeg() -> Command {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-nostdin", "-y", "-v", "error", "-threads", "1", "-filter_threads", "1"]);
    ffmpeg
}

pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().context("starting ffmpeg")?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}
