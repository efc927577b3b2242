//! The channel of a request, once its credential proves valid.

use crate::base::ids::ChannelId;
use contract::api::PresentedCredential;
use std::sync::{Arc, OnceLock};

/// The caller of one request with an API key or a one-time token. Clones share it. Sessions are not noted: their pages
/// show what went wrong.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownCaller(Arc<OnceLock<(ChannelId, PresentedCredential)>>);

impl KnownCaller {
    /// Notes whose key or token the database has found. Later calls change nothing: a request has one credential.
    pub(crate) fn note(&self, channel_id: ChannelId, credential: PresentedCredential) {
        self.0.get_or_init(|| (channel_id, credential));
    }

    pub(crate) fn get(&self) -> Option<(ChannelId, PresentedCredential)> {
        self.0.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_channel_counts_and_clones_share_it() {
        let caller = KnownCaller::default();
        assert_eq!(caller.get(), None);
        caller.clone().note(ChannelId(1), PresentedCredential::ApiKey);
        caller.note(ChannelId(2), PresentedCredential::DirectUploadToken);
        assert_eq!(caller.get(), Some((ChannelId(1), PresentedCredential::ApiKey)));
    }
}
