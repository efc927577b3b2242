//! `clipgate appeal`.

use super::each_video::change_each;
use super::shown::status_text;
use crate::cli::arguments::AppealArguments;
use crate::cli::context::Context;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &AppealArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let appeal = async |uuid: &str| {
        client.appeal_content(uuid, &arguments.text).await?;
        let status = client.upload_status(uuid).await?;
        Ok((status_text(&status), serde_json::to_value(&status)?))
    };
    change_each(context, std::slice::from_ref(&arguments.content_uuid), "appealed", appeal).await
}
