//! `upload_token`: the client's own name for an upload, by which it happens once however often it is sent.

use crate::database::{Database, DatabaseError, Statement, first_row};
use serde::Deserialize;

/// Who holds a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenState {
    /// This upload, from now on.
    Ours,
    /// Another upload that is still under way, until then at the latest.
    InFlight { lease_ends_at_unix: u64 },
    /// A finished upload.
    Finished {
        fingerprint: String,
        upload_uuid: String,
    },
    /// Nobody; only told to an upload that holds no slot and so cannot take it.
    Free,
}

#[derive(Deserialize)]
struct Holder {
    uuid: String,
    state: String,
    lease_ends_at_unix: u64,
    fingerprint: Option<String>,
}

/// Takes the token for the upload unless somebody holds it. An upload whose lease is over holds nothing any more.
pub async fn claim(
    database: &impl Database,
    channel_id: u64,
    token: &str,
    upload_uuid: &str,
    now_unix: u64,
) -> Result<TokenState, DatabaseError> {
    let expire = Statement::new(
        "DELETE FROM uploads
         WHERE channel_id = ?1 AND upload_token = ?2 AND state = 'reserved' AND lease_ends_at_unix <= ?3 AND uuid <> ?4",
    );
    let expire = expire
        .bind(channel_id)
        .bind(token)
        .bind(now_unix)
        .bind(upload_uuid);
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
    let answers = database
        .batch(vec![expire, take, read.bind(channel_id).bind(token)])
        .await?;
    let holder: Option<Holder> = first_row(answers.get(2))?;
    Ok(holder.map_or(TokenState::Free, |holder| holder.state_for(upload_uuid)))
}

impl Holder {
    fn state_for(self, upload_uuid: &str) -> TokenState {
        if self.uuid == upload_uuid {
            return TokenState::Ours;
        }
        if self.state == "committed" {
            let fingerprint = self.fingerprint.unwrap_or_default();
            return TokenState::Finished {
                fingerprint,
                upload_uuid: self.uuid,
            };
        }
        TokenState::InFlight {
            lease_ends_at_unix: self.lease_ends_at_unix,
        }
    }
}
