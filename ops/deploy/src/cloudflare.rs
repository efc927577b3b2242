//! A client for Cloudflare's API and one account. It sends the same paths and bodies as wrangler.
//!
//! A path belongs to the account, unless it begins with a slash.

use anyhow::{Context, Result, bail, ensure};
use reqwest::{Client, Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_mins(1);
const DEFAULT_ADDRESS: &str = "https://api.cloudflare.com/client/v4";

/// An account, and the token that may change it.
pub struct Account {
    client: Client,
    address: String,
    id: String,
    token: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Account").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The structure of every response of the API.
#[derive(Deserialize)]
struct Envelope {
    success: bool,
    #[serde(default)]
    errors: Vec<ApiError>,
    #[serde(default)]
    result: Value,
}

#[derive(Deserialize)]
struct ApiError {
    code: i64,
    message: String,
}

/// The codes of a path that does not exist, as opposed to a resource that does not. A wrong account id is such a path.
const NO_ROUTE: [i64; 2] = [7000, 7003];

impl Envelope {
    fn has_no_route(&self) -> bool {
        self.errors.iter().any(|error| NO_ROUTE.contains(&error.code))
    }
}

impl Account {
    /// Reads the account from the environment variables that wrangler also reads.
    pub fn from_environment() -> Result<Self> {
        let variable = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.is_empty())
                .with_context(|| format!("set {name} in the environment (docs/deploy.md)"))
        };
        let address = std::env::var("CLOUDFLARE_API_BASE_URL").unwrap_or_else(|_| DEFAULT_ADDRESS.to_owned());
        Self::new(address, variable("CLOUDFLARE_ACCOUNT_ID")?, variable("CLOUDFLARE_API_TOKEN")?)
    }

    pub fn new(address: String, id: String, token: String) -> Result<Self> {
        native::install_crypto_provider();
        // A redirect could send the token to another host.
        let client = Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { client, address, id, token })
    }

    /// Returns the result of a GET, or `None` if the resource does not exist.
    pub async fn find(&self, path: &str, jurisdiction: Option<&str>) -> Result<Option<Value>> {
        self.call(Method::GET, path, None, jurisdiction).await
    }

    /// Returns all pages of the list at a path.
    pub async fn list(&self, path: &str) -> Result<Vec<Value>> {
        const PAGE: usize = 100;
        let mut entries = Vec::new();
        for page in 1.. {
            let separator = if path.contains('?') { '&' } else { '?' };
            let answer = self.find(&format!("{path}{separator}page={page}&per_page={PAGE}"), None).await?;
            let Some(Value::Array(list)) = answer else { bail!("GET {path}: the response is not a list") };
            let is_last = list.len() < PAGE;
            entries.extend(list);
            if is_last {
                break;
            }
        }
        Ok(entries)
    }

    /// Returns a list that Cloudflare does not divide into pages.
    pub async fn short_list(&self, path: &str) -> Result<Vec<Value>> {
        let answer = self.find(path, None).await?;
        let Some(Value::Array(list)) = answer else { bail!("GET {path}: the response is not a list") };
        Ok(list)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub async fn post(&self, path: &str, body: Value, jurisdiction: Option<&str>) -> Result<Value> {
        let result = self.call(Method::POST, path, Some(body), jurisdiction).await?;
        result.with_context(|| format!("POST {path}: not found"))
    }

    /// Returns the rows of a query of Workers Analytics Engine.
    pub async fn analytics(&self, sql: String) -> Result<Vec<Value>> {
        let url = format!("{}/accounts/{}/analytics_engine/sql", self.address, self.id);
        let request = self.client.post(url).bearer_auth(&self.token).body(sql);
        let response = request.send().await.context("analytics: no response from Cloudflare's API")?;
        let status = response.status();
        let text = response.text().await?;
        ensure!(status.is_success(), "analytics: {status}: {}{}", text.trim(), advice(status));
        let answer: Value = serde_json::from_str(&text).with_context(|| format!("analytics: no JSON: {text}"))?;
        answer["data"].as_array().cloned().context("analytics: the response has no `data`")
    }

    pub async fn put(&self, path: &str, body: Value) -> Result<Value> {
        let result = self.call(Method::PUT, path, Some(body), None).await?;
        result.with_context(|| format!("PUT {path}: not found"))
    }

    /// Deletes a resource, or does nothing if it does not exist.
    pub async fn delete(&self, path: &str) -> Result<()> {
        self.call(Method::DELETE, path, None, None).await.map(drop)
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        jurisdiction: Option<&str>,
    ) -> Result<Option<Value>> {
        let what = format!("{method} {path}");
        let url = match path.strip_prefix('/') {
            Some(path) => format!("{}/{path}", self.address),
            None => format!("{}/accounts/{}/{path}", self.address, self.id),
        };
        let mut request = self.client.request(method, url).bearer_auth(&self.token);
        if let Some(jurisdiction) = jurisdiction {
            request = request.header("cf-r2-jurisdiction", jurisdiction);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.with_context(|| format!("{what}: no response from Cloudflare's API"))?;
        let status = response.status();
        let envelope = response.json::<Envelope>().await;
        if status == StatusCode::NOT_FOUND && !envelope.as_ref().is_ok_and(Envelope::has_no_route) {
            return Ok(None);
        }
        let envelope = envelope.with_context(|| format!("{what}: {status}, and no JSON"))?;
        if !envelope.success {
            bail!("{what}: {status}: {}{}", explained(&envelope.errors), advice(status));
        }
        Ok(Some(envelope.result))
    }
}

fn explained(errors: &[ApiError]) -> String {
    errors.iter().map(|error| format!("{} (code {})", error.message, error.code)).collect::<Vec<_>>().join("; ")
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            "\nThe token needs the permissions that docs/deploy.md lists, on this account and zone. Also check \
             CLOUDFLARE_ACCOUNT_ID."
        }
        StatusCode::NOT_FOUND => "\nCLOUDFLARE_ACCOUNT_ID must be the account ID that the dashboard shows.",
        _ => "",
    }
}
