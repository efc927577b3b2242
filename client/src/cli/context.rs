//! The context of every command: the output, the folders, and the client for the chosen service.

use super::arguments::GlobalArguments;
use super::credentials::{self, Credentials, MissingKey};
use super::output::Output;
use super::words;
use anyhow::{Context as _, Result};
use client::{ApiKey, Client, ClientOptions, ServiceUrl, TokenStore};
use etcetera::BaseStrategy;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The key for CI. It is never an argument, because every user of a machine can read arguments.
const KEY_VARIABLE: &str = "CLIPGATE_API_KEY";

#[derive(Debug)]
pub(crate) struct Context {
    pub output: Output,
    global: GlobalArguments,
}

impl Context {
    pub(crate) fn new(global: GlobalArguments, output: Output) -> Self {
        Self { output, global }
    }

    /// Returns a client for the chosen service with its key.
    pub(crate) fn client(&self) -> Result<Client> {
        let service = self.service()?;
        let key = Self::key(&service)?;
        self.client_with(service, key)
    }

    /// The same, but the client does not retry a request.
    pub(crate) fn client_without_retries(&self) -> Result<Client> {
        let service = self.service()?;
        let key = Self::key(&service)?;
        self.patient_client(service, key, Duration::ZERO)
    }

    pub(crate) fn client_with(&self, service: ServiceUrl, key: ApiKey) -> Result<Client> {
        self.patient_client(service, key, Duration::from_secs(self.global.retry_for))
    }

    fn patient_client(&self, service: ServiceUrl, key: ApiKey, patience: Duration) -> Result<Client> {
        let output = self.output.clone();
        let on_retry = Arc::new(move |notice: &client::RetryNotice| {
            output.note(&words::of_retry(notice));
        });
        let options = ClientOptions { patience, stall_timeout: Duration::from_secs(self.global.timeout), on_retry };
        Ok(Client::new(service, key, options)?)
    }

    /// Returns the chosen service; by default, the service of the last login.
    pub(crate) fn service(&self) -> Result<ServiceUrl> {
        if let Some(url) = &self.global.url {
            return Ok(url.clone());
        }
        let stored = Self::credentials()?.default_service;
        let missing = || {
            MissingKey(
                "You are not signed in. Run `clipgate login --url URL`, or set CLIPGATE_URL and CLIPGATE_API_KEY"
                    .to_owned(),
            )
        };
        Ok(stored.ok_or_else(missing)?.parse()?)
    }

    fn key(service: &ServiceUrl) -> Result<ApiKey> {
        if let Some(text) = std::env::var(KEY_VARIABLE).ok().filter(|text| !text.is_empty()) {
            return text.parse().map_err(|error| MissingKey(format!("{KEY_VARIABLE}: {error}")).into());
        }
        let missing = || {
            MissingKey(format!(
                "There is no API key for {service}. Run `clipgate login --url {service}`, or set {KEY_VARIABLE}"
            ))
        };
        Ok(Self::credentials()?.key(service).ok_or_else(missing)?)
    }

    pub(crate) fn credentials() -> Result<Credentials> {
        Credentials::read(&Self::credentials_path()?)
    }

    /// Returns the file of the keys.
    pub(crate) fn credentials_path() -> Result<PathBuf> {
        Ok(credentials::path(&folders()?.config_dir()))
    }

    /// Returns the folder of the upload tokens.
    pub(crate) fn token_store() -> Result<TokenStore> {
        let folders = folders()?;
        let state = folders.state_dir().unwrap_or_else(|| folders.data_dir());
        Ok(TokenStore::open(state.join("clipgate").join("uploads"))?)
    }
}

/// Returns the folders of the user by the rules of the system: `XDG_CONFIG_HOME` and `XDG_STATE_HOME` on Linux.
fn folders() -> Result<impl BaseStrategy> {
    etcetera::choose_base_strategy().context("your home folder is unknown; set HOME")
}
