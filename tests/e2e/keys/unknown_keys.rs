//! Keys that were never issued cost the database little, however many one address tries, and holders of valid keys are
//! not affected.

use anyhow::{Context, Result, bail, ensure};
use contract::paths;
use fixtures::Form;
use futures_util::future::{join, try_join_all};
use futures_util::stream;
use reqwest::{Body, Method, RequestBuilder};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tests::{Channel, HttpAnswer, StackLimits, TestStack, e2e, ensure_refused, send, until};

const ADDRESS_RATE: u32 = StackLimits::FEW_PER_ADDRESS.address_rate;
const PERIOD_SECONDS: u64 = 10;
/// The address of the client that tries keys, in `LOOPS` loops at once.
const ATTACKER: &str = "203.0.113.7";
const LOOPS: usize = 24;
const ELSEWHERE: &str = "2001:db8::1";
/// The uploads of each victim.
const UPLOADS: usize = 8;
/// The most new keys that are tried, because a new period of the rate limit may begin just as a key is used.
const NEW_KEYS: usize = 3;
const SOON: Duration = Duration::from_secs(20);

/// A client that tries one key after the other.
#[derive(Default)]
struct Attack {
    next_key: AtomicU64,
    is_over: AtomicBool,
}

impl Attack {
    /// Tries one key after the other until the attack is over, and returns the answers.
    async fn run_loop(&self, stack: &TestStack) -> Result<Vec<HttpAnswer>> {
        let mut answers = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let key = unknown_key(self.next_key.fetch_add(1, Ordering::Relaxed));
            answers.push(send(upload(stack, &key, ATTACKER)).await?);
        }
        Ok(answers)
    }
}

/// Returns a key that was never issued, with a correct checksum.
fn unknown_key(number: u64) -> String {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let secret = format!("{number:0>40}");
    let crc = secret.bytes().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 })
    });
    let digit = |place| char::from(DIGITS[(!crc / 62_u32.pow(place) % 62) as usize]);
    let checksum: String = (0..6).rev().map(digit).collect();
    format!("cgk_{secret}{checksum}")
}

/// Returns an upload of unknown length, which needs as much memory as a large one.
fn upload(stack: &TestStack, key: &str, address: &str) -> RequestBuilder {
    let body = Form::new().file("file", "a.mp4", &stack.small_video()).body();
    let body = Body::wrap_stream(stream::iter([Ok::<_, Infallible>(body)]));
    let request = stack.request(Method::POST, paths::UPLOAD_VIDEO).bearer_auth(key).body(body);
    request.header("Content-Type", Form::content_type()).header("CF-Connecting-IP", address)
}

async fn use_key(stack: &TestStack, key: &str, address: &str) -> Result<HttpAnswer> {
    let request = stack.request(Method::GET, paths::UPLOAD_LIMITS).bearer_auth(key);
    send(request.header("CF-Connecting-IP", address)).await
}

#[e2e(Limited(StackLimits::FEW_PER_ADDRESS))]
async fn random_keys_from_one_address_refuse_no_holder_of_a_valid_key(stack: Arc<TestStack>) -> Result<()> {
    ensure!(unknown_key(0).ends_with("2kaqcA"), "the checksum is computed wrongly: {}", unknown_key(0));
    let started = Instant::now();
    let answers = under_attack(&stack, async || {
        let victims = try_join_all((0..4).map(|_| Channel::new(&stack))).await?;
        upload_from(&victims, [ATTACKER, ATTACKER, ELSEWHERE, ELSEWHERE]).await?;
        ensure_every_new_key_gets_the_same_answer(&stack).await
    });
    let answers = answers.await?;
    let (invalid, limited): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 401);
    println!(
        "{LOOPS} loops of random keys for {:?}: {} looked up, {} refused without a query",
        started.elapsed(),
        invalid.len(),
        limited.len()
    );
    let periods = started.elapsed().as_secs() / PERIOD_SECONDS + 2;
    ensure!(invalid.len() as u64 <= periods * u64::from(ADDRESS_RATE), "{} keys were looked up", invalid.len());
    ensure_costs_no_query(&stack, &limited).await
}

/// Runs the check during an attack, and returns the answers to the attack.
async fn under_attack(stack: &TestStack, check: impl AsyncFnOnce() -> Result<()>) -> Result<Vec<HttpAnswer>> {
    let attack = Attack::default();
    let loops = try_join_all((0..LOOPS).map(|_| attack.run_loop(stack)));
    let checking = async {
        let checked = check().await;
        attack.is_over.store(true, Ordering::Relaxed);
        checked
    };
    let (answers, checked) = join(loops, checking).await;
    checked?;
    Ok(answers?.into_iter().flatten().collect())
}

/// Uploads several times with each key, from the addresses given, and fails unless all uploads are accepted.
async fn upload_from(victims: &[Channel], addresses: [&str; 4]) -> Result<()> {
    let uploads = victims.iter().zip(addresses).map(async |(victim, address)| {
        let stack = &victim.stack;
        // The isolate learns the key from a request that comes from elsewhere.
        ensure!(use_key(stack, &victim.key, ELSEWHERE).await?.status == 200);
        for _ in 0..UPLOADS {
            let answer = send(upload(stack, &victim.key, address)).await?;
            ensure!(answer.status == 200, "{address}: {answer:?}");
        }
        Ok(())
    });
    try_join_all(uploads).await.map(drop)
}

/// Fails unless an address over its rate gets the same answer for every key that is new to the isolate, valid or not.
async fn ensure_every_new_key_gets_the_same_answer(stack: &Arc<TestStack>) -> Result<()> {
    let deleted = stack.account().await?;
    let deleted_key = deleted.create_key().await?;
    deleted.post(paths::DELETE_API_KEY).await?;
    for _ in 0..NEW_KEYS {
        let channel = Channel::new(stack).await?;
        let use_deleted = async || {
            let answer = use_key(stack, &deleted_key, ATTACKER).await?;
            Ok((answer.status == 429).then_some(answer))
        };
        let refused = until(SOON, use_deleted, || "the address is within its rate".to_owned()).await?;
        ensure_refused(&refused, 429, "rate_limited")?;
        ensure!(refused.header("retry-after") == "10", "{refused:?}");
        let valid = use_key(stack, &channel.key, ATTACKER).await?;
        if valid.status == 429 {
            ensure!(valid.fingerprint() == refused.fingerprint(), "{valid:?} differs from {refused:?}");
            ensure!(use_key(stack, &channel.key, ELSEWHERE).await?.status == 200);
            return Ok(());
        }
    }
    bail!("a valid key that is new was never refused");
}

async fn ensure_costs_no_query(stack: &TestStack, limited: &[&HttpAnswer]) -> Result<()> {
    let batches = async |answer: &HttpAnswer| -> Result<Option<u64>> {
        Ok(stack.logged(answer.header("x-request-id")).await?["d1_batches"].as_u64())
    };
    let last = limited.last().context("the address was never over its rate")?;
    ensure_refused(last, 429, "rate_limited")?;
    ensure!(batches(last).await? == Some(0), "{last:?}");
    // The same request from elsewhere is within the rate, and costs one query. The follow-ups of another test on this
    // stack may add to the costs of a request, so the cheapest of several counts.
    let mut costs = BTreeSet::new();
    for number in 0..3 {
        let unknown = use_key(stack, &unknown_key(u64::MAX - number), ELSEWHERE).await?;
        ensure_refused(&unknown, 401, "api_key_invalid")?;
        costs.insert(batches(&unknown).await?);
    }
    ensure!(costs.first() == Some(&Some(1)), "{costs:?} queries");
    Ok(())
}
