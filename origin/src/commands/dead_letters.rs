//! `dlq`: the jobs that were given up. A dead letter is looked at by pulling it for a moment and giving it back.

use super::setup::{all, ask_for_new_job, queue_client};
use crate::arguments::{DlqArguments, OneDeadLetter, QueueArguments};
use crate::configuration;
use crate::queue::{Delivery, QueueClient};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// Long enough to look at them all, short enough that they are back at once if this is killed.
const HIDDEN: Duration = Duration::from_secs(30);
const AT_ONCE: usize = 100;

pub async fn list(arguments: &DlqArguments) -> Result<ExitCode> {
    let queue = dead(&arguments.queue)?;
    let letters = look(&queue).await?;
    give_back(&queue, &letters).await?;
    let described: Vec<_> = letters.iter().map(describe).collect();
    if arguments.json {
        println!("{}", Value::Array(described));
    } else if described.is_empty() {
        println!("there are no dead letters");
    } else {
        for letter in &described {
            println!("{}", line(letter));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn show(one: &OneDeadLetter) -> Result<ExitCode> {
    let queue = dead(&one.queue)?;
    let letters = look(&queue).await?;
    give_back(&queue, &letters).await?;
    let found = letters.iter().find(|letter| is_named(letter, &one.name));
    let letter = found.with_context(|| missing(&one.name))?;
    println!("{:#}", describe(letter));
    Ok(ExitCode::SUCCESS)
}

/// The new job is there before the letter goes: a crash between the two leaves both, which does no harm.
pub async fn retry(one: &OneDeadLetter) -> Result<ExitCode> {
    let queue = dead(&one.queue)?;
    ask_for_new_job(&one.name, &one.edge).await?;
    take_away(&queue, &one.name).await?;
    println!("{} has a new job", one.name);
    Ok(ExitCode::SUCCESS)
}

pub async fn forget(one: &OneDeadLetter) -> Result<ExitCode> {
    let queue = dead(&one.queue)?;
    if take_away(&queue, &one.name).await? == 0 {
        bail!(missing(&one.name));
    }
    println!("{} is off the list", one.name);
    Ok(ExitCode::SUCCESS)
}

fn missing(name: &str) -> String {
    format!("no dead letter is about {name}, or has this id")
}

fn dead(arguments: &QueueArguments) -> Result<QueueClient> {
    let queue = configuration::of_queue(arguments).map_err(all)?;
    let id = queue.dead_id.as_deref();
    let id = id.context("--queue-dead-id (QUEUE_DEAD_ID) is not set")?;
    Ok(queue_client(&queue, id)?)
}

/// All dead letters, hidden from others for a moment.
async fn look(queue: &QueueClient) -> Result<Vec<Delivery>> {
    let mut letters = Vec::new();
    loop {
        let batch = queue.pull(AT_ONCE, HIDDEN).await?;
        if batch.deliveries.is_empty() {
            return Ok(letters);
        }
        letters.extend(batch.deliveries);
    }
}

async fn give_back(queue: &QueueClient, letters: &[Delivery]) -> Result<()> {
    for some in letters.chunks(AT_ONCE) {
        let returned: Vec<_> = some
            .iter()
            .map(|letter| (letter.lease.clone(), Duration::ZERO))
            .collect();
        queue.settle(&[], &returned).await?;
    }
    Ok(())
}

/// Acknowledges the letters of this name, gives the others back, and says how many went.
async fn take_away(queue: &QueueClient, name: &str) -> Result<usize> {
    let letters = look(queue).await?;
    let (gone, kept): (Vec<_>, Vec<_>) = letters
        .into_iter()
        .partition(|letter| is_named(letter, name));
    give_back(queue, &kept).await?;
    let leases: Vec<_> = gone.iter().map(|letter| letter.lease.clone()).collect();
    queue.settle(&leases, &[]).await?;
    Ok(gone.len())
}

/// A letter that is no job has no content: only the message's id can name it.
fn is_named(letter: &Delivery, name: &str) -> bool {
    let job = letter.job.as_ref();
    let is_its_message = !name.is_empty() && letter.message_id == name;
    is_its_message || job.is_ok_and(|job| job.content_uuid == name)
}

fn describe(letter: &Delivery) -> Value {
    let (id, sent_at_ms) = (&letter.message_id, letter.sent_at_ms);
    match &letter.job {
        Ok(job) => json!({
            "content_uuid": job.content_uuid,
            "generation": job.generation,
            "message_id": id,
            "sent_at_ms": sent_at_ms,
        }),
        Err(malformed) => json!({
            "content_uuid": null,
            "problem": malformed.reason,
            "text": malformed.text,
            "message_id": id,
            "sent_at_ms": sent_at_ms,
        }),
    }
}

fn line(letter: &Value) -> String {
    let text = |name: &str| letter[name].as_str().map(str::to_owned);
    let what = text("content_uuid")
        .or_else(|| text("problem"))
        .unwrap_or_default();
    format!(
        "{what}  generation {}  message {}",
        letter["generation"], letter["message_id"]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{LeaseId, Malformed};
    use contract::{JOB_VERSION, JobMessage};

    fn letter(message_id: &str, job: Result<JobMessage, Malformed>) -> Delivery {
        Delivery {
            lease: LeaseId::kept("lease"),
            message_id: message_id.to_owned(),
            attempts: 1,
            sent_at_ms: None,
            job,
        }
    }

    fn malformed() -> Result<JobMessage, Malformed> {
        Err(Malformed {
            reason: "the body is not JSON".to_owned(),
            text: None,
        })
    }

    #[test]
    fn a_letter_is_named_by_its_content_or_its_message() {
        let job = JobMessage {
            version: JOB_VERSION,
            content_id: 1,
            content_uuid: "content".to_owned(),
            generation: 1,
        };
        let whole = letter("message-1", Ok(job));
        assert!(is_named(&whole, "content") && is_named(&whole, "message-1"));
        assert!(!is_named(&whole, "message-2"));
        let broken = letter("message-2", malformed());
        assert!(is_named(&broken, "message-2"));
        assert!(!is_named(&broken, "content"));
        assert!(!is_named(&letter("", malformed()), ""));
    }
}
