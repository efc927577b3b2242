//! Test doubles: real SQLite as the database, and a platform that can fail before, after or instead of every effect.
//! `schema` checks the migrated database itself.

pub(crate) mod document;
pub(crate) mod fake_platform;
mod query_plan;
mod schema;
pub(crate) mod sqlite;
