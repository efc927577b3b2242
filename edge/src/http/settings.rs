//! The configuration of the Worker: its variables, and the pepper.

use super::host_role::PublicAddresses;
use super::secrets::{missing, read_pepper};
use crate::base::refusal::Refusal;
use crate::contents::compaction::DEFAULT_COMPACT_DAYS;
use crate::moderation::evidence::DEFAULT_EVIDENCE_DAYS;
use crate::people::auth::hash::Pepper;
use crate::platform::database::tries::DEFAULT_DEADLINE;
use crate::uploads::pace::PaceRules;
use crate::webhooks::AddressRules;
use contract::limits::{
    DEFAULT_MAX_FILE_BYTES, DEFAULT_MAX_OPEN_UPLOADS, DEFAULT_MAX_RESUMABLE_BYTES, DEFAULT_RESUMABLE_HOURS,
    MAX_UPLOAD_SECONDS, MIN_UPLOAD_BYTES_PER_SECOND, UPLOAD_PACE_SECONDS,
};
use std::str::FromStr;
use std::time::Duration;
use worker::Env;

/// R2 deletes the parts of an upload after 7 days.
const MAX_RESUMABLE_HOURS: u64 = 6 * 24;

/// A hundred years. The times of the database stay far below 2^53.
const MAX_EVIDENCE_DAYS: u64 = 36_500;

/// The validated configuration.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) addresses: PublicAddresses,
    pub(super) max_upload_bytes: u64,
    /// The largest file of a resumable upload.
    pub(super) max_resumable_bytes: u64,
    /// The time in which a resumable upload must be finished.
    pub(super) resumable_seconds: u64,
    /// The page of the site where users sign in.
    pub(super) sign_in_url: Option<String>,
    /// The pace that an upload must keep.
    pub(super) upload_pace: PaceRules,
    pub(super) max_open_uploads: u32,
    /// Whether a cache is in front of the Worker. It stores whole files, and is purged by tags.
    pub(super) is_behind_cache: bool,
    /// Whether the service is closed, for example while its database is restored. Then it answers only operators.
    pub(super) is_closed: bool,
    /// Whether publication requires a classifier's judgement.
    pub(super) requires_classifier: bool,
    /// The time for which the evidence of a removed content is kept after its owner deleted it.
    pub(super) evidence_seconds: u64,
    /// The time after which a finished content is compacted.
    pub(super) compact_seconds: u64,
    /// The number of rejections and removals under policies of severity 3 in a day after which the desk suggests a
    /// break; `None` if it never does.
    pub(super) rest_after: Option<u64>,
    /// The time that a batch may take.
    pub(super) database_deadline: Duration,
    /// The rules for the addresses of webhooks.
    pub(super) address_rules: AddressRules,
    pub(super) pepper: Pepper,
}

impl Settings {
    pub(super) fn read(env: &Env) -> Result<Self, Refusal> {
        let var = |name| env.var(name).map(|value| value.to_string()).map_err(|_| missing(name));
        let is_true = |name| env.var(name).is_ok_and(|value| value.to_string() == "true");
        let addresses = PublicAddresses { base: var("BASE_URL")?, upload: var("UPLOAD_URL")?, site: var("SITE_URL")? };
        let pepper = read_pepper(env)?;
        let max_upload_bytes = number(env, "MAX_UPLOAD_BYTES", DEFAULT_MAX_FILE_BYTES)?;
        let max_resumable_bytes = number(env, "MAX_RESUMABLE_BYTES", DEFAULT_MAX_RESUMABLE_BYTES)?;
        let resumable_seconds =
            number(env, "RESUMABLE_HOURS", DEFAULT_RESUMABLE_HOURS)?.clamp(1, MAX_RESUMABLE_HOURS) * 3_600;
        let max_open_uploads = number(env, "MAX_OPEN_UPLOADS", DEFAULT_MAX_OPEN_UPLOADS)?;
        let upload_pace = PaceRules {
            min_bytes_per_second: number(env, "UPLOAD_MIN_BYTES_PER_SECOND", MIN_UPLOAD_BYTES_PER_SECOND)?,
            window_seconds: number(env, "UPLOAD_PACE_SECONDS", UPLOAD_PACE_SECONDS)?,
            max_seconds: number(env, "UPLOAD_MAX_SECONDS", MAX_UPLOAD_SECONDS)?,
        };
        if !upload_pace.ends_before_lease() {
            return Err(Refusal::internal("the variable UPLOAD_PACE_SECONDS is too large"));
        }
        let sign_in_url = env.var("SIGN_IN_URL").map(|value| value.to_string()).ok().filter(|url| !url.is_empty());
        let is_behind_cache = is_true("CACHE_IN_FRONT");
        // `CLOSED` is a secret, not a variable: a deployment replaces the variables, which would open the service.
        let is_closed = env.secret("CLOSED").is_ok_and(|value| value.to_string() == "true");
        let requires_classifier = is_true("REQUIRE_CLASSIFIER");
        let allows_loopback = is_true("WEBHOOK_LOOPBACK");
        let address_rules = AddressRules { allows_loopback, own_hosts: addresses.hosts() };
        let evidence_seconds =
            number::<u64>(env, "EVIDENCE_DAYS", DEFAULT_EVIDENCE_DAYS)?.min(MAX_EVIDENCE_DAYS) * 86_400;
        let compact_seconds =
            number::<u64>(env, "COMPACT_DAYS", DEFAULT_COMPACT_DAYS)?.clamp(1, MAX_EVIDENCE_DAYS) * 86_400;
        Ok(Self {
            addresses,
            max_upload_bytes,
            max_resumable_bytes,
            resumable_seconds,
            sign_in_url,
            upload_pace,
            max_open_uploads,
            is_behind_cache,
            is_closed,
            requires_classifier,
            evidence_seconds,
            compact_seconds,
            rest_after: Some(number(env, "DESK_REST_AFTER", 0)?).filter(|decisions| *decisions > 0),
            database_deadline: database_deadline(env)?,
            address_rules,
            pepper,
        })
    }
}

/// Returns the time that a batch may take, at least a second: with less, a busy database would fail every request.
fn database_deadline(env: &Env) -> Result<Duration, Refusal> {
    let seconds: u64 = number(env, "DATABASE_SECONDS", DEFAULT_DEADLINE.as_secs())?;
    Ok(Duration::from_secs(seconds.max(1)))
}

/// Returns the number in a variable, or the default if it is not set.
fn number<N: FromStr>(env: &Env, name: &str, default: N) -> Result<N, Refusal> {
    let Ok(text) = env.var(name) else {
        return Ok(default);
    };
    let number = text.to_string().parse();
    number.map_err(|_| Refusal::internal(format!("the variable {name} is not a whole number within its range")))
}
