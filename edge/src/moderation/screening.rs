//! Compares a report's frames with the blocklist before the report is accepted.
//!
//! The list is read in pages, outside the transaction that accepts the report. That transaction accepts the report only
//! if the list still has the version returned here. So a hash that is added before the acceptance is never missed.

use super::blocklist_search::{BlockedFrame, BlocklistSearch};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use contract::PictureHash;
use contract::limits::MAX_SAFE_INTEGER;
use contract::moderation::{Finding, FrameHash};
use serde::Deserialize;

/// Rows per page: a few hundred kilobytes.
const PAGE: u32 = 5_000;

/// The result of comparing frames with one version of the blocklist.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Screening {
    /// `None` if there were no frames to compare, so that the list does not matter.
    pub version: Option<u64>,
    pub finding: Option<Finding>,
}

#[derive(Deserialize)]
struct VersionRow {
    version: u64,
}

#[derive(Deserialize)]
struct BlockedHashRow {
    hash: String,
    content_id: Option<u64>,
}

/// Assigns each hash to the content that it belongs to.
///
/// A hash that a moderator added directly belongs to no content. It gets a number of its own, counted down from the
/// largest safe integer, which no id reaches.
struct Numbering(u64);

impl Numbering {
    /// Returns `None` for a hash in a different format. It cannot be compared with today's hashes.
    fn blocked_frame(&mut self, row: &BlockedHashRow) -> Option<BlockedFrame> {
        let hash: PictureHash = row.hash.parse().ok()?;
        let content = row.content_id.unwrap_or_else(|| {
            self.0 -= 1;
            self.0
        });
        Some(BlockedFrame { content, hash })
    }
}

/// Compares the frames with every hash of the blocklist.
pub(crate) async fn screen_frames(database: &impl Database, frames: &[FrameHash]) -> Result<Screening, DatabaseError> {
    if frames.is_empty() {
        return Ok(Screening::default());
    }
    let mut search = BlocklistSearch::new(frames);
    let mut numbering = Numbering(MAX_SAFE_INTEGER);
    let (mut first_version, mut last_hash) = (None, String::new());
    loop {
        let (version, page) = read_page(database, &last_hash).await?;
        // The first version counts: any change since then increases it.
        first_version = first_version.or(version);
        let blocked: Vec<_> = page.iter().filter_map(|row| numbering.blocked_frame(row)).collect();
        search.add_page(&blocked);
        match page.last() {
            Some(row) => last_hash.clone_from(&row.hash),
            None => break,
        }
    }
    Ok(Screening { version: first_version, finding: search.finding() })
}

/// Reads the list's version and the page of hashes that follow `after`.
async fn read_page(database: &impl Database, after: &str) -> Result<(Option<u64>, Vec<BlockedHashRow>), DatabaseError> {
    let read = Statement::new("SELECT hash, content_id FROM blocked_hashes WHERE hash > ?1 ORDER BY hash LIMIT ?2");
    let mut batch = Batch::default();
    let version = batch.query::<VersionRow>(Statement::new("SELECT version FROM blocklist_version"));
    let page = batch.query(read.bind(after).bind(PAGE));
    let answers = database.run(batch).await?;
    Ok((answers.first(version)?.map(|row| row.version), answers.all(page)?))
}
