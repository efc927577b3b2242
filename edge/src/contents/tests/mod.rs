//! The life of a content and its status on real SQLite with the Worker's migrations.

mod action;
mod caption_failures;
mod captions;
mod interleavings;
mod owner_changes;
mod releases;
mod repeated_reports;
mod sent_picture_failures;
mod sent_pictures;
mod status;
mod thumbnails;
mod updates;
