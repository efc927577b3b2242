//! The owner's rules for one direct upload: the size of the file, the page that may send it, and its fields.

use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::uploads::form::fields::{FieldContext, Fields};
use crate::uploads::form::owner_fields::OwnerFields;
use axum::http::Uri;
use contract::api::CreateDirectUpload;
use contract::limits::{VIDEO_DURATION_MS, counted_duration_ms};
use contract::{ErrorCode, FormField};
use probe::Media;
use probe::judge::seconds;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub max_bytes: Option<u64>,
    pub max_duration_ms: Option<u64>,
    /// The origin of the pages that may use the token. Without one, no page may.
    pub allowed_origin: Option<String>,
    /// The fields that the owner sets, as texts of the upload form.
    pub fields: BTreeMap<String, String>,
    /// The names of the fields that the user may set.
    pub user_may_set: Vec<String>,
    pub requires_release: bool,
}

impl Rules {
    /// Reads the rules of a request, or refuses them. `context` is that of the time when the token is made.
    pub(crate) fn of(request: CreateDirectUpload, context: FieldContext<'_>) -> Result<Self, Refusal> {
        let CreateDirectUpload { max_bytes, max_duration_ms, allowed_origin, fields, user_may_set, .. } = request;
        let requires_release = request.requires_release;
        let mut rules = Self { max_bytes, max_duration_ms, allowed_origin, fields, user_may_set, requires_release };
        if let Some(external_id) = request.external_id {
            rules.fields.entry(FormField::ExternalId.name().to_owned()).or_insert(external_id);
        }
        rules.check_limits()?;
        rules.check_names()?;
        rules.fixed_fields()?.check(context)?;
        Ok(rules)
    }

    fn check_limits(&self) -> Result<(), Refusal> {
        if self.max_bytes == Some(0) {
            return Err(invalid("max_bytes", "It must be at least 1."));
        }
        if self.max_duration_ms.is_some_and(|duration| !VIDEO_DURATION_MS.contains(&duration)) {
            return Err(invalid("max_duration_ms", "It must be from 2,000 to 120,000."));
        }
        if self.allowed_origin.as_deref().is_some_and(|origin| !is_origin(origin)) {
            let detail = "It must be one origin as browsers send it, such as `https://app.example`: lower case, without a \
                          path. `http` is allowed for `localhost` only.";
            return Err(invalid("allowed_origin", detail));
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), Refusal> {
        if let Some(name) = self.fields.keys().find(|name| !is_settable_text(name)) {
            return Err(invalid("fields", format!("`{name}` is not a text field of the upload form.")));
        }
        let mut names = self.user_may_set.iter();
        if let Some(name) = names.find(|name| !is_settable(name) || self.fields.contains_key(*name)) {
            let detail = format!("`{name}` is not a field that a user can set, or `fields` sets it already.");
            return Err(invalid("user_may_set", detail));
        }
        Ok(())
    }

    /// Returns the fields that the owner sets.
    pub(crate) fn fixed_fields(&self) -> Result<Fields, Refusal> {
        let mut fields = Fields::default();
        for (name, text) in &self.fields {
            let field = FormField::named(name).ok_or_else(|| Refusal::internal("a stored field is unknown"))?;
            fields.set(field, text)?;
        }
        Ok(fields)
    }

    /// Returns the rules for the fields of the form.
    pub(crate) fn owner_fields(&self) -> Result<OwnerFields, Refusal> {
        Ok(OwnerFields { fixed: self.fixed_fields()?, user_may_set: self.user_may_set.clone() })
    }

    /// Refuses a request from a page with this origin. A program sends no origin.
    pub(crate) fn require_origin(&self, origin: Option<&str>) -> Result<(), Refusal> {
        let is_allowed = origin.is_none_or(|origin| self.allowed_origin.as_deref() == Some(origin));
        if is_allowed { Ok(()) } else { Err(Refusal::new(ErrorCode::DirectUploadOriginForbidden)) }
    }

    /// Returns the size of the largest file, if the service accepts files of this size.
    pub(crate) fn largest(&self, most: u64) -> u64 {
        self.max_bytes.map_or(most, |bytes| bytes.min(most))
    }

    /// Refuses a video that is longer than the owner allows. Its last frame may end a little later.
    pub(crate) fn require_duration(&self, media: &Media) -> Result<(), Refusal> {
        let is_exceeded = |most: &u64| counted_duration_ms(media.duration_ms, media.least_ms, *most) > *most;
        let Some(most) = self.max_duration_ms.filter(is_exceeded) else { return Ok(()) };
        let (length, most) = (seconds(media.duration_ms), seconds(most));
        let detail = format!("The video is {length} seconds long. At most {most} seconds are allowed.");
        Err(Refusal::new(ErrorCode::ContentVideoDurationInvalid).with_field("file").with_detail(detail))
    }
}

/// Whether an owner can set the field: a text that belongs to the video and not to one request.
fn is_settable_text(name: &str) -> bool {
    FormField::named(name).is_some_and(|field| {
        field.max_text_bytes().is_some() && !matches!(field, FormField::UploadToken | FormField::Test)
    })
}

fn is_settable(name: &str) -> bool {
    let is_picture_or_captions =
        matches!(FormField::named(name), Some(FormField::ThumbnailFile | FormField::CaptionsFile));
    is_settable_text(name) || is_picture_or_captions
}

/// Whether the text is an origin as browsers write it in the header `Origin`.
fn is_origin(text: &str) -> bool {
    let Ok(uri) = text.parse::<Uri>() else { return false };
    let (Some(scheme), Some(authority), Some(host)) = (uri.scheme_str(), uri.authority(), uri.host()) else {
        return false;
    };
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    let default_port = if scheme == "https" { 443 } else { 80 };
    (scheme == "https" || scheme == "http" && is_local)
        && !authority.as_str().contains('@')
        && authority.port_u16() != Some(default_port)
        && text == format!("{scheme}://{authority}").to_ascii_lowercase()
}

pub(super) fn invalid(field: &str, detail: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::DirectUploadInvalid).with_field(field).with_detail(detail)
}

/// The context of the fields that an owner sets at this time.
pub(super) fn context(category_ids: &[u64], now: UnixSeconds) -> FieldContext<'_> {
    FieldContext { category_ids, started_at: now }
}

#[cfg(test)]
mod tests;
