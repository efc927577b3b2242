//! A file behind an address, as far as the one who asks may have it.

use super::access::{Access, Asker, access, may_be_private};
use crate::contents::addresses::MediaPath;
use crate::database::{Database, DatabaseError, Statement, read_column};
use contract::job::StoredMedia;
use contract::{ContentState, MediaFile, ObjectKey};
use serde::Deserialize;

/// The content that an address names, whatever its state.
#[derive(Clone, Debug, Deserialize)]
pub struct Addressed {
    uuid: String,
    channel_id: u64,
    state: ContentState,
    media: Option<String>,
    media_generation: Option<u64>,
}

/// A file that may be handed out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub object_key: String,
    pub size_bytes: u64,
    pub content_type: &'static str,
    pub is_public: bool,
}

/// The content of that name. What it says of its state is true at this moment: it is read from the primary.
pub async fn find(
    database: &impl Database,
    path: &MediaPath,
) -> Result<Option<Addressed>, DatabaseError> {
    let select = Statement::new(
        "SELECT uuid, channel_id, state, media, media_generation FROM contents WHERE media_name = ?1",
    );
    database.first(select.bind(path.media_name.as_str())).await
}

impl Addressed {
    /// Whether it matters who asks.
    pub fn depends_on_asker(&self, file: MediaFile) -> bool {
        may_be_private(self.state, file)
    }

    /// The file, if it was made and the one who asks may have it.
    pub fn file(&self, file: MediaFile, asker: Asker) -> Option<File> {
        let access = access(self.state, self.channel_id, file, asker);
        let media: StoredMedia = read_column(self.media.as_deref()?).ok()?;
        let name = file.to_string();
        let stored = media.files.iter().find(|stored| stored.name == name)?;
        let key = ObjectKey::Media {
            content_uuid: &self.uuid,
            generation: self.media_generation?,
            file,
        };
        (access != Access::Denied).then(|| File {
            object_key: key.path(),
            size_bytes: stored.size_bytes,
            content_type: file.content_type(),
            is_public: access == Access::Public,
        })
    }
}
