//! `clipgate login` and `clipgate logout`.

use crate::cli::context::Context;
use crate::cli::credentials::MissingKey;
use anyhow::{Context as _, Result};
use client::{ApiKey, InvalidKey, ServiceUrl};
use console::Term;
use serde_json::json;
use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

/// Larger than any key.
const MAX_INPUT_BYTES: u64 = 1024;

/// Reads a key, tries it, and stores it.
pub(crate) async fn log_in(context: &Context) -> Result<ExitCode> {
    let service = context.service()?;
    let key = read_key(&service)?;
    let limits = context.client_with(service.clone(), key.clone())?.upload_limits().await?;
    let mut credentials = Context::credentials()?;
    credentials.store(&service, &key);
    let path = Context::credentials_path()?;
    credentials.write(&path)?;
    let text = format!(
        "Signed in to {service} with {}. Uploads left today: {}. The key is in {}.",
        key.hint(),
        limits.remaining,
        path.display()
    );
    let object = json!({ "service": service.to_string(), "key_hint": key.hint(), "remaining": limits.remaining });
    context.output.result("signed_in", &text, &object)?;
    Ok(ExitCode::SUCCESS)
}

/// Forgets the key of a service.
pub(crate) fn log_out(context: &Context) -> Result<ExitCode> {
    let service = context.service()?;
    let mut credentials = Context::credentials()?;
    let had_key = credentials.forget(&service);
    if had_key {
        credentials.write(&Context::credentials_path()?)?;
    }
    let text = if had_key {
        format!("Removed the stored key for {service}. It stays valid until you delete or rotate it on the site.")
    } else {
        format!("No key was stored for {service}.")
    };
    context.output.result("signed_out", &text, &json!({ "service": service.to_string(), "had_key": had_key }))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the key from the terminal without an echo, or from standard input.
fn read_key(service: &ServiceUrl) -> Result<ApiKey> {
    let mut text = String::new();
    if std::io::stdin().is_terminal() {
        write!(std::io::stderr(), "API key for {service} (it is not shown): ")?;
        text = Term::stderr().read_secure_line().context("reading the key from the terminal")?;
    } else {
        let input = std::io::stdin().lock();
        input.take(MAX_INPUT_BYTES).read_to_string(&mut text).context("reading the key from standard input")?;
    }
    text.parse().map_err(|error: InvalidKey| MissingKey(error.to_string()).into())
}
