//! The platform operations and the time of a large resumable upload, beside the same bytes in one.

use super::Upload;
use anyhow::{Result, ensure};
use fixtures::Form;
use std::sync::Arc;
use std::time::Instant;
use tests::{Channel, TestStack, e2e};

/// The largest file that one request may bring.
const FILE: usize = 95_000_000;
const CHUNK: usize = 32 * 1024 * 1024;

/// For the 19 parts on a connection that the service takes for slow, as on a busy machine: a checkpoint for each, and
/// three for each of the three requests. A fast one needs a third of them.
const MOST_WRITE_BATCHES: u64 = 30;
/// For each part, a tail that is stored, read, and deleted, and the part itself. A fast connection needs half of them.
const MOST_R2_OPERATIONS: u64 = 85;

#[e2e(Own)]
async fn a_large_upload_in_three_requests_costs_little_more_than_in_one(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = fixtures::mp4(5_000, FILE, 9);
    let began = Instant::now();
    channel.upload_accepted(Form::new().file("file", "a.mp4", &file)).await?;
    let in_one = began.elapsed();
    let began = Instant::now();
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    let (mut offset, mut write_batches, mut operations) = (0, 0, 0);
    for chunk in file.chunks(CHUNK) {
        let answer = upload.append(offset, chunk).await?;
        ensure!(answer.status == 204, "{answer:?}");
        offset += chunk.len();
        let logged = stack.logged(answer.header("x-request-id")).await?;
        write_batches += logged["d1_write_batches"].as_u64().unwrap_or(u64::MAX);
        operations += logged["r2_operations"].as_u64().unwrap_or(u64::MAX);
    }
    let in_three = began.elapsed();
    println!(
        "{FILE} bytes: {in_one:.2?} in one request, {in_three:.2?} in three, with {write_batches} write batches and \
         {operations} R2 operations"
    );
    ensure!(write_batches <= MOST_WRITE_BATCHES && operations <= MOST_R2_OPERATIONS);
    upload.ensure_stored(&file).await
}
