//! Uses a token up with the commit of its upload.

use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::journal;
use crate::platform::database::{Batch, Statement};

/// Adds the statements that mark the token of a committed upload as used, with an event for its owner. Running them
/// again changes nothing.
pub(crate) fn use_up(batch: &mut Batch, upload_uuid: &UploadUuid, now: UnixSeconds) {
    let event = "SELECT direct_uploads.channel_id AS channel_id, 'direct_upload.used' AS type,
             json_patch('{}', json_object('direct_upload_id', direct_uploads.uuid, 'content_uuid', contents.uuid,
                 'external_id', external_id)) AS data
         FROM direct_uploads JOIN uploads ON uploads.uuid = upload_uuid JOIN contents ON contents.id = uploads.id
         WHERE upload_uuid = ?1 AND direct_uploads.state = 'open'";
    journal::events::add_of_channel(batch, event, &[upload_uuid.into()]);
    let update = Statement::new(
        "UPDATE direct_uploads SET state = 'used', ended_at_unix = ?2
         WHERE upload_uuid = ?1 AND state = 'open'
             AND EXISTS (SELECT 1 FROM uploads WHERE uuid = ?1 AND state = 'committed')",
    );
    batch.execute(update.bind(upload_uuid).bind(now));
}
