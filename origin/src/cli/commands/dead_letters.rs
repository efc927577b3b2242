//! The `dlq` commands. `list` asks the edge, which knows the last error of each job, and uses up no retry. All others,
//! and `list --pull`, pull all messages and return them at once, which uses up one retry of each.

use super::setup::{EdgeAdmin, configuration_error, queue_client};
use crate::cli::arguments::{DeadLetterArguments, DlqListArguments, QueueArguments};
use crate::cli::configuration;
use crate::clients::queue::{QueueClient, QueueMessage};
use anyhow::{Context, Result, bail};
use contract::api::DeadLetter;
use serde::Serialize;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;
use uuid::Uuid;

/// The time for which a command hides the dead letters from others: long enough to pull all of them, and short enough
/// that they are soon available again if the command is killed.
const VISIBILITY: Duration = Duration::from_secs(30);
const BATCH_SIZE: usize = 100;

pub(super) async fn list(arguments: &DlqListArguments) -> Result<ExitCode> {
    let queue = dead_letter_queue(&arguments.queue)?;
    if arguments.pull {
        let letters = pull_all(&queue).await?;
        return_all(&queue, &letters).await?;
        let described: Vec<_> = letters.iter().map(describe).collect();
        print_list(arguments.json, &described, message_line);
    } else {
        let letters = EdgeAdmin::new(&arguments.edge)?.dead_letters().await?;
        print_list(arguments.json, &letters, letter_line);
        warn_of_messages(&queue).await?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_list<T: Serialize>(as_json: bool, letters: &[T], line: impl Fn(&T) -> String) {
    if as_json {
        println!("{}", json!(letters));
    } else if letters.is_empty() {
        println!("There are no dead letters.");
    }
    for letter in letters.iter().filter(|_| !as_json) {
        println!("{}", line(letter));
    }
}

/// Prints a warning if the dead-letter queue has messages: they are no jobs, or no origin could claim their jobs, which
/// the edge sends again. Counting messages uses up no retry.
async fn warn_of_messages(queue: &QueueClient) -> Result<()> {
    let messages = queue.backlog().await?.unwrap_or_default();
    if messages > 0 {
        eprintln!("The dead-letter queue has {messages} messages. `dlq list --pull` shows them.");
    }
    Ok(())
}

pub(super) async fn show(arguments: &DeadLetterArguments) -> Result<ExitCode> {
    let queue = dead_letter_queue(&arguments.queue)?;
    let letters = pull_all(&queue).await?;
    return_all(&queue, &letters).await?;
    let letter = letters.iter().find(|letter| has_name(letter, &arguments.name));
    let letter = letter.with_context(|| not_found(&arguments.name))?;
    println!("{:#}", describe(letter));
    Ok(ExitCode::SUCCESS)
}

/// Makes the new job before it removes the dead letter: a crash in between leaves both, which is harmless.
pub(super) async fn retry(arguments: &DeadLetterArguments) -> Result<ExitCode> {
    let queue = dead_letter_queue(&arguments.queue)?;
    EdgeAdmin::new(&arguments.edge)?.request_new_job(&arguments.name).await?;
    remove_named(&queue, &arguments.name).await?;
    println!("Created a new job for {}.", arguments.name);
    Ok(ExitCode::SUCCESS)
}

pub(super) async fn remove(arguments: &DeadLetterArguments) -> Result<ExitCode> {
    let queue = dead_letter_queue(&arguments.queue)?;
    let is_listed = match Uuid::try_parse(&arguments.name) {
        Ok(_) => EdgeAdmin::new(&arguments.edge)?.drop_dead_letter(&arguments.name).await?,
        // The id of a message, which the edge does not know.
        Err(_) => false,
    };
    if remove_named(&queue, &arguments.name).await? == 0 && !is_listed {
        bail!(not_found(&arguments.name));
    }
    println!("Removed the dead letter {}.", arguments.name);
    Ok(ExitCode::SUCCESS)
}

fn not_found(name: &str) -> String {
    format!("no dead letter has the video UUID or message ID {name}")
}

fn dead_letter_queue(arguments: &QueueArguments) -> Result<QueueClient> {
    let settings = configuration::for_queue(arguments).map_err(configuration_error)?;
    let id = settings.dead_letter_id.as_deref();
    let id = id.context("--queue-dead-id (QUEUE_DEAD_ID) is not set")?;
    Ok(queue_client(&settings, id)?)
}

/// Pulls all dead letters, which hides them from other commands until they are returned.
async fn pull_all(queue: &QueueClient) -> Result<Vec<QueueMessage>> {
    let mut letters = Vec::new();
    loop {
        let batch = queue.pull(BATCH_SIZE, VISIBILITY).await?;
        if batch.messages.is_empty() {
            return Ok(letters);
        }
        letters.extend(batch.messages);
    }
}

async fn return_all(queue: &QueueClient, letters: &[QueueMessage]) -> Result<()> {
    for batch in letters.chunks(BATCH_SIZE) {
        let returned: Vec<_> = batch.iter().map(|letter| (letter.lease.clone(), Duration::ZERO)).collect();
        queue.settle(&[], &returned).await?;
    }
    Ok(())
}

/// Acknowledges all dead letters with this name, returns the others, and counts the acknowledged ones.
async fn remove_named(queue: &QueueClient, name: &str) -> Result<usize> {
    let letters = pull_all(queue).await?;
    let (removed, others): (Vec<_>, Vec<_>) = letters.into_iter().partition(|letter| has_name(letter, name));
    return_all(queue, &others).await?;
    let leases: Vec<_> = removed.iter().map(|letter| letter.lease.clone()).collect();
    queue.settle(&leases, &[]).await?;
    Ok(removed.len())
}

/// Whether the message id or the content UUID is `name`. A message without a valid job has no content UUID.
fn has_name(letter: &QueueMessage, name: &str) -> bool {
    let is_message_id = !name.is_empty() && letter.message_id == name;
    is_message_id || letter.job.as_ref().is_ok_and(|job| job.content_uuid == name)
}

fn describe(letter: &QueueMessage) -> Value {
    let (id, sent_at_ms) = (&letter.message_id, letter.sent_at_ms);
    match &letter.job {
        Ok(job) => json!({
            "content_uuid": job.content_uuid,
            "generation": job.generation,
            "message_id": id,
            "sent_at_ms": sent_at_ms,
        }),
        Err(invalid) => json!({
            "content_uuid": null,
            "problem": invalid.reason,
            "text": invalid.text,
            "message_id": id,
            "sent_at_ms": sent_at_ms,
        }),
    }
}

fn letter_line(letter: &DeadLetter) -> String {
    let code = letter.error_message_code.map(contract::ErrorCode::as_str).unwrap_or_default();
    let DeadLetter { content_uuid, generation, undecided_failures, silences, .. } = letter;
    let detail = letter.detail.as_deref().unwrap_or_default();
    format!(
        "{content_uuid}  generation {generation}  {undecided_failures} failures  {silences} silences  {code}  {detail}"
    )
}

fn message_line(letter: &Value) -> String {
    let text = |name: &str| letter[name].as_str().map(str::to_owned);
    let subject = text("content_uuid").or_else(|| text("problem")).unwrap_or_default();
    format!("{subject}  generation {}  message {}", letter["generation"], letter["message_id"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients::queue::{InvalidMessage, LeaseId};
    use contract::job::JobWork;
    use contract::{JOB_VERSION, JobMessage};

    fn letter(message_id: &str, job: Result<JobMessage, InvalidMessage>) -> QueueMessage {
        QueueMessage {
            lease: LeaseId::from_stored("lease"),
            message_id: message_id.to_owned(),
            delivery_attempt: 1,
            sent_at_ms: None,
            job,
        }
    }

    fn invalid() -> Result<JobMessage, InvalidMessage> {
        Err(InvalidMessage { reason: "the body is not JSON".to_owned(), text: None })
    }

    #[test]
    fn a_dead_letter_is_found_by_content_uuid_or_message_id() {
        let job = JobMessage {
            version: JOB_VERSION,
            content_id: 1,
            content_uuid: "content".to_owned(),
            generation: 1,
            work: JobWork::Video,
            traceparent: None,
        };
        let valid_letter = letter("message-1", Ok(job));
        assert!(has_name(&valid_letter, "content") && has_name(&valid_letter, "message-1"));
        assert!(!has_name(&valid_letter, "message-2"));
        let invalid_letter = letter("message-2", invalid());
        assert!(has_name(&invalid_letter, "message-2"));
        assert!(!has_name(&invalid_letter, "content"));
        assert!(!has_name(&letter("", invalid()), ""));
    }
}
