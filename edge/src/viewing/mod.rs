//! Viewing: the pages and files of contents, for viewers.
//!
//! Only `access` decides who may see what. This room renders pages and describes responses. It must not read the object
//! store or depend on routes (`http`).

pub(crate) mod access;
pub(crate) mod cache_rules;
mod calendar;
mod caption;
pub(crate) mod document;
pub(crate) mod headers;
mod html;
pub(crate) mod messages;
pub(crate) mod oembed;
pub(crate) mod owner_page;
mod player;
mod preview_tags;
pub(crate) mod published_page;
mod published_video;
pub(crate) mod purges;
pub(crate) mod range;
pub(crate) mod reply;
mod share;
pub(crate) mod sitemap;
pub(crate) mod stored_file;
mod structured_data;
mod video_page;

#[cfg(test)]
mod tests;
