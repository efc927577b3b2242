//! The secrets of the Worker. Each is long enough, or the request fails.

use crate::base::refusal::Refusal;
use crate::people::auth::hash::Pepper;
use crate::people::auth::origin_signature::OriginKeyRoots;
use crate::webhooks::RootSecret;
use worker::Env;

const MIN_SECRET_CHARACTERS: usize = 32;

pub(crate) struct Secrets<'a>(pub(super) &'a Env);

impl Secrets<'_> {
    /// Returns a secret of sufficient length. An empty secret would match an empty token.
    pub(crate) fn strong(&self, name: &'static str) -> Result<String, Refusal> {
        let secret = self.secret(name)?;
        if secret.len() < MIN_SECRET_CHARACTERS {
            let fault = format!("the secret {name} is shorter than {MIN_SECRET_CHARACTERS} characters");
            return Err(Refusal::internal(fault));
        }
        Ok(secret)
    }

    fn secret(&self, name: &'static str) -> Result<String, Refusal> {
        self.0.secret(name).map(|secret| secret.to_string()).map_err(|_| missing(name))
    }

    /// Returns the secrets that the keys of origins are derived from.
    pub(crate) fn origin_key_roots(&self) -> Result<OriginKeyRoots, Refusal> {
        let current = self.secret("ORIGIN_SECRET")?;
        // Set only while the secret is being replaced.
        let previous = self.0.secret("ORIGIN_SECRET_PREVIOUS").ok();
        let previous = previous.map(|secret| secret.to_string());
        OriginKeyRoots::new(&current, previous.as_deref())
            .ok_or_else(|| Refusal::internal("an origin secret is shorter than 32 characters"))
    }

    /// Returns the secrets that the secrets of webhooks are derived from, the current one first.
    pub(crate) fn webhook_roots(&self) -> Result<Vec<RootSecret>, Refusal> {
        let current = self.secret("WEBHOOK_SECRET")?;
        // Set only while the secret is being replaced. A secret that was removed is empty.
        let previous = self.0.secret("WEBHOOK_SECRET_PREVIOUS").ok().map(|secret| secret.to_string());
        let secrets = std::iter::once(current).chain(previous.filter(|secret| !secret.is_empty()));
        let roots: Option<Vec<_>> = secrets.map(|secret| RootSecret::new(&secret)).collect();
        roots.ok_or_else(|| Refusal::internal("a webhook secret is shorter than 32 characters"))
    }
}

pub(super) fn read_pepper(env: &Env) -> Result<Pepper, Refusal> {
    let short = |name| Refusal::internal(format!("the secret {name} is shorter than 32 characters"));
    let current = env.secret("KEY_PEPPER").map_err(|_| missing("KEY_PEPPER"))?;
    let pepper = Pepper::new(&current.to_string()).ok_or_else(|| short("KEY_PEPPER"))?;
    // Set only while the pepper is being replaced. A secret that was removed is empty.
    let second = env.secret("KEY_PEPPER_SECOND").ok().map(|secret| secret.to_string());
    match second.filter(|secret| !secret.is_empty()) {
        Some(second) => pepper.with_second(&second).ok_or_else(|| short("KEY_PEPPER_SECOND")),
        None => Ok(pepper),
    }
}

pub(super) fn missing(name: &str) -> Refusal {
    Refusal::internal(format!("the binding {name} is not configured"))
}
