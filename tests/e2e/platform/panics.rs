//! A request that panics is answered with 500 and leaves other requests alone.

use anyhow::{Result, ensure};
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
