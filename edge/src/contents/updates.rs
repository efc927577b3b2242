//! An owner's changes of a content's texts, category, schedule, thumbnail and client data: all at once, or none.
//!
//! Repeating an update succeeds and changes nothing. A separate job makes another thumbnail once the content is
//! approved. The old pictures stay until the new ones have passed moderation.

use super::field_rules::{clock_time, is_valid_text, metadata_json};
use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, UpdateOutcome, change};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::rules::owner::Update;
use crate::contents::life::{Command, Input};
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::api::{Member, Metadata, UpdateContent};
use contract::{FormField, Texts, Visibility};
use serde_json::Value as Json;

const CATEGORY: &str = FormField::SuperCategoryId.name();
const METADATA: &str = FormField::Metadata.name();

/// A picture that the owner sent, by the name under which it is stored.
#[derive(Clone, Debug)]
pub(crate) struct SentPicture {
    pub name: UploadUuid,
    pub sha256: String,
}

/// The changes that a request asks for. Each value is valid by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContentChanges(Update);

impl ContentChanges {
    /// Makes the checks that do not depend on the stored content.
    pub(crate) fn new(mut request: UpdateContent) -> Result<Self, Refusal> {
        let mut changes = Self::default();
        for field in FormField::ALL {
            if let Some(text) = request.text_mut(*field) {
                changes.set_text(*field, std::mem::take(text))?;
            }
        }
        changes.set(CATEGORY, request.super_category_id);
        changes.0.schedule = match request.scheduled_publish_at_unix {
            Member::Missing => Member::Missing,
            Member::Null => Member::Null,
            Member::Value(time) => Member::Value(UnixSeconds(time)),
        };
        changes.set_visibility(request.visibility)?;
        changes.0.is_sensitive = wanted_label(&request.is_sensitive);
        changes.0.is_ai_generated = wanted_label(&request.is_ai_generated);
        changes.set_thumbnail(request.thumbnail_time)?;
        changes.set_metadata(request.metadata)?;
        Ok(changes)
    }

    fn set<T: Into<Json>>(&mut self, name: &str, member: Member<T>) {
        let value = match member {
            Member::Missing => return,
            Member::Null => Json::Null,
            Member::Value(value) => value.into(),
        };
        self.0.columns.insert(name.to_owned(), value);
    }

    /// An empty text removes the value, as in the form of an upload.
    fn set_text(&mut self, field: FormField, text: Member<String>) -> Result<(), Refusal> {
        match text {
            Member::Value(text) if text.is_empty() => self.set(field.name(), Member::<String>::Null),
            Member::Value(text) if !is_valid_text(field, &text) => return Err(Refusal::of_value(field, &text)),
            text => self.set(field.name(), text),
        }
        Ok(())
    }

    fn set_visibility(&mut self, visibility: Member<String>) -> Result<(), Refusal> {
        let visibility = match visibility {
            Member::Missing => return Ok(()),
            Member::Value(name) if !name.is_empty() => {
                Visibility::named(&name).ok_or_else(|| Refusal::of_value(FormField::Visibility, &name))?
            }
            Member::Null | Member::Value(_) => Visibility::default(),
        };
        self.set("is_unlisted", Member::Value(u8::from(visibility == Visibility::Unlisted)));
        Ok(())
    }

    /// Without a time, the service chooses.
    fn set_thumbnail(&mut self, time: Member<String>) -> Result<(), Refusal> {
        let thumbnail_seconds = match time {
            Member::Missing => return Ok(()),
            Member::Value(text) if !text.is_empty() => {
                Some(clock_time(&text).ok_or_else(|| Refusal::of_value(FormField::ThumbnailTime, &text))?)
            }
            Member::Null | Member::Value(_) => None,
        };
        self.0.thumbnail = Some(Input { thumbnail_seconds, ..Input::default() });
        Ok(())
    }

    fn set_metadata(&mut self, metadata: Member<Metadata>) -> Result<(), Refusal> {
        match metadata {
            Member::Value(metadata) if metadata.is_empty() => self.set(METADATA, Member::<Json>::Null),
            // Metadata is bound as text, because the database stores it unchanged.
            Member::Value(metadata) => self.set(METADATA, Member::Value(metadata_json(&metadata)?)),
            Member::Null => self.set(METADATA, Member::<Json>::Null),
            Member::Missing => {}
        }
        Ok(())
    }
}

/// Returns whether the owner wants the label. Null removes it.
fn wanted_label(member: &Member<bool>) -> Option<bool> {
    member.is_sent().then(|| member.value() == Some(&true))
}

/// Returns the outcome if the file need not be stored; if nothing changes, that is the content. Returns `None` if the
/// file may be stored now.
pub(crate) async fn outcome_without_file(
    database: &impl Database,
    content: OwnedContent<'_>,
    reservation: Reservation,
    now: UnixSeconds,
) -> Result<Option<UpdateOutcome>, DatabaseError> {
    Ok(match reservation {
        Reservation::Store => None,
        Reservation::Unneeded => Some(update(database, content, &ContentChanges::default(), now).await?),
        Reservation::Refused { code, state } => Some(UpdateOutcome::Refused { code, state }),
        Reservation::UnknownContent => Some(UpdateOutcome::UnknownContent),
    })
}

/// Makes all the changes if each of them is possible.
pub(crate) async fn update(
    database: &impl Database,
    content: OwnedContent<'_>,
    changes: &ContentChanges,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let category = changes.0.columns.get(CATEGORY).and_then(Json::as_u64);
    let has_known_category = match category {
        Some(category) => is_category(database, category).await?,
        None => true,
    };
    let update = Update { has_known_category, ..changes.0.clone() };
    change(database, content, &Command::Update(&update), now).await
}

async fn is_category(database: &impl Database, category: u64) -> Result<bool, DatabaseError> {
    database.returns_rows(Statement::new("SELECT 1 FROM super_categories WHERE id = ?1").bind(category)).await
}
