//! An invariant of every stack, at every moment: each object in R2 is on record in D1, except failed requests, which
//! are deleted by their day.

use crate::test_stack::TestStack;
use anyhow::{Result, ensure};
use contract::ObjectKey;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The owners whose objects may exist: contents, uploads (even running ones), garbage that the sweep will delete, sent
/// pictures that wait for their job, captions, segments of the blocklist, and the removal log.
const KNOWN: &str = "SELECT uuid FROM uploads UNION SELECT upload_uuid FROM garbage UNION SELECT uuid FROM contents
     UNION SELECT input ->> '$.picture' FROM jobs WHERE input ->> '$.picture' IS NOT NULL
     UNION SELECT first_number || '-' || last_number FROM blocklist_segments UNION SELECT name FROM removals
     UNION SELECT name FROM captions UNION SELECT upload_uuid FROM resumable_uploads
     UNION SELECT tails_uuid FROM resumable_uploads";
/// The owners whose objects may be unfinished.
const UNFINISHED: &str = "SELECT uuid FROM uploads WHERE state = 'reserved' UNION SELECT upload_uuid FROM garbage
     UNION SELECT upload_uuid FROM resumable_uploads WHERE state IN ('open', 'received')";
/// The uploads in one request that hold a slot. A resumable upload holds its slot between them. The last
/// condition only uses the parameter that `count` binds.
const RESERVED: &str = "SELECT count(*) FROM uploads WHERE state = 'reserved'
     AND uuid NOT IN (SELECT upload_uuid FROM resumable_uploads) AND id <> ?1";

/// The file of the route that panics because a test asks for it.
const ON_DEMAND: &str = "routes/development.rs";

/// Checks a stack after a full run: no upload holds a slot, every object belongs to an upload, no request has panicked
/// after its answer.
pub async fn nothing_is_left_behind(stack: Arc<TestStack>) -> Result<String> {
    let no_upload_runs = async || Ok((stack.count(RESERVED, 0)? == 0).then_some(()));
    crate::until(Duration::from_secs(30), no_upload_runs, || "slots are still reserved".to_owned()).await?;
    stack.ensure_nothing_leaked().await?;
    // A stream that is polled after its end panics after the answer, where no test sees it.
    let log = std::fs::read_to_string(stack.folder().join("edge.log"))?;
    let is_panic =
        |line: &&str| line.contains("PanicError") || line.contains("Rust panic") && !line.contains(ON_DEMAND);
    let panics: Vec<&str> = log.lines().filter(is_panic).collect();
    ensure!(panics.is_empty(), "panics after an answer: {panics:?}");
    Ok("leaks: no slot is reserved, R2 holds nothing that D1 does not know about, no panic after an answer".to_owned())
}

impl TestStack {
    /// Sweeps, then fails if R2 holds an object, finished or not, whose upload or content is not on record in D1.
    pub async fn ensure_nothing_leaked(&self) -> Result<()> {
        self.sweep().await?;
        let objects = || Ok(self.objects()?.into_iter().map(|object| object.key).collect());
        self.ensure_known("objects", objects, KNOWN)?;
        self.ensure_known("unfinished objects", || self.unfinished_objects(), UNFINISHED)
    }

    /// Only objects that exist both before and after the query of D1 count, because other tests upload too.
    fn ensure_known(&self, kind: &str, stored: impl Fn() -> Result<Vec<String>>, owners: &str) -> Result<()> {
        let before: HashSet<String> = stored()?.into_iter().collect();
        let owners = self.texts(owners)?;
        let mut leaked = stored()?;
        leaked.retain(|key| {
            let owner = ObjectKey::last_removal(key).or_else(|| key.split('/').nth(1)).unwrap_or_default();
            let is_failed_requests = key.starts_with(ObjectKey::FAILED_REQUESTS_FOLDER);
            before.contains(key) && !is_failed_requests && !owners.contains(owner)
        });
        ensure!(leaked.is_empty(), "{kind} that D1 does not know about: {leaked:?}");
        Ok(())
    }
}
