//! Every invalid key gets the same response, which does not reveal the reason, and a malformed key costs no query.

use anyhow::{Result, ensure};
use base64::prelude::{BASE64_STANDARD as BASE64, Engine};
use contract::paths;
use reqwest::Method;
use std::sync::Arc;
use tests::{TestStack, e2e, ensure_refused, send};

/// Returns the key with another last character, so that its checksum is wrong.
fn mistyped(key: &str) -> String {
    let (head, tail) = key.split_at(key.len() - 1);
    format!("{head}{}", if tail == "0" { "1" } else { "0" })
}

#[e2e(Uncached)]
async fn every_invalid_key_gets_the_same_answer(stack: Arc<TestStack>) -> Result<()> {
    let (account, other) = (stack.account().await?, stack.account().await?);
    let deleted = account.create_key().await?;
    account.post(paths::DELETE_API_KEY).await?;
    let rotated = other.create_key().await?;
    let valid = other.post(paths::ROTATE_API_KEY).await?.json()?["api_key"].as_str().unwrap_or_default().to_owned();
    let authorizations = [
        None,
        Some(String::new()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some("Basic eDp5".to_owned()),
        // The header that `curl -u KEY:` sends, and a key without `Bearer`.
        Some(format!("Basic {}", BASE64.encode(format!("{valid}:")))),
        Some(valid.clone()),
        Some(format!("Token {valid}")),
        Some("Bearer not-a-key".to_owned()),
        Some(format!("Bearer {}", mistyped(&valid))),
        Some(format!("Bearer {}", valid.to_lowercase())),
        Some(format!("Bearer {valid} {valid}")),
        // Well-formed but never issued. Its checksum was computed by another program.
        Some(format!("Bearer cgk_{}2kaqcA", "0".repeat(40))),
        Some(format!("Bearer {deleted}")),
        Some(format!("Bearer {rotated}")),
    ];
    let mut fingerprints = Vec::new();
    for authorization in authorizations {
        let mut request = stack.request(Method::GET, paths::UPLOAD_LIMITS);
        if let Some(value) = &authorization {
            request = request.header("Authorization", value);
        }
        let answer = send(request).await?;
        ensure_refused(&answer, 401, "api_key_invalid")?;
        ensure!(answer.header("www-authenticate") == "Bearer error=\"invalid_token\"", "{answer:?}");
        for cause in ["without that header", "without the word `Bearer`", "`curl -u`", "`X-Api-Key`"] {
            ensure!(String::from_utf8_lossy(&answer.bytes).contains(cause), "{answer:?}");
        }
        fingerprints.push(answer.fingerprint());
    }
    ensure!(fingerprints.windows(2).all(|pair| pair[0] == pair[1]), "the answers differ: {fingerprints:?}");
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, &valid).await?.status == 200);
    Ok(())
}

#[e2e(Own)]
async fn a_key_with_a_wrong_checksum_costs_no_query(stack: Arc<TestStack>) -> Result<()> {
    let key = stack.account().await?.create_key().await?;
    for (key, statements) in [(mistyped(&key), 0), (key, 4)] {
        let answer = stack.get_with_key(paths::UPLOAD_LIMITS, &key).await?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(logged["d1_statements"] == statements, "expected {statements} statements: {logged}");
    }
    Ok(())
}
