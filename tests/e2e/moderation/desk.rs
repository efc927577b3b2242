//! Moderators at the desk: the cookie that stands for a token, claims, and the policies that decisions name.

use super::decisions::queue_entry;
use super::staff::Token;
use anyhow::{Context, Result, ensure};
use contract::api::TokenRole::{self, Decide, Look, Operate};
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{HttpAnswer, TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

/// A moderator who is signed in at the desk.
struct AtDesk {
    token: Token,
    cookie: String,
}

impl AtDesk {
    async fn sign_in(stack: &TestStack, name: &str, roles: &[TokenRole]) -> Result<Self> {
        let token = Token::new(stack, name, roles).await?;
        let answer = send(token.request(stack, Method::POST, paths::DESK_SIGN_IN).json(&json!({}))).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let set = answer.header("set-cookie");
        let cookie = set.split(';').next().context("no cookie")?.to_owned();
        stack.remember_secret(cookie.split_once('=').context("no value")?.1);
        ensure!(set.ends_with("; Path=/; Secure; HttpOnly; SameSite=Strict"), "{}", set.len());
        ensure!(!String::from_utf8_lossy(&answer.bytes).contains(&token.text), "the answer repeats the token");
        Ok(Self { token, cookie })
    }

    fn request(&self, stack: &TestStack, method: Method, path: &str) -> RequestBuilder {
        stack.request(method, path).header("Cookie", &self.cookie)
    }

    async fn get(&self, stack: &TestStack, path: &str) -> Result<HttpAnswer> {
        send(self.request(stack, Method::GET, path)).await
    }

    async fn post(&self, stack: &TestStack, path: &str, body: Value) -> Result<HttpAnswer> {
        send(self.request(stack, Method::POST, path).json(&body)).await
    }
}

async fn waiting(stack: &Arc<TestStack>) -> Result<TestContent> {
    let content = TestContent::upload(stack, |form| form.text("caption", "A fall")).await?;
    content.finish(&[Recommendation::Review]).await?;
    content.store().await?;
    Ok(content)
}

/// Returns the path and query of an address on the base host.
fn path_of(url: &Value) -> Result<String> {
    let url = url.as_str().context("no address")?;
    Ok(url[url.find("/internal").context("not an internal address")?..].to_owned())
}

#[e2e]
async fn a_moderator_signs_in_sees_a_case_decides_and_signs_out(stack: Arc<TestStack>) -> Result<()> {
    let ada = AtDesk::sign_in(&stack, "Ada", &[Look, Decide]).await?;
    let account = ada.get(&stack, paths::DESK_ACCOUNT).await?.json()?;
    ensure!(account["name"] == "Ada" && account["roles"] == json!(["look", "decide"]), "{account}");
    let content = waiting(&stack).await?;
    let uuid = content.job.content_uuid.as_str();
    let after = ada.get(&stack, paths::DESK_ACCOUNT).await?.json()?;
    ensure!(after["waiting_for_person"].as_u64() > Some(0), "{after}");
    let path = format!("{}?content_uuid={uuid}", paths::MODERATION_CASE);
    let case = ada.get(&stack, &path).await?.json()?;
    ensure!(case["content"]["caption"] == "A fall" && case["findings"].as_array().is_some_and(|all| !all.is_empty()));
    let files: Vec<String> =
        ["video_url", "poster_url"].iter().map(|name| path_of(&case[name])).collect::<Result<_>>()?;
    for file in &files {
        // The address is the credential.
        let answer = send(stack.request(Method::GET, file)).await?;
        ensure!(answer.status == 200 && answer.header("cache-control") == "private, no-store", "{answer:?}");
    }
    let reject = json!({ "content_uuid": uuid, "reason": "a note for colleagues", "policy_code": "violence" });
    let decided = ada.post(&stack, paths::MODERATION_REJECT, reject).await?;
    ensure!(decided.status == 200 && decided.json()?["state"] == "rejected", "{decided:?}");
    let decisions = format!("{}?content_uuid={uuid}", paths::MODERATION_DECISIONS);
    let decision = ada.get(&stack, &decisions).await?.json()?["decisions"][0].clone();
    ensure!(decision["by"] == "Ada" && decision["policy_code"] == "violence", "{decision}");
    ensure!(ada.post(&stack, paths::DESK_SIGN_OUT, json!({})).await?.status == 200);
    ensure_refused(&ada.get(&stack, paths::DESK_ACCOUNT).await?, 401, "admin_token_invalid")?;
    for file in &files {
        ensure_refused(&send(stack.request(Method::GET, file)).await?, 404, "not_found")
            .context("after signing out")?;
    }
    // The token itself is still valid.
    ensure!(send(ada.token.request(&stack, Method::GET, paths::DESK_ACCOUNT)).await?.status == 200);
    Ok(())
}

#[e2e]
async fn an_owner_reads_which_policy_a_video_broke_and_nothing_else(stack: Arc<TestStack>) -> Result<()> {
    for (path, outcome) in
        [(paths::MODERATION_REJECT, Recommendation::Review), (paths::MODERATION_TAKE_DOWN, Recommendation::Pass)]
    {
        let content = TestContent::upload(&stack, |form| form).await?;
        content.finish(&[outcome]).await?;
        let uuid = content.job.content_uuid.as_str();
        let decide = |body: Value| send(moderator_request(&stack, Method::POST, path).json(&body));
        let unknown = json!({ "content_uuid": uuid, "reason": "r", "policy_code": "nothing" });
        ensure_refused(&decide(unknown).await?, 400, "request_malformed")?;
        let body = json!({ "content_uuid": uuid, "reason": "a secret note", "policy_code": "spam" });
        ensure!(decide(body).await?.status == 200);
        let status = content.job.status().await?;
        let text = "The video is spam, or it deceives its viewers.";
        ensure!(status["policy_code"] == "spam" && status["detail"] == text, "{status}");
        ensure!(!status.to_string().contains("a secret note") && !status.to_string().contains("operator"), "{status}");
        let restore = json!({ "content_uuid": uuid, "reason": "r", "policy_code": "spam" });
        let restore_path = paths::MODERATION_RESTORE;
        let refused = send(moderator_request(&stack, Method::POST, restore_path).json(&restore)).await?;
        ensure_refused(&refused, 400, "request_malformed")?;
    }
    Ok(())
}

#[e2e]
async fn a_decision_without_a_policy_names_other(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Pass]).await?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    let status = content.job.status().await?;
    ensure!(status["policy_code"] == "other", "{status}");
    ensure!(status["detail"] == "The video breaks another rule of this site.", "{status}");
    Ok(())
}

#[e2e]
async fn a_claimed_video_is_decided_by_its_moderator_only_until_another_takes_it_over(
    stack: Arc<TestStack>,
) -> Result<()> {
    let ada = AtDesk::sign_in(&stack, "Ada", &[Look, Decide]).await?;
    let bo = AtDesk::sign_in(&stack, "Bo", &[Look, Decide]).await?;
    let content = waiting(&stack).await?;
    let uuid = content.job.content_uuid.as_str();
    let claimed = ada.post(&stack, paths::MODERATION_CLAIM, json!({ "content_uuid": uuid })).await?;
    ensure!(claimed.status == 200 && claimed.json()?["claim"]["by"] == "Ada", "{claimed:?}");
    let entry = queue_entry(&content).await?.context("not in the queue")?;
    ensure!(entry["claim"]["by"] == "Ada", "{entry}");
    let approve = || json!({ "content_uuid": uuid, "reason": "fine" });
    ensure_refused(&bo.post(&stack, paths::MODERATION_APPROVE, approve()).await?, 409, "content_claimed")?;
    let again = bo.post(&stack, paths::MODERATION_CLAIM, json!({ "content_uuid": uuid })).await?;
    ensure_refused(&again, 409, "content_claimed")?;
    ensure!(again.json()?["detail"].as_str().is_some_and(|detail| detail.starts_with("Ada is looking")), "{again:?}");
    // Another moderator's claim cannot be released, only taken over.
    ensure!(bo.post(&stack, paths::MODERATION_RELEASE_CLAIM, json!({ "content_uuid": uuid })).await?.status == 200);
    ensure_refused(&bo.post(&stack, paths::MODERATION_APPROVE, approve()).await?, 409, "content_claimed")?;
    let take_over = json!({ "content_uuid": uuid, "take_over": true });
    ensure!(bo.post(&stack, paths::MODERATION_CLAIM, take_over).await?.status == 200);
    ensure_refused(&ada.post(&stack, paths::MODERATION_APPROVE, approve()).await?, 409, "content_claimed")?;
    ensure!(bo.post(&stack, paths::MODERATION_APPROVE, approve()).await?.status == 200);
    // Both decide about the same video at once: it is decided once, and the claim is gone.
    let repeated = ada.post(&stack, paths::MODERATION_APPROVE, approve()).await?;
    ensure!(repeated.status == 200, "a decision that was already made succeeds: {repeated:?}");
    Ok(())
}

#[e2e]
async fn a_foreign_page_cannot_use_the_cookie_and_nobody_can_make_one(stack: Arc<TestStack>) -> Result<()> {
    let ada = AtDesk::sign_in(&stack, "Ada", &[Look, Decide, Operate]).await?;
    let content = waiting(&stack).await?;
    let approve = json!({ "content_uuid": content.job.content_uuid, "reason": "fine" });
    let post = || ada.request(&stack, Method::POST, paths::MODERATION_APPROVE);
    for (name, value) in [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        ensure_refused(&send(post().header(name, value).json(&approve)).await?, 403, "csrf_rejected").context(value)?;
        let end = ada.request(&stack, Method::DELETE, paths::TOKENS).header(name, value);
        ensure_refused(&send(end.json(&json!({ "token_id": ada.token.id }))).await?, 403, "csrf_rejected")?;
    }
    let form = post().header("Content-Type", "text/plain").body(approve.to_string());
    ensure_refused(&send(form).await?, 415, "json_content_type_required")?;
    let value = ada.cookie.split_once('=').context("no value")?.1;
    let other = if value.ends_with('0') { '1' } else { '0' };
    let changed = format!("{}{other}", &value[..value.len() - 1]);
    for forged in [changed.as_str(), &ada.token.text, "", &value.replacen("cgd_", "cgt_", 1)] {
        let request = stack.request(Method::GET, paths::DESK_ACCOUNT).header("Cookie", format!("__Host-desk={forged}"));
        ensure_refused(&send(request).await?, 401, "admin_token_invalid")?;
    }
    // The cookie is not accepted as a token. Above, the token is not accepted as a cookie.
    let bearer = stack.request(Method::GET, paths::DESK_ACCOUNT).bearer_auth(value);
    ensure_refused(&send(bearer).await?, 401, "admin_token_invalid")?;
    let renewed = ada.post(&stack, paths::DESK_SIGN_IN, json!({})).await?;
    ensure_refused(&renewed, 401, "admin_token_invalid").context("a cookie must not prolong itself")?;
    // The operator's secret is nobody's.
    let operator = moderator_request(&stack, Method::POST, paths::DESK_SIGN_IN).json(&json!({}));
    ensure_refused(&send(operator).await?, 403, "token_role_missing")?;
    ensure!(queue_entry(&content).await?.is_some(), "a refused request decided");
    Ok(())
}

#[e2e]
async fn a_session_has_the_roles_of_its_token_and_dies_with_it(stack: Arc<TestStack>) -> Result<()> {
    let eve = AtDesk::sign_in(&stack, "Eve", &[Look]).await?;
    let content = waiting(&stack).await?;
    let uuid = content.job.content_uuid.as_str();
    for path in [paths::MODERATION_APPROVE, paths::MODERATION_REJECT, paths::MODERATION_DISMISS] {
        let refused = eve.post(&stack, path, json!({ "content_uuid": uuid, "reason": "r" })).await?;
        ensure_refused(&refused, 403, "token_role_missing")?;
    }
    // Whoever cannot decide cannot keep others from deciding either.
    let claim = eve.post(&stack, paths::MODERATION_CLAIM, json!({ "content_uuid": uuid })).await?;
    ensure_refused(&claim, 403, "token_role_missing")?;
    let put = eve.request(&stack, Method::PUT, paths::MODERATION_POLICIES).json(&json!({ "policies": [] }));
    ensure_refused(&send(put).await?, 403, "token_role_missing")?;
    let case = eve.get(&stack, &format!("{}?content_uuid={uuid}", paths::MODERATION_CASE)).await?.json()?;
    let video = path_of(&case["video_url"])?;
    ensure!(send(stack.request(Method::GET, &video)).await?.status == 200);
    ensure!(eve.token.end(&stack).await?.status == 200);
    ensure_refused(&eve.get(&stack, paths::MODERATION_QUEUE).await?, 401, "admin_token_invalid")?;
    ensure_refused(&send(stack.request(Method::GET, &video)).await?, 404, "not_found")
}

#[e2e]
async fn the_operator_words_the_policies(stack: Arc<TestStack>) -> Result<()> {
    let get = || moderator_request(&stack, Method::GET, paths::MODERATION_POLICIES);
    let put = |policies: &Value| {
        let request = moderator_request(&stack, Method::PUT, paths::MODERATION_POLICIES);
        send(request.json(&json!({ "policies": policies })))
    };
    let seeded = send(get()).await?.json()?["policies"].clone();
    ensure!(seeded.as_array().is_some_and(|all| all.len() == 10), "{seeded}");
    let policy = |code: &str, severity: u64| json!({ "policy_code": code, "name": "N", "text": "T.", "severity": severity, "may_be_appealed": true });
    for wrong in [
        json!([]),
        json!([policy("a", 1)]),
        json!([policy("other", 1), policy("other", 2)]),
        json!([policy("other", 1), policy("automatic", 1)]),
        json!([policy("other", 4)]),
        json!([policy("other", 1), policy("A b", 1)]),
        json!([policy("other", 1), policy(&"a".repeat(41), 1)]),
    ] {
        ensure_refused(&put(&wrong).await?, 400, "request_malformed").with_context(|| wrong.to_string())?;
    }
    let mut worded = seeded.clone();
    worded[0]["text"] = json!("Words of the operator, <b>as text</b>.");
    ensure!(put(&worded).await?.status == 200);
    ensure!(send(get()).await?.json()?["policies"] == worded);
    ensure!(put(&seeded).await?.status == 200);
    Ok(())
}

#[e2e]
async fn an_owner_objects_and_another_moderator_decides(stack: Arc<TestStack>) -> Result<()> {
    let ada = AtDesk::sign_in(&stack, "Ada", &[Look, Decide]).await?;
    let bo = AtDesk::sign_in(&stack, "Bo", &[Look, Decide]).await?;
    for is_granted in [false, true] {
        let content = TestContent::upload(&stack, |form| form).await?;
        content.finish(&[Recommendation::Pass]).await?;
        let uuid = content.job.content_uuid.as_str();
        let object = |text: &str| content.owner_request(paths::APPEAL_CONTENT, json!({ "text": text }));
        ensure_refused(&object("why?").await?, 409, "appeal_not_possible").context("it is public")?;
        let remove = json!({ "content_uuid": uuid, "reason": "r", "policy_code": "violence" });
        ensure!(ada.post(&stack, paths::MODERATION_TAKE_DOWN, remove).await?.status == 200);
        ensure!(content.job.status().await?["can_appeal_until_unix"].as_u64() > Some(0));
        for wrong in ["", " ", &"x".repeat(1_001)] {
            ensure_refused(&object(wrong).await?, 400, "request_malformed")?;
        }
        let text = "It is a scene of our theatre group.";
        let appealed = object(text).await?;
        ensure!(appealed.status == 200 && appealed.json()?["appeal"]["state"] == "pending", "{appealed:?}");
        ensure!(object(text).await?.status == 200, "a repeated request fails");
        ensure_refused(&object("another").await?, 409, "appeal_not_possible").context("it was appealed")?;
        let appeals = bo.get(&stack, paths::MODERATION_APPEALS).await?.json()?;
        let listed = appeals["contents"].as_array().context("no list")?;
        let entry = listed.iter().find(|entry| entry["content"]["content_uuid"] == uuid).context("not listed")?;
        ensure!(entry["text"] == text && entry["decided_by"] == "Ada" && entry["policy_code"] == "violence", "{entry}");
        ensure!(bo.get(&stack, paths::DESK_ACCOUNT).await?.json()?["appealed"].as_u64() > Some(0));
        let decision = || json!({ "content_uuid": uuid, "reason": "looked again" });
        let path = if is_granted { paths::MODERATION_RESTORE } else { paths::MODERATION_REJECT_APPEAL };
        ensure_refused(&ada.post(&stack, path, decision()).await?, 409, "appeal_needs_another")?;
        ensure!(bo.post(&stack, path, decision()).await?.status == 200);
        let status = content.job.status().await?;
        let (state, appeal) = if is_granted { ("published", "granted") } else { ("taken_down", "rejected") };
        ensure!(status["state"] == state && status["appeal"]["state"] == appeal, "{status}");
        ensure!(!status.to_string().contains("Ada") && !status.to_string().contains("Bo\""), "{status}");
        ensure!(status["can_appeal_until_unix"].is_null(), "{status}");
    }
    Ok(())
}
