//! What an upload costs the platform, by the Worker's own count. ARCHITECTURE.md quotes these numbers.

use crate::channel::Channel;
use crate::harness::{Answer, Harness, Suite, send};
use anyhow::{Result, ensure};
use contract::limits::PART_BYTES;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "cost::each_kind_of_upload_costs_so_many_batches_statements_and_operations",
        uploads,
    );
}

/// D1 batches (each one transaction), the statements in them, and R2 operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    batches: u64,
    statements: u64,
    operations: u64,
}

async fn ensure_cost(
    harness: &Harness,
    kind: &str,
    answer: Result<Answer>,
    (status, batches, statements, operations): (u16, u64, u64, u64),
) -> Result<()> {
    let answer = answer?;
    ensure!(answer.status == status, "{kind}: {answer:?}");
    let logged = harness.logged(answer.header("x-request-id")).await?;
    let number = |name: &str| logged[name].as_u64().unwrap_or(u64::MAX);
    let found = Cost {
        batches: number("d1_batches"),
        statements: number("d1_statements"),
        operations: number("r2_operations"),
    };
    let expected = Cost {
        batches,
        statements,
        operations,
    };
    println!("{kind}: {found:?}");
    ensure!(
        found == expected,
        "{kind}: expected {expected:?}, {found:?}"
    );
    Ok(())
}

async fn uploads(harness: Arc<Harness>) -> Result<()> {
    let _permit = harness.large_upload().await?;
    let channel = Channel::with_limit(&harness, Some(4)).await?;
    let small = harness.small_video();
    let large = fixtures::mp4(5_000, 2 * PART_BYTES + 1_000, 7);
    let form = |video: &[u8]| Form::new().file("file", "a.mp4", video);
    let with_token = |token: &str, video: &[u8]| {
        Form::new()
            .text("upload_token", token)
            .file("file", "a.mp4", video)
    };
    let (token, other) = (harness.token(), harness.token());
    let cases = [
        ("small", form(&small), (200, 3, 9, 1)),
        ("small, token", with_token(&token, &small), (200, 4, 12, 1)),
        (
            "small, repeated",
            with_token(&token, &small),
            (200, 4, 10, 0),
        ),
        ("three parts", form(&large), (200, 4, 10, 5)),
        (
            "three parts, token",
            with_token(&other, &large),
            (200, 5, 13, 5),
        ),
        ("over the limit", form(&small), (429, 1, 4, 0)),
    ];
    for (kind, form, cost) in cases {
        ensure_cost(&harness, kind, channel.upload(form).await, cost).await?;
    }
    let fresh = Channel::new(&harness).await?;
    let refused = fresh.upload(form(b"a text that is no video, whatever its name"));
    ensure_cost(&harness, "no video", refused.await, (415, 2, 6, 0)).await?;
    let dead = Channel::new(&harness).await?;
    dead.account.post(paths::ROTATE_API_KEY).await?;
    let refused = dead.upload(form(&small));
    ensure_cost(&harness, "a dead key", refused.await, (401, 1, 4, 0)).await?;
    let request = harness.request(Method::POST, paths::UPLOAD_VIDEO);
    let refused = send(request.bearer_auth("not a key"));
    ensure_cost(&harness, "no key", refused.await, (401, 0, 0, 0)).await
}
