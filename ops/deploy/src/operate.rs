//! An operator's requests to a running service: tokens of people, keys of origins, the trail, the blocklist, and the
//! erasure and export of accounts.

use anyhow::{Context, Result, bail};
use contract::api::{
    AccountErasure, CreateOriginKey, CreateToken, EndOriginKey, EndToken, EraseAccount, HashesImported, ImportHashes,
    OriginKeyCreated, TokenCreated, TokenRole,
};
use contract::limits::MAX_IMPORTED_HASHES;
use contract::paths;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::io::Write;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// An export may take any time, but fails if no byte arrives for this long.
const STALL_TIMEOUT: Duration = Duration::from_mins(1);

/// A service, and the operator's token for it.
pub struct Service {
    client: Client,
    base_url: String,
    token: String,
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Service").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Service {
    pub fn new(base_url: &str, token: String) -> Result<Self> {
        native::install_crypto_provider();
        // A redirect could send the token to another host.
        let client = Client::builder().redirect(reqwest::redirect::Policy::none());
        let client = client.connect_timeout(CONNECT_TIMEOUT).read_timeout(STALL_TIMEOUT).build()?;
        Ok(Self { client, base_url: base_url.trim_end_matches('/').to_owned(), token })
    }

    pub async fn create_token(&self, name: String, roles: Vec<TokenRole>, days: u64) -> Result<TokenCreated> {
        let request = CreateToken { name, roles, ttl_seconds: days * 86_400 };
        read(self.request(Method::POST, paths::TOKENS).json(&request)).await
    }

    pub async fn end_token(&self, token_id: u64) -> Result<()> {
        let request = self.request(Method::DELETE, paths::TOKENS).json(&EndToken { token_id });
        read::<Value>(request).await.map(drop)
    }

    /// Returns all tokens without their secrets, newest first.
    pub async fn tokens(&self) -> Result<Vec<Value>> {
        self.all(paths::TOKENS, "tokens").await
    }

    pub async fn create_origin_key(&self, name: String) -> Result<OriginKeyCreated> {
        read(self.request(Method::POST, paths::ORIGIN_KEYS).json(&CreateOriginKey { name })).await
    }

    pub async fn end_origin_key(&self, key_id: u64) -> Result<()> {
        let request = self.request(Method::DELETE, paths::ORIGIN_KEYS).json(&EndOriginKey { key_id });
        read::<Value>(request).await.map(drop)
    }

    /// Returns all origin keys without their secrets, newest first.
    pub async fn origin_keys(&self) -> Result<Vec<Value>> {
        self.all(paths::ORIGIN_KEYS, "keys").await
    }

    /// Writes the trail's entries after a number, as lines of JSON.
    pub async fn export_trail(&self, after: u64, to: &mut impl Write) -> Result<()> {
        self.export(&format!("{}?after={after}", paths::TRAIL_EXPORT), to).await
    }

    async fn export(&self, path: &str, to: &mut impl Write) -> Result<()> {
        let mut response = accepted(self.request(Method::GET, path)).await?;
        while let Some(chunk) = response.chunk().await.context("the export ended early")? {
            to.write_all(&chunk)?;
        }
        Ok(to.flush()?)
    }

    /// Adds hashes to the blocklist, a thousand at a time, and returns how many were not on it before. `report` is
    /// called with the number of hashes that were sent so far.
    pub async fn import_hashes(&self, hashes: &[String], reason: &str, report: impl Fn(u64)) -> Result<usize> {
        let (mut sent, mut added) = (0_u64, 0);
        for hashes in hashes.chunks(MAX_IMPORTED_HASHES) {
            let request = ImportHashes { hashes: hashes.to_vec(), reason: reason.to_owned() };
            let request = self.request(Method::POST, paths::MODERATION_HASH_IMPORT).json(&request);
            let imported: HashesImported =
                read(request).await.with_context(|| format!("{sent} hashes were imported"))?;
            sent += u64::try_from(hashes.len())?;
            added += imported.added;
            report(sent);
        }
        Ok(added)
    }

    /// Writes the blocklist as lines of JSON.
    pub async fn export_hashes(&self, to: &mut impl Write) -> Result<()> {
        self.export(paths::MODERATION_HASH_EXPORT, to).await
    }

    /// Erases an account, as far as one request can.
    pub async fn erase_account(&self, account_id: u64, reason: &str) -> Result<AccountErasure> {
        let request = EraseAccount { account_id, reason: reason.to_owned() };
        read(self.request(Method::POST, paths::ERASE_ACCOUNT).json(&request)).await
    }

    /// Writes everything that is stored about an account as lines of JSON.
    pub async fn export_account(&self, account_id: u64, to: &mut impl Write) -> Result<()> {
        self.export(&format!("{}?account_id={account_id}", paths::EXPORT_ACCOUNT), to).await
    }

    /// Returns all pages of a list.
    async fn all(&self, path: &str, list: &str) -> Result<Vec<Value>> {
        let mut entries = Vec::new();
        let mut page: Value = read(self.request(Method::GET, path)).await?;
        loop {
            entries.extend(page[list].as_array().context("the response has no list")?.iter().cloned());
            let Some(cursor) = page["next_cursor"].as_str() else {
                return Ok(entries);
            };
            page = read(self.request(Method::GET, &format!("{path}?cursor={cursor}"))).await?;
        }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base_url)).bearer_auth(&self.token)
    }
}

/// Returns a secret from the variable with this name, or from the file that the variable with `_FILE` names.
pub fn secret_from(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String> {
    let text = match (variable(name), variable(&format!("{name}_FILE"))) {
        (Some(_), Some(_)) => bail!("both {name} and {name}_FILE are set; set only one of them"),
        (Some(secret), None) => secret,
        (None, Some(path)) => std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?,
        (None, None) => bail!("set {name}_FILE to a file with the secret, or {name} to the secret itself"),
    };
    Ok(text.trim().to_owned())
}

async fn read<Answer: DeserializeOwned>(request: RequestBuilder) -> Result<Answer> {
    Ok(accepted(request).await?.json().await?)
}

/// Sends the request, and returns the response unless it is a refusal.
async fn accepted(request: RequestBuilder) -> Result<Response> {
    let response = request.send().await?;
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status();
    let refusal: Value = response.json().await.unwrap_or_default();
    let [code, message, detail] =
        ["error_message_code", "error_message", "detail"].map(|field| refusal[field].as_str().unwrap_or_default());
    bail!("{status} {code}: {message} {detail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(variables: &[(&str, &str)]) -> Result<String> {
        secret_from("ADMIN_TOKEN", |name| variables.iter().find(|one| one.0 == name).map(|one| one.1.to_owned()))
    }

    #[test]
    fn the_token_comes_from_a_variable_or_a_file_and_from_only_one() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "from the file\n").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(token(&[("ADMIN_TOKEN", "x")]).unwrap(), "x");
        assert_eq!(token(&[("ADMIN_TOKEN_FILE", path)]).unwrap(), "from the file");
        assert!(token(&[("ADMIN_TOKEN", "x"), ("ADMIN_TOKEN_FILE", path)]).is_err());
        assert!(token(&[]).is_err());
    }
}
