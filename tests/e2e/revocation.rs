//! A deleted key is dead at once: nothing that starts after the deletion's answer is accepted.

use crate::harness::{Account, Harness, Suite};
use anyhow::{Result, ensure};
use contract::paths;
use futures_util::future::{join, join_all};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROUNDS: u32 = 200;
const CLIENTS: u32 = 16;

pub fn register(suite: &mut Suite) {
    suite.add(
        "revocation::no_request_that_starts_after_the_deletions_answer_is_accepted",
        lag,
    );
}

struct Use {
    started: Instant,
    accepted: bool,
}

async fn lag(harness: Arc<Harness>) -> Result<()> {
    let account = harness.account().await?;
    let (mut uses, mut accepted, mut accepted_after) = (0, 0, 0);
    for round in 0..ROUNDS {
        let key = account.create_key().await?;
        let clients = join_all((0..CLIENTS).map(|_| use_until_refused(&harness, &key)));
        let (round_uses, deleted) = join(clients, delete_after(&account, round)).await;
        let deleted = deleted?;
        for client in round_uses {
            let client = client?;
            uses += client.len();
            accepted += client.iter().filter(|one| one.accepted).count();
            accepted_after += client
                .iter()
                .filter(|one| one.accepted && one.started > deleted)
                .count();
        }
    }
    println!(
        "revocation: {ROUNDS} rounds, {CLIENTS} clients, {uses} requests, {accepted} accepted, \
         {accepted_after} accepted that started after the deletion's answer"
    );
    ensure!(accepted_after == 0 && accepted > 0);
    Ok(())
}

/// Uses the key without a pause until it is refused.
async fn use_until_refused(harness: &Harness, key: &str) -> Result<Vec<Use>> {
    let mut uses = Vec::new();
    loop {
        let started = Instant::now();
        let accepted = harness.with_key(paths::UPLOAD_LIMITS, key).await?.status == 200;
        uses.push(Use { started, accepted });
        if !accepted {
            return Ok(uses);
        }
    }
}

/// Deletes the key after a time that differs from round to round; when its answer was there.
async fn delete_after(account: &Account, round: u32) -> Result<Instant> {
    tokio::time::sleep(Duration::from_millis(u64::from(round * 7 % 40))).await;
    ensure!(account.post(paths::DELETE_API_KEY).await?.status == 200);
    Ok(Instant::now())
}
