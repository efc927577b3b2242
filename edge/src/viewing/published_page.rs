//! Finds the content that a page, a player or an oEmbed request names.

use super::access::{SHOWN_STATE, may_show_progress};
use super::cache_rules::CacheTags;
use super::caption::without_bidi_controls;
use super::published_video::PublishedVideo;
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::slug::{MAY_HAVE_SLUG, SLUG_COLUMN, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::content_urls::ContentUrls;
use crate::contents::life::label::LabelState;
use crate::contents::life::packed_media::read_media;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::ContentState;
use serde::Deserialize;

/// Every slug is shorter than this.
const MAX_SLUG_LENGTH: usize = 100;

/// The content with a slug, in any state.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct PageContent {
    uuid: ContentUuid,
    channel_id: ChannelId,
    channel_name: Option<String>,
    state: ContentState,
    media_generation: Option<u64>,
    media_name: String,
    slug_url: Slug,
    caption: Option<String>,
    published_at_unix: Option<UnixSeconds>,
    media: Option<String>,
    has_own_poster: u8,
    is_unlisted: u8,
    is_sensitive: LabelState,
    is_ai_generated: LabelState,
}

/// Returns the content with exactly this slug. Its state is current, because it is read from the primary.
pub(crate) async fn find(database: &impl Database, slug_url: &str) -> Result<Option<PageContent>, DatabaseError> {
    if !may_be_slug(slug_url) {
        return Ok(None);
    }
    let select = Statement::new(constcat::concat!(
        "SELECT uuid, channel_id, name AS channel_name, ",
        SHOWN_STATE,
        " AS state, media_generation, media_name, caption, published_at_unix, media, thumbnail ->> '$.picture_sha256' IS NOT NULL AS has_own_poster,
             is_unlisted, is_sensitive, is_ai_generated, ",
        SLUG_COLUMN,
        " FROM contents JOIN channels ON channels.id = channel_id WHERE ",
        MAY_HAVE_SLUG
    ));
    let found: Option<PageContent> = database.first(select.bind(slug_url)).await?;
    Ok(found.filter(|content| content.slug_url() == slug_url))
}

/// Whether a content may have this slug. If not, the database is not queried.
fn may_be_slug(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    text.len() <= MAX_SLUG_LENGTH && text.bytes().all(is_allowed)
}

impl PageContent {
    /// Returns the public video, or `None` if the content is not published.
    pub(crate) fn published<'a>(&'a self, site: &'a str) -> Result<Option<PublishedVideo<'a>>, DatabaseError> {
        let stored = (self.state.is_public(), self.media.as_deref(), self.published_at_unix);
        let (true, Some(media), Some(published_at)) = stored else { return Ok(None) };
        Ok(Some(PublishedVideo {
            urls: ContentUrls { site, media_name: &self.media_name, slug_url: self.slug_url() },
            caption: self.caption.as_deref().map(without_bidi_controls),
            channel_name: self.channel_name.as_deref(),
            published_at,
            media: read_media(media)?,
            has_own_poster: self.has_own_poster != 0,
            is_unlisted: self.is_unlisted != 0,
            is_sensitive: self.is_sensitive.is_set(),
            is_ai_generated: self.is_ai_generated.is_set(),
        }))
    }

    pub(crate) fn slug_url(&self) -> &str {
        self.slug_url.as_str()
    }

    /// Returns the cache tags of a response that shows the content and its channel's name.
    pub(crate) fn tags(&self) -> CacheTags {
        CacheTags::of(&self.uuid, self.media_generation.unwrap_or_default()).and_channel(self.channel_id)
    }

    /// Returns the channel that may see the progress of its content, or `None` if the state has no progress to show.
    pub(crate) fn owner_who_may_see_progress(&self) -> Option<ChannelId> {
        may_show_progress(self.state).then_some(self.channel_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::{Scene, processed};
    use contract::moderation::Recommendation;
    use futures_executor::block_on;

    #[derive(Deserialize)]
    struct Slugged {
        slug_url: String,
    }

    #[test]
    fn a_poster_of_the_owner_is_told_from_one_of_the_video() {
        let scene = Scene::new();
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[Recommendation::Pass]));
        let slug = scene.read::<Slugged>("SELECT slug_url FROM contents").slug_url;
        for (sql, expected) in [
            ("UPDATE contents SET thumbnail = '{}'", false),
            ("UPDATE contents SET thumbnail = '{\"picture_sha256\":\"h\"}'", true),
        ] {
            scene.attempt(sql).unwrap();
            let content = block_on(find(&scene.world.database, &slug)).unwrap().unwrap();
            let video = content.published("https://site.example").unwrap().unwrap();
            assert_eq!(video.has_own_poster, expected);
        }
    }

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
