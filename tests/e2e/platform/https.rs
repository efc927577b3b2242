//! HTTPS only. A host name other than this machine's stands for a request from the internet without TLS.

use anyhow::{Result, ensure};
use contract::paths;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use std::sync::Arc;
use tests::{Channel, TestStack, e2e, ensure_refused, send};

const HOST: &str = "www.clipgate.example";

fn unencrypted(stack: &TestStack, method: Method, path: &str) -> Result<RequestBuilder> {
    let client = Client::builder().redirect(Policy::none()).build()?;
    Ok(client.request(method, stack.url(path)).header("Host", HOST))
}

#[e2e]
async fn a_credential_without_encryption_is_refused_and_not_looked_up(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let uses = || stack.count("SELECT uses_count FROM api_keys WHERE channel_id = ?1", channel.account.channel_id);
    let before = uses()?;
    let bearer = |token: &str| format!("Bearer {token}");
    let credentials = [
        (Method::GET, paths::UPLOAD_LIMITS, "Authorization", bearer(&channel.key)),
        (Method::POST, paths::UPLOAD_VIDEO, "Authorization", bearer(&channel.key)),
        (Method::GET, paths::MODERATION_QUEUE, "Authorization", bearer(stack.env().get("ADMIN_TOKEN"))),
        (Method::POST, paths::SESSIONS, "Authorization", bearer(stack.env().get("SERVICE_TOKEN"))),
        (Method::GET, paths::GET_API_KEY, "Cookie", channel.account.cookie.clone()),
        (Method::GET, paths::FRONT_PAGE, "Cookie", channel.account.cookie.clone()),
    ];
    for (method, path, name, value) in credentials {
        let request = unencrypted(&stack, method, path)?.header(name, value);
        // A client can send these; only the platform's own address of the request counts.
        let request = request.header("X-Forwarded-Proto", "https").header("CF-Visitor", "{\"scheme\":\"https\"}");
        let answer = send(request).await?;
        ensure_refused(&answer, 403, "https_required")?;
        let logged = stack.logged(answer.header("x-request-id")).await?;
        ensure!(logged["d1_batches"] == 0, "{path}: {logged}");
    }
    ensure!(uses()? == before, "the key was looked up");
    Ok(())
}

#[e2e]
async fn a_page_without_encryption_redirects_to_https(stack: Arc<TestStack>) -> Result<()> {
    for path in ["/", "/meme/a-clip-x1?t=3", "/openapi.json"] {
        let answer = send(unencrypted(&stack, Method::GET, path)?).await?;
        ensure!(answer.status == 301, "{path}: {answer:?}");
        // wrangler replaces the scheme by its own; a unit test of the Worker checks the scheme.
        ensure!(answer.header("location").ends_with(&format!("://{HOST}{path}")), "{path}: {answer:?}");
        ensure!(answer.header("cache-control").contains("no-store"), "{path}: {answer:?}");
    }
    ensure_refused(&send(unencrypted(&stack, Method::POST, paths::UPLOAD_VIDEO)?).await?, 403, "https_required")
}
