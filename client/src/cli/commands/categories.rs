//! `clipgate categories`.

use crate::cli::context::Context;
use anyhow::Result;
use client::printable;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context) -> Result<ExitCode> {
    let list = context.client()?.categories().await?;
    for category in &list.categories {
        context.output.result("category", &format!("{:>6}  {}", category.id, printable(&category.name)), category)?;
    }
    if list.categories.is_empty() {
        context.output.note("The service has no categories.");
    }
    Ok(ExitCode::SUCCESS)
}
