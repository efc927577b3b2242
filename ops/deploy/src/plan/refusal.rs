//! The reasons why a deployment must not begin, explained to the operator.

use std::fmt;

/// The reason why a deployment must not begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Resources that exist, although no deployment from this machine created them.
    Foreign(Vec<String>),
    /// Missing storage of a deployed Worker.
    Lost(Vec<String>),
    /// A zone that the account does not have.
    NoZone(String),
    /// Routes of other Workers, which wrangler would not replace.
    TakenRoutes(Vec<String>),
    /// The host for uploads, which is in use.
    TakenHost { host: String, by: Vec<String> },
    /// A queue that a Worker consumes, so origins cannot pull from it.
    OtherConsumer(String),
    /// The pepper of a deployed Worker is missing, so no API key works.
    NoPepper,
    /// A change of the pepper, although this machine does not know its value.
    UnknownPepper,
    /// A change of the pepper, although one was begun on another machine.
    ForeignPepper,
    /// A switch to a new pepper that does not exist.
    NoPepperChange,
    /// A switch that could refuse uploads which are still running.
    TooEarlyToSwitch { minutes: u64 },
    /// A new change of the pepper before the end of the previous one.
    PepperSwitched,
    /// The end of a pepper that is still in use.
    PepperNotSwitched,
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign(names) => write!(
                formatter,
                "the account already has {}, which no deployment from this machine created. If they belong to this \
                 environment, pass ADOPT=1. If not, choose another `name` in ops/deploy/environments.toml.",
                names.join(", ")
            ),
            Self::Lost(names) => write!(
                formatter,
                "the Worker exists, but {} does not. Restore it first: a new one would be empty. To start over with \
                 empty storage, pass RECREATE=1.",
                names.join(", ")
            ),
            Self::NoZone(zone) => write!(
                formatter,
                "the account has no zone {zone}, or the token cannot access it. Check `zone` in the environment's \
                 table, and CLOUDFLARE_ACCOUNT_ID."
            ),
            Self::TakenRoutes(routes) => write!(
                formatter,
                "these routes are already taken: {}. Remove them in the dashboard, or choose other hosts.",
                routes.join(", ")
            ),
            Self::TakenHost { host, by } => write!(
                formatter,
                "the Worker's custom domain would replace what is at {host}: {}. Choose another `upload_host`, or pass \
                 ADOPT=1 to replace it.",
                by.join(", ")
            ),
            Self::OtherConsumer(queue) => write!(
                formatter,
                "a Worker consumes the queue {queue}, so origins cannot pull from it. Remove that consumer with \
                 `wrangler queues consumer remove`."
            ),
            Self::NoPepper => formatter.write_str(
                "the Worker has no KEY_PEPPER, and its value is not known here. No API key works without the old \
                 value: set it with `wrangler secret put KEY_PEPPER`. To generate a new one, which revokes every API key, \
                 pass RECREATE=1.",
            ),
            Self::UnknownPepper => formatter.write_str(
                "the value of KEY_PEPPER is not known here. Add it to `secrets` in the record of this environment.",
            ),
            Self::ForeignPepper => formatter.write_str(
                "the Worker has a KEY_PEPPER_SECOND that this machine does not know. Continue on the machine that began \
                 to replace the pepper.",
            ),
            Self::NoPepperChange => formatter.write_str("there is no new pepper. Start with PEPPER=begin."),
            Self::TooEarlyToSwitch { minutes } => write!(
                formatter,
                "an upload that began before the Worker knew the new pepper may still be running. Run this again in \
                 {minutes} minutes."
            ),
            Self::PepperSwitched => formatter
                .write_str("the previous pepper is still accepted. End its replacement first, with PEPPER=end."),
            Self::PepperNotSwitched => formatter.write_str(
                "KEY_PEPPER is not replaced yet, so there is no old pepper to end. PEPPER=begin and PEPPER=switch come \
                 first.",
            ),
        }
    }
}

impl std::error::Error for Refusal {}
