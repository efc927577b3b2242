//! A report compared with the blocklist, before its verdict is taken.
//!
//! The list is read in pages, outside of the transaction that accepts the report; that transaction takes the report
//! only if the list still has the version that is told here. So whichever comes first, a hash or a report, is first.

use super::matching::Matching;
use crate::database::{Database, DatabaseError, Rows, Statement, first_row};
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
struct Blocked {
    hash: String,
}

/// Compares the frames with every hash of the list.
pub async fn screen(
    database: &impl Database,
    frames: &[FrameHash],
) -> Result<Screening, DatabaseError> {
    if frames.is_empty() {
        return Ok(Screening::default());
    }
    let mut matching = Matching::new(frames);
    let (mut version, mut last) = (None, String::new());
    loop {
        let read_version = Statement::new("SELECT version FROM blocklist_version");
        let read = Statement::new(
            "SELECT hash FROM blocked_hashes WHERE hash > ?1 ORDER BY hash LIMIT ?2",
        );
        let read = read.bind(last.as_str()).bind(PAGE);
        let answers = database.batch(vec![read_version, read]).await?;
        // The first is the one that counts: what was added since then changes it.
        version = version.or(first_row::<Version>(answers.first())?);
        let page = hashes(answers.into_iter().next_back().unwrap_or_default())?;
        page.iter().for_each(|hash| matching.compare(hash));
        match page.into_iter().next_back() {
            Some(hash) => last = hash,
            None => break,
        }
    }
    Ok(Screening {
        version: version.map(|Version { version }| version),
        finding: matching.finding(),
    })
}

fn hashes(Rows(rows): Rows) -> Result<Vec<String>, DatabaseError> {
    let read = |row| {
        let blocked: Blocked =
            serde_json::from_value(row).map_err(|error| DatabaseError::Shape(error.to_string()))?;
        Ok(blocked.hash)
    };
    rows.into_iter().map(read).collect()
}
