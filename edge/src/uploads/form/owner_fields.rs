//! The fields of an upload with a one-time token: those that the owner of the channel has set, and the names of those
//! that the user may set.

use super::captions::language_in;
use super::fields::Fields;
use crate::base::refusal::Refusal;
use contract::{ErrorCode, FormField};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnerFields {
    pub fixed: Fields,
    pub user_may_set: Vec<String>,
}

impl OwnerFields {
    /// Refuses a field that the user may not set. Captions of any language are one field.
    pub(crate) fn require_settable(&self, name: &str) -> Result<(), Refusal> {
        let is_captions = language_in(name).is_some() && self.names(FormField::CaptionsFile.name());
        if is_captions || self.names(name) || name == FormField::File.name() {
            return Ok(());
        }
        Err(Refusal::new(ErrorCode::DirectUploadFieldForbidden).with_field(name))
    }

    fn names(&self, name: &str) -> bool {
        self.user_may_set.iter().any(|settable| settable == name)
    }
}
