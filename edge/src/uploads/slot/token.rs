//! `upload_token`, the client's idempotency key: an upload that is sent again with it happens only once.

use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::open_uploads::release_uploads;
use crate::people::keys::valid_keys::CHANNEL_OF_KEY;
use crate::platform::database::{Batch, Database, DatabaseError, Query, Statement, Value};
use contract::ErrorCode;
use serde::Deserialize;

/// The maximum `Retry-After` while another upload holds the token. A lease lasts much longer, but most uploads end long
/// before it.
const RETRY_SECONDS: u64 = 15;

/// The state of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenState {
    /// The upload holds the token now.
    Ours,
    /// Another upload in progress holds the token, at most until its lease ends.
    InFlight { lease_ends_at: UnixSeconds },
    /// A finished upload used the token.
    Finished { fingerprint: String, upload_uuid: UploadUuid },
    /// The token is unused. Returned only to an upload without a slot, which cannot take the token.
    Free,
}

/// The upload that has a token.
#[derive(Deserialize)]
pub(super) struct Holder {
    uuid: UploadUuid,
    state: String,
    lease_ends_at_unix: UnixSeconds,
    fingerprint: Option<String>,
}

/// Takes the token for this upload unless another upload holds it. One that is given up loses it, and its slot.
pub(crate) async fn take_token(
    database: &impl Database,
    channel_id: ChannelId,
    token: &str,
    upload_uuid: &UploadUuid,
    now: UnixSeconds,
) -> Result<TokenState, DatabaseError> {
    let mut batch = Batch::default();
    let holder = add_take(&mut batch, channel_id, token, upload_uuid, now);
    let holder = database.run(batch).await?.first(holder)?;
    Ok(state_of(holder, upload_uuid))
}

/// Adds the statements that take the token, and the query that reads who has it then.
pub(super) fn add_take(
    batch: &mut Batch,
    channel_id: ChannelId,
    token: &str,
    upload_uuid: &UploadUuid,
    now: UnixSeconds,
) -> Query<Holder> {
    let take = Statement::new(
        "UPDATE uploads SET upload_token = ?2
         WHERE uuid = ?3 AND state = 'reserved'
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE channel_id = ?1 AND upload_token = ?2 AND uuid <> ?3)",
    );
    let take = take.bind(channel_id).bind(token).bind(upload_uuid);
    let read = Statement::new(
        "SELECT uuid, state, lease_ends_at_unix, fingerprint FROM uploads
         WHERE channel_id = ?1 AND upload_token = ?2",
    );
    release_given_up(batch, "?1", channel_id.into(), token, upload_uuid, now);
    batch.execute(take);
    batch.query(read.bind(channel_id).bind(token))
}

/// Adds the statements that release the slot of another upload of a channel that has the token but is given up: its
/// client is silent, or its lease has expired. `channel` is an expression over `secret`.
pub(super) fn release_given_up(
    batch: &mut Batch,
    channel: &str,
    secret: Value,
    token: &str,
    upload_uuid: &UploadUuid,
    now: UnixSeconds,
) {
    let given_up = format!(
        "channel_id = {channel} AND upload_token = ?2 AND (is_silent OR lease_ends_at_unix <= ?3) AND uuid <> ?4"
    );
    release_uploads(batch, &given_up, &[secret, token.into(), now.into(), upload_uuid.into()]);
}

/// Returns the query for the upload that has a token of the channel of a key.
pub(super) fn select_holder_of_key(key_hash: &str, token: &str) -> Statement {
    let select = Statement::new(format!(
        "SELECT uuid, state, lease_ends_at_unix, fingerprint FROM uploads
         WHERE channel_id = {CHANNEL_OF_KEY} AND upload_token = ?2"
    ));
    select.bind(key_hash).bind(token)
}

/// Returns the state of a token that this upload has tried to take.
pub(super) fn state_of(holder: Option<Holder>, upload_uuid: &UploadUuid) -> TokenState {
    holder.map_or(TokenState::Free, |holder| holder.state_for(upload_uuid))
}

/// Returns the refusal of an upload whose token another upload holds until its lease ends.
pub(crate) fn in_progress(lease_ends_at: UnixSeconds, now: UnixSeconds) -> Refusal {
    let seconds = lease_ends_at.seconds_since(now).clamp(1, RETRY_SECONDS);
    Refusal::new(ErrorCode::UploadInProgress).with_retry_after(seconds)
}

impl Holder {
    fn state_for(self, upload_uuid: &UploadUuid) -> TokenState {
        if self.uuid == *upload_uuid {
            return TokenState::Ours;
        }
        if self.state == "committed" {
            let fingerprint = self.fingerprint.unwrap_or_default();
            return TokenState::Finished { fingerprint, upload_uuid: self.uuid };
        }
        TokenState::InFlight { lease_ends_at: self.lease_ends_at_unix }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_asked_to_come_back_within_15_seconds() {
        let now = UnixSeconds(1_000);
        for (lease_ends_at, seconds) in [(990, 1), (1_000, 1), (1_001, 1), (1_014, 14), (1_015, 15), (1_120, 15)] {
            let refusal = in_progress(UnixSeconds(lease_ends_at), now);
            assert_eq!(refusal.retry_after_seconds, Some(seconds), "{lease_ends_at}");
        }
    }
}
