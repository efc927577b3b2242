//! Clips that ffmpeg encodes while the tests run: tiny pictures, few frames, every container.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A container that ffmpeg can write, and the arguments for it.
#[derive(Debug, Clone, Copy)]
pub struct ClipRecipe {
    pub name: &'static str,
    pub extension: &'static str,
    pub arguments: &'static [&'static str],
}

const H264: &[&str] = &["-c:v", "libx264", "-preset", "ultrafast"];

const fn recipe(name: &'static str, extension: &'static str, arguments: &'static [&'static str]) -> ClipRecipe {
    ClipRecipe { name, extension, arguments }
}

/// Every container that the prober supports.
pub const RECIPES: &[ClipRecipe] = &[
    recipe("mp4", "mp4", H264),
    recipe("mp4-moov-first", "mp4", &["-c:v", "mpeg4", "-movflags", "faststart"]),
    recipe("mp4-fragmented", "mp4", &["-c:v", "mpeg4", "-movflags", "frag_keyframe+empty_moov+default_base_moof"]),
    recipe("mp4-dash", "mp4", &["-c:v", "mpeg4", "-movflags", "dash+global_sidx"]),
    recipe("quicktime", "mov", H264),
    recipe("3gp", "3gp", &["-c:v", "mpeg4", "-c:a", "aac", "-ar", "16000"]),
    recipe("matroska", "mkv", H264),
    recipe("webm", "webm", &["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"]),
    recipe("webm-live", "webm", &["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-live", "1"]),
    recipe("avi", "avi", &["-c:v", "mpeg4"]),
    recipe("flv", "flv", &["-c:v", "flv1"]),
    recipe("mpeg-ts", "ts", H264),
    recipe("m2ts", "m2ts", &["-c:v", "libx264", "-preset", "ultrafast", "-mpegts_m2ts_mode", "1"]),
    recipe("mpeg-ps", "mpg", &["-c:v", "mpeg2video"]),
    recipe("asf", "wmv", &["-c:v", "wmv2"]),
    recipe("ogg", "ogv", &["-c:v", "libtheora"]),
];

/// Other codecs in the same containers, for single tests.
const OTHERS: &[ClipRecipe] = &[recipe("flv-h264", "flv", &["-c:v", "libx264", "-bf", "3", "-g", "30"])];

/// Returns the recipe with this name.
pub fn recipe_of(name: &str) -> ClipRecipe {
    *RECIPES.iter().chain(OTHERS).find(|recipe| recipe.name == name).expect("a recipe with this name")
}

/// The length and tracks of a clip.
#[derive(Debug, Clone, Copy)]
pub struct ClipSpec {
    pub frames: u32,
    pub rate: u32,
    pub sound: bool,
}

/// Returns the bytes of a clip, or prints a line and returns `None` if ffmpeg is not installed. Panics if the clip
/// cannot be made for any other reason.
pub fn encode(recipe: ClipRecipe, clip: ClipSpec) -> Option<Vec<u8>> {
    let sound = if clip.sound { "sound" } else { "silent" };
    let ClipSpec { frames, rate, .. } = clip;
    let name = format!("{}-{frames}-{rate}-{sound}.{}", recipe.name, recipe.extension);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clips").join(name);
    if !path.exists() {
        write(recipe, clip, &path)?;
    }
    Some(std::fs::read(path).expect("the clip can be read"))
}

/// Writes to a temporary name first, because several processes and threads may need the same clip at the same time.
fn write(recipe: ClipRecipe, clip: ClipSpec, path: &Path) -> Option<()> {
    std::fs::create_dir_all(path.parent()?).expect("the folder of the clips can be created");
    let draft = PathBuf::from(format!(
        "{}.{}-{:?}.{}",
        path.display(),
        std::process::id(),
        std::thread::current().id(),
        recipe.extension
    ));
    let status = match Command::new("ffmpeg").args(arguments(recipe, clip)).arg(&draft).status() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("SKIPPED: ffmpeg is not installed");
            return None;
        }
        status => status.expect("ffmpeg can be started"),
    };
    assert!(status.success(), "ffmpeg could not encode {}", path.display());
    std::fs::rename(draft, path).expect("the clip can be renamed");
    Some(())
}

fn arguments(recipe: ClipRecipe, clip: ClipSpec) -> Vec<String> {
    let seconds = f64::from(clip.frames) / f64::from(clip.rate);
    let mut arguments: Vec<String> = ["-v", "error", "-y", "-f", "lavfi", "-i"].map(String::from).into();
    arguments.push(format!("testsrc=s=64x48:r={}", clip.rate));
    if clip.sound {
        arguments.extend(["-f", "lavfi", "-i"].map(String::from));
        arguments.push(format!("sine=r=16000:d={seconds}"));
        arguments.extend(["-ac", "1"].map(String::from));
        arguments.extend(["-ar", if recipe.extension == "flv" { "22050" } else { "16000" }].map(String::from));
    }
    arguments.extend(["-frames:v".to_owned(), clip.frames.to_string()]);
    arguments.extend(recipe.arguments.iter().map(ToString::to_string));
    arguments
}
