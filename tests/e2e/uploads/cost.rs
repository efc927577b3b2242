//! The platform operations of an upload, as the Worker counts them. On a shared stack, a request may also do what the
//! changes of another test have left to do. `docs/benchmarks.md` quotes these numbers.

use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use edge::limits::{LARGEST_PART_BYTES, PART_BYTES};
use fixtures::Form;
use reqwest::Method;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestContent, TestStack, e2e, send};

/// D1 batches (each is one transaction), the statements in them, and R2 operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UploadCost {
    batches: u64,
    statements: u64,
    operations: u64,
}

/// Fails unless the answer has this status and the request has cost exactly this.
async fn ensure_cost(
    stack: &TestStack,
    kind: &str,
    answer: Result<HttpAnswer>,
    (status, batches, statements, operations): (u16, u64, u64, u64),
) -> Result<()> {
    let answer = answer?;
    ensure!(answer.status == status, "{kind}: {answer:?}");
    let logged = stack.logged(answer.header("x-request-id")).await?;
    let number = |name: &str| logged[name].as_u64().unwrap_or(u64::MAX);
    let cost = UploadCost {
        batches: number("d1_batches"),
        statements: number("d1_statements"),
        operations: number("r2_operations"),
    };
    let expected = UploadCost { batches, statements, operations };
    println!("{kind}: {cost:?}");
    ensure!(cost == expected, "{kind}: expected {expected:?}, found {logged}");
    Ok(())
}

#[e2e(Own)]
async fn each_kind_of_upload_has_a_fixed_number_of_d1_and_r2_operations(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(5)).await?;
    let small = stack.small_video();
    let large = fixtures::mp4(5_000, 2 * PART_BYTES + 1_000, 7);
    let two_parts = fixtures::mp4(5_000, LARGEST_PART_BYTES + 100_000, 7);
    let form = |video: &[u8]| Form::new().file("file", "a.mp4", video);
    let with_token = |token: &str, video: &[u8]| Form::new().text("upload_token", token).file("file", "a.mp4", video);
    let (token, other) = (stack.token(), stack.token());
    let cases = [
        ("small", form(&small), (200, 2, 15, 1)),
        ("small, token", with_token(&token, &small), (200, 3, 20, 1)),
        ("small, repeated token", with_token(&token, &small), (200, 4, 13, 0)),
        ("in one part and a tail", form(&large), (200, 3, 17, 4)),
        ("in two parts and a tail", form(&two_parts), (200, 3, 17, 5)),
        ("in parts, token", with_token(&other, &large), (200, 3, 21, 4)),
        ("over the limit", form(&small), (429, 1, 5, 0)),
    ];
    for (kind, form, cost) in cases {
        let answer = channel.upload(form).await?;
        if let Some(id) = answer.json()?["content_id"].as_u64() {
            // As if an origin had claimed the job. Otherwise the third job would be held.
            stack.pretend_claims(&format!("content_id = {id}")).await?;
        }
        ensure_cost(&stack, kind, Ok(answer), cost).await?;
    }
    let busy = Channel::new(&stack).await?;
    for (kind, cost) in [("first", (200, 2, 15, 1)), ("second", (200, 2, 15, 1)), ("held", (200, 2, 15, 1))] {
        ensure_cost(&stack, kind, busy.upload(form(&small)).await, cost).await?;
    }
    let fresh = Channel::new(&stack).await?;
    let captions = b"1\n00:00:01,000 --> 00:00:02,000\nHello\n";
    let captions = |form: Form, language: &str| form.file(&format!("captions_file_{language}"), "a.srt", captions);
    let one = captions(form(&small), "de");
    ensure_cost(&stack, "captions", fresh.upload(one).await, (200, 3, 20, 2)).await?;
    let two = captions(captions(form(&small), "de"), "en");
    ensure_cost(&stack, "captions in two languages", fresh.upload(two).await, (200, 3, 20, 3)).await?;
    let refused = fresh.upload(form(b"a text that is not a video, whatever its name"));
    ensure_cost(&stack, "not a video", refused.await, (415, 1, 3, 0)).await?;
    let refused = fresh.upload(form(b"7 bytes")).await?;
    let logged = stack.logged(refused.header("x-request-id")).await?;
    let rows = ["d1_rows_read", "d1_rows_written"].map(|name| logged[name].as_u64().unwrap_or(u64::MAX));
    println!("a refused upload of 7 bytes: {rows:?} rows read and written");
    ensure!(rows[0] <= 12 && rows[1] <= 4, "{logged}");
    let refused = fresh.upload(form(&fixtures::mp4(1_000, 20_000, 7)));
    ensure_cost(&stack, "a short video of 20 kB", refused.await, (422, 2, 8, 0)).await?;
    let rotated = Channel::new(&stack).await?;
    rotated.account.post(paths::ROTATE_API_KEY).await?;
    let refused = rotated.upload(form(&small));
    ensure_cost(&stack, "an invalid key", refused.await, (401, 1, 5, 0)).await?;
    let request = stack.request(Method::POST, paths::UPLOAD_VIDEO);
    let refused = send(request.bearer_auth("not a key"));
    ensure_cost(&stack, "no key", refused.await, (401, 0, 0, 0)).await
}

/// The cost of a request to the database: round trips, and the batches among them that wrote rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct DatabaseCost {
    round_trips: u64,
    write_batches: u64,
    rows_written: u64,
}

impl DatabaseCost {
    /// Returns the cost of the requests to this path so far, of which there must be one.
    async fn of_only_request(stack: &TestStack, path: &str) -> Result<Self> {
        let logged = stack.logged_about(path, 1).await?;
        let [logged] = logged.as_slice() else { bail!("{path}: {} requests", logged.len()) };
        let number = |name: &str| logged[name].as_u64().with_context(|| format!("{path}: no {name}"));
        Ok(Self {
            round_trips: number("d1_batches")?,
            write_batches: number("d1_write_batches")?,
            rows_written: number("d1_rows_written")?,
        })
    }
}

/// On a new stack, because the requests are found by their paths.
#[e2e(New)]
async fn a_published_clip_costs_four_write_batches(stack: Arc<TestStack>) -> Result<()> {
    TestContent::published(&stack, "a clip").await?;
    let (mut total, most_write_batches) =
        (DatabaseCost::default(), [(paths::UPLOAD_VIDEO, 2), (paths::JOB_CLAIM, 1), (paths::JOB_REPORT, 1)]);
    for (path, write_batches) in most_write_batches {
        let cost = DatabaseCost::of_only_request(&stack, path).await?;
        println!("{path}: {cost:?}");
        ensure!(cost.write_batches == write_batches, "{path}: {cost:?}");
        total.round_trips += cost.round_trips;
        total.write_batches += cost.write_batches;
        total.rows_written += cost.rows_written;
    }
    println!("until it is published: {total:?}");
    ensure!(total.write_batches == 4 && total.round_trips == 6 && total.rows_written <= 43, "{total:?}");
    Ok(())
}
