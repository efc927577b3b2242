//! One request that panics answers 500 and leaves its neighbours alone.

use crate::harness::{Harness, Suite, ensure_refused};
use anyhow::{Result, ensure};
use futures_util::future::join_all;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "panics::a_panicking_request_leaves_those_in_flight_untouched",
        neighbours,
    );
}

async fn neighbours(harness: Arc<Harness>) -> Result<()> {
    let slow = join_all((0..8).map(|_| harness.get("/dev/slow")));
    let panics = async {
        let mut answers = Vec::new();
        for _ in 0..3 {
            answers.push(harness.get("/dev/panic").await);
        }
        answers
    };
    let (slow, panics) = futures_util::future::join(slow, panics).await;
    for answer in panics {
        let answer = answer?;
        ensure_refused(&answer, 500, "internal_error")?;
        let logged = harness.logged(answer.header("x-request-id")).await?;
        ensure!(logged["level"] == "ERROR", "{logged}");
    }
    for answer in slow {
        ensure!(answer?.status == 200, "a neighbour died");
    }
    Ok(())
}
