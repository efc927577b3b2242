//! R2 reports that a multipart upload no longer exists by a number in its message. The edge relies on that number.

use anyhow::{Result, ensure};
use reqwest::Method;
use std::sync::Arc;
use tests::{TestStack, e2e, send};

#[e2e]
async fn a_multipart_upload_that_ended_is_recognised_by_its_error_code(stack: Arc<TestStack>) -> Result<()> {
    let answer = send(stack.request(Method::POST, "/dev/end_multipart_twice")).await?;
    ensure!(answer.status == 200, "{answer:?}");
    Ok(())
}
