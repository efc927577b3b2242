//! The hosts that serve each operation, from the route table.

use crate::http::host_role::HostRoles;
use crate::http::route::Route;
use contract::paths;
use serde_json::{Value, json};

/// Each host: its role, the name of its address in the documents, an example of the address, and what it serves.
const HOSTS: [(HostRoles, &str, &str, &str); 3] = [
    (HostRoles::BASE, "base_url", "https://www.clipgate.example", "Key management"),
    (HostRoles::UPLOAD, "upload_url", "https://upload.clipgate.example", "Uploads, and all that programs call"),
    (HostRoles::SITE, "site_url", "https://www.clipgate.example", "The public website, with pages and media files"),
];

/// An operation that every host serves has the servers of the document.
pub(super) fn describe(operation: &mut Value, route: &Route) {
    if route.roles != HostRoles::ALL {
        operation["servers"] = servers(route.roles);
    }
}

pub(super) fn define(document: &mut Value) {
    let mut described = document["paths"].as_object().into_iter().flat_map(serde_json::Map::keys);
    let is_internal = described.all(|path| path.starts_with(paths::INTERNAL));
    document["servers"] = servers(if is_internal { HostRoles::BASE } else { HostRoles::ALL });
}

fn servers(roles: HostRoles) -> Value {
    let served = HOSTS.into_iter().filter(|(role, ..)| role.overlaps(roles));
    served.map(|(_, name, address, description)| server(name, address, description)).collect()
}

fn server(name: &str, address: &str, description: &str) -> Value {
    let of_variable = "The address that the operator has published. On a machine of your own: what `make run` prints.";
    json!({
        "url": format!("{{{name}}}"),
        "description": format!("{description}."),
        "variables": { name: { "default": address, "description": of_variable } },
    })
}
