//! `clipgate release`.

use super::each_video::change_each;
use super::shown::status_text;
use crate::cli::arguments::ReleaseArguments;
use crate::cli::context::Context;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &ReleaseArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let release = async |uuid: &str| {
        client.release_content(uuid).await?;
        let status = client.upload_status(uuid).await?;
        Ok((status_text(&status), serde_json::to_value(&status)?))
    };
    change_each(context, &arguments.content_uuids, "released", release).await
}
