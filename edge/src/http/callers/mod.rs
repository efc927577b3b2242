//! The callers of routes. Each type here is an extractor, and a handler that takes one runs only for such a caller.

mod anyone;
mod api_key;
mod credential;
mod direct_upload;
mod location;
mod origin;
mod owner;
mod session;
mod token;
mod unread_request;
mod viewer;

pub(super) use anyone::Anyone;
pub(super) use api_key::PresentedKey;
pub(super) use credential::{Caller, Credential, Requirement};
pub(super) use direct_upload::{DirectUploader, PostedForm, invalid as direct_upload_token_invalid};
pub(super) use location::LocationHolder;
pub(super) use origin::SignedByOrigin;
pub(super) use owner::{ChannelOwner, OwnerResponse, PresentedOwner};
pub(super) use session::{AnyoneHere, SignedInUser};
pub(super) use token::{Blocklist, Decide, Look, Moderator, Operate, SiteBackEnd, Watch};
pub(super) use unread_request::UnreadRequest;
pub(super) use viewer::{AnyChannel, AnyViewer};
