//! The objects and the rows that name them. Objects without a row belong to videos that were uploaded after the backup,
//! or to lost jobs. They are kept unless the video's owner had deleted it, or the operator orders their deletion.

use super::{Permission, Position, difference};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{LIST_LENGTH, ObjectStore};
use crate::upkeep::removals::Contradiction;
use contract::ObjectKey;
use contract::api::Difference;

const DELETED: &str = "belongs to a deleted video";

pub(super) async fn compare<P: Platform>(
    platform: &P,
    after: &str,
    permission: Permission,
) -> Result<(Vec<Difference>, Option<Position>), PlatformError> {
    let keys = platform.objects().list_after("", after).await?;
    let last = keys.last().cloned().filter(|_| keys.len() == LIST_LENGTH);
    let mut differences = Vec::new();
    for found in find_unknown(platform.database(), &keys).await? {
        let is_mended = permission.mend && (permission.delete_unknown || found.detail == DELETED);
        if is_mended {
            let folder = format!("{}/", found.subject);
            let is_below = |key: &&String| key.starts_with(&folder) || **key == found.subject;
            let keys: Vec<_> = keys.iter().filter(is_below).cloned().collect();
            platform.objects().delete(&keys).await?;
        }
        differences.push(difference(found, is_mended));
    }
    Ok((differences, last.map(|after| Position::Objects { after })))
}

/// Returns the folders, and the objects outside folders, that the database does not know. A folder of a known content
/// is unknown if its generation is greater than the content's latest. The removal log is compared elsewhere.
async fn find_unknown(database: &impl Database, keys: &[String]) -> Result<Vec<Contradiction>, DatabaseError> {
    let keys = json_text(keys)?;
    let mut batch = Batch::default();
    let owners = Statement::new(UNKNOWN_OWNERS).bind(keys.as_str()).bind(DELETED);
    let owners = FOLDERS.into_iter().fold(owners, Statement::bind);
    let owners = batch.query::<Contradiction>(owners);
    let generations = Statement::new(UNKNOWN_GENERATIONS).bind(keys).bind(ObjectKey::MEDIA_FOLDER);
    let generations = batch.query::<Contradiction>(generations);
    let answers = database.run(batch).await?;
    Ok([answers.all(owners)?, answers.all(generations)?].concat())
}

/// The folders of objects, from the third parameter of `UNKNOWN_OWNERS` on. Failed requests are never in the database.
const FOLDERS: [&str; 5] = [
    ObjectKey::SOURCES_FOLDER,
    ObjectKey::MEDIA_FOLDER,
    ObjectKey::BLOCKLIST_FOLDER,
    ObjectKey::REMOVALS_FOLDER,
    ObjectKey::FAILED_REQUESTS_FOLDER,
];

const UNKNOWN_OWNERS: &str = "
    SELECT 'object' AS kind, folder AS subject, coalesce(
        (SELECT coalesce(
             (SELECT 'belongs to a deleted video, whose evidence is kept until '
                  || json_extract(data, '$.kept_until_unix') FROM removals
              WHERE kind = 'evidence' AND subject = deleted.subject
                  AND json_extract(data, '$.kept_until_unix') > unixepoch()),
             ?2)
         FROM (SELECT subject, data FROM removals WHERE kind = 'content' AND subject = owner
             UNION ALL SELECT subject, data FROM removals INDEXED BY removals_by_upload
             WHERE kind = 'content' AND json_extract(data, '$.upload_uuid') = owner) AS deleted
         WHERE json_extract(deleted.data, '$.state') = 'deleted' LIMIT 1),
        'the database does not know it') AS detail
    FROM (SELECT DISTINCT place, place || owner AS folder, owner FROM (
        SELECT place, iif(instr(rest, '/'), substr(rest, 1, instr(rest, '/') - 1), rest) AS owner FROM (
            SELECT substr(value, 1, instr(value, '/')) AS place, substr(value, instr(value, '/') + 1) AS rest
            FROM json_each(?1)))) AS found
    WHERE CASE place
        WHEN ?3 THEN NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = owner)
            AND NOT EXISTS (SELECT 1 FROM garbage WHERE upload_uuid = owner)
            AND NOT EXISTS (SELECT 1 FROM resumable_uploads WHERE upload_uuid = owner)
            AND NOT EXISTS (SELECT 1 FROM resumable_uploads WHERE tails_uuid = owner)
            AND NOT EXISTS (SELECT 1 FROM jobs WHERE input ->> '$.picture' = owner)
            AND NOT EXISTS (SELECT 1 FROM captions WHERE name = owner)
        WHEN ?4 THEN NOT EXISTS (SELECT 1 FROM contents WHERE uuid = owner)
        WHEN ?5 THEN NOT EXISTS (SELECT 1 FROM blocklist_segments
            WHERE first_number || '-' || last_number = owner)
        WHEN ?6 THEN 0 WHEN ?7 THEN 0 ELSE 1 END ORDER BY folder";

/// The folders of jobs that the database does not know. They were started after the backup.
const UNKNOWN_GENERATIONS: &str = "
    SELECT DISTINCT 'object' AS kind, ?2 || uuid || '/' || number AS subject,
        'a job that the database does not know stored it' AS detail
    FROM (SELECT substr(rest, 1, instr(rest, '/') - 1) AS owner,
            CAST(substr(rest, instr(rest, '/') + 1) AS INTEGER) AS number
        FROM (SELECT substr(value, length(?2) + 1) AS rest FROM json_each(?1) WHERE value LIKE ?2 || '%'))
    JOIN contents ON uuid = owner WHERE number > generation ORDER BY subject";
