//! `clipgate update`.

use super::shown::status_text;
use super::small_file::read_file;
use crate::cli::arguments::{RemovableField, UpdateArguments};
use crate::cli::context::Context;
use crate::cli::exit_code::Usage;
use anyhow::Result;
use client::ContentUpdate;
use contract::clock_time;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: UpdateArguments) -> Result<ExitCode> {
    let picture = arguments.thumbnail.as_deref().map(read_file).transpose()?;
    let update = update(arguments)?;
    let client = context.client()?;
    if !update.is_empty() {
        client.update_content(&update).await?;
    }
    if let Some(picture) = picture {
        client.update_thumbnail(&update.content_uuid, &picture).await?;
    }
    let status = client.upload_status(&update.content_uuid).await?;
    context.output.result("updated", &status_text(&status), &status)?;
    Ok(ExitCode::SUCCESS)
}

fn update(arguments: UpdateArguments) -> Result<ContentUpdate, Usage> {
    let removes = |field| arguments.remove.contains(&field);
    let metadata = (!arguments.metadata.is_empty()).then(|| arguments.metadata.into_iter().collect());
    let has_picture = arguments.thumbnail.is_some();
    if has_picture && removes(RemovableField::ThumbnailTime) {
        return Err(Usage("A thumbnail cannot be both set and removed".to_owned()));
    }
    let publication = if arguments.publish_now { Some(None) } else { arguments.publish_at.map(Some) };
    let update = ContentUpdate {
        content_uuid: arguments.content_uuid,
        caption: change(arguments.caption, removes(RemovableField::Caption))?,
        super_category_id: change(arguments.category, removes(RemovableField::Category))?,
        ai_summary_of_content: change(arguments.summary, removes(RemovableField::Summary))?,
        scheduled_publish_at_unix: publication,
        thumbnail_time: change(
            arguments.thumbnail_time.map(|seconds| clock_time(seconds.into())),
            removes(RemovableField::ThumbnailTime),
        )?,
        external_id: change(arguments.external_id, removes(RemovableField::ExternalId))?,
        metadata: change(metadata, removes(RemovableField::Metadata))?,
    };
    if update.is_empty() && !has_picture {
        return Err(Usage("Name something to change, such as --caption TEXT".to_owned()));
    }
    Ok(update)
}

/// Returns the new value of a field, none for a removed one, or that it stays.
#[expect(clippy::option_option, reason = "the members of `ContentUpdate`")]
fn change<T>(value: Option<T>, is_removed: bool) -> Result<Option<Option<T>>, Usage> {
    match (value, is_removed) {
        (Some(_), true) => Err(Usage("A field cannot be both set and removed".to_owned())),
        (Some(value), false) => Ok(Some(Some(value))),
        (None, true) => Ok(Some(None)),
        (None, false) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::{Arguments, Command};
    use clap::Parser;

    fn parse(arguments: &[&str]) -> Result<ContentUpdate, Usage> {
        let all = ["clipgate", "update", "c"].iter().chain(arguments);
        let Command::Update(arguments) = Arguments::parse_from(all).command else { panic!("another command") };
        update(arguments)
    }

    #[test]
    fn only_what_is_named_is_changed() {
        let update =
            parse(&["--caption", "x", "--remove", "category", "--publish-now", "--thumbnail-time", "00:01:05"])
                .unwrap();
        let expected = ContentUpdate {
            content_uuid: "c".into(),
            caption: Some(Some("x".into())),
            super_category_id: Some(None),
            scheduled_publish_at_unix: Some(None),
            thumbnail_time: Some(Some("00:01:05".into())),
            ..ContentUpdate::default()
        };
        assert_eq!(update, expected);
    }

    #[test]
    fn a_change_of_nothing_or_both_ways_is_wrong() {
        let both_thumbnails = &["--thumbnail", "a.jpg", "--remove", "thumbnail-time"];
        for arguments in [&[][..], &["--caption", "x", "--remove", "caption"], both_thumbnails] {
            assert!(parse(arguments).is_err(), "{arguments:?}");
        }
    }

    #[test]
    fn a_picture_alone_is_a_change() {
        assert!(parse(&["--thumbnail", "a.jpg"]).unwrap().is_empty());
    }
}
