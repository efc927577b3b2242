//! The sitemap of all published pages, for search engines: a list of parts, each with a bounded number of pages.
//!
//! A part has the contents of a range of ids, so it is found by the primary key, and a page never moves to another
//! part.

use super::calendar::rfc3339;
use super::html::escape;
use crate::contents::content_urls::ContentUrls;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::slug::{Slug, slug_column};
use crate::unix_seconds::UnixSeconds;
use contract::paths::{API, INTERNAL, SITEMAP, SITEMAP_PARTS};
use serde::Deserialize;

/// A request reads at most this many rows. The protocol allows 50,000 pages in a part.
const CONTENTS_PER_PART: u64 = 1_000;
/// The protocol allows this many parts. If there are more, the oldest are left out.
const MAX_PARTS: u64 = 50_000;

const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const NAMESPACE: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";

#[derive(Deserialize)]
struct LastId {
    id: u64,
}

#[derive(Deserialize)]
struct PageRow {
    slug_url: Slug,
    published_at_unix: UnixSeconds,
}

/// Returns the list of the parts.
pub(crate) async fn list_of_parts(database: &impl Database, site: &str) -> Result<String, DatabaseError> {
    let select = Statement::new("SELECT id FROM contents ORDER BY id DESC LIMIT 1");
    let last: Option<LastId> = database.first(select).await?;
    let parts = last.map_or(0, |last| last.id.div_ceil(CONTENTS_PER_PART));
    let site = escape(site.trim_end_matches('/'));
    let newest = parts.saturating_sub(MAX_PARTS) + 1..=parts;
    let entries = newest.map(|part| format!("<sitemap><loc>{site}{SITEMAP_PARTS}{part}.xml</loc></sitemap>\n"));
    let entries: String = entries.collect();
    Ok(format!("{START}<sitemapindex xmlns=\"{NAMESPACE}\">\n{entries}</sitemapindex>\n"))
}

/// Returns a part, the first of which has the number 1.
pub(crate) async fn part(database: &impl Database, number: u32, site: &str) -> Result<String, DatabaseError> {
    let last = u64::from(number) * CONTENTS_PER_PART;
    let select = Statement::new(concat!(
        "SELECT published_at_unix, ",
        slug_column!(),
        " FROM contents
         WHERE id > ?1 AND id <= ?2 AND state = 'published' AND published_at_unix IS NOT NULL
             AND channel_id NOT IN (SELECT id FROM channels WHERE suspended_at_unix IS NOT NULL)
         ORDER BY id"
    ));
    let select = select.bind(last.saturating_sub(CONTENTS_PER_PART)).bind(last);
    let rows: Vec<PageRow> = database.all(select).await?;
    let entries: String = rows.iter().map(|row| row.entry(site)).collect();
    Ok(format!("{START}<urlset xmlns=\"{NAMESPACE}\">\n{entries}</urlset>\n"))
}

/// Returns the number of the part with this file name.
pub(crate) fn part_number(file: &str) -> Option<u32> {
    let number: u32 = file.strip_suffix(".xml")?.parse().ok()?;
    (number > 0 && format!("{number}.xml") == file).then_some(number)
}

impl PageRow {
    fn entry(&self, site: &str) -> String {
        let page = ContentUrls { site, media_name: "", slug_url: self.slug_url.as_str() }.page();
        format!("<url><loc>{}</loc><lastmod>{}</lastmod></url>\n", escape(&page), rfc3339(self.published_at_unix))
    }
}

/// Returns the rules for programs that read the whole site.
pub(crate) fn robots(site: &str) -> String {
    let site = site.trim_end_matches('/');
    format!("User-agent: *\nDisallow: {API}\nDisallow: {INTERNAL}\n\nSitemap: {site}{SITEMAP}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::Scene;
    use futures_executor::block_on;

    #[test]
    fn the_list_has_all_parts_and_no_other() {
        let list = block_on(list_of_parts(&Scene::new().world.database, "https://site.example/")).unwrap();
        let entries: Vec<&str> = list.lines().filter(|line| line.contains("<loc>")).collect();
        assert_eq!(entries, ["<sitemap><loc>https://site.example/sitemaps/1.xml</loc></sitemap>"]);
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
        for other in ["0.xml", "01.xml", "+1.xml", "1", "x.xml", "99999999999.xml", "-1.xml"] {
            assert_eq!(part_number(other), None, "{other}");
        }
    }
}
