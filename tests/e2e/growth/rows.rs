//! The number of rows that a request reads does not grow with the number of stored videos.

use super::tour::Tour;
use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tests::{Channel, Document, TestStack, e2e, moderator_request, send};

/// The videos of the small and of the large database.
///
/// Even the small database has more than 100 videos in each state that moderators see: lists and comparisons read at
/// most 100.
const SMALL: u32 = 2_000;
const LARGE: u32 = 100_000;
/// A request may read a page more, because the small database does not fill it: 50 contents of up to four rows each.
const PAGE: u64 = 200;

/// The most rows that a request of each route read, by method and path or by a name.
type RowsRead = BTreeMap<String, u64>;

#[e2e(New)]
async fn no_request_reads_more_the_longer_the_past_of_the_service_is(stack: Arc<TestStack>) -> Result<()> {
    let small = rows_read_with(&stack, SMALL).await?;
    let large = rows_read_with(&stack, LARGE).await?;
    ensure_complete(&large)?;
    println!("{SMALL:>9} {LARGE:>9}  videos");
    let mut grown = Vec::new();
    for (name, rows) in &large {
        let before = small.get(name).with_context(|| format!("{name} was not tried before"))?;
        println!("{before:>9} {rows:>9}  {name}");
        if *rows > before + PAGE {
            grown.push(format!("{name}: {before}, then {rows} rows"));
        }
    }
    ensure!(grown.is_empty(), "these requests read more rows in a larger database: {grown:#?}");
    Ok(())
}

/// Adds a past of which a new channel owns a tenth, requests everything, and returns the rows read.
async fn rows_read_with(stack: &Arc<TestStack>, contents: u32) -> Result<RowsRead> {
    let large = Channel::with_limit(stack, Some(1_000_000)).await?;
    let tour = Tour::begin(stack, &large).await?;
    let started = std::time::Instant::now();
    stack.add_past(contents, large.account.channel_id)?;
    println!("{contents} videos were added in {:.1} s", started.elapsed().as_secs_f64());
    let first = stack.logged_answers()?.len();
    let named = tour.request_everything().await?;
    let last = send(moderator_request(stack, Method::GET, paths::SERVICE_HEALTH)).await?;
    stack.logged(last.header("x-request-id")).await?;
    let mut rows = RowsRead::new();
    for logged in &stack.logged_answers()?[first..] {
        let (id, read) = (logged["span"]["request_id"].as_str(), logged["d1_rows_read"].as_u64());
        let route = format!("{} {}", text(logged, "method"), text(logged, "path"));
        let name = id.and_then(|id| named.get(id)).map(|name| format!("{route}: {name}"));
        for name in [Some(route), name].into_iter().flatten() {
            let most = rows.entry(name).or_default();
            *most = read.unwrap_or_default().max(*most);
        }
    }
    Ok(rows)
}

fn text<'a>(logged: &'a Value, name: &str) -> &'a str {
    logged[name].as_str().unwrap_or_default()
}

/// Fails unless every operation of the documents was requested.
fn ensure_complete(rows: &RowsRead) -> Result<()> {
    let mut missing = BTreeSet::new();
    for document in Document::ALL {
        let document: Value = serde_json::from_slice(&std::fs::read(document.path())?)?;
        for (path, item) in document["paths"].as_object().context("no paths")? {
            let methods = item.as_object().context("no operations")?.keys();
            missing.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
        }
    }
    missing.retain(|operation| !rows.contains_key(operation));
    ensure!(missing.is_empty(), "these operations were not requested: {missing:#?}");
    Ok(())
}
