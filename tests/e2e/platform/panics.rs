//! A request that panics is answered with 500 and leaves other requests alone.

use anyhow::{Context, Result, ensure};
use contract::paths;
use futures_util::future::join_all;
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused};

#[e2e]
async fn a_panicking_request_does_not_disturb_requests_in_flight(stack: Arc<TestStack>) -> Result<()> {
    let slow = join_all((0..8).map(|_| stack.get("/dev/slow")));
    let panics = async {
        let mut answers = Vec::new();
        for _ in 0..3 {
            answers.push(stack.get("/dev/panic").await);
        }
        answers
    };
    let (slow, panics) = futures_util::future::join(slow, panics).await;
    for answer in panics {
        let answer = answer?;
        ensure_refused(&answer, 500, "internal_error")?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(logged["level"] == "ERROR", "{logged}");
    }
    for answer in slow {
        ensure!(answer?.status == 200, "a request in flight failed");
    }
    Ok(())
}

/// The platform's filters see the console's level, not the event's.
#[e2e]
async fn a_failure_is_logged_with_the_level_of_the_console(stack: Arc<TestStack>) -> Result<()> {
    for (path, is_error) in [("/dev/panic", true), (paths::HEALTH, false)] {
        let answer = stack.get(path).await?;
        let id = answer.header("x-request-id");
        stack.logged(id).await?;
        let log = std::fs::read_to_string(stack.folder().join("edge.log"))?;
        let line = log.lines().find(|line| line.contains(id)).context("nothing is logged")?;
        // wrangler marks errors of the console with a coloured sign.
        ensure!(line.contains('✘') == is_error, "{line}");
    }
    Ok(())
}
