//! Finds the stored file that a URL names, if the viewer may see it.

use super::access::{Access, SHOWN_STATE, Viewer, access_to, may_be_private};
use super::cache_rules::{CacheTags, ShownContent};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::contents::entity_tag;
use crate::contents::life::packed_media::read_media;
use crate::contents::media_path::MediaPath;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::{ContentState, MediaFile, ObjectKey};
use serde::Deserialize;

/// The content that a URL names, in any state.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MediaContent {
    uuid: ContentUuid,
    channel_id: ChannelId,
    state: ContentState,
    media: Option<String>,
    media_generation: Option<u64>,
    thumbnail_generation: Option<u64>,
    captions_generation: Option<u64>,
    is_unlisted: u8,
}

/// A file that may be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServableFile {
    pub object_key: String,
    pub size_bytes: u64,
    pub content_type: &'static str,
    /// A strong tag. It is known without reading the object store, because the files of an accepted report never
    /// change.
    pub entity_tag: String,
    pub is_public: bool,
    /// Whether search engines should leave it out.
    pub is_unlisted: bool,
    pub tags: CacheTags,
}

/// Returns the content with this media name. Its state is current, because it is read from the primary.
pub(crate) async fn find_content(
    database: &impl Database,
    path: &MediaPath,
) -> Result<Option<MediaContent>, DatabaseError> {
    let select = Statement::new(constcat::concat!(
        "SELECT uuid, channel_id, ",
        SHOWN_STATE,
        " AS state, media, media_generation, thumbnail ->> '$.generation' AS thumbnail_generation, captions_generation, is_unlisted
         FROM contents JOIN channels ON channels.id = channel_id
         WHERE media_name = ?1"
    ));
    database.first(select.bind(path.media_name.as_str())).await
}

/// Returns the content with this UUID.
pub(crate) async fn find_by_uuid(
    database: &impl Database,
    content_uuid: &ContentUuid,
) -> Result<Option<MediaContent>, DatabaseError> {
    let select = Statement::new(
        "SELECT uuid, channel_id, state, media, media_generation, thumbnail ->> '$.generation' AS thumbnail_generation, captions_generation, is_unlisted
         FROM contents WHERE uuid = ?1",
    );
    database.first(select.bind(content_uuid)).await
}

impl MediaContent {
    /// Whether access to the file depends on the viewer.
    pub(crate) fn depends_on_viewer(&self, file: MediaFile) -> bool {
        may_be_private(self.state, file)
    }

    /// Returns the file, if it is stored and the viewer may see it.
    pub(crate) fn file(&self, file: MediaFile, viewer: Viewer) -> Option<ServableFile> {
        let access = access_to(file, self.state, self.channel_id, viewer);
        self.stored(file, access)
    }

    /// Returns the file for a moderator's review, in any state in which it is stored. It must not be cached.
    pub(crate) fn file_for_review(&self, file: MediaFile) -> Option<ServableFile> {
        self.stored(file, Access::Private)
    }

    fn stored(&self, file: MediaFile, access: Access) -> Option<ServableFile> {
        let media = read_media(self.media.as_deref()?).ok()?;
        let name = file.to_string();
        let stored = media.files.iter().find(|stored| stored.name == name)?;
        let (content_uuid, generation) = (self.uuid.as_str(), self.generation_of(file)?);
        let object_key = ObjectKey::Media { content_uuid, generation, file }.path();
        (access != Access::Denied).then(|| ServableFile {
            entity_tag: entity_tag::strong(&format!("{object_key} {}", stored.size_bytes)),
            object_key,
            size_bytes: stored.size_bytes,
            content_type: file.content_type(),
            is_public: access == Access::Public,
            is_unlisted: self.is_unlisted != 0,
            tags: CacheTags::of(&self.uuid, generation).and_files_of(self.channel_id),
        })
    }

    /// Returns the generation whose folder has the file.
    fn generation_of(&self, file: MediaFile) -> Option<u64> {
        let thumbnail = self.thumbnail_generation.filter(|_| MediaFile::THUMBNAILS.contains(&file));
        let captions = self.captions_generation.filter(|_| file.depends_on_subtitles());
        thumbnail.or(captions).or(self.media_generation)
    }
}

impl ServableFile {
    /// Returns the content for a response with the file. Its tags are for a cache in front of the Worker.
    pub(crate) fn shown(&self, is_behind_cache: bool) -> ShownContent {
        let access = if self.is_public { Access::Public } else { Access::Private };
        ShownContent { access, tags: is_behind_cache.then(|| self.tags.clone()) }
    }
}
