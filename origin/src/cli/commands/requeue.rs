//! `job requeue`: makes a new job for a video that failed or does not finish.

use super::setup::request_new_job;
use crate::cli::arguments::EdgeArguments;
use anyhow::Result;
use std::process::ExitCode;

pub(super) async fn requeue_content(content_uuid: &str, edge: &EdgeArguments) -> Result<ExitCode> {
    request_new_job(content_uuid, edge).await?;
    println!("Made a new job for {content_uuid}.");
    Ok(ExitCode::SUCCESS)
}
