//! The operations of a video from its upload to its removal. docs/costs.md quotes these numbers.

use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;
use tests::{Clip, OriginFleet, R2Object, TestStack, e2e, send};

/// The maximum cost of a video that is uploaded, published, deleted and swept: the numbers in docs/costs.md, plus the
/// list of old failed requests, which one run of the sweep an hour has.
const MOST: Operations = Operations { requests: 5, statements: 119, rows_read: 419, rows_written: 107, r2_calls: 6 };
/// The maximum cost of the requests whose number depends on how long the processing takes, each.
const MOST_OF_EACH: [(&str, Operations); 2] = [
    (paths::UPLOAD_STATUS, Operations { requests: 1, statements: 5, rows_read: 20, rows_written: 1, r2_calls: 0 }),
    (paths::JOB_PROGRESS, Operations { requests: 1, statements: 3, rows_read: 8, rows_written: 3, r2_calls: 0 }),
];

/// The billed operations of requests.
#[derive(Clone, Copy, Debug, Default)]
struct Operations {
    requests: u64,
    statements: u64,
    rows_read: u64,
    rows_written: u64,
    r2_calls: u64,
}

impl Operations {
    fn of_request(logged: &Value) -> Self {
        let number = |name: &str| logged[name].as_u64().unwrap_or_default();
        Self {
            requests: 1,
            statements: number("d1_statements"),
            rows_read: number("d1_rows_read"),
            rows_written: number("d1_rows_written"),
            r2_calls: number("r2_operations"),
        }
    }

    fn are_within(self, most: Self) -> bool {
        self.requests <= most.requests
            && self.statements <= most.statements
            && self.rows_read <= most.rows_read
            && self.rows_written <= most.rows_written
            && self.r2_calls <= most.r2_calls
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.statements += other.statements;
        self.rows_read += other.rows_read;
        self.rows_written += other.rows_written;
        self.r2_calls += other.r2_calls;
    }
}

/// On a new stack, because the sweep also reads what other tests leave behind.
#[e2e(New)]
async fn a_video_costs_no_more_operations_than_the_cost_table_says(stack: Arc<TestStack>) -> Result<()> {
    let mut fleet = OriginFleet::new(&stack).await?;
    let clip = Clip { size: (640, 360), milliseconds: 10_000, ..Clip::mp4("a.mp4") }.make(&fleet.folder)?;
    fleet.start("costs", &[]).await?;
    let earlier = stack.logged_answers()?.len();
    let upload = fleet.upload(&clip).await?;
    fleet.until_published(&upload, Duration::from_mins(2)).await?;
    let (outputs, others): (Vec<_>, Vec<_>) =
        stack.objects()?.into_iter().partition(|object| object.key.contains(&upload.content_uuid));
    let bytes = |objects: &[R2Object]| objects.iter().map(|object| object.size).sum::<u64>();
    println!("source: {} bytes, outputs: {} objects, {} bytes", clip.len(), outputs.len(), bytes(&outputs));
    println!("other objects: {} bytes", bytes(&others));
    let body = json!({ "content_uuid": upload.content_uuid });
    let deleted = stack.request(Method::POST, paths::DELETE_CONTENT);
    let deleted = send(deleted.bearer_auth(&fleet.channel.key).json(&body)).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    fleet.stop(0, Duration::from_secs(30)).await?;
    let swept = stack.sweep().await?;
    ensure!(swept["success"] == true, "{swept}");
    let (mut total, mut by_path) = (Operations::default(), BTreeMap::<String, Operations>::new());
    for logged in &stack.logged_answers()?[earlier..] {
        let path = logged["path"].as_str().unwrap_or_default();
        let operations = Operations::of_request(logged);
        *by_path.entry(path.to_owned()).or_default() += operations;
        match MOST_OF_EACH.iter().find(|(repeated, _)| *repeated == path) {
            Some((_, most)) => ensure!(operations.are_within(*most), "{path}: {operations:?}"),
            None => total += operations,
        }
    }
    for (path, operations) in &by_path {
        println!("{path}: {operations:?}");
    }
    ensure!(total.are_within(MOST), "{total:?}");
    Ok(())
}
