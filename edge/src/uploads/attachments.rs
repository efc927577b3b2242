//! The thumbnail picture and the captions of an upload, which are stored beside its file.

use super::form::Form;
use super::form::captions::LanguageCaptions;
use super::form::thumbnail::Thumbnail;
use super::names::UploadNames;
use super::stored_objects::{put_captions, put_thumbnail};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::contents::first_captions::{self, FirstCaptions};
use crate::people::auth::hash::sha256_hex;
use crate::platform::Platform;

pub(super) struct Attachments {
    picture: Option<Vec<u8>>,
    /// The SHA-256 of the picture.
    pub picture_sha256: Option<String>,
    pub captions: Vec<CaptionsToStore>,
}

/// The captions of one language, not stored yet.
pub(super) struct CaptionsToStore {
    pub file: FirstCaptions,
    webvtt: String,
}

impl Attachments {
    /// Takes the attachments out of the form. Refuses a file that is not a picture.
    pub(super) fn checked(form: &mut Form, names: &UploadNames) -> Result<Self, Refusal> {
        let picture = form.thumbnail.take().map(Thumbnail::finish).transpose()?;
        Ok(Self::new(picture, form, names))
    }

    /// Takes the attachments out of a replay's form, where they are only compared.
    pub(super) fn unchecked(form: &mut Form, names: &UploadNames) -> Self {
        let picture = form.thumbnail.take().map(Thumbnail::into_bytes);
        Self::new(picture, form, names)
    }

    /// Returns empty attachments, for an upload without a picture and captions.
    pub(super) fn none() -> Self {
        Self { picture: None, picture_sha256: None, captions: Vec::new() }
    }

    fn new(picture: Option<Vec<u8>>, form: &mut Form, names: &UploadNames) -> Self {
        let captions = std::mem::take(&mut form.captions).into_sorted();
        let captions = captions.into_iter().zip(&names.captions).map(CaptionsToStore::new).collect();
        Self { picture_sha256: picture.as_deref().map(sha256_hex), picture, captions }
    }

    /// Returns the captions as the content will have them.
    pub(super) fn first_captions(&self) -> Vec<FirstCaptions> {
        self.captions.iter().map(|captions| captions.file.clone()).collect()
    }

    /// Stores everything. The names of captions are recorded before the captions are stored.
    pub(super) async fn store<P: Platform>(&self, platform: &P, upload_uuid: &UploadUuid) -> Result<(), Refusal> {
        if let Some(picture) = &self.picture {
            put_thumbnail(platform, upload_uuid, picture).await?;
        }
        if !self.captions.is_empty() {
            first_captions::record(platform.database(), &self.first_captions(), platform.now()).await?;
        }
        for captions in &self.captions {
            put_captions(platform, &captions.file.name, captions.webvtt.as_bytes()).await?;
        }
        Ok(())
    }
}

impl CaptionsToStore {
    fn new((LanguageCaptions { language, webvtt }, name): (LanguageCaptions, &UploadUuid)) -> Self {
        let file = FirstCaptions { name: name.clone(), language, sha256: sha256_hex(webvtt.as_bytes()) };
        Self { file, webvtt }
    }
}
