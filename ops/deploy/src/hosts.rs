//! The resources that an account already has at the hosts of an environment.
//!
//! wrangler asks before it replaces a DNS record or takes a domain from another Worker, but only at a terminal.
//! Otherwise it replaces them silently, so a deployment has to know about them before it starts wrangler.

use crate::cloudflare::Account;
use crate::environment::Environment;
use crate::routes::route_patterns;
use anyhow::{Context, Result};
use serde_json::Value;

/// The DNS records that a custom domain replaces.
const REPLACED_RECORDS: [&str; 3] = ["A", "AAAA", "CNAME"];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts {
    /// Whether the account has the environment's zone.
    pub has_zone: bool,
    /// The records or the domain that the Worker's custom domain would replace at the host for uploads, in words.
    pub replaced: Vec<String>,
    /// The routes of other Workers that this one needs, each with its Worker.
    pub taken_routes: Vec<String>,
}

impl Hosts {
    pub(crate) async fn read(account: &Account, environment: &Environment) -> Result<Self> {
        let zones =
            account.short_list(&format!("/zones?name={}&account.id={}", environment.zone, account.id())).await?;
        let Some(zone) = zones.first() else { return Ok(Self::default()) };
        let zone = zone["id"].as_str().context("the zone has no `id`")?;
        Ok(Self {
            has_zone: true,
            replaced: replaced(account, environment, zone).await?,
            taken_routes: taken_routes(account, environment, zone).await?,
        })
    }
}

async fn replaced(account: &Account, environment: &Environment, zone: &str) -> Result<Vec<String>> {
    let host = environment.upload_host.as_str();
    let domains = account.short_list(&format!("workers/domains?hostname={host}")).await?;
    if let Some(domain) = domains.iter().find(|domain| domain["hostname"] == host) {
        let worker = domain["service"].as_str().unwrap_or_default();
        let is_ours = worker == environment.worker();
        return Ok(if is_ours { Vec::new() } else { vec![format!("the custom domain of the Worker {worker}")] });
    }
    let records = account.list(&format!("/zones/{zone}/dns_records?name.exact={host}")).await?;
    let text = |record: &Value, field: &str| record[field].as_str().unwrap_or_default().to_owned();
    let is_replaced =
        |record: &&Value| record["name"] == host && REPLACED_RECORDS.iter().any(|kind| record["type"] == *kind);
    let named = |record: &Value| format!("the DNS record {} {}", text(record, "type"), text(record, "content"));
    Ok(records.iter().filter(is_replaced).map(named).collect())
}

async fn taken_routes(account: &Account, environment: &Environment, zone: &str) -> Result<Vec<String>> {
    let (needed, worker) = (route_patterns(environment), environment.worker());
    let routes = account.short_list(&format!("/zones/{zone}/workers/routes")).await?;
    let taken = |route: &Value| {
        let pattern = route["pattern"].as_str()?;
        let script = route["script"].as_str().unwrap_or("no Worker");
        let is_taken = script != worker && needed.iter().any(|needed| needed == pattern);
        is_taken.then(|| format!("{pattern} ({script})"))
    };
    Ok(routes.iter().filter_map(taken).collect())
}
