//! `job requeue`: makes a new job for a video that failed or does not finish.

use super::setup::EdgeAdmin;
use crate::cli::arguments::EdgeArguments;
use anyhow::Result;
use std::process::ExitCode;

pub(super) async fn requeue_content(content_uuid: &str, edge: &EdgeArguments) -> Result<ExitCode> {
    EdgeAdmin::new(edge)?.request_new_job(content_uuid).await?;
    println!("Created a new job for {content_uuid}.");
    Ok(ExitCode::SUCCESS)
}
