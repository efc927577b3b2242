//! Tests of the commands of `clipgate-origin` other than `run`.

use anyhow::{Result, ensure};
use dev::OriginProcess;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;
use tests::{Clip, OriginFleet, TestStack, e2e};

/// Returns what a command printed to its standard output and standard error.
fn printed_by(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn command(stack: &TestStack, arguments: &[&str]) -> Result<Command> {
    let mut command = OriginProcess::command(stack.env())?;
    command.args(arguments);
    Ok(command)
}

#[e2e(Own)]
async fn the_doctor_names_what_is_missing(stack: Arc<TestStack>) -> Result<()> {
    let work = stack.folder().join("work");
    let key = stack.origin_key("patient").await?;
    let doctor = |changed: &[(&str, &str)]| {
        let mut doctor = command(&stack, &["doctor", "--name", "patient"])?;
        doctor.env("ORIGIN_KEY", &key);
        doctor.arg("--work-dir").arg(&work);
        doctor.envs(changed.iter().copied());
        anyhow::Ok(doctor.output()?)
    };
    let healthy = doctor(&[])?;
    let text = printed_by(&healthy);
    ensure!(healthy.status.success() && !text.contains("MISSING"), "{text}");
    for part in ["sandbox", "ffmpeg", "configuration", "work folder", "encoders", "object store", "queue", "edge"] {
        ensure!(text.contains(&format!("ok       {part}: ")), "{text}");
    }
    for (codec, encoder) in [("av1", "libsvtav1"), ("hevc", "libx265")] {
        let text = printed_by(&doctor(&[("SECOND_CODEC", codec)])?);
        ensure!(text.contains(&format!("ok       encoders: libx264, {encoder}")), "{text}");
    }
    let closed = format!("http://127.0.0.1:{}", dev::free_port()?);
    let wrong = "0123456789abcdef0123456789abcdef-wrong";
    let forged = format!("cgo_1_{}", "5".repeat(64));
    let of_another = stack.origin_key("another").await?;
    for (name, value, part) in [
        ("ORIGIN_KEY", forged.as_str(), "edge"),
        ("ORIGIN_KEY", &of_another, "edge"),
        ("EDGE_URL", &closed, "edge"),
        ("QUEUE_API_TOKEN", wrong, "queue"),
        ("QUEUE_API_BASE", &closed, "queue"),
        ("S3_SECRET_ACCESS_KEY", wrong, "object store"),
        ("S3_ENDPOINT", &closed, "object store"),
        ("FFMPEG", "/nowhere/ffmpeg", "ffmpeg"),
        ("H264_ENCODER", "vaapi", "encoders"),
        ("S3_BUCKET", "not-there", "object store"),
    ] {
        let failing = doctor(&[(name, value)])?;
        let text = printed_by(&failing);
        ensure!(failing.status.code() == Some(1), "{name}: {text}");
        ensure!(text.contains(&format!("MISSING  {part}: ")), "{name}: {text}");
        ensure!(text.matches("MISSING").count() == 1, "{name}: {text}");
        ensure!(!text.contains(value) || value.starts_with("http") || value.len() < 30, "{name}: {text}");
    }
    Ok(())
}

#[e2e(Own)]
async fn run_reports_every_configuration_error_at_once(stack: Arc<TestStack>) -> Result<()> {
    let mut run = command(&stack, &["run", "--jobs", "0", "--quality", "99"])?;
    run.env_clear();
    run.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let output = run.output()?;
    let text = printed_by(&output);
    ensure!(output.status.code() == Some(1), "{text}");
    for name in [
        "EDGE_URL",
        "ORIGIN_KEY",
        "QUEUE_ACCOUNT_ID",
        "QUEUE_ID",
        "QUEUE_API_TOKEN",
        "S3_ENDPOINT",
        "S3_BUCKET",
        "S3_ACCESS_KEY_ID",
        "S3_SECRET_ACCESS_KEY",
        "ORIGIN_NAME",
        "WORK_DIR",
        "JOBS",
        "QUALITY",
    ] {
        ensure!(text.contains(name), "{name}: {text}");
    }
    Ok(())
}

#[e2e(Own)]
async fn probe_decides_as_production_does(stack: Arc<TestStack>) -> Result<()> {
    let folder = stack.folder();
    let good = Clip::mp4("good.mp4");
    good.make(folder)?;
    let short = Clip { milliseconds: 1_000, ..Clip::mp4("short.mp4") };
    short.make(folder)?;
    let (status, report) = probe(&stack, &folder.join(good.name))?;
    ensure!(status == Some(0) && report["accepted"] == true, "{report}");
    ensure!(report["container"] == "mp4" && report["video_codec"] == "h264", "{report}");
    ensure!(report["width"] == 320 && report["height"] == 180, "{report}");
    let (status, report) = probe(&stack, &folder.join(short.name))?;
    ensure!(status == Some(1) && report["accepted"] == false, "{report}");
    ensure!(report["error_message_code"] == "content_video_duration_invalid", "{report}");
    Ok(())
}

/// Returns the exit code and the JSON of `clipgate-origin probe`.
fn probe(stack: &TestStack, file: &Path) -> Result<(Option<i32>, Value)> {
    let output = command(stack, &["probe", "--json"])?.arg(file).output()?;
    let report = serde_json::from_slice(&output.stdout);
    let report = report.map_err(|error| anyhow::anyhow!("{error}: {}", printed_by(&output)))?;
    Ok((output.status.code(), report))
}

#[e2e(Own)]
async fn requeueing_gives_a_content_a_new_job_until_it_is_published(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    let output = command(&stack, &["job", "requeue", &upload.content_uuid])?.output()?;
    ensure!(output.status.success(), "{}", printed_by(&output));
    ensure!(fleet.row(&upload)?["generation"] == 2);
    fleet.start("again", &[]).await?;
    fleet.until_published(&upload, Duration::from_mins(1)).await?;
    // A published content needs no job.
    let output = command(&stack, &["job", "requeue", &upload.content_uuid])?.output()?;
    ensure!(output.status.code() == Some(1), "{}", printed_by(&output));
    let unknown = "00000000-0000-7000-8000-000000000000";
    let output = command(&stack, &["job", "requeue", unknown])?.output()?;
    ensure!(output.status.code() == Some(1), "{}", printed_by(&output));
    Ok(())
}
