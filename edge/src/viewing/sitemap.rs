//! The sitemap of all published pages, for search engines: a list of parts, each with a bounded number of pages.
//!
//! A part covers a range of ids, so it is found by the primary key, and a page never moves to another part. A restored
//! database leaves a gap in the ids, and the parts of a gap are not listed.

use super::calendar::rfc3339;
use super::html::escape;
use crate::base::slug::{SLUG_COLUMN, Slug};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::content_urls::ContentUrls;
use crate::journal::removals::IDS_OF_EPOCH;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::limits::MAX_SAFE_INTEGER;
use contract::paths::{API, INTERNAL, SITEMAP, SITEMAP_PARTS};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// A request reads at most this many rows. The protocol allows 50,000 pages in a part.
const CONTENTS_PER_PART: u64 = 1_000;
/// The protocol allows this many parts. If there are more, the oldest are left out.
const MAX_PARTS: usize = 50_000;

const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

/// The last id of an epoch.
#[derive(Deserialize)]
struct LastId {
    id: u64,
}

impl LastId {
    /// Returns the parts of the epoch.
    fn parts(&self) -> RangeInclusive<u64> {
        let first = self.id / IDS_OF_EPOCH * IDS_OF_EPOCH + 1;
        first.div_ceil(CONTENTS_PER_PART)..=self.id.div_ceil(CONTENTS_PER_PART)
    }
}

#[derive(Deserialize)]
struct PageRow {
    slug_url: Slug,
    published_at_unix: UnixSeconds,
}

/// Returns the list of the parts.
pub(crate) async fn list_of_parts(database: &impl Database, site: &str) -> Result<String, DatabaseError> {
    // Each step looks up the last id before the epoch of the previous step's id.
    let select = Statement::new(
        "WITH RECURSIVE last_ids (id) AS (
             SELECT max(id) FROM contents
             UNION ALL
             SELECT (SELECT max(id) FROM contents WHERE id < last_ids.id / CAST(?1 AS INTEGER) * CAST(?1 AS INTEGER))
             FROM last_ids WHERE id IS NOT NULL)
         SELECT id FROM last_ids WHERE id IS NOT NULL",
    );
    let newest_first: Vec<LastId> = database.all(select.bind(IDS_OF_EPOCH)).await?;
    let parts = newest_first.iter().flat_map(|last| last.parts().rev()).take(MAX_PARTS);
    let mut parts: Vec<u64> = parts.collect();
    parts.reverse();
    let site = escape(site.trim_end_matches('/'));
    let entries = parts.iter().map(|part| format!("<sitemap><loc>{site}{SITEMAP_PARTS}{part}.xml</loc></sitemap>\n"));
    let entries: String = entries.collect();
    Ok(format!("{START}<sitemapindex xmlns=\"{NAMESPACE}\">\n{entries}</sitemapindex>\n"))
}

/// Returns a part. The first part has the number 1.
pub(crate) async fn part(database: &impl Database, number: u64, site: &str) -> Result<String, DatabaseError> {
    let last = number.saturating_mul(CONTENTS_PER_PART);
    let select = Statement::new(constcat::concat!(
        "SELECT published_at_unix, ",
        SLUG_COLUMN,
        " FROM contents
         WHERE id > ?1 AND id <= ?2 AND state = 'published' AND is_unlisted = 0
             AND published_at_unix IS NOT NULL
             AND (SELECT suspended_at_unix FROM channels WHERE channels.id = channel_id) IS NULL
         ORDER BY id"
    ));
    let select = select.bind(last.saturating_sub(CONTENTS_PER_PART)).bind(last);
    let rows: Vec<PageRow> = database.all(select).await?;
    let entries: String = rows.iter().map(|row| row.entry(site)).collect();
    Ok(format!("{START}<urlset xmlns=\"{NAMESPACE}\">\n{entries}</urlset>\n"))
}

/// Returns the number of the part with this file name.
pub(crate) fn part_number(file: &str) -> Option<u64> {
    let number: u64 = file.strip_suffix(".xml")?.parse().ok()?;
    ((1..=MAX_SAFE_INTEGER / CONTENTS_PER_PART).contains(&number) && format!("{number}.xml") == file).then_some(number)
}

impl PageRow {
    fn entry(&self, site: &str) -> String {
        let page = ContentUrls { site, media_name: "", slug_url: self.slug_url.as_str() }.page();
        format!("<url><loc>{}</loc><lastmod>{}</lastmod></url>\n", escape(&page), rfc3339(self.published_at_unix))
    }
}

/// Returns the rules for crawlers.
pub(crate) fn robots(site: &str) -> String {
    let site = site.trim_end_matches('/');
    format!("User-agent: *\nDisallow: {API}\nDisallow: {INTERNAL}\n\nSitemap: {site}{SITEMAP}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::{Scene, processed};
    use contract::moderation::Recommendation;
    use futures_executor::block_on;

    #[test]
    fn the_list_has_all_parts_and_no_other() {
        let list = block_on(list_of_parts(&Scene::new().world.database, "https://site.example/")).unwrap();
        let entries: Vec<&str> = list.lines().filter(|line| line.contains("<loc>")).collect();
        assert_eq!(entries, ["<sitemap><loc>https://site.example/sitemaps/1.xml</loc></sitemap>"]);
    }

    #[test]
    fn a_restored_database_lists_no_part_of_the_gap_in_its_ids() {
        let scene = Scene::new();
        let list = || {
            let list = block_on(list_of_parts(&scene.world.database, "https://site.example")).unwrap();
            let names = list.lines().filter_map(|line| line.split(SITEMAP_PARTS).nth(1)?.split('<').next());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(list(), ["1.xml"]);
        for id in [1_500, IDS_OF_EPOCH + 1, 3 * IDS_OF_EPOCH + 1_001] {
            let upload = Statement::new(
                "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
                 VALUES (CAST(?1 AS INTEGER), 'u' || ?1, 1, 20000, 'committed', 0)",
            );
            let content = Statement::new(
                "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms,
                     file_sha256, created_at_unix)
                 VALUES (CAST(?1 AS INTEGER), 'c' || ?1, 1, 'processing', 's' || ?1, 'm' || ?1, '{}', 5000, 'h', 1)",
            );
            block_on(scene.world.database.batch(vec![upload.bind(id), content.bind(id)])).unwrap();
        }
        assert_eq!(list(), ["1.xml", "2.xml", "1000000001.xml", "3000000001.xml", "3000000002.xml"]);
        for name in list() {
            assert!(part_number(&name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_part_lists_what_is_published_and_not_unlisted() {
        let scene = Scene::new();
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[Recommendation::Pass]));
        let pages =
            || block_on(part(&scene.world.database, 1, "https://site.example")).unwrap().matches("<loc>").count();
        assert_eq!(pages(), 1);
        for (sql, expected) in [
            ("UPDATE contents SET is_unlisted = 1", 0),
            ("UPDATE contents SET is_unlisted = 0, is_sensitive = 1", 1),
            ("UPDATE contents SET state = 'taken_down'", 0),
        ] {
            scene.attempt(sql).unwrap();
            assert_eq!(pages(), expected, "{sql}");
        }
    }

    #[test]
    fn robots_read_the_pages_and_not_the_api() {
        let expected =
            "User-agent: *\nDisallow: /api/\nDisallow: /internal/\n\nSitemap: https://site.example/sitemap.xml\n";
        assert_eq!(robots("https://site.example/"), expected);
    }

    #[test]
    fn a_part_has_one_file_name() {
        assert_eq!(part_number("1.xml"), Some(1));
        for other in ["0.xml", "01.xml", "+1.xml", "1", "x.xml", "9007199254741.xml", "-1.xml"] {
            assert_eq!(part_number(other), None, "{other}");
        }
    }
}
