//! Compares the operations of two documents, and lists what breaks a client of the older one.

use crate::schemas::{Comparison, Direction, members};
use crate::webhooks::compare_webhooks;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

/// Returns the changes that break clients, each with its place.
pub(crate) fn breaking_changes(old: &Value, new: &Value) -> Vec<String> {
    let mut comparison = Comparison { old, new, broken: Vec::new() };
    for (path, item) in members(&old["paths"]) {
        for method in METHODS {
            let Some(before) = item.get(method) else { continue };
            let place = format!("{method} {path}");
            match new["paths"][path].get(method) {
                Some(now) => compare_operations(&mut comparison, &place, before, now),
                None if before["deprecated"] == true => {}
                None => comparison.report(&place, "is gone, and was not deprecated"),
            }
        }
    }
    compare_webhooks(&mut comparison);
    comparison.broken
}

fn compare_operations(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    compare_credentials(comparison, place, old, new);
    compare_parameters(comparison, place, old, new);
    compare_request(comparison, &format!("{place} body"), &old["requestBody"], &new["requestBody"]);
    compare_responses(comparison, place, old, new);
    if old["servers"] != new["servers"] {
        comparison.report(place, "is served by other hosts");
    }
}

/// A credential that was enough must still be enough.
fn compare_credentials(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    let accepted = |operation: &Value| operation["security"].as_array().cloned().unwrap_or_default();
    let now = accepted(new);
    let mut before = accepted(old);
    if before.is_empty() {
        before.push(json!({}));
    }
    if !now.is_empty() && before.iter().any(|credential| !now.contains(credential)) {
        comparison.report(place, "requires another credential");
    }
}

fn compare_parameters(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    let (old, new) = (parameters(old), parameters(new));
    for (name, parameter) in &new {
        let was_required = old.get(name).is_some_and(|before| before["required"] == true);
        if parameter["required"] == true && !was_required {
            comparison.report(place, &format!("requires the parameter {name}"));
        }
    }
    for (name, before) in &old {
        match new.get(name) {
            Some(now) => {
                let place = format!("{place} parameter {name}");
                comparison.compare(Direction::Request, &place, &before["schema"], &now["schema"]);
            }
            None => comparison.report(place, &format!("no longer accepts the parameter {name}")),
        }
    }
}

fn parameters(operation: &Value) -> BTreeMap<String, &Value> {
    let all = operation["parameters"].as_array().into_iter().flatten();
    all.map(|parameter| (format!("{}/{}", parameter["in"], parameter["name"]).replace('"', ""), parameter)).collect()
}

fn compare_request(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    if new["required"] == true && old["required"] != true {
        comparison.report(place, "is required");
    }
    comparison.compare_contents(Direction::Request, place, &old["content"], &new["content"]);
}

fn compare_responses(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    let is_success = |status: &str| !status.starts_with(['4', '5']);
    for (status, _) in members(&new["responses"]) {
        if is_success(status) && old["responses"].get(status).is_none() {
            comparison.report(place, &format!("succeeds with the new status {status}"));
        }
    }
    for (status, before) in members(&old["responses"]) {
        let place = format!("{place} {status}");
        match new["responses"].get(status) {
            Some(now) => compare_response(comparison, &place, before, now),
            None if is_success(status) => comparison.report(&place, "is gone"),
            // A client must expect any refusal, so removing one breaks no client.
            None => {}
        }
    }
}

fn compare_response(comparison: &mut Comparison<'_>, place: &str, old: &Value, new: &Value) {
    for (name, _) in members(&old["headers"]) {
        if new["headers"].get(name).is_none() {
            comparison.report(place, &format!("no longer has the header {name}"));
        }
    }
    comparison.compare_contents(Direction::Response, place, &old["content"], &new["content"]);
}

#[cfg(test)]
pub(crate) mod tests;
