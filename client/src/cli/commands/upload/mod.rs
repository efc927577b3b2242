//! `clipgate upload`: judges files, posts each once, and can wait for its video. Several run at once.

mod batch;
mod one_file;
mod upload_run;

use super::paths::find_files;
use super::small_file::read_file;
use super::waiting::until_interrupted;
use crate::cli::arguments::{FieldArguments, UploadArguments};
use crate::cli::context::Context;
use crate::cli::exit_code::Usage;
use anyhow::Result;
use batch::run_all;
use client::{Captions, Client, UploadFields};
use contract::api::Category;
use contract::{TestOutcome, Texts};
use std::path::PathBuf;
use std::process::ExitCode;
use upload_run::UploadRun;

pub(crate) async fn run(context: &Context, arguments: &UploadArguments) -> Result<ExitCode> {
    let files = find_files(&arguments.files, &context.output)?;
    let fields = fields(&arguments.fields, files.len())?;
    let store = Context::token_store()?;
    // A test that asks for a refusal gets it again with every retry.
    let is_refused = matches!(fields.test, Some(TestOutcome::Refused(_)));
    let client = if is_refused { context.client_without_retries()? } else { context.client()? };
    let task = async {
        let limits = client.upload_limits().await?;
        let categories = categories(&client, &fields).await?;
        let run = UploadRun { context, arguments, client: &client, store: &store, fields: &fields, limits, categories };
        run_all(&run, &files).await
    };
    let advice = "Interrupted. Run the same command again to continue: nothing is posted twice";
    until_interrupted(task, advice).await.map(ExitCode::from)
}

fn fields(arguments: &FieldArguments, files: usize) -> Result<UploadFields> {
    let mut fields = UploadFields {
        super_category_id: arguments.category,
        thumbnail_seconds: arguments.thumbnail_time,
        thumbnail: arguments.thumbnail.as_deref().map(read_file).transpose()?,
        captions: captions(&arguments.captions, files)?,
        scheduled_publish_at_unix: arguments.publish_at,
        visibility: arguments.visibility,
        is_sensitive: arguments.sensitive,
        is_ai_generated: arguments.ai_generated,
        metadata: arguments.metadata.iter().cloned().collect(),
        test: arguments.test,
        ..UploadFields::default()
    };
    for (field, text) in arguments.texts.clone().into_texts() {
        fields.text_mut(field).into_iter().for_each(|place| place.clone_from(&text));
    }
    Ok(fields)
}

/// Reads the captions: for a single video, and one file per language.
fn captions(arguments: &[(String, PathBuf)], files: usize) -> Result<Captions> {
    if files > 1 && !arguments.is_empty() {
        return Err(Usage("`--captions` works with a single video. Upload that video separately".to_owned()).into());
    }
    let mut captions = Captions::new();
    for (language, path) in arguments {
        if captions.insert(language.clone(), read_file(path)?).is_some() {
            return Err(Usage(format!("There are two captions files for `{language}`. Pass only one")).into());
        }
    }
    Ok(captions)
}

/// Returns all categories, if one was named.
async fn categories(client: &Client, fields: &UploadFields) -> Result<Option<Vec<Category>>> {
    if fields.super_category_id.is_none() {
        return Ok(None);
    }
    Ok(Some(client.categories().await?.categories))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_belong_to_one_video_and_to_one_file_in_each_language() {
        let folder = tempfile::tempdir().unwrap();
        let file = |language: &str, name: &str| {
            std::fs::write(folder.path().join(name), name).unwrap();
            (language.to_owned(), folder.path().join(name))
        };
        let (german, english) = (file("de", "a.vtt"), file("en", "b.vtt"));
        let both = captions(&[german.clone(), english.clone()], 1).unwrap();
        assert_eq!(both, Captions::from([("de".into(), b"a.vtt".to_vec()), ("en".into(), b"b.vtt".to_vec())]));
        assert!(captions(&[], 2).unwrap().is_empty());
        let is_usage = |read: Result<Captions>| read.unwrap_err().is::<Usage>();
        assert!(is_usage(captions(std::slice::from_ref(&german), 2)));
        assert!(is_usage(captions(&[german.clone(), english, german], 1)));
        assert!(!is_usage(captions(&[("de".to_owned(), folder.path().join("none"))], 1)));
    }
}
