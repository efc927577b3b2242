//! Serving: the pages and files of contents, for viewers.
//!
//! Only `access` decides who may see which file. This folder renders and describes answers. It neither reads the object
//! store (`bindings`) nor depends on routes (`http`).

pub(crate) mod access;
pub(crate) mod cache_rules;
mod calendar;
mod caption;
pub(crate) mod headers;
mod html;
pub(crate) mod page;
pub(crate) mod published_page;
pub(crate) mod range;
pub(crate) mod reply;
pub(crate) mod stored_file;
mod video_page;

#[cfg(test)]
mod tests;
