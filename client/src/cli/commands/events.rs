//! `clipgate events`: the event log as it is now.

use super::shown::event_text;
use crate::cli::arguments::EventsArguments;
use crate::cli::context::Context;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &EventsArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let mut after = arguments.after;
    loop {
        let page = client.events(after, arguments.video.as_deref()).await?;
        for event in &page.events {
            context.output.result("event", &event_text(event), &serde_json::json!({ "logged": event }))?;
        }
        after = page.next_after;
        if !page.has_more {
            return Ok(ExitCode::SUCCESS);
        }
    }
}
