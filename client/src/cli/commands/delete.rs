//! `clipgate delete`.

use super::each_video::change_each;
use crate::cli::arguments::DeleteArguments;
use crate::cli::context::Context;
use crate::cli::exit_code::Usage;
use anyhow::Result;
use serde_json::json;
use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &DeleteArguments) -> Result<ExitCode> {
    let client = context.client()?;
    if !arguments.yes && !is_confirmed(arguments.content_uuids.len())? {
        context.output.note("Nothing was deleted.");
        return Ok(ExitCode::SUCCESS);
    }
    let delete = async |uuid: &str| {
        client.delete_content(uuid).await?;
        Ok(("deleted".to_owned(), json!({ "content_uuid": uuid })))
    };
    change_each(context, &arguments.content_uuids, "deleted", delete).await
}

fn is_confirmed(videos: usize) -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Usage("Deletion is permanent. Add --yes to skip the confirmation".to_owned()).into());
    }
    let what = if videos == 1 { "this video".to_owned() } else { format!("these {videos} videos") };
    write!(std::io::stderr(), "Delete {what} permanently? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
