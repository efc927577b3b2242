//! A list of 10,000 uploads scrolls as smoothly as a short one.

use super::Console;
use anyhow::{Context, Result, ensure};
use fixtures::cases;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tests::browser;
use tests::browser::BrowserStack;

const UPLOADS: u32 = 10_000;
const LOADED_WITHIN: Duration = Duration::from_mins(2);
/// The rows that the document may have at once.
const MAX_ROWS: u64 = 80;

/// Scrolls to the end of what is loaded. Returns whether the last row of all is there.
const SCROLL_TO_END: &str = "scrollTo(0, document.documentElement.scrollHeight);
    const last = [...document.querySelectorAll('.uploads > li')].at(-1);
    return last?.ariaPosInSet === '10000';";

/// Scrolls from the top to the end in 150 steps, one a frame. Returns the longest task in milliseconds, and the most
/// rows that the document had.
const SCROLL_THROUGH: &str = "return new Promise(async (resolve) => {
    let longest = 0, rows = 0;
    const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) longest = Math.max(longest, entry.duration);
    });
    observer.observe({ type: 'longtask' });
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (let step = 0; step <= 150; step += 1) {
        scrollTo(0, document.documentElement.scrollHeight * step / 150);
        await frame();
        rows = Math.max(rows, document.querySelectorAll('.uploads > li').length);
    }
    await new Promise((done) => setTimeout(done, 200));
    resolve([longest, rows]);
});";

async fn add_uploads(stack: &BrowserStack, channel_id: u64) -> Result<()> {
    let numbers = format!("WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT {UPLOADS})");
    for insert in [
        format!(
            "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
             SELECT 1000000 + value, 'long-' || value, {channel_id}, 1, 'committed', 1 FROM n"
        ),
        format!(
            "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
                 created_at_unix, caption)
             SELECT 1000000 + value, printf('00000000-0000-7000-8000-%012x', value), {channel_id}, 'processing',
                 'long-' || value, 'long-' || value || '.mp4', '{{\"container\":\"mp4\",\"size_bytes\":7}}', 5000, 'h',
                 1700000000 + value, 'Upload ' || value FROM n"
        ),
    ] {
        stack.change_rows(format!("{numbers} {insert}")).await?;
    }
    stack.change_rows(format!("UPDATE contents SET state = 'failed' WHERE channel_id = {channel_id}")).await
}

#[browser]
async fn ten_thousand_uploads_scroll_without_a_long_task(stack: Arc<BrowserStack>) -> Result<()> {
    let session = stack.new_session().await?;
    add_uploads(&stack, session.channel_id).await?;
    let browser = stack.browser().await?;
    let console = Console::open_as(&stack, &browser, &session.session_cookie, "/console/uploads").await?;
    console.until_text("Upload 10000").await?;
    console.until(LOADED_WITHIN, "the oldest upload", SCROLL_TO_END).await?;
    // The smoothest of five: other tests keep the machine busy. The long form runs alone.
    let mut smoothest = f64::MAX;
    for _ in 0..5 {
        let measured: Value = console.run(SCROLL_THROUGH).await?;
        let (longest, rows) = (measured[0].as_f64().context("no time")?, measured[1].as_u64().context("no rows")?);
        println!("scrolling through {UPLOADS} uploads: {rows} rows at most, the longest task {longest:.0} ms");
        ensure!((1..=MAX_ROWS).contains(&rows), "{rows} rows in the document");
        smoothest = smoothest.min(longest);
    }
    let limit = f64::from(cases(250, 50));
    ensure!(smoothest <= limit, "a task of {smoothest} ms");
    console.ensure_clean_but_for(Some(429)).await
}
