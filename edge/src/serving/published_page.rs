//! Finds the page of a published content.

use super::access::Access;
use super::cache_rules::{CacheTags, ShownContent};
use super::page::Page;
use super::video_page::PublishedVideo;
use crate::contents::content_urls::ContentUrls;
use crate::contents::entity_tag;
use crate::ids::ContentUuid;
use crate::ports::database::{Database, DatabaseError, Statement, read_column};
use crate::unix_seconds::UnixSeconds;
use contract::job::StoredMedia;
use serde::Deserialize;

/// Every slug is shorter than this.
const MAX_SLUG_LENGTH: usize = 100;

/// A page that everybody may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedPage {
    pub page: Page,
    pub tags: CacheTags,
}

#[derive(Deserialize)]
struct PublishedRow {
    uuid: ContentUuid,
    media_generation: u64,
    media_name: String,
    slug_url: String,
    caption: Option<String>,
    published_at_unix: UnixSeconds,
    media: String,
}

/// Returns the page with this slug, or `None` if no published content has it.
pub(crate) async fn find(
    database: &impl Database,
    slug_url: &str,
    site: &str,
) -> Result<Option<PublishedPage>, DatabaseError> {
    if !may_be_slug(slug_url) {
        return Ok(None);
    }
    let select = Statement::new(
        "SELECT uuid, media_generation, media_name, slug_url, caption, published_at_unix, media FROM contents
         WHERE slug_url = ?1 AND state = 'published'",
    );
    let row: Option<PublishedRow> = database.first(select.bind(slug_url)).await?;
    row.map(|row| row.page(site)).transpose()
}

/// Whether a content may have this slug. If not, the database is not queried.
fn may_be_slug(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    text.len() <= MAX_SLUG_LENGTH && text.bytes().all(is_allowed)
}

impl PublishedRow {
    fn page(&self, site: &str) -> Result<PublishedPage, DatabaseError> {
        let media: StoredMedia = read_column(&self.media)?;
        let video = PublishedVideo {
            urls: ContentUrls { site, media_name: &self.media_name, slug_url: &self.slug_url },
            caption: self.caption.as_deref(),
            published_at: self.published_at_unix,
            media: &media,
        };
        Ok(PublishedPage { page: video.page(), tags: CacheTags::of(&self.uuid, self.media_generation) })
    }
}

impl PublishedPage {
    pub(crate) fn entity_tag(&self) -> String {
        entity_tag::strong(&self.page.html)
    }

    /// What an answer with the page shows. Its tags are for a cache in front of the Worker.
    pub(crate) fn shown(&self, is_behind_cache: bool) -> ShownContent {
        ShownContent { access: Access::Public, tags: is_behind_cache.then(|| self.tags.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_letters_digits_and_hyphens() {
        for slug in ["a-clip-x1", "A", "-", &"s".repeat(MAX_SLUG_LENGTH)] {
            assert!(may_be_slug(slug), "{slug}");
        }
        for other in ["s ", "s'", "%", "é", "a/b", "a_b", &"s".repeat(MAX_SLUG_LENGTH + 1)] {
            assert!(!may_be_slug(other), "{other}");
        }
    }
}
