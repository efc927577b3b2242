//! The hosts that serve each operation, from the route table.

use crate::http::host_role::{DOCUMENTED, HostRoles};
use crate::http::route::Route;
use contract::paths;
use serde_json::{Value, json};

/// Each host: its role, its address and what it serves.
const HOSTS: [(HostRoles, &str, &str); 3] = [
    (HostRoles::BASE, DOCUMENTED.base, "Key management"),
    (HostRoles::UPLOAD, DOCUMENTED.upload, "Uploads and all other operations for programs"),
    (HostRoles::SITE, DOCUMENTED.site, "The public website: pages and media files"),
];

/// An operation that every host serves has the servers of the document. Of the two hosts for owners, the document names
/// the programs' host.
pub(super) fn describe(operation: &mut Value, route: &Route) {
    match route.roles {
        HostRoles::ALL => {}
        HostRoles::OWNER => operation["servers"] = servers(HostRoles::UPLOAD),
        roles => operation["servers"] = servers(roles),
    }
}

pub(super) fn define(document: &mut Value) {
    let mut described = document["paths"].as_object().into_iter().flat_map(serde_json::Map::keys);
    let is_internal = described.all(|path| path.starts_with(paths::INTERNAL));
    document["servers"] = servers(if is_internal { HostRoles::BASE } else { HostRoles::ALL });
}

/// Returns whole addresses. A variable would have to be filled in, which not every generated client does.
fn servers(roles: HostRoles) -> Value {
    let served = HOSTS.into_iter().filter(|(role, ..)| role.overlaps(roles));
    served.map(|(_, url, description)| json!({ "url": url, "description": format!("{description}.") })).collect()
}
