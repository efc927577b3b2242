//! The content behind the address of a page, if there is something to show.

use super::page::{Page, Shown};
use crate::contents::addresses::Addresses;
use crate::database::{Database, DatabaseError, Statement, read_column};
use contract::job::StoredMedia;
use serde::Deserialize;

/// The longest name of a page is shorter.
const MAX_SLUG_LENGTH: usize = 100;

#[derive(Deserialize)]
struct Row {
    media_name: String,
    slug_url: String,
    caption: Option<String>,
    published_at_unix: u64,
    media: String,
}

/// The page of that name; `None` when no published content has it.
pub async fn page(
    database: &impl Database,
    slug_url: &str,
    site: &str,
) -> Result<Option<Page>, DatabaseError> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if slug_url.len() > MAX_SLUG_LENGTH || !slug_url.bytes().all(is_name) {
        return Ok(None);
    }
    let select = Statement::new(
        "SELECT media_name, slug_url, caption, published_at_unix, media FROM contents
         WHERE slug_url = ?1 AND state = 'published'",
    );
    let found: Option<Row> = database.first(select.bind(slug_url)).await?;
    found.map(|row| row.page(site)).transpose()
}

impl Row {
    fn page(&self, site: &str) -> Result<Page, DatabaseError> {
        let media: StoredMedia = read_column(&self.media)?;
        let addresses = Addresses {
            site,
            media_name: &self.media_name,
            slug_url: &self.slug_url,
        };
        let shown = Shown {
            addresses,
            caption: self.caption.as_deref(),
            published_at_unix: self.published_at_unix,
            media: &media,
        };
        Ok(shown.page())
    }
}
