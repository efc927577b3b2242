//! The JSON bodies of the public interface, as the Worker serialises them and the OpenAPI document describes them.

mod categories;
mod failure;
mod health;
mod keys;
mod sessions;
mod upload_limits;

pub use categories::{Categories, Category, SetCategories};
pub use failure::Failure;
pub use health::Health;
pub use keys::{KeyEnvelope, KeyMetadata};
pub use sessions::{EndSession, MintSession, SessionEnded, SessionMinted};
pub use upload_limits::{LimitState, UploadLimits};
