//! `job requeue`: a new job for a content that failed or hangs.

use super::setup::ask_for_new_job;
use crate::arguments::EdgeArguments;
use anyhow::Result;
use std::process::ExitCode;

pub async fn requeue(content_uuid: &str, edge: &EdgeArguments) -> Result<ExitCode> {
    ask_for_new_job(content_uuid, edge).await?;
    println!("{content_uuid} has a new job");
    Ok(ExitCode::SUCCESS)
}
