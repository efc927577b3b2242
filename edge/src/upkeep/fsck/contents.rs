//! The contents and the objects that their state needs. A missing object cannot be mended, except thumbnails, which are
//! recreated from the video, and subtitles.

use super::{Permission, Position, difference};
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::contents::life::Command;
use crate::contents::life::door::{self, Find};
use crate::contents::life::packed_media::read_media;
use crate::jobs::send_or_leave;
use crate::platform::Platform;
use crate::platform::database::{Database, DatabaseError, Statement, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use crate::upkeep::removals::Contradiction;
use contract::api::Difference;
use contract::job::JobWork;
use contract::{ContentState, MediaFile, ObjectKey};
use serde::Deserialize;

/// The number of contents on a page. Each costs one call of R2.
const PAGE: u32 = 100;

const READ: &str = "
    SELECT contents.uuid, uploads.uuid AS upload_uuid, contents.state, waits_for IS 'person' AS waits_for_person, media,
        media_generation, thumbnail ->> '$.generation' AS thumbnail_generation, captions_generation, is_compacted,
        EXISTS (SELECT 1 FROM jobs WHERE content_id = contents.id AND kind = 'completion' AND jobs.state <> 'done')
            AS is_incomplete
    FROM contents JOIN uploads ON uploads.id = contents.id WHERE contents.uuid > ?1 ORDER BY contents.uuid LIMIT ?2";

const THUMBNAIL: &str = "thumbnail";
const SUBTITLES: &str = "subtitles";
const MEDIA: &str = "media";

#[derive(Deserialize)]
struct StoredContent {
    uuid: ContentUuid,
    upload_uuid: UploadUuid,
    state: ContentState,
    waits_for_person: u8,
    media: Option<String>,
    media_generation: Option<u64>,
    thumbnail_generation: Option<u64>,
    captions_generation: Option<u64>,
    is_compacted: u8,
    is_incomplete: u8,
}

/// An object that a content needs.
struct NeededObject {
    kind: &'static str,
    key: String,
}

pub(super) async fn compare<P: Platform>(
    platform: &P,
    after: &str,
    permission: Permission,
) -> Result<(Vec<Difference>, Option<Position>), PlatformError> {
    let read = Statement::new(READ).bind(after).bind(PAGE);
    let contents: Vec<StoredContent> = platform.database().all(read).await?;
    let next = match contents.last() {
        Some(last) if may_have_more(contents.len(), PAGE) => {
            Position::Contents { after: last.uuid.as_str().to_owned() }
        }
        _ => Position::Objects { after: String::new() },
    };
    let mut differences = Vec::new();
    for content in contents {
        let Some(missing) = content.missing_object(platform).await? else { continue };
        let make = match missing.kind {
            THUMBNAIL => Some(JobWork::Thumbnail),
            // A job makes them from the first job's files and the owner's captions.
            SUBTITLES => Some(JobWork::Captions),
            _ => None,
        };
        let make = make.filter(|_| permission.mend && content.state != ContentState::Processing);
        let is_mended = make.is_some();
        if let Some(kind) = make {
            let find = Find::Uuid(&content.uuid);
            let outcome = door::apply(platform.database(), find, &Command::MakeAgain(kind), platform.now()).await;
            let outcome = outcome?;
            send_or_leave(platform, &outcome.map(|outcome| outcome.messages).unwrap_or_default()).await;
        }
        let detail = format!("R2 does not have {}", missing.key);
        let subject = content.uuid.as_str().to_owned();
        differences.push(difference(Contradiction { kind: missing.kind.to_owned(), subject, detail }, is_mended));
    }
    Ok((differences, Some(next)))
}

impl StoredContent {
    /// Returns the first object that the content needs and R2 does not have.
    async fn missing_object<P: Platform>(&self, platform: &P) -> Result<Option<NeededObject>, PlatformError> {
        let media = (ObjectKey::media_folder(self.uuid.as_str()), self.needed_media()?);
        let source = self.needed_source().map(|source| (source.key.clone(), vec![source]));
        for (folder, needed) in [media].into_iter().chain(source).filter(|(_, needed)| !needed.is_empty()) {
            let stored = platform.objects().list(&folder).await?;
            let missing = needed.into_iter().find(|object| !stored.contains(&object.key));
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }

    /// Whether its only job has no result yet.
    fn is_being_processed(&self) -> bool {
        self.state == ContentState::Processing && self.waits_for_person == 0
    }

    /// Returns the uploaded file, if renditions are still to be made of it.
    fn needed_source(&self) -> Option<NeededObject> {
        use ContentState::{Processing, Published, Scheduled};
        let is_incomplete = self.is_incomplete != 0 && matches!(self.state, Processing | Scheduled | Published);
        let key = || ObjectKey::SourceVideo { upload_uuid: self.upload_uuid.as_str() }.path();
        (self.is_being_processed() || is_incomplete).then(|| NeededObject { kind: "source", key: key() })
    }

    /// Returns the files that the content needs in its state, with replaceable files last.
    fn needed_media(&self) -> Result<Vec<NeededObject>, DatabaseError> {
        use ContentState::{Processing, Published, Scheduled};
        if self.is_being_processed() || !matches!(self.state, Processing | Scheduled | Published) {
            return Ok(Vec::new());
        }
        let (Some(media), Some(generation)) = (self.media.as_deref(), self.media_generation) else {
            return Ok(Vec::new());
        };
        let media = read_media(media)?;
        let needed = media.files.iter().map(|file| self.needed_file(&file.name, generation));
        let (mendable, mut needed): (Vec<_>, Vec<_>) = needed.partition(|object| object.kind != MEDIA);
        if self.is_compacted != 0 {
            let content_uuid = self.uuid.as_str();
            let key = ObjectKey::FinishedDetails { content_uuid, generation }.path();
            needed.push(NeededObject { kind: MEDIA, key });
        }
        needed.extend(mendable);
        Ok(needed)
    }

    fn needed_file(&self, name: &str, generation: u64) -> NeededObject {
        let file = MediaFile::parse(name);
        let (kind, own) = if file.is_some_and(|file| MediaFile::THUMBNAILS.contains(&file)) {
            (THUMBNAIL, self.thumbnail_generation)
        } else if self.captions_generation.is_some() && file.is_some_and(MediaFile::depends_on_subtitles) {
            (SUBTITLES, self.captions_generation)
        } else {
            (MEDIA, None)
        };
        let folder = ObjectKey::generation_folder(self.uuid.as_str(), own.unwrap_or(generation));
        NeededObject { kind, key: format!("{folder}{name}") }
    }
}
