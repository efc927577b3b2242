//! A report costs the same few statements, however long the blocklist is. docs/moderation.md quotes the figures that
//! this prints.

use anyhow::{Result, ensure};
use contract::PictureHash;
use contract::moderation::{FrameHash, Recommendation};
use contract::paths::JOB_REPORT;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestContent, TestStack, e2e, until};

/// The maximum number of frames that an origin reports.
const FRAMES: u64 = 328;
const STATEMENT_ROWS: u64 = 50_000;
/// The row of the job, the comparison, and the change with all that follows from it.
/// Each batch checks the origin's key.
const MAX_STATEMENTS: u64 = 14;

/// Returns different frames. Frames of one scene differ in a few bits; different scenes are like unrelated pictures.
fn frames(seed: u64, per_scene: u64) -> Vec<FrameHash> {
    let word = |number: u64| {
        let mixed = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    let frame = |index: u64| {
        let scene = seed * 10_000 + index / per_scene;
        let words = [0, 1, 2, 3].map(|part| word(scene * 4 + part + 1));
        let inverted = word(index) & word(index + 7) & word(index + 13);
        let hash = PictureHash::from_words([words[0] ^ inverted, words[1], words[2], words[3]]);
        FrameHash { at_ms: index * 10, hash }
    };
    (0..FRAMES).map(frame).collect()
}

/// Adds random hashes, and lets the sweep pack them.
async fn fill(stack: &TestStack, count: u64) -> Result<()> {
    for _ in 0..count.div_ceil(STATEMENT_ROWS) {
        let rows = STATEMENT_ROWS.min(count);
        stack
            .change_rows(format!(
                "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})
                 INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
                 SELECT lower(hex(randomblob(32))), 'r', 'm', 1 FROM numbers"
            ))
            .await?;
    }
    let packed = async || {
        stack.sweep().await?;
        let left = stack.count("SELECT count(*) FROM blocklist_additions WHERE number <> ?1", 0)?;
        Ok((left < 1_000).then_some(()))
    };
    until(Duration::from_mins(2), packed, || "the additions were not packed".to_owned()).await
}

/// Reports a video with these frames, and prints what the report cost. Returns the number of statements.
async fn report(stack: &Arc<TestStack>, frames: Vec<FrameHash>, kind: &str) -> Result<u64> {
    let before = stack.logged_about(JOB_REPORT, 0).await?.len();
    let mut content = TestContent::upload(stack, |form| form).await?;
    content.frames = frames;
    let answer = content.finish(&[Recommendation::Pass]).await?;
    ensure!(answer.accepted && answer.state == Some(contract::ContentState::Published), "{answer:?}");
    let logged = stack.logged_about(JOB_REPORT, before + 1).await?.remove(before);
    let listed = stack.count("SELECT count(*) FROM blocked_hashes WHERE reason <> ?1", 0)?;
    println!("{listed} hashes, {kind}: {logged}");
    Ok(logged["d1_statements"].as_u64().unwrap_or(u64::MAX))
}

#[e2e(New)]
async fn a_report_costs_the_same_statements_whatever_the_length_of_the_list(stack: Arc<TestStack>) -> Result<()> {
    let (mut listed, mut costs) = (0, BTreeSet::new());
    for length in fixtures::cases(&[1_000, 20_000][..], &[1_000, 10_000, 100_000, 1_000_000]) {
        fill(&stack, length - listed).await?;
        listed = *length;
        for (kind, per_scene) in [("first report", 8), ("scenes", 8), ("unrelated frames", 1)] {
            costs.insert(report(&stack, frames(listed, per_scene), kind).await?);
        }
    }
    ensure!(costs.len() == 1 && costs.iter().all(|statements| *statements <= MAX_STATEMENTS), "{costs:?} statements");
    // One frame on the list is found among all of them, and a person decides.
    let blocked = stack.texts("SELECT hash FROM blocked_hashes ORDER BY hash LIMIT 1")?;
    let mut content = TestContent::upload(&stack, |form| form).await?;
    content.frames = frames(7, 8);
    for hash in blocked {
        content.frames[200].hash = hash.parse()?;
    }
    let answer = content.finish(&[Recommendation::Pass]).await?;
    ensure!(answer.state == Some(contract::ContentState::Processing), "{answer:?}");
    ensure!(content.job.row()?["waits_for"] == "person", "the video does not wait for a person");
    Ok(())
}
