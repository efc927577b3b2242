//! What `clipgate-origin` can be asked to do beside its work.

use crate::clips::Clip;
use crate::fleet::Fleet;
use crate::harness::{Harness, Suite};
use anyhow::{Result, ensure};
use dev::Origin;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

pub fn register(suite: &mut Suite) {
    suite.add_on_its_own_stack("commands::the_doctor_names_what_is_missing", doctor);
    suite.add_on_its_own_stack(
        "commands::run_tells_everything_that_is_wrong_at_once",
        nothing_set,
    );
    suite.add_on_its_own_stack("commands::probe_says_what_production_would_say", probe);
    suite.add_on_its_own_stack("commands::a_content_that_failed_gets_a_new_job", requeue);
}

/// Both of what it printed.
fn printed(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn command(harness: &Harness, arguments: &[&str]) -> Result<Command> {
    let mut command = Origin::command(harness.env())?;
    command.args(arguments);
    Ok(command)
}

async fn doctor(harness: Arc<Harness>) -> Result<()> {
    let work = harness.folder().join("work");
    let doctor = |changed: &[(&str, &str)]| {
        let mut doctor = command(&harness, &["doctor", "--name", "patient"])?;
        doctor.arg("--work-dir").arg(&work);
        doctor.envs(changed.iter().copied());
        anyhow::Ok(doctor.output()?)
    };
    let well = doctor(&[])?;
    let text = printed(&well);
    ensure!(well.status.success() && !text.contains("MISSING"), "{text}");
    for part in [
        "sandbox",
        "ffmpeg",
        "configuration",
        "work folder",
        "object store",
        "queue",
        "edge",
    ] {
        ensure!(text.contains(&format!("ok       {part}: ")), "{text}");
    }
    let closed = format!("http://127.0.0.1:{}", dev::free_port()?);
    let wrong = "0123456789abcdef0123456789abcdef-wrong";
    for (name, value, part) in [
        ("ORIGIN_SECRET", wrong, "edge"),
        ("EDGE_URL", &closed, "edge"),
        ("QUEUE_API_TOKEN", wrong, "queue"),
        ("QUEUE_API_BASE", &closed, "queue"),
        ("S3_SECRET_ACCESS_KEY", wrong, "object store"),
        ("S3_ENDPOINT", &closed, "object store"),
        ("FFMPEG", "/nowhere/ffmpeg", "ffmpeg"),
        ("S3_BUCKET", "not-there", "object store"),
    ] {
        let ill = doctor(&[(name, value)])?;
        let text = printed(&ill);
        ensure!(ill.status.code() == Some(1), "{name}: {text}");
        ensure!(
            text.contains(&format!("MISSING  {part}: ")),
            "{name}: {text}"
        );
        ensure!(text.matches("MISSING").count() == 1, "{name}: {text}");
        ensure!(!text.contains(wrong), "{name}: {text}");
    }
    Ok(())
}

async fn nothing_set(harness: Arc<Harness>) -> Result<()> {
    let mut run = command(&harness, &["run", "--jobs", "0"])?;
    run.env_clear();
    run.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let output = run.output()?;
    let text = printed(&output);
    ensure!(output.status.code() == Some(1), "{text}");
    for wrong in [
        "EDGE_URL",
        "ORIGIN_SECRET",
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
    ] {
        ensure!(text.contains(wrong), "{wrong}: {text}");
    }
    Ok(())
}

async fn probe(harness: Arc<Harness>) -> Result<()> {
    let folder = harness.folder();
    let good = Clip::mp4("good.mp4");
    good.make(folder)?;
    let short = Clip {
        milliseconds: 1_000,
        ..Clip::mp4("short.mp4")
    };
    short.make(folder)?;
    let (status, said) = say(&harness, &folder.join(good.name))?;
    ensure!(status == Some(0) && said["accepted"] == true, "{said}");
    ensure!(
        said["container"] == "mp4" && said["video_codec"] == "h264",
        "{said}"
    );
    ensure!(said["width"] == 320 && said["height"] == 180, "{said}");
    let (status, said) = say(&harness, &folder.join(short.name))?;
    ensure!(status == Some(1) && said["accepted"] == false, "{said}");
    ensure!(
        said["error_message_code"] == "content_video_duration_invalid",
        "{said}"
    );
    Ok(())
}

fn say(harness: &Harness, file: &Path) -> Result<(Option<i32>, Value)> {
    let mut probe = command(harness, &["probe", "--json"])?;
    let output = probe.arg(file).output()?;
    let said = serde_json::from_slice(&output.stdout);
    let said = said.map_err(|error| anyhow::anyhow!("{error}: {}", printed(&output)))?;
    Ok((output.status.code(), said))
}

async fn requeue(harness: Arc<Harness>) -> Result<()> {
    let mut fleet = Fleet::new(&harness).await?;
    let clip = Clip::mp4("a.mp4").make(&fleet.folder)?;
    let upload = fleet.upload(&clip).await?;
    let output = command(&harness, &["job", "requeue", &upload.content_uuid])?.output()?;
    ensure!(output.status.success(), "{}", printed(&output));
    ensure!(fleet.row(&upload)?["generation"] == 2);
    fleet.start("again", &[]).await?;
    fleet
        .until_published(&upload, Duration::from_secs(30))
        .await?;
    // What is public needs no job.
    let output = command(&harness, &["job", "requeue", &upload.content_uuid])?.output()?;
    ensure!(output.status.code() == Some(1), "{}", printed(&output));
    let unknown = "00000000-0000-7000-8000-000000000000";
    let output = command(&harness, &["job", "requeue", unknown])?.output()?;
    ensure!(output.status.code() == Some(1), "{}", printed(&output));
    Ok(())
}
