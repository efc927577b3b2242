//! Makes the content of an upload whose bytes are all stored. Every step may be repeated: a request that fails half-way
//! leaves the rest to the next one.

use super::announcement::fields_of;
use super::changes::{keep_outcome, refuse};
use super::checker::Checker;
use super::read_back::read_back;
use super::record::{Record, StoredRequest};
use super::refusal::StoredRefusal;
use crate::base::refusal::Refusal;
use crate::platform::Platform;
use crate::platform::database::{Database, Statement};
use crate::platform::object_store::{ObjectStore, StoredPart};
use crate::uploads::attachments::Attachments;
use crate::uploads::file::ReceivedFile;
use crate::uploads::fingerprint::fingerprint;
use crate::uploads::form::fields::Fields;
use crate::uploads::new_content::{DirectContent, NewContent};
use crate::uploads::receive::{NotCommitted, check_thumbnail_time, commit_with_retry, enqueue_job};
use crate::uploads::request::AcceptedUpload;
use crate::uploads::roll_back::StoredLeftovers;
use crate::uploads::test_upload::discard;
use contract::{ErrorCode, ObjectKey};
use probe::Media;

/// Completes the object and commits the upload, or refuses it for good and leaves nothing behind.
pub(super) async fn finish<P: Platform>(platform: &P, record: &Record) -> Result<AcceptedUpload, Refusal> {
    let finished = try_finish(platform, record).await;
    if let Err(refusal) = &finished
        && let Some(stored) = StoredRefusal::of(refusal)
    {
        refuse(platform.database(), record, &stored, platform.now()).await?;
    }
    finished
}

async fn try_finish<P: Platform>(platform: &P, record: &Record) -> Result<AcceptedUpload, Refusal> {
    let request = record.request()?;
    let fields = fields_of(&request.texts)?;
    let key = ObjectKey::SourceVideo { upload_uuid: record.upload_uuid.as_str() }.path();
    let (media, sha256) = if let Some(checker) = record.checked.as_deref().and_then(Checker::restore) {
        let checked = check(checker.finish()?, &request, &fields)?;
        complete(platform, record, &key).await?;
        checked
    } else {
        complete(platform, record, &key).await?;
        check(read_back(platform, &key, record.length).await?, &request, &fields)?
    };
    require_category(platform, &fields).await?;
    let file = ReceivedFile { media, size_bytes: record.length, sha256 };
    let content = NewContent {
        names: &request.names,
        fields: &fields,
        picture_sha256: None,
        captions: &[],
        fingerprint: &fingerprint(&file.sha256, &fields, &Attachments::none())?,
        file: &file,
        direct: request.direct.as_ref().map(DirectContent::of),
        trace: request.trace()?,
    };
    let finished = commit_with_retry(platform, &content).await;
    let finished = finished.map_err(|(NotCommitted::Lost(refusal) | NotCommitted::Unknown(refusal))| refusal)?;
    keep_outcome(platform.database(), record, platform.now()).await?;
    if fields.test.is_some() {
        discard(platform, &record.upload_uuid, &StoredLeftovers::default()).await;
    }
    Ok(enqueue_job(platform, &finished).await)
}

/// Refuses a file that does not fit what was announced.
fn check(checked: (Media, String), request: &StoredRequest, fields: &Fields) -> Result<(Media, String), Refusal> {
    let (media, sha256) = checked;
    if request.sha256.as_ref().is_some_and(|announced| *announced != sha256) {
        return Err(Refusal::new(ErrorCode::UploadSha256Mismatch).with_field("sha256"));
    }
    check_thumbnail_time(fields, &media)?;
    if let Some(rules) = &request.direct {
        rules.require_duration(&media)?;
    }
    Ok((media, sha256))
}

/// Completes the object, unless an earlier request did.
async fn complete<P: Platform>(platform: &P, record: &Record, key: &str) -> Result<(), Refusal> {
    let parts: Vec<_> = record.parts()?.into_iter().map(|part| StoredPart { number: part.0, etag: part.2 }).collect();
    let id = record.multipart_id.as_deref().ok_or_else(|| Refusal::internal("a received upload has no object"))?;
    let Err(error) = platform.objects().complete(key, id, &parts).await else { return Ok(()) };
    let is_complete = |(name, bytes): &(String, u64)| name == key && *bytes == record.length;
    let stored = platform.objects().list_sizes(key).await?;
    if stored.iter().any(is_complete) { Ok(()) } else { Err(error.into()) }
}

/// The list of categories may have changed since the upload began.
async fn require_category<P: Platform>(platform: &P, fields: &Fields) -> Result<(), Refusal> {
    let Some(id) = fields.super_category_id else { return Ok(()) };
    let select = Statement::new("SELECT id FROM super_categories WHERE id = ?1").bind(id);
    let is_listed = platform.database().returns_rows(select).await?;
    if is_listed { Ok(()) } else { Err(Refusal::unknown_category(id)) }
}
