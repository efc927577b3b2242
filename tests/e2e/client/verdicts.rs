//! The client judges a file as the service does, before it sends anything.

use anyhow::{Result, ensure};
use std::sync::Arc;
use tests::{Channel, ChannelRows, ClientProgram, TestStack, e2e};

#[e2e]
async fn the_client_says_what_the_service_would_say(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    let video = fixtures::mp4(5_000, 60_000, 3);
    // Larger than all buffers on the way, so the refusal arrives while the client is still sending.
    let files = [
        vec![b'-'; 15_000_000],
        fixtures::mp4(1_999, 2_000, 1),
        fixtures::mp4(120_001, 2_000, 1),
        video[..50_000].to_vec(),
        b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".to_vec(),
    ];
    for bytes in files {
        program.write("clip.mp4", &bytes)?;
        let foreseen = program.run(&["upload", "clip.mp4", "--json"]).await?;
        channel.ensure_rows(&ChannelRows::default())?;
        let said = program.run(&["upload", "clip.mp4", "--json", "--force"]).await?;
        let (foreseen_failure, said_failure) = (foreseen.event("failed")?, said.event("failed")?);
        for member in ["error_message_code", "detail", "field"] {
            let (foreseen, said) = (&foreseen_failure["refusal"][member], &said_failure["refusal"][member]);
            ensure!(foreseen == said && foreseen.is_string(), "{member}: {foreseen} {said}");
        }
        ensure!(said_failure["refusal"]["request_id"].is_string(), "the service was not asked: {said:?}");
        ensure!(
            foreseen_failure["refusal"]["request_id"].is_null() && foreseen.code == 3 && said.code == 3,
            "{said:?}"
        );
        let checked = program.run(&["check", "clip.mp4"]).await?;
        ensure!(checked.code == 3, "{checked:?}");
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn the_client_refuses_fields_before_it_sends_the_file(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("clip.mp4", &stack.small_video())?;
    let long = "é".repeat(2_201);
    for (arguments, code) in [
        (["--caption", long.as_str()], "content_caption_invalid"),
        (["--category", "999999999"], "content_category_invalid"),
        (["--thumbnail-time", "00:00:06"], "content_thumbnail_time_invalid"),
        (["--thumbnail", "clip.mp4"], "content_thumbnail_invalid"),
        (["--publish-at", "2026-01-01T00:00:00Z"], "content_schedule_invalid"),
        (["--external-id", "a\nb"], "content_external_id_invalid"),
        (["--metadata", "a b=1"], "content_metadata_invalid"),
    ] {
        let upload = |options: &[&str]| {
            let all = [&["upload", "clip.mp4", "--json"][..], &arguments, options].concat();
            let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
            let program = &program;
            async move { program.run(&all).await }
        };
        for run in [upload(&[]).await?, upload(&["--force"]).await?] {
            let failure = run.event("failed")?;
            ensure!(failure["refusal"]["error_message_code"] == code && run.code == 3, "{run:?}");
        }
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn files_that_cannot_be_sent_are_named_and_the_others_are_sent(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let program = ClientProgram::new(&channel)?;
    program.write("folder/good.mp4", &stack.small_video())?;
    program.write("folder/empty.mp4", b"")?;
    program.write("folder/notes.txt", b"notes")?;
    std::os::unix::fs::symlink("nowhere", program.home().join("link.mp4"))?;
    let run = program.run(&["upload", "missing.mp4", "link.mp4", "folder", "/dev/null", "--jobs", "2"]).await?;
    for text in [
        "missing.mp4: there is no such file",
        "link.mp4: this link leads",
        "empty.mp4: the file is empty",
        "not a file",
    ] {
        ensure!(run.errors.contains(text), "{text}: {run:?}");
    }
    ensure!(run.code == 1 && run.errors.contains("skipped 1 of its files"), "{run:?}");
    ensure!(run.printed.contains("good.mp4: uploaded as "), "{run:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}
