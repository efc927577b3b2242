//! `clipgate update`.

use super::shown::status_text;
use super::small_file::read_file;
use crate::cli::arguments::UpdateArguments;
use crate::cli::context::Context;
use crate::cli::exit_code::Usage;
use anyhow::Result;
use client::{Member, UpdateContent};
use contract::{FormField, Texts, clock_time};
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

fn update(arguments: UpdateArguments) -> Result<UpdateContent, Usage> {
    let removes = |field| arguments.remove.iter().any(|removed| removed.field() == field);
    let metadata = (!arguments.metadata.is_empty()).then(|| arguments.metadata.into_iter().collect());
    let has_picture = arguments.thumbnail.is_some();
    if has_picture && removes(FormField::ThumbnailTime) {
        return Err(Usage("A thumbnail cannot be both set and removed".to_owned()));
    }
    let mut update = UpdateContent {
        super_category_id: change(arguments.category, removes(FormField::SuperCategoryId))?,
        scheduled_publish_at_unix: change(arguments.publish_at, arguments.publish_now)?,
        visibility: change(arguments.visibility.map(|visibility| visibility.as_str().to_owned()), false)?,
        is_sensitive: change(arguments.sensitive, false)?,
        is_ai_generated: change(arguments.ai_generated, false)?,
        thumbnail_time: change(
            arguments.thumbnail_time.map(|seconds| clock_time(seconds.into())),
            removes(FormField::ThumbnailTime),
        )?,
        metadata: change(metadata, removes(FormField::Metadata))?,
        ..UpdateContent::of(arguments.content_uuid)
    };
    for (field, text) in arguments.texts.into_texts() {
        let change = change(text, removes(field))?;
        update.text_mut(field).into_iter().for_each(|member| member.clone_from(&change));
    }
    if update.is_empty() && !has_picture {
        return Err(Usage("Nothing to change. Add an option such as --caption TEXT".to_owned()));
    }
    Ok(update)
}

/// Returns the change of a field: a new value, null to remove it, or none.
fn change<T>(value: Option<T>, is_removed: bool) -> Result<Member<T>, Usage> {
    match (value, is_removed) {
        (Some(_), true) => Err(Usage("A field cannot be both set and removed".to_owned())),
        (Some(value), false) => Ok(Member::Value(value)),
        (None, true) => Ok(Member::Null),
        (None, false) => Ok(Member::Missing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::arguments::{Arguments, Command};
    use clap::Parser;

    const UUID: &str = "0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60";

    fn parse(arguments: &[&str]) -> Result<UpdateContent, Usage> {
        let all = ["clipgate", "update", UUID].iter().chain(arguments);
        let Command::Update(arguments) = Arguments::parse_from(all).command else { panic!("another command") };
        update(arguments)
    }

    #[test]
    fn only_what_is_named_is_changed() {
        let update =
            parse(&["--caption", "x", "--remove", "category", "--publish-now", "--thumbnail-time", "00:01:05"])
                .unwrap();
        let expected = UpdateContent {
            caption: Member::Value("x".into()),
            super_category_id: Member::Null,
            scheduled_publish_at_unix: Member::Null,
            thumbnail_time: Member::Value("00:01:05".into()),
            ..UpdateContent::of(UUID)
        };
        assert_eq!(update, expected);
    }

    #[test]
    fn labels_and_visibility_are_changed_in_both_directions() {
        let update = parse(&["--visibility", "public", "--sensitive", "false", "--ai-generated", "true"]).unwrap();
        let expected = UpdateContent {
            visibility: Member::Value("public".into()),
            is_sensitive: Member::Value(false),
            is_ai_generated: Member::Value(true),
            ..UpdateContent::of(UUID)
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
