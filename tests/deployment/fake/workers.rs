//! The Worker endpoints of the fake account, to which `wrangler deploy` uploads.

use super::{Call, failed, succeeded};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The Workers of the account, by name.
#[derive(Debug, Default)]
pub(crate) struct Workers(pub(crate) BTreeMap<String, FakeWorker>);

#[derive(Debug, Default, Clone)]
pub(crate) struct FakeWorker {
    /// The number of its deployments.
    pub(crate) versions: usize,
    /// The bindings and settings of the last version.
    pub(crate) metadata: Value,
    pub(crate) secrets: BTreeMap<String, String>,
    pub(crate) routes: BTreeSet<String>,
    pub(crate) custom_domains: BTreeSet<String>,
    pub(crate) schedules: Value,
}

impl FakeWorker {
    /// Returns the storage that the Worker is bound to, as `BINDING NAME`.
    pub(crate) fn bindings(&self) -> BTreeSet<String> {
        let bindings = self.metadata["bindings"].as_array().into_iter().flatten();
        let storage = |binding: &Value| {
            let names = ["id", "queue_name", "bucket_name", "namespace_id"];
            let name = names.iter().find_map(|field| binding[field].as_str())?;
            let is_storage = binding["type"] != "ratelimit";
            is_storage.then(|| format!("{} {name}", binding["name"].as_str().unwrap_or_default()))
        };
        bindings.filter_map(storage).collect()
    }

    /// Replaces the bindings that a new version takes over from the last one.
    fn inherit(&self, metadata: &mut Value) {
        let last = self.metadata["bindings"].as_array().into_iter().flatten();
        let last: BTreeMap<_, _> = last.map(|binding| (binding["name"].to_string(), binding)).collect();
        for binding in metadata["bindings"].as_array_mut().into_iter().flatten() {
            if let (true, Some(inherited)) = (binding["type"] == "inherit", last.get(&binding["name"].to_string())) {
                *binding = (*inherited).clone();
            }
        }
    }
}

impl Workers {
    /// Adds a Worker that was deployed before.
    pub(super) fn add(&mut self, name: &str) {
        self.0.insert(name.to_owned(), FakeWorker { versions: 1, ..FakeWorker::default() });
    }

    /// Adds a custom domain of a Worker, which is added too.
    pub(crate) fn add_domain(&mut self, name: &str, host: &str) {
        self.0.entry(name.to_owned()).or_default().custom_domains.insert(host.to_owned());
    }

    /// Adds a route of a Worker, which is added too.
    pub(crate) fn add_route(&mut self, name: &str, pattern: &str) {
        self.0.entry(name.to_owned()).or_default().routes.insert(pattern.to_owned());
    }

    pub(super) fn answer(&mut self, call: &Call<'_>) -> Option<Response> {
        match (call.method.as_str(), call.path.as_slice()) {
            ("GET", ["workers", "scripts", name, "secrets"]) => Some(self.secrets(name)),
            _ => self.deploy(call),
        }
    }

    fn secrets(&self, name: &str) -> Response {
        let Some(worker) = self.0.get(name) else { return no_worker() };
        let list: Vec<_> = worker.secrets.keys().map(|name| json!({ "name": name, "type": "secret_text" })).collect();
        succeeded(&json!(list))
    }

    fn deploy(&mut self, call: &Call<'_>) -> Option<Response> {
        let (name, rest) = match call.path.as_slice() {
            ["workers", "services", name] => return Some(self.service(name)),
            ["workers", "workers", name] => {
                let off = json!({ "enabled": false, "previews_enabled": false });
                return Some(succeeded(&json!({ "name": name, "previews_base_config": {}, "subdomain": off })));
            }
            ["zones", _, "workers", "routes"] => return Some(succeeded(&self.all_routes())),
            ["workers", "scripts", name, rest @ ..] => (*name, rest),
            _ => return None,
        };
        if (call.method == "PUT" && rest.is_empty()) || (call.method == "POST" && rest == ["versions"]) {
            return Some(self.upload(name, call));
        }
        if rest == ["assets-upload-session"] {
            // All files exist already.
            return Some(succeeded(&json!({ "jwt": "completed", "buckets": [] })));
        }
        let Some(worker) = self.0.get_mut(name) else { return Some(no_worker()) };
        match (call.method.as_str(), rest) {
            ("PUT", ["routes"]) => worker.routes = patterns(&call.json(), "pattern"),
            ("POST", ["domains", "changeset"]) => {
                let added = call.json();
                return Some(succeeded(&json!({ "added": added, "removed": [], "updated": [], "conflicting": [] })));
            }
            ("PUT", ["schedules"]) => worker.schedules = call.json(),
            ("GET", ["deployments"]) => return Some(succeeded(&json!({ "deployments": [deployment(worker)] }))),
            ("POST", ["deployments"]) => return Some(succeeded(&json!({ "id": "deployment" }))),
            ("GET", ["settings"]) => return Some(succeeded(&worker.metadata)),
            ("PATCH", ["script-settings"]) => {}
            ("PUT", ["secrets"]) => {
                let secret = call.json();
                let text = |field: &str| secret[field].as_str().unwrap_or_default().to_owned();
                worker.secrets.insert(text("name"), text("text"));
            }
            ("DELETE", ["secrets", secret]) => {
                if worker.secrets.remove(*secret).is_none() {
                    return Some(failed(StatusCode::NOT_FOUND, 10056, "Secret not found."));
                }
            }
            ("GET" | "POST", ["subdomain"]) => {
                return Some(succeeded(&json!({ "enabled": false, "previews_enabled": false })));
            }
            _ => return None,
        }
        Some(succeeded(&json!([])))
    }

    fn all_routes(&self) -> Value {
        let of = |(name, worker): (&String, &FakeWorker)| -> Vec<Value> {
            worker.routes.iter().map(|pattern| json!({ "id": pattern, "pattern": pattern, "script": name })).collect()
        };
        self.0.iter().flat_map(of).collect()
    }

    fn service(&self, name: &str) -> Response {
        let Some(worker) = self.0.get(name) else { return no_worker() };
        let script =
            json!({ "tag": "tag", "tags": null, "last_deployed_from": "wrangler", "versions": worker.versions });
        succeeded(&json!({ "default_environment": { "environment": "production", "script": script } }))
    }

    /// Stores a new version. Secrets that it does not name are kept.
    fn upload(&mut self, name: &str, call: &Call<'_>) -> Response {
        let mut metadata = metadata(call.body);
        let worker = self.0.entry(name.to_owned()).or_default();
        for binding in metadata["bindings"].as_array().into_iter().flatten() {
            if binding["type"] == "secret_text" {
                let text = |field: &str| binding[field].as_str().unwrap_or_default().to_owned();
                worker.secrets.insert(text("name"), text("text"));
            }
        }
        worker.inherit(&mut metadata);
        worker.versions += 1;
        worker.metadata = metadata;
        let id = format!("version-{}", worker.versions);
        let resources = json!({ "script": { "etag": id, "handlers": ["fetch"] } });
        let answer = json!({
            "id": id, "etag": id, "deployment_id": id, "startup_time_ms": 5, "tag": "tag", "resources": resources,
            "metadata": { "has_preview": false },
        });
        succeeded(&answer)
    }
}

fn deployment(worker: &FakeWorker) -> Value {
    let version = json!({ "version_id": format!("version-{}", worker.versions), "percentage": 100 });
    json!({
        "id": "deployment", "source": "wrangler", "strategy": "percentage", "author_email": "operator@clipgate.example",
        "created_on": "2026-01-01T00:00:00Z", "versions": [version],
    })
}

pub(super) fn patterns(list: &Value, field: &str) -> BTreeSet<String> {
    let entries = list.as_array().into_iter().flatten();
    entries.filter_map(|entry| entry[field].as_str().map(str::to_owned)).collect()
}

/// Finds the JSON in the form that wrangler uploads: the first part.
fn metadata(form: &[u8]) -> Value {
    let text = String::from_utf8_lossy(form);
    let Some(start) = text.find("\r\n\r\n{") else { return Value::Null };
    let rest = &text[start + 4..];
    let end = rest.find("\r\n--").unwrap_or(rest.len());
    serde_json::from_str(&rest[..end]).unwrap_or(Value::Null)
}

pub(super) fn no_worker() -> Response {
    failed(StatusCode::NOT_FOUND, 10007, "This Worker does not exist on your account.")
}
