//! The owner of a channel: a program with the channel's API key, or the user who is signed in to the site.
//!
//! Statements find the channel by an expression over `?1`. So a key is checked in the transaction that it opens, and
//! one statement serves both.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::key_store::{self, ChannelUse, ChannelUseQuery};
use crate::people::keys::valid_keys::CHANNEL_OF_KEY;
use crate::platform::database::{Batch, Database, DatabaseError, Value};

#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// A key that is valid if its statements find a channel.
    Key(KeyedHash),
    /// The channel of a valid session. Its account may have been erased.
    User(ChannelId),
}

/// The credential with which the owner of a channel made a request, for the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignedBy {
    Key,
    Session,
}

impl SignedBy {
    /// Returns the expression of the actor in the trail, for a row of `channels`.
    pub(crate) const fn actor(self) -> &'static str {
        match self {
            // The key may have been deleted since it was checked.
            Self::Key => {
                "'key:' || coalesce((SELECT key_hint FROM api_keys WHERE channel_id = channels.id), 'deleted')"
            }
            Self::Session => "'account:' || account_id",
        }
    }
}

impl Owner {
    pub(crate) const fn signed_by(&self) -> SignedBy {
        match self {
            Self::Key(_) => SignedBy::Key,
            Self::User(_) => SignedBy::Session,
        }
    }

    /// Returns the expression of the channel.
    pub(crate) fn channel(&self) -> &'static str {
        match self {
            Self::Key(_) => CHANNEL_OF_KEY,
            Self::User(_) => "(SELECT id FROM channels WHERE id = ?1 AND erased_at_unix IS NULL)",
        }
    }

    /// Returns the value of `?1`.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Key(hash) => hash.as_str().into(),
            Self::User(channel_id) => (*channel_id).into(),
        }
    }

    /// Adds statements that count a use of the key which only reads, and a query that reads the channel's usage of the
    /// day. Sessions are not counted.
    pub(crate) fn read_use(&self, batch: &mut Batch, now: UnixSeconds) -> ChannelUseQuery {
        if let Self::Key(hash) = self {
            key_store::count_reading_use(batch, hash, now);
        }
        key_store::read_use_of(batch, self.channel(), &[self.value()], now)
    }
}

/// Returns the channel of a session and the channel's usage of the day, or `None` if the account was erased.
pub(crate) async fn find_user(
    database: &impl Database,
    channel_id: ChannelId,
    now: UnixSeconds,
) -> Result<Option<ChannelUse>, DatabaseError> {
    let mut batch = Batch::repeatable();
    let channel_use = Owner::User(channel_id).read_use(&mut batch, now);
    channel_use.read(&database.run(batch).await?)
}
