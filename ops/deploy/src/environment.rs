//! The environments of an operator (`ops/deploy/environments.toml`): their hosts, and the names of their resources in
//! the account.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One environment.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The prefix of all names.
    name: String,
    pub zone: String,
    pub base_host: String,
    pub upload_host: String,
    pub site_host: String,
    /// The page of the site where users sign in.
    #[serde(default)]
    pub sign_in_url: Option<String>,
    /// The namespaces of the two rate limits' counters.
    pub rate_limits: [u32; 2],
    #[serde(default)]
    pub location: Option<String>,
    #[serde(default)]
    pub jurisdiction: Option<String>,
    /// Whether the jobs that complete published videos have a queue of their own.
    #[serde(default)]
    completions_queue: bool,
}

impl Environment {
    /// Reads an environment from a file.
    pub fn read(path: &Path, name: &str) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| {
            format!(
                "reading {}. Copy ops/deploy/environments.example.toml to it, and set your hosts there",
                path.display()
            )
        })?;
        Self::parse(&text, name)
    }

    /// Finds an environment in the text of `environments.toml`, and checks its names.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let mut all: BTreeMap<String, Self> = toml::from_str(text).context("reading environments.toml")?;
        let known = all.keys().cloned().collect::<Vec<_>>().join(", ");
        let environment = all.remove(name).with_context(|| format!("no environment `{name}`; there are: {known}"))?;
        environment.check().with_context(|| format!("environments.toml, [{name}]"))?;
        ensure_distinct(&environment, all.values())?;
        Ok(environment)
    }

    pub fn worker(&self) -> String {
        format!("{}-edge", self.name)
    }

    pub fn database(&self) -> String {
        self.name.clone()
    }

    pub fn sessions(&self) -> String {
        format!("{}-sessions", self.name)
    }

    pub fn bucket(&self) -> String {
        format!("{}-media", self.name)
    }

    pub fn queue(&self) -> String {
        format!("{}-jobs", self.name)
    }

    /// Returns the name of the queue of the completion jobs, or `None` if they share the queue of all jobs.
    pub fn completions(&self) -> Option<String> {
        self.completions_queue.then(|| format!("{}-completions", self.name))
    }

    pub fn dead_letters(&self) -> String {
        format!("{}-jobs-dead", self.name)
    }

    /// Returns the name of the dataset with a data point for each request.
    pub fn dataset(&self) -> String {
        format!("{}_requests", self.name.replace('-', "_"))
    }

    fn check(&self) -> Result<()> {
        let is_name =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        ensure!(
            (3..=40).contains(&self.name.len()) && is_name(&self.name) && !self.name.starts_with('-'),
            "`name` must have 3 to 40 lowercase letters, digits or hyphens"
        );
        for host in [&self.base_host, &self.upload_host, &self.site_host] {
            let inside = *host == self.zone || host.ends_with(&format!(".{}", self.zone));
            ensure!(inside && host.split('.').all(is_name), "the host `{host}` is not in the zone `{}`", self.zone);
        }
        if let Some(url) = &self.sign_in_url {
            ensure!(url.starts_with("https://"), "`sign_in_url` must begin with https://");
        }
        let upload_is_apart = self.upload_host != self.base_host && self.upload_host != self.site_host;
        ensure!(
            upload_is_apart,
            "`upload_host` must differ from the other hosts: the Worker takes all of its requests"
        );
        ensure!(self.rate_limits[0] != self.rate_limits[1], "`rate_limits` needs two different numbers");
        Ok(())
    }
}

/// Two environments that share a name or a counter would share data.
fn ensure_distinct<'a>(environment: &Environment, others: impl Iterator<Item = &'a Environment>) -> Result<()> {
    for other in others {
        ensure!(environment.name != other.name, "two environments have the name `{}`", other.name);
        ensure!(environment.upload_host != other.upload_host, "two environments have the host `{}`", other.upload_host);
        let shares_counter = environment.rate_limits.iter().any(|counter| other.rate_limits.contains(counter));
        ensure!(!shares_counter, "two environments have the same number in `rate_limits`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Environment;

    const COMMITTED: &str = include_str!("../environments.example.toml");

    fn refusal(text: &str) -> String {
        format!("{:#}", Environment::parse(text, "production").unwrap_err())
    }

    #[test]
    fn each_committed_environment_is_valid() {
        for name in ["production", "staging"] {
            Environment::parse(COMMITTED, name).unwrap();
        }
    }

    #[test]
    fn an_unknown_environment_is_refused_with_the_known_ones() {
        let error = Environment::parse(COMMITTED, "prod").unwrap_err().to_string();
        assert!(error.contains("production, staging"), "{error}");
    }

    #[test]
    fn a_name_or_a_host_that_would_reach_elsewhere_is_refused() {
        let changed = |from: &str, to: &str| refusal(&COMMITTED.replacen(from, to, 1));
        assert!(changed("name = \"clipgate\"", "name = \"../x\"").contains("lowercase"));
        assert!(changed("\"upload.clipgate.example\"", "\"upload.other.example\"").contains("not in the zone"));
        assert!(changed("\"upload.clipgate.example\"", "\"www.clipgate.example\"").contains("must differ"));
        assert!(changed("name = \"clipgate\"", "name = \"clipgate-staging\"").contains("two environments"));
        assert!(changed("[1, 2]", "[1, 3]").contains("rate_limits"));
        assert!(changed("zone =", "zones =").contains("zones"));
    }
}
