//! Files made by this test: manifests that refer to another job's video, and one harmless file of each container.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{Tool, safe_options};

const CONTAINERS: [(&str, &str); 16] = [
    ("mp4", "-c:v libx264 -c:a aac"),
    ("mov", "-c:v libx264 -c:a aac"),
    ("m4v", "-c:v libx264 -c:a aac"),
    ("m4a", "-vn -c:a aac"),
    ("3gp", "-c:v libx264 -c:a aac"),
    ("mkv", "-c:v libx264 -c:a aac"),
    ("webm", "-c:v libvpx-vp9 -deadline realtime -c:a libopus"),
    ("avi", "-c:v mpeg4 -c:a libmp3lame"),
    ("flv", "-c:v libx264 -c:a aac"),
    ("ts", "-c:v libx264 -c:a aac"),
    ("mpg", "-c:v mpeg2video -c:a mp2"),
    ("wmv", "-c:v wmv2 -c:a wmav2"),
    ("ogv", "-c:v libtheora -c:a libvorbis"),
    ("jpg", "-frames:v 1"),
    ("png", "-frames:v 1"),
    ("webp", "-frames:v 1"),
];

/// Makes manifests that are named like videos and refer to a video of another job.
pub(crate) fn make_manifests(folder: &Path) -> Vec<PathBuf> {
    let other = make(folder, "another-jobs.mp4", "-c:v libx264 -c:a aac");
    let other = other.display();
    let dash = format!(
        "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" \
         mediaPresentationDuration=\"PT1S\" profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\"><Period>\
         <AdaptationSet mimeType=\"video/mp4\" contentType=\"video\"><Representation id=\"1\" bandwidth=\"1000\" \
         width=\"64\" height=\"64\"><BaseURL>{other}</BaseURL></Representation></AdaptationSet></Period></MPD>"
    );
    let hls = format!("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\n{other}\n#EXT-X-ENDLIST\n");
    [("own_dash.mp4", dash), ("own_hls.mp4", hls)]
        .map(|(name, content)| {
            let path = folder.join(name);
            fs::write(&path, content).expect("written");
            path
        })
        .into()
}

/// Whether the options, which refuse manifests, accept every container that the service accepts.
pub(crate) fn each_container_is_accepted(folder: &Path) -> bool {
    let refused: Vec<_> =
        CONTAINERS.into_iter().filter(|(extension, codecs)| !is_accepted(folder, extension, codecs)).collect();
    println!(
        "with the options, {} of {} containers are accepted, refused: {refused:?}",
        CONTAINERS.len() - refused.len(),
        CONTAINERS.len()
    );
    refused.is_empty()
}

fn is_accepted(folder: &Path, extension: &str, codecs: &str) -> bool {
    let sample = make(folder, &format!("harmless.{extension}"), codecs);
    // The extension would choose the demuxer: for `.jpg`, a demuxer of file sequences, which is refused.
    let file = folder.join("input");
    fs::rename(sample, &file).expect("renamed");
    let output =
        Command::new("ffprobe").args(Tool::Ffprobe.arguments(&safe_options(), &file)).output().expect("started");
    output.status.success() && String::from_utf8_lossy(&output.stdout).contains("codec_name")
}

pub(crate) fn make(folder: &Path, name: &str, codecs: &str) -> PathBuf {
    let file = folder.join(name);
    let inputs = "-v error -f lavfi -i testsrc2=s=352x288:d=1 -f lavfi -i sine=d=1";
    let status = Command::new("ffmpeg").args(inputs.split(' ').chain(codecs.split(' '))).arg(&file).status();
    assert!(status.is_ok_and(|status| status.success()), "{name}");
    file
}
