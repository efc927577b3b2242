//! What must be true at every moment and on every stack: R2 holds nothing that D1 does not know of.

use crate::harness::{Harness, send};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Whose objects may be there: contents with what was made of them, uploads, also under way, and what is noted for removal.
const KNOWN: &str = "SELECT uuid FROM uploads UNION SELECT upload_uuid FROM garbage UNION SELECT uuid FROM contents";
/// Those whose object may be unfinished.
const UNFINISHED: &str =
    "SELECT uuid FROM uploads WHERE state = 'reserved' UNION SELECT upload_uuid FROM garbage";

/// After a full run, all that is in R2 belongs to an upload, and nothing that only tests may break is broken.
pub fn nothing_is_left_behind(harness: &Arc<Harness>) -> Result<String> {
    harness.run(async |harness: Arc<Harness>| {
        harness.until_no_upload_runs().await?;
        harness.ensure_nothing_leaked().await
    })?;
    // A stream that is asked for more after its end panics behind the answer, where no test sees it.
    let log = std::fs::read_to_string(harness.folder().join("edge.log"))?;
    let panics = log.lines().filter(|line| line.contains("PanicError"));
    let panics: Vec<&str> = panics.collect();
    ensure!(panics.is_empty(), "panics behind answers: {panics:?}");
    Ok("leaks: no slot is held; R2 holds nothing that D1 does not know of; no panic behind an answer".to_owned())
}

impl Harness {
    /// Waits for what the Worker does behind connections that are gone.
    async fn until_no_upload_runs(&self) -> Result<()> {
        let reserved = "SELECT count(*) FROM uploads WHERE state = 'reserved' AND id <> ?1";
        for _ in 0..300 {
            if self.count(reserved, 0)? == 0 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        anyhow::bail!("slots are held by nobody")
    }

    pub async fn sweep(&self) -> Result<()> {
        let answer = send(self.service(Method::POST, paths::SWEEP)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        Ok(())
    }

    /// Sweeps, then looks at the whole of R2: every object, finished or not, must be of an upload or a content that D1 knows.
    pub async fn ensure_nothing_leaked(&self) -> Result<()> {
        self.sweep().await?;
        let objects = || {
            Ok(self
                .objects()?
                .into_iter()
                .map(|object| object.key)
                .collect())
        };
        self.ensure_known("objects", objects, KNOWN)?;
        self.ensure_known(
            "unfinished objects",
            || self.unfinished_objects(),
            UNFINISHED,
        )
    }

    /// What other tests do meanwhile is no leak: only what is there before and after the look into D1 counts.
    fn ensure_known(
        &self,
        what: &str,
        stored: impl Fn() -> Result<Vec<String>>,
        known: &str,
    ) -> Result<()> {
        let before: HashSet<String> = stored()?.into_iter().collect();
        let known = self.texts(known)?;
        let mut leaked = stored()?;
        leaked.retain(|key| {
            let owner = key.split('/').nth(1).unwrap_or_default();
            before.contains(key) && !known.contains(owner)
        });
        ensure!(leaked.is_empty(), "{what} that nobody knows of: {leaked:?}");
        Ok(())
    }

    fn texts(&self, sql: &str) -> Result<HashSet<String>> {
        let connection = self.local_store("d1/miniflare-D1DatabaseObject")?;
        let mut statement = connection.prepare(sql)?;
        let texts = statement.query_map([], |row| row.get(0))?;
        Ok(texts.collect::<Result<_, _>>()?)
    }
}
