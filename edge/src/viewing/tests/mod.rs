//! Access on real SQLite, and the rendered pages.

mod access;
mod page;
