//! Real transcodes and probes work in the sandbox and give the same results as outside.

#[path = "support/mod.rs"]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use sandbox::{Policy, Sandbox};

/// Every kind of output, from one decoder.
const RENDITIONS: &[&str] = &[
    "-map 0:v -map 0:a -vf scale=80:-2 -c:v libx264 -preset veryfast -c:a aac -movflags +faststart progressive.mp4",
    "-map 0:v -map 0:a -c:v libx264 -preset veryfast -c:a aac -f hls -hls_time 1 -hls_segment_type fmp4 -hls_playlist_type vod list.m3u8",
    "-map 0:v -vf thumbnail,scale=80:-2 -frames:v 1 poster.jpg",
    "-map 0:v -vf scale=80:-2 -frames:v 1 poster.webp",
    "-map 0:v -vf fps=2,scale=40:-2,tile=2x2 -frames:v 1 sprite.png",
    "-map 0:v -vf fps=5,scale=80:-2 -c:v libwebp -loop 0 preview.webp",
    "-map 0:a -af loudnorm=I=-14 -c:a aac sound.m4a",
];
const SOURCES: &[(&str, &str)] = &[
    ("source.mp4", "-c:v libx264 -preset ultrafast -c:a aac"),
    ("source.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus"),
    ("source.mkv", "-c:v libaom-av1 -cpu-used 8 -usage realtime -c:a libvorbis"),
    ("source.avi", "-c:v mpeg4 -c:a libmp3lame"),
    ("source.ts", "-c:v mpeg2video -c:a mp2"),
];

struct Tools {
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    sandbox: Sandbox,
}

fn tools() -> Option<Tools> {
    let sandbox = Sandbox::with(support::support());
    Some(Tools { ffmpeg: support::tool("ffmpeg")?, ffprobe: support::tool("ffprobe")?, sandbox })
}

impl Tools {
    /// Runs the tool, in the sandbox if there is a policy.
    fn run<S: AsRef<OsStr>>(
        &self,
        tool: &Path,
        arguments: impl IntoIterator<Item = S>,
        folder: &Path,
        policy: Option<&Policy>,
    ) -> Output {
        let mut command = Command::new(tool);
        command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let guard = policy.map(|policy| self.sandbox.confine(&mut command, policy).expect("confined"));
        let output = command.output().expect("started");
        drop(guard);
        assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        output
    }

    fn make_source(&self, folder: &Path, name: &str, codecs: &str) -> PathBuf {
        let inputs = "-v error -f lavfi -i testsrc2=s=160x90:r=10:d=2 -f lavfi -i sine=r=48000:d=2";
        self.run(&self.ffmpeg, inputs.split(' ').chain(codecs.split(' ')).chain([name]), folder, None);
        folder.join(name)
    }

    fn transcode(&self, source: &Path, folder: &Path, policy: Option<&Policy>) {
        fs::create_dir(folder).expect("a folder");
        if policy.is_some() {
            self.sandbox.hand_over(folder).expect("a writable folder");
        }
        let input = ["-nostdin", "-v", "error", "-progress", "-", "-i"].map(OsStr::new);
        let outputs = RENDITIONS.iter().flat_map(|rendition| rendition.split(' ')).map(OsStr::new);
        self.run(&self.ffmpeg, input.into_iter().chain([source.as_os_str()]).chain(outputs), folder, policy);
    }

    /// Returns everything that ffprobe reports about a file. The file is named without its folder, so that the folder
    /// does not appear in the result.
    fn describe(&self, file: &Path, policy: Option<&Policy>) -> serde_json::Value {
        let arguments =
            ["-v", "error", "-of", "json", "-show_format", "-show_streams", "-count_frames"].map(OsStr::new);
        let folder = file.parent().expect("a folder");
        let output =
            self.run(&self.ffprobe, arguments.into_iter().chain([file.file_name().expect("a name")]), folder, policy);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_rendition_is_the_same_inside_and_outside() {
    let Some(tools) = tools() else { return };
    let folder = support::folder();
    for (name, codecs) in SOURCES {
        let source = tools.make_source(folder.path(), name, codecs);
        let [inside, outside] = ["inside", "outside"].map(|side| folder.path().join(format!("{side}-{name}")));
        let policy = Policy {
            readable: vec![source.clone()],
            writable: Some(inside.clone()),
            devices: Vec::new(),
            limits: support::LIMITS,
        };
        tools.transcode(&source, &inside, Some(&policy));
        tools.transcode(&source, &outside, None);

        let files = names(&outside);
        assert_eq!(names(&inside), files, "{name}");
        for file in files {
            let [inside, outside] = [&inside, &outside].map(|folder| fs::read(folder.join(&file)).expect("an output"));
            assert!(inside == outside, "{file} of {name} differs");
        }
    }
}

#[test]
fn ffprobe_reports_the_same_inside_and_outside() {
    let Some(tools) = tools() else { return };
    let folder = support::folder();
    for (name, codecs) in SOURCES {
        let source = tools.make_source(folder.path(), name, codecs);
        let policy =
            Policy { readable: vec![source.clone()], writable: None, devices: Vec::new(), limits: support::LIMITS };
        assert_eq!(tools.describe(&source, Some(&policy)), tools.describe(&source, None), "{name}");
    }
}

#[test]
fn ffmpeg_lists_the_same_features_inside_and_outside() {
    let Some(tools) = tools() else { return };
    let policy = Policy { readable: Vec::new(), writable: None, devices: Vec::new(), limits: support::LIMITS };
    for option in ["-version", "-encoders", "-demuxers", "-filters"] {
        let inside = tools.run(&tools.ffmpeg, ["-hide_banner", option], Path::new("/"), Some(&policy));
        let outside = tools.run(&tools.ffmpeg, ["-hide_banner", option], Path::new("/"), None);
        assert_eq!(inside.stdout, outside.stdout, "{option}");
    }
}

/// As in an encode with a graphics card: one program reads the source, and the other controls a device.
#[test]
fn frames_go_from_one_sandboxed_ffmpeg_to_another_that_controls_a_device() {
    let Some(tools) = tools() else { return };
    let folder = support::folder();
    let source = tools.make_source(folder.path(), "source.mp4", "-c:v mpeg4 -an");
    let [inside, outside] = ["inside", "outside"].map(|name| folder.path().join(name));
    fs::create_dir(&inside).expect("a folder");
    tools.sandbox.hand_over(&inside).expect("a writable folder");

    let frames = "-f rawvideo -pix_fmt yuv420p";
    let decode = format!("-nostdin -v error -i {} {frames} -", source.display());
    let encode = format!(
        "-v error {frames} -video_size 160x90 -framerate 10 -i - -c:v libx264 -preset ultrafast -f mp4 out.mp4"
    );
    let policy = Policy { readable: vec![source], writable: None, devices: Vec::new(), limits: support::LIMITS };
    let with_device = Policy {
        readable: Vec::new(),
        writable: Some(inside.clone()),
        devices: vec!["/dev/zero".into()],
        ..policy.clone()
    };

    let mut decoder = Command::new(&tools.ffmpeg);
    let guard = tools.sandbox.confine(decoder.args(decode.split(' ')), &policy).expect("confined");
    let mut decoder = decoder.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("started");
    let mut encoder = Command::new(&tools.ffmpeg);
    encoder.args(encode.split(' ')).stdin(decoder.stdout.take().expect("piped"));
    let other_guard = tools.sandbox.confine(&mut encoder, &with_device).expect("confined");
    assert!(encoder.status().expect("started").success());
    assert!(decoder.wait().expect("ended").success());
    drop((guard, other_guard));

    let shell = format!("{0} {decode} | {0} {encode}", tools.ffmpeg.display());
    fs::create_dir(&outside).expect("a folder");
    let status = Command::new("sh").args(["-c", &shell]).current_dir(&outside).status().expect("started");
    assert!(status.success());
    let [inside, outside] = [inside, outside].map(|folder| fs::read(folder.join("out.mp4")).expect("an output"));
    assert!(inside == outside);
}
