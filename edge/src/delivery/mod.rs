//! What everybody sees of a content: its page and its files. Nothing of it unless it is published.

pub mod access;
mod caption;
pub mod file;
pub mod headers;
mod html;
pub mod page;
pub mod range;
pub mod reply;
pub mod shown;
mod time;

#[cfg(test)]
mod tests;
