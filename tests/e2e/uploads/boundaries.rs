//! The limits of what is accepted: duration to the millisecond, size to the byte, formats by their bytes.

use anyhow::{Context, Result, ensure};
use fixtures::Form;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ChannelRows, RawUpload, TestStack, e2e, ensure_refused};

fn file(bytes: &[u8]) -> Form {
    Form::new().file("file", "clip.mp4", bytes)
}

#[e2e]
async fn durations_of_2_to_120_seconds_are_accepted_to_the_millisecond(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (milliseconds, is_accepted) in [(1_999, false), (2_000, true), (120_000, true), (120_001, false)] {
        let answer = channel.upload(file(&fixtures::mp4(milliseconds, 3_000, 1))).await?;
        if is_accepted {
            ensure!(answer.status == 200, "{milliseconds}: {answer:?}");
        } else {
            ensure_refused(&answer, 422, "content_video_duration_invalid")?;
        }
    }
    channel.ensure_rows(&ChannelRows::after(2))
}

/// The numbers of frames of the clips, and whether a clip with one frame every 40 ms is then accepted.
const LENGTHS: [(u32, bool); 4] = [(48, false), (52, true), (2_998, true), (3_003, false)];

/// Makes a tiny clip of each length. Returns `None` if ffmpeg is not installed.
fn clips(folder: &Path, extension: &str, codecs: &[&str]) -> Result<Option<Vec<Vec<u8>>>> {
    let paths = LENGTHS.map(|(frames, _)| folder.join(format!("boundary-{frames}.{extension}")));
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-y", "-filter_threads", "1", "-f", "lavfi", "-i", "testsrc=s=64x36:r=25"]);
    // Encoding pictures this small takes several times as long with more threads.
    for ((frames, _), path) in LENGTHS.iter().zip(&paths) {
        command.args(["-frames:v", &frames.to_string()]).args(codecs).args(["-threads", "1"]).arg(path);
    }
    match command.status() {
        Err(_) => Ok(None),
        Ok(status) => {
            ensure!(status.success(), "ffmpeg could not make the clips in {extension}");
            Ok(Some(paths.iter().map(std::fs::read).collect::<Result<_, _>>()?))
        }
    }
}

#[e2e]
async fn each_container_is_accepted_within_the_duration_limits_and_refused_beyond(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let h264: &[&str] = &["-c:v", "libx264", "-preset", "ultrafast", "-bf", "0"];
    let formats: [(&str, &[&str]); 8] = [
        ("mp4", h264),
        ("mov", h264),
        ("webm", &["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8"]),
        ("mkv", h264),
        ("avi", &["-c:v", "mpeg4"]),
        ("flv", &["-c:v", "flv"]),
        ("ts", &["-c:v", "mpeg2video"]),
        ("ogv", &["-c:v", "libtheora"]),
    ];
    let folder = stack.folder().to_owned();
    for (extension, codecs) in formats {
        let Some(clips) = clips(&folder, extension, codecs)? else {
            println!("boundaries: ffmpeg is not installed, so no containers are tested");
            return Ok(());
        };
        for ((frames, is_accepted), bytes) in LENGTHS.into_iter().zip(clips) {
            let answer = channel.upload(file(&bytes)).await?;
            if is_accepted {
                ensure!(answer.status == 200, "{extension}, {frames} frames: {answer:?}");
            } else {
                ensure_refused(&answer, 422, "content_video_duration_invalid").context(extension)?;
            }
        }
    }
    channel.ensure_rows(&ChannelRows::after(16))
}

#[e2e]
async fn the_bytes_decide_the_format_and_not_the_file_name(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    channel.upload_accepted(Form::new().file("file", "notes.txt", &stack.small_video())).await?;
    let others: [&[u8]; 5] = [
        b"#!/bin/sh\necho a script that is called a video\n",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR and so on, a picture that is called a video",
        b"<html><body>a page that is called a video</body></html>",
        b"#EXTM3U\n#EXT-X-VERSION:3\nhttp://127.0.0.1:1/secret.ts\n",
        b"PK\x03\x04 an archive that is called a video, with something in it",
    ];
    for bytes in others {
        ensure_refused(&channel.upload(file(bytes)).await?, 415, "content_file_invalid_format")?;
    }
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_file_of_95_million_bytes_is_accepted_and_one_byte_more_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let largest = fixtures::mp4(5_000, 95_000_000, 1);
    ensure!(largest.len() == 95_000_000);
    channel.upload_accepted(file(&largest)).await?;
    let answer = channel.upload(file(&fixtures::mp4(5_000, 95_000_001, 1))).await?;
    ensure_refused(&answer, 413, "content_file_too_large")?;
    ensure!(stack.objects_of_size(95_000_000)?.len() == 1 && stack.objects_of_size(95_000_001)?.is_empty());
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_content_length_far_over_the_limit_is_refused_before_the_body(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut upload = RawUpload::start(&channel, Some(99_900_000)).await?;
    let answer = tokio::time::timeout(Duration::from_secs(20), upload.answer()).await??;
    ensure!(answer.starts_with("HTTP/1.1 413") && answer.contains("content_file_too_large"), "{answer}");
    channel.ensure_rows(&ChannelRows::default())
}
