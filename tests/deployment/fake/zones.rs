//! The zones of the fake account: their DNS records, and the custom domains of its Workers.

use super::workers::{no_worker, patterns};
use super::{Call, Workers, failed, succeeded};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

/// The zones, and the DNS records without custom domains.
#[derive(Debug)]
pub(crate) struct Zones {
    pub(crate) names: Vec<String>,
    pub(crate) records: Vec<Value>,
}

impl Default for Zones {
    fn default() -> Self {
        Self { names: vec!["clipgate.example".to_owned()], records: Vec::new() }
    }
}

impl Zones {
    /// Adds a DNS record.
    pub(crate) fn add_record(&mut self, kind: &str, name: &str, content: &str) {
        self.records.push(json!({ "type": kind, "name": name, "content": content, "proxied": true }));
    }

    pub(super) fn answer(&mut self, call: &Call<'_>, workers: &mut Workers) -> Option<Response> {
        match (call.method.as_str(), call.path.as_slice()) {
            ("GET", ["zones"]) => {
                let named = self.names.iter().filter(|name| *name == call.parameter("name"));
                Some(succeeded(&named.map(|name| json!({ "id": format!("zone-{name}"), "name": name })).collect()))
            }
            ("GET", ["zones", _, "dns_records"]) => {
                let name = call.parameter("name.exact");
                let named = self.records.iter().filter(|record| name.is_empty() || record["name"] == name);
                Some(succeeded(&named.cloned().collect()))
            }
            ("GET", ["workers", "domains"]) => Some(succeeded(&domains(workers, call.parameter("hostname")))),
            ("PUT", ["workers", "scripts", name, "domains", "records"]) => Some(self.attach(name, call, workers)),
            _ => None,
        }
    }

    /// Gives a Worker its custom domains. Obstacles are replaced only if the request says so.
    fn attach(&mut self, worker: &str, call: &Call<'_>, workers: &mut Workers) -> Response {
        let body = call.json();
        let hosts = patterns(&body["origins"], "hostname");
        let is_of_another =
            workers.0.iter().any(|(name, one)| name != worker && !one.custom_domains.is_disjoint(&hosts));
        if is_of_another && body["override_existing_origin"] != true {
            return failed(StatusCode::CONFLICT, 100_116, "Hostname is already in use by another Worker");
        }
        let is_in_the_way = |record: &Value| record["name"].as_str().is_some_and(|name| hosts.contains(name));
        if self.records.iter().any(is_in_the_way) && body["override_existing_dns_record"] != true {
            return failed(StatusCode::CONFLICT, 100_117, "Hostname already has externally managed DNS records");
        }
        self.records.retain(|record| !is_in_the_way(record));
        workers.0.values_mut().for_each(|one| one.custom_domains.retain(|host| !hosts.contains(host)));
        let Some(worker) = workers.0.get_mut(worker) else { return no_worker() };
        worker.custom_domains = hosts;
        succeeded(&json!([]))
    }
}

fn domains(workers: &Workers, hostname: &str) -> Value {
    let domain = |name: &String, host: &String| json!({ "id": host, "hostname": host, "service": name });
    let all = workers.0.iter().flat_map(|(name, worker)| worker.custom_domains.iter().map(move |host| (name, host)));
    all.filter(|(_, host)| hostname.is_empty() || *host == hostname).map(|(name, host)| domain(name, host)).collect()
}
