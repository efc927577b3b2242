//! A key that does not open says nothing about why: one and the same answer, and garbage costs no query.

use crate::harness::{Answer, Harness, Suite, ensure_refused, send};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add(
        "uniform_refusal::every_invalid_key_gets_the_same_bytes",
        same_bytes,
    );
    suite.add("uniform_refusal::a_wrong_checksum_costs_no_query", no_query);
}

/// Everything of an answer but what names the very request.
fn fingerprint(answer: &Answer) -> String {
    let named = |name: &str| name == "x-request-id" || name == "date";
    let headers: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| !named(name.as_str()))
        .collect();
    format!("{} {headers:?} {:?}", answer.status, answer.bytes)
}

/// The key with its last character changed: the checksum does not fit any more.
fn mistyped(key: &str) -> String {
    let (head, tail) = key.split_at(key.len() - 1);
    format!("{head}{}", if tail == "0" { "1" } else { "0" })
}

async fn same_bytes(harness: Arc<Harness>) -> Result<()> {
    let (account, other) = (harness.account().await?, harness.account().await?);
    let deleted = account.create_key().await?;
    account.post(paths::DELETE_API_KEY).await?;
    let rotated = other.create_key().await?;
    let alive = other.post(paths::ROTATE_API_KEY).await?.json()?["api_key"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    let authorizations = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some("Basic eDp5".to_owned()),
        Some(format!("Token {alive}")),
        Some("Bearer not-a-key".to_owned()),
        Some(format!("Bearer {}", mistyped(&alive))),
        Some(format!("Bearer {}", alive.to_lowercase())),
        Some(format!("Bearer {alive} {alive}")),
        // Well-formed, never made: its checksum was worked out with another program.
        Some(format!("Bearer cgk_{}2kaqcA", "0".repeat(40))),
        Some(format!("Bearer {deleted}")),
        Some(format!("Bearer {rotated}")),
    ];
    let mut fingerprints = Vec::new();
    for authorization in authorizations {
        let mut request = harness.request(Method::GET, paths::UPLOAD_LIMITS);
        if let Some(value) = &authorization {
            request = request.header("Authorization", value);
        }
        let answer = send(request).await?;
        ensure_refused(&answer, 401, "api_key_invalid")?;
        ensure!(
            answer.header("www-authenticate") == "Bearer error=\"invalid_token\"",
            "{answer:?}"
        );
        fingerprints.push(fingerprint(&answer));
    }
    ensure!(
        fingerprints.windows(2).all(|pair| pair[0] == pair[1]),
        "the answers differ: {fingerprints:?}"
    );
    ensure!(harness.with_key(paths::UPLOAD_LIMITS, &alive).await?.status == 200);
    Ok(())
}

async fn no_query(harness: Arc<Harness>) -> Result<()> {
    let key = harness.account().await?.create_key().await?;
    let statements = async |key: &str| -> Result<u64> {
        let answer = harness.with_key(paths::UPLOAD_LIMITS, key).await?;
        let logged = harness.logged(answer.header("x-request-id")).await?;
        Ok(logged["d1_statements"].as_u64().unwrap_or(u64::MAX))
    };
    ensure!(
        statements(&mistyped(&key)).await? == 0,
        "a mistyped key reached the database"
    );
    ensure!(statements(&key).await? == 2, "the count itself is wrong");
    Ok(())
}
