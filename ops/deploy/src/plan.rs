//! Plans the steps of a deployment from the existing resources. Pure: nothing here talks to Cloudflare.

mod refusal;

pub use refusal::Refusal;

use crate::account::{Found, Queue};
use crate::environment::Environment;
use crate::worker_config::{PEPPER, REQUIRED_SECRETS, SECOND_PEPPER};
use contract::job::MAX_DELIVERY_ATTEMPTS;
use std::collections::BTreeSet;

/// The longest retention that Cloudflare allows. Origins can list dead letters for that long, and jobs survive an
/// outage of all origins that lasts for days.
pub const RETENTION_SECONDS: u64 = 14 * 24 * 60 * 60;
/// The `dlq` commands of an origin that pull messages use up one retry of each dead letter.
const DEAD_LETTER_RETRIES: u64 = 100;

/// One step of a deployment, with the data that the API needs for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    CreateDatabase,
    CreateSessions,
    CreateBucket,
    CreateQueue {
        name: String,
    },
    /// Adds the consumer of a queue, or replaces its settings.
    SetConsumer {
        queue: String,
        settings: ConsumerSettings,
    },
    Migrate,
    /// Deploys the Worker with new values of these secrets. Its custom domain replaces what is at its host.
    DeployWorker {
        new_secrets: Vec<String>,
        replaced: Vec<String>,
    },
    /// Records that the Worker accepts a new pepper.
    RecordNewPepper,
    /// Swaps `KEY_PEPPER` and `KEY_PEPPER_SECOND` in the record.
    SwitchPeppers,
    /// Deletes the old pepper from the Worker.
    EndOldPepper,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerSettings {
    pub max_retries: u64,
    pub dead_letters: Option<String>,
}

/// The operator's permissions, and the record of earlier deployments.
#[derive(Debug, Clone, Default)]
pub struct Permission {
    /// Use existing resources, and replace what is at the host for uploads.
    pub adopt: bool,
    /// Create empty storage for a Worker that exists.
    pub recreate: bool,
    /// The names of the resources that earlier deployments from this machine created.
    pub created: BTreeSet<String>,
    /// The names of the secrets whose values are in this machine's record.
    pub known_secrets: BTreeSet<String>,
}

/// Returns the steps in their order, or why there are none.
pub fn plan(environment: &Environment, found: &Found, permission: &Permission) -> Result<Vec<Step>, Refusal> {
    refuse_foreign(environment, found, permission)?;
    refuse_lost(environment, found, permission)?;
    refuse_hosts(environment, found, permission)?;
    let new_secrets = new_secrets(found, permission)?;
    let mut steps = Vec::new();
    let missing = [
        (found.database.is_none(), Step::CreateDatabase),
        (found.sessions.is_none(), Step::CreateSessions),
        (!found.bucket, Step::CreateBucket),
    ];
    steps.extend(missing.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, step)| step));
    for (name, queue, settings) in queues(environment, found) {
        steps.extend(queue.is_none().then(|| Step::CreateQueue { name: name.clone() }));
        steps.extend(consumer_step(name, queue, settings)?);
    }
    let replaced = found.hosts.replaced.clone();
    steps.extend([Step::Migrate, Step::DeployWorker { new_secrets, replaced }]);
    Ok(steps)
}

/// Returns the queues with their settings. The dead letters come first, because the other queues refer to them.
fn queues<'a>(environment: &Environment, found: &'a Found) -> Vec<(String, Option<&'a Queue>, ConsumerSettings)> {
    let (queue, dead_letters) = (environment.queue(), environment.dead_letters());
    // The edge gives a job up after `MAX_DELIVERY_ATTEMPTS` attempts, the first one included.
    let max_retries = u64::from(MAX_DELIVERY_ATTEMPTS - 1);
    let settings = ConsumerSettings { max_retries, dead_letters: Some(dead_letters.clone()) };
    let of_dead_letters = ConsumerSettings { max_retries: DEAD_LETTER_RETRIES, dead_letters: None };
    let mut queues = vec![(dead_letters, found.dead_letters.as_ref(), of_dead_letters)];
    queues.push((queue, found.queue.as_ref(), settings.clone()));
    queues.extend(environment.completions().map(|name| (name, found.completions.as_ref(), settings)));
    queues
}

fn consumer_step(queue: String, found: Option<&Queue>, settings: ConsumerSettings) -> Result<Option<Step>, Refusal> {
    let consumer = found.and_then(|queue| queue.consumer.as_ref());
    match consumer {
        Some(consumer) if consumer.kind != "http_pull" => Err(Refusal::OtherConsumer(queue)),
        Some(consumer)
            if consumer.max_retries == Some(settings.max_retries) && consumer.dead_letters == settings.dead_letters =>
        {
            Ok(None)
        }
        _ => Ok(Some(Step::SetConsumer { queue, settings })),
    }
}

/// Returns the names of the existing resources.
fn existing(environment: &Environment, found: &Found) -> Vec<String> {
    let all = [
        (found.worker, environment.worker()),
        (found.database.is_some(), environment.database()),
        (found.sessions.is_some(), environment.sessions()),
        (found.bucket, environment.bucket()),
        (found.queue.is_some(), environment.queue()),
        (found.completions.is_some(), environment.completions().unwrap_or_default()),
        (found.dead_letters.is_some(), environment.dead_letters()),
    ];
    all.into_iter().filter(|(exists, _)| *exists).map(|(_, name)| name).collect()
}

fn refuse_foreign(environment: &Environment, found: &Found, permission: &Permission) -> Result<(), Refusal> {
    let mut names = existing(environment, found);
    names.retain(|name| !permission.created.contains(name));
    if permission.adopt || names.is_empty() { Ok(()) } else { Err(Refusal::Foreign(names)) }
}

/// Refuses to replace missing storage of a deployed Worker: an empty replacement would hide the loss of data.
fn refuse_lost(environment: &Environment, found: &Found, permission: &Permission) -> Result<(), Refusal> {
    let storage = [
        (found.database.is_none(), environment.database()),
        (found.sessions.is_none(), environment.sessions()),
        (!found.bucket, environment.bucket()),
    ];
    let lost: Vec<_> = storage.into_iter().filter(|(is_lost, _)| *is_lost).map(|(_, name)| name).collect();
    if !found.worker || permission.recreate || lost.is_empty() { Ok(()) } else { Err(Refusal::Lost(lost)) }
}

/// Refuses hosts that wrangler could not use, or would take from others.
fn refuse_hosts(environment: &Environment, found: &Found, permission: &Permission) -> Result<(), Refusal> {
    let hosts = &found.hosts;
    if !hosts.has_zone {
        Err(Refusal::NoZone(environment.zone.clone()))
    } else if !hosts.taken_routes.is_empty() {
        Err(Refusal::TakenRoutes(hosts.taken_routes.clone()))
    } else if !permission.adopt && !hosts.replaced.is_empty() {
        Err(Refusal::TakenHost { host: environment.upload_host.clone(), by: hosts.replaced.clone() })
    } else {
        Ok(())
    }
}

fn new_secrets(found: &Found, permission: &Permission) -> Result<Vec<String>, Refusal> {
    let missing = REQUIRED_SECRETS.into_iter().filter(|name| !found.secrets.contains(*name));
    let missing: Vec<_> = missing.map(str::to_owned).collect();
    let needs_pepper = missing.iter().any(|name| name == PEPPER);
    let knows_pepper = permission.known_secrets.contains(PEPPER);
    if found.worker && needs_pepper && !knows_pepper && !permission.recreate {
        return Err(Refusal::NoPepper);
    }
    Ok(missing)
}

impl Step {
    /// Returns the name of the resource that this step creates.
    pub fn created(&self, environment: &Environment) -> Option<String> {
        match self {
            Self::CreateDatabase => Some(environment.database()),
            Self::CreateSessions => Some(environment.sessions()),
            Self::CreateBucket => Some(environment.bucket()),
            Self::CreateQueue { name } => Some(name.clone()),
            Self::DeployWorker { .. } => Some(environment.worker()),
            Self::SetConsumer { .. }
            | Self::Migrate
            | Self::RecordNewPepper
            | Self::SwitchPeppers
            | Self::EndOldPepper => None,
        }
    }

    /// Returns a description of the step for the operator.
    pub fn describe(&self, environment: &Environment) -> String {
        match self {
            Self::CreateDatabase => format!("create the D1 database {}", environment.database()),
            Self::CreateSessions => format!("create the KV namespace {}", environment.sessions()),
            Self::CreateBucket => format!("create the R2 bucket {}", environment.bucket()),
            Self::CreateQueue { name } => format!("create the queue {name}"),
            Self::SetConsumer { queue, settings } => {
                let dead = settings.dead_letters.as_ref().map_or(String::new(), |name| format!(", then to {name}"));
                format!("allow origins to pull from {queue}: {} retries{dead}", settings.max_retries)
            }
            Self::Migrate => format!("apply the pending migrations to {}", environment.database()),
            Self::DeployWorker { new_secrets, replaced } => {
                let with = |before: &str, list: &[String], after: &str| {
                    if list.is_empty() { String::new() } else { format!("{before}{}{after}", list.join(", ")) }
                };
                let secrets = with(" with new values of ", new_secrets, "");
                let replaced = with(", replacing ", replaced, &format!(" at {}", environment.upload_host));
                format!("deploy the Worker {}{secrets}{replaced}", environment.worker())
            }
            Self::RecordNewPepper => "record that the Worker accepts the new pepper".to_owned(),
            Self::SwitchPeppers => format!("swap {PEPPER} and {SECOND_PEPPER} in the record"),
            Self::EndOldPepper => format!("delete {SECOND_PEPPER}, the old pepper, from {}", environment.worker()),
        }
    }
}

#[cfg(test)]
mod tests;
