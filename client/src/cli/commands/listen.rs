//! `clipgate listen`: follows the event log and passes it on.

use super::shown::event_text;
use super::waiting::until_interrupted;
use crate::cli::arguments::ListenArguments;
use crate::cli::context::Context;
use anyhow::{Context as _, Result};
use client::{Client, ClientError, Forwarder, LoggedEvent};
use contract::SigningSecret;
use native::now_unix;
use reqwest::Url;
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;

const SECRET_VARIABLE: &str = "CLIPGATE_WEBHOOK_SECRET";

pub(crate) async fn run(context: &Context, arguments: ListenArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let forwarder = arguments.forward_to.map(|url| forwarder(context, url)).transpose()?;
    let interval = Duration::from_secs(arguments.interval);
    let task = async {
        let after = match arguments.after {
            Some(after) => after,
            None => end_of_log(&client).await?,
        };
        context.output.result(
            "listening",
            &format!("Waiting for events after sequence number {after}. Press Ctrl-C to stop."),
            &json!({ "after": after }),
        )?;
        follow(context, &client, forwarder.as_ref(), after, interval).await
    };
    until_interrupted(task, "Stopped listening. To continue, pass the last printed number to `--after`").await
}

/// Returns the forwarder, and prints its signing secret.
fn forwarder(context: &Context, url: Url) -> Result<Forwarder> {
    let secret: SigningSecret = match std::env::var(SECRET_VARIABLE) {
        Ok(text) => text.parse().context(SECRET_VARIABLE)?,
        Err(_) => random_secret().context("reading random bytes from the system")?,
    };
    let text = format!("Events are posted to {url}, signed with {}", secret.reveal());
    context.output.result("forwarding", &text, &json!({ "url": url.as_str(), "secret": secret.reveal() }))?;
    Ok(Forwarder::new(url, secret)?)
}

fn random_secret() -> Result<SigningSecret, getrandom::Error> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    Ok(secret.into())
}

/// Returns the number of the last event.
async fn end_of_log(client: &Client) -> Result<u64> {
    let mut after = 0;
    loop {
        let page = client.events(after, None).await?;
        after = page.next_after;
        if !page.has_more {
            return Ok(after);
        }
    }
}

/// Prints and forwards each event once. Waits out any outage, because the log keeps the events.
async fn follow(
    context: &Context,
    client: &Client,
    forwarder: Option<&Forwarder>,
    mut after: u64,
    interval: Duration,
) -> Result<ExitCode> {
    loop {
        let page = match client.events(after, None).await {
            Ok(page) => page,
            Err(error) if is_outage(&error) => {
                context.output.note(&format!("{error}. Still waiting."));
                tokio::time::sleep(interval).await;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        for event in &page.events {
            context.output.result("event", &event_text(event), &json!({ "logged": event }))?;
            if let Some(forwarder) = forwarder {
                pass_on(context, forwarder, event).await?;
            }
        }
        after = page.next_after;
        if !page.has_more {
            tokio::time::sleep(interval).await;
        }
    }
}

fn is_outage(error: &ClientError) -> bool {
    let is_temporary = |refusal: &client::Refusal| client::RETRYABLE.iter().any(|code| refusal.is(*code));
    matches!(error, ClientError::Unanswered { .. }) || error.refusal().is_some_and(is_temporary)
}

async fn pass_on(context: &Context, forwarder: &Forwarder, event: &LoggedEvent) -> Result<()> {
    let (text, object) = match forwarder.forward(event, now_unix()).await {
        Ok(delivery) => (
            format!("        → {} in {} ms", delivery.status, delivery.took.as_millis()),
            json!({ "id": event.id, "status": delivery.status, "milliseconds": delivery.took.as_millis() }),
        ),
        Err(reason) => (format!("        → no response: {reason}"), json!({ "id": event.id, "problem": reason })),
    };
    Ok(context.output.result("forwarded", &text, &object)?)
}
