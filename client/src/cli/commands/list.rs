//! `clipgate list`.

use super::shown::status_line;
use crate::cli::arguments::ListArguments;
use crate::cli::context::Context;
use anyhow::Result;
use client::ListFilter;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &ListArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let (state, external_id) = (arguments.state.clone(), arguments.external_id.clone());
    let mut filter = ListFilter { state, external_id, cursor: None };
    let mut left = arguments.limit;
    loop {
        let page = client.uploads(&filter).await?;
        for status in page.uploads.iter().take(left) {
            context.output.result("video", &status_line(status), status)?;
        }
        left = left.saturating_sub(page.uploads.len());
        filter.cursor = page.next_cursor;
        if filter.cursor.is_none() || left == 0 {
            return Ok(ExitCode::SUCCESS);
        }
    }
}
