//! `clipgate upload`: several files at once, each judged, posted once, and waited for.

mod batch;
mod common;
mod one_file;

use super::paths::find_files;
use super::picture::read_picture;
use super::waiting::until_interrupted;
use crate::cli::arguments::{FieldArguments, UploadArguments};
use crate::cli::context::Context;
use anyhow::Result;
use batch::run_all;
use client::{Client, UploadFields};
use common::Batch;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &UploadArguments) -> Result<ExitCode> {
    let files = find_files(&arguments.files, &context.output)?;
    let fields = fields(&arguments.fields)?;
    let (client, store) = (context.client()?, Context::token_store()?);
    let task = async {
        let limits = client.upload_limits().await?;
        let category_ids = category_ids(&client, &fields).await?;
        let batch = Batch { context, arguments, client: &client, store: &store, fields: &fields, limits, category_ids };
        run_all(&batch, &files).await
    };
    let advice = "Interrupted. Run the same command again to continue: nothing is posted twice";
    until_interrupted(task, advice).await.map(ExitCode::from)
}

fn fields(arguments: &FieldArguments) -> Result<UploadFields> {
    Ok(UploadFields {
        caption: arguments.caption.clone(),
        super_category_id: arguments.category,
        thumbnail_seconds: arguments.thumbnail_time,
        thumbnail: arguments.thumbnail.as_deref().map(read_picture).transpose()?,
        ai_summary_of_content: arguments.summary.clone(),
        scheduled_publish_at_unix: arguments.publish_at,
        external_id: arguments.external_id.clone(),
        metadata: arguments.metadata.iter().cloned().collect(),
    })
}

/// Returns the ids of all categories, if one was named.
async fn category_ids(client: &Client, fields: &UploadFields) -> Result<Option<Vec<u64>>> {
    if fields.super_category_id.is_none() {
        return Ok(None);
    }
    let list = client.categories().await?;
    Ok(Some(list.categories.iter().map(|category| category.id).collect()))
}
