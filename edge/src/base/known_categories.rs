//! The categories that this isolate has last read. They only help to explain a wrong one, so that an explanation costs
//! no query: the list may be outdated, or not known yet.

use contract::FormField;
use contract::api::Category;
use contract::mistake::{Hints, Received, Shape, invalid_value, unknown_category, wrong_member};
use std::sync::{Mutex, PoisonError};

static LAST_READ: Mutex<Vec<Category>> = Mutex::new(Vec::new());

/// Remembers a list that was read from the database.
pub(crate) fn remember(categories: Vec<Category>) {
    *LAST_READ.lock().unwrap_or_else(PoisonError::into_inner) = categories;
}

/// Explains a value of a field that cannot be read. `now_unix` is 0 if the time is not known.
pub(crate) fn explain_value(field: FormField, received: &str, now_unix: u64) -> String {
    let categories = LAST_READ.lock().unwrap_or_else(PoisonError::into_inner);
    invalid_value(field, received, Hints { now_unix, categories: &categories })
}

/// Explains a member or a query parameter whose value has the wrong shape.
pub(crate) fn explain_member(name: &str, received: Received<'_>, shape: Shape) -> String {
    let categories = LAST_READ.lock().unwrap_or_else(PoisonError::into_inner);
    wrong_member(name, received, shape, Hints { now_unix: 0, categories: &categories })
}

/// Explains the id of a category that does not exist.
pub(crate) fn explain_category(id: u64) -> String {
    unknown_category(&id.to_string(), &LAST_READ.lock().unwrap_or_else(PoisonError::into_inner))
}
