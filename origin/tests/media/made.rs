//! What came of a clip, and a stranger's look at it: ffprobe called afresh, without any code of the product.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use origin::media::{
    MediaError, Outputs, Plan, Stop, Thumbnail, Tools, Unconfined, Verified, Workshop, process,
};
use serde_json::Value;
use tempfile::TempDir;

pub fn tools() -> Tools {
    Tools {
        ffmpeg: PathBuf::from("ffmpeg"),
        ffprobe: PathBuf::from("ffprobe"),
        confine: Arc::new(Unconfined),
        threads: 2,
    }
}

#[derive(Debug)]
pub struct Made {
    pub folder: TempDir,
    pub plan: Plan,
    pub outputs: Outputs,
    pub verified: Verified,
    pub progress: Vec<u8>,
}

/// Sends a file through everything.
pub fn make(source: &Path, thumbnail: &Thumbnail) -> Result<Made, MediaError> {
    let folder = tempfile::tempdir().unwrap();
    let (tools, call_off) = (tools(), Stop::default());
    let shop = Workshop {
        tools: &tools,
        source,
        folder: folder.path(),
        stop: &call_off,
    };
    let mut progress = Vec::new();
    let (plan, outputs, verified) = process(&shop, thumbnail, |percent| progress.push(percent))?;
    Ok(Made {
        folder,
        plan,
        outputs,
        verified,
        progress,
    })
}

/// The code that a file is rejected with.
pub fn rejection(source: &Path) -> &'static str {
    match make(source, &Thumbnail::Best) {
        Err(MediaError::Rejected { code, .. }) => code.as_str(),
        other => panic!("not rejected: {other:?}"),
    }
}

impl Made {
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join("out").join(name)
    }

    pub fn names(&self) -> Vec<u32> {
        self.plan.rungs.iter().map(|rung| rung.name).collect()
    }

    /// The common promises, for every file that is played.
    pub fn check(&self, width: u32, height: u32, seconds: f64, with_sound: bool) {
        let top = self.plan.rungs[0];
        assert_eq!((top.width, top.height), (width, height));
        let mut played = vec![self.out("video.mp4")];
        played.extend(
            self.names()
                .iter()
                .map(|name| self.out(&format!("hls/{name}p.mp4"))),
        );
        for (index, path) in played.iter().enumerate() {
            let name = path.display();
            let rung = self.plan.rungs[index.saturating_sub(1)];
            let seen = probe(path);
            let video = &seen["streams"][0];
            assert_eq!(video["codec_name"], "h264", "{name}");
            assert_eq!(video["pix_fmt"], "yuv420p", "{name}");
            assert_eq!(
                (&video["width"], &video["height"]),
                (&rung.width.into(), &rung.height.into()),
                "{name}"
            );
            assert_eq!(video.get("side_data_list"), None, "upright: {name}");
            let streams = seen["streams"].as_array().unwrap().len();
            assert_eq!(streams, 1 + usize::from(with_sound), "{name}");
            if with_sound {
                assert_eq!(seen["streams"][1]["codec_name"], "aac");
                assert_eq!(seen["streams"][1]["channels"], 2);
            }
            let length: f64 = seen["format"]["duration"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            let frame = self.plan.rate.frame_seconds() + 0.001;
            // Segments have no edit list, which would hide the sound's warming-up and the rest of its last packet.
            let sound = if with_sound && index > 0 { 0.043 } else { 0.0 };
            assert!(
                (length - seconds).abs() <= frame + sound,
                "{length} instead of {seconds}: {name}"
            );
        }
        assert_eq!(self.progress.last(), Some(&100));
        assert!(self.progress.is_sorted());
        assert!(!self.outputs.thumbhash.is_empty());
    }
}

/// How long ffprobe says that a file plays.
pub fn length(seen: &Value) -> Option<f64> {
    let length = seen["format"]["duration"].as_str()?.parse::<f64>().ok()?;
    let start = seen["format"]["start_time"].as_str()?.parse::<f64>().ok()?;
    // Of a fragmented file it tells the end.
    Some(if (0.9..1.1).contains(&start) {
        length - start
    } else {
        length
    })
}

/// ffprobe's own view of a file.
pub fn probe(path: &Path) -> Value {
    let output = Command::new("ffprobe")
        .args([
            "-v",
            "error",
            "-of",
            "json",
            "-show_streams",
            "-show_format",
        ])
        .arg(path)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Integrated loudness and true peak, by the other of ffmpeg's two meters.
pub fn loudness(path: &Path) -> (f64, f64) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-i"])
        .arg(path)
        .args([
            "-vn",
            "-af",
            "loudnorm=print_format=json",
            "-f",
            "null",
            "-",
        ])
        .output()
        .unwrap();
    let log = String::from_utf8(output.stderr).unwrap();
    let json = &log[log.rfind('{').unwrap()..=log.rfind('}').unwrap()];
    let seen: Value = serde_json::from_str(json).unwrap();
    let number = |key: &str| seen[key].as_str().unwrap().parse().unwrap();
    (number("input_i"), number("input_tp"))
}

/// The colour in the middle of a frame, as red, green and blue.
pub fn centre(path: &Path) -> [u8; 3] {
    let picture = image::open(path).unwrap().to_rgb8();
    picture
        .get_pixel(picture.width() / 2, picture.height() / 2)
        .0
}
