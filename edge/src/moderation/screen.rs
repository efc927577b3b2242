//! A report compared with the blocklist, before its verdict is taken.
//!
//! The list is read in pages, outside of the transaction that accepts the report; that transaction takes the report
//! only if the list still has the version that is told here. So whichever comes first, a hash or a report, is first.

use crate::database::{Database, DatabaseError, Statement, all_rows, first_row};
use contract::PictureHash;
use contract::blocklist::{Blocked, Search};
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::{Finding, FrameHash};
use serde::Deserialize;

/// Rows of one answer: a few hundred kilobytes.
const PAGE: u32 = 5_000;

/// What the comparison with the list of a version found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Screening {
    /// `None`: there was nothing to compare, whatever the list is.
    pub version: Option<u64>,
    pub finding: Option<Finding>,
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

#[derive(Deserialize)]
struct Row {
    hash: String,
    content_id: Option<u64>,
}

/// Gives each hash the content that it comes from.
///
/// One that somebody added by hand comes from none: it has a number of its own, from the end that no id reaches.
struct Numbering(u64);

impl Numbering {
    /// `None` for a hash of another form than today's: it looks like nothing.
    fn blocked(&mut self, row: &Row) -> Option<Blocked> {
        let hash: PictureHash = row.hash.parse().ok()?;
        let content = row.content_id.unwrap_or_else(|| {
            self.0 -= 1;
            self.0
        });
        Some(Blocked { content, hash })
    }
}

/// Compares the frames with every hash of the list.
pub async fn screen(
    database: &impl Database,
    frames: &[FrameHash],
) -> Result<Screening, DatabaseError> {
    if frames.is_empty() {
        return Ok(Screening::default());
    }
    let mut search = Search::new(frames);
    let mut numbering = Numbering(MAX_SAFE_INTEGER);
    let (mut version, mut last) = (None, String::new());
    loop {
        let read_version = Statement::new("SELECT version FROM blocklist_version");
        let read = Statement::new(
            "SELECT hash, content_id FROM blocked_hashes WHERE hash > ?1 ORDER BY hash LIMIT ?2",
        );
        let read = read.bind(last.as_str()).bind(PAGE);
        let answers = database.batch(vec![read_version, read]).await?;
        // The first is the one that counts: what was added since then changes it.
        version = version.or(first_row::<Version>(answers.first())?);
        let page: Vec<Row> = all_rows(answers.last())?;
        let blocked: Vec<_> = page
            .iter()
            .filter_map(|row| numbering.blocked(row))
            .collect();
        search.look_through(&blocked);
        match page.last() {
            Some(row) => last.clone_from(&row.hash),
            None => break,
        }
    }
    Ok(Screening {
        version: version.map(|Version { version }| version),
        finding: search.finding(),
    })
}
